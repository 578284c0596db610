"""The lenient parser against a table of replies, each with what a careful person reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.choice import replies
from rows import read_table, take_rows
from snellen.items import LETTERS, Item, Option
from snellen.reading import read_choice
from snellen.reading.choice.parser import _read_slowly, read_closing
from snellen.reading.language.cleaning import clean_text

CHOSEN = [
    row
    for table in (
        replies.PLAIN,
        replies.MARKED,
        replies.STATED,
        replies.WORDED,
        replies.YES_NO,
        replies.MANY,
        replies.ABROAD,
        replies.REASONED,
    )
    for row in table
    if len(row[2]) == 1
]
NOT_CHOSEN = [
    row
    for table in (
        replies.PLAIN,
        replies.MARKED,
        replies.YES_NO,
        replies.UNREAD,
        replies.SILENT,
        replies.MANY_UNREAD,
        replies.ABROAD_UNREAD,
        replies.REASONED_UNREAD,
    )
    for row in table
    if len(row[2]) > 1
]


def test_reads_the_option_a_person_would_read():
    """The option chosen and the rule that read it are those of the table."""
    for reply, options, letter, rule in CHOSEN:
        reading = read_choice(reply, replies.item(options))
        assert (LETTERS.index(letter), rule) == (reading.choice, reading.rule), (reply, options)


def test_reads_nothing_where_a_person_would_read_nothing():
    """A reply without an answer is not given one, and the rule says why there is none."""
    for reply, options, rule, outcome in NOT_CHOSEN:
        reading = read_choice(reply, replies.item(options))
        assert (None, outcome, rule) == (reading.choice, str(reading.silence), reading.rule), (reply, options)


STANDING = read_table(__file__, "STANDING")
WITHHELD = read_table(__file__, "WITHHELD")


def _read(asked, text):
    question, options = asked
    return read_choice(text, Item(id="1", question=question, options=tuple(map(Option, options))))


@pytest.mark.parametrize(("asked", "text", "letter"), STANDING)
def test_an_answer_stands(asked, text, letter):
    assert _read(asked, text).choice == "ABCD".index(letter)


@pytest.mark.parametrize(("asked", "text", "silence"), WITHHELD)
def test_no_answer_is_given(asked, text, silence):
    read = _read(asked, text)
    assert (read.choice, read.silence) == (None, silence)


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


SETS = read_table(__file__, "SETS")
OTHER_SENSES = read_table(__file__, "OTHER_SENSES")
FORMULAS = read_table(__file__, "FORMULAS")
SEVERAL = read_table(__file__, "SEVERAL")
INTRODUCED = read_table(__file__, "INTRODUCED")
TAKEN_BACK = read_table(__file__, "TAKEN_BACK")
ANALYSED = read_table(__file__, "ANALYSED")


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [*OTHER_SENSES, *FORMULAS, *SEVERAL, *INTRODUCED, *TAKEN_BACK, *ANALYSED],
)
def test_reads_the_answer_and_what_only_looks_like_one(reply, options, letter):
    """A letter, a noun of answering or an option's words count only where they give the answer."""
    asked = "Which one is shown in the image (imagen)?"
    item = Item(id="x/1", question=asked, options=tuple(map(Option, SETS[options])))
    reading = read_choice(reply, item)
    assert (None if reading.choice is None else LETTERS[reading.choice]) == letter, reading
