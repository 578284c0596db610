"""The short way agrees with the long one wherever it is taken."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.items import Item, Option
from snellen.reading.choice.parser import _read_slowly, read_closing
from snellen.reading.language.cleaning import clean_text

ITEM = Item(
    id="1", question="?", options=tuple(Option(text) for text in ("Effusion", "Left effusion", "Mass", "Normal"))
)
REAL = Path(__file__).parents[3].parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
SENTENCES = st.lists(
    st.sampled_from(
        [
            "The costophrenic angle is blunted, with a meniscus along the lateral wall.",
            "A left effusion would explain this, and I think so too.",
            "Effusion",
            "The answer is not A.",
            "Option C can be ruled out.",
            "B is wrong.",
            "Given all this, A is correct.",
            "Correct would be a mass.",
            "I cannot see the image well enough to be sure about anything here.",
            "Vitamin D was given.",
            "So it is neither (a) nor anything else.",
            "I'd go with the second one.",
            '{"answer": 1}',
            "<answer>C</answer>",
            "Wait, no: I correct myself.",
            "Most likely a normal study, all things considered, in this patient.",
        ]
    ),
    min_size=1,
    max_size=4,
)

CLOSINGS = read_table(__file__, "CLOSINGS")


def check_both(text, item):
    """Whether the short way was taken; fails where it reads something else than the long one."""
    short = read_closing(text, item)
    if short is not None:
        long = _read_slowly(clean_text(text), item)
        assert (short.choice, short.rule) == (long.choice, long.rule), text
    return short is not None


@given(SENTENCES, st.sampled_from("ABCDEZ"), st.sampled_from(CLOSINGS), st.sampled_from(["\n\n", " "]))
def test_both_ways_read_the_same(sentences, letter, closing, before):
    """Any mixture of sentences before the last line, or before the last sentence."""
    check_both("\n".join(sentences) + before + closing.format(letter), ITEM)


@take_rows("text, taken")
def test_it_is_taken_where_nothing_else_could_be_the_answer(text, taken):
    """Plain reasoning takes it, and so does any reasoning before a last line that gives the answer and nothing else."""
    assert check_both(text, ITEM) == taken


@pytest.mark.skipif(not REAL.exists(), reason="the real replies are not here (../shared/data/italian-medvqa)")
def test_both_ways_agree_on_real_reasoning():
    """Real replies without their first line, closed by a line of ours: wherever the short way is taken, it agrees."""
    taken = 0
    with gzip.open(REAL, "rt") as file:
        for line in file:
            row = json.loads(line)
            item = Item(id="1", question=row["question"], options=tuple(Option(text) for text in row["options"]))
            reasoning = row["response"].partition("\n")[2]
            for paragraph in reasoning.split("\n\n"):
                taken += check_both(f"{paragraph}\n\nAnswer: D", item)
    assert taken > 500
