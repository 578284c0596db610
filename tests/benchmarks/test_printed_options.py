"""Printed options: found in a question however they are lettered, taken out, and refused where they contradict."""

import gzip
import json
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks import printed_options
from snellen.benchmarks.printed_options import without_printed_options
from snellen.errors import DataError
from snellen.imports import asked
from snellen.items import LETTERS, Option
from strategies import WORDS

MEDXPERT = Path(__file__).parents[2].parent / "shared" / "data" / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz"
STYLES = ["({}) {}", "{}) {}", "{}. {}", "**{}**: {}", "[{}] {}"]
LAYOUTS = [*((style, between) for style in STYLES for between in ("\n", " ", ";\n")), ("\n- {}: {}", "")]
TEXTS = st.lists(
    WORDS.map(str.strip),
    min_size=2,
    max_size=6,
    unique_by=lambda text: " ".join(text.split()).rstrip(" .;,").casefold(),
)


def options(*texts):
    return tuple(map(Option, texts))


def printed(texts, style, between):
    return between.join(style.format(letter, text) for letter, text in zip(LETTERS, texts, strict=False))


@given(
    texts=TEXTS.filter(lambda texts: all(text.strip(" .;,") for text in texts)),
    layout=st.sampled_from(LAYOUTS),
    heading=st.sampled_from(["", "Answer Choices: ", "Options:\n", "**Opzioni:**\n"]),
    data=st.data(),
)
def test_a_list_of_the_options_is_taken_out(texts, layout, heading, data):
    """Whatever its letters look like; in another order than the options have, it is refused."""
    question = f"Which one?\n{heading}{printed(texts, *layout)}"
    assert without_printed_options(question, options(*texts)) == "Which one?"
    moved = data.draw(st.permutations(texts).filter(lambda moved: moved != texts))
    with pytest.raises(DataError, match="in another order"):
        without_printed_options(question, options(*moved))


SHORT = ("left", "right", "upper lobe", "no  sign", "a", "E", "hepatitis B. virus", "left.", "12 mm ", "Straße", "A")
BEFORE = ("Which?\n", "", "Which? ", "Which?\nOptions:\n", "A. left\nB. right\n", "In A. and B.\n")
BEHIND = (
    "",
    "\n",
    " ",
    "\nAnswer by letter.",
    "\nE. more",
    "\n\n(E) more",
    "\nThe choice.",
    "\nA. left\nB. right",
    "\ne. g.",
)


@given(
    texts=st.lists(st.sampled_from(SHORT), min_size=2, max_size=5),
    layout=st.sampled_from([*LAYOUTS, ("{}. {}", "\n- "), ("{}. {}", " \n"), ("{}.{}", "\n"), ("{}: {}", "\n")]),
    around=st.tuples(st.sampled_from(BEFORE), st.sampled_from(BEHIND)),
    data=st.data(),
)
def test_lists_that_go_line_by_line_are_found_as_all_others_are(texts, layout, around, data):
    """The short way to them gives what the look at every mark gives."""
    question = printed(texts, *layout).join(around)
    offered = data.draw(st.one_of(st.just(texts), st.permutations(texts), st.just(texts[:-1])))
    found = printed_options.find_printed(question, offered), asked.printed_in(question)
    with (
        patch.object(printed_options, "_line_by_line", lambda *_: None),
        patch.object(asked, "_line_by_line", lambda _: ()),
    ):
        assert found == (printed_options.find_printed(question, offered), asked.printed_in(question))


@pytest.mark.parametrize(
    ("question", "texts", "left"),
    [
        ("Which?\nA) Left\nB) Right\nAnswer by letter.", ("Left", "Right"), "Which?\nAnswer by letter."),
        ("Which? (A) left  lung. (B) RIGHT lung.", ("Left lung", "Right lung"), "Which?"),
        ("Which?\nA. hepatitis B. virus B. hepatitis C", ("hepatitis B. virus", "hepatitis C"), "Which?"),
        ("In (A) a lung, in (B) a heart. Which?", ("a lung", "a heart"), None),
        ("Panels: (A) CT (B) MRI. Which?", ("A", "B"), None),
        ("Which of (A), (B) is it?", ("(A)", "(B)"), None),
        ("Which?\nA) Left", ("Left", "Right"), None),
    ],
)
def test_only_the_options_are_taken_out(question, texts, left):
    """Words behind the list stay, and letters that mark something else are left alone."""
    assert without_printed_options(question, options(*texts)) == (question if left is None else left)


def test_a_list_that_is_not_that_of_the_options_is_refused():
    """One that goes on, and a question that holds nothing else."""
    with pytest.raises(DataError, match="prints more options than the 2 of its list"):
        without_printed_options("Which? (A) Left (B) Right (C) Both", options("Left", "Right"))
    with pytest.raises(DataError, match="contains only its options"):
        without_printed_options("(A) Left (B) Right", options("Left", "Right"))


@pytest.mark.skipif(not MEDXPERT.exists(), reason=f"MedXpertQA-MM is not at {MEDXPERT}")
def test_all_of_a_real_benchmark():
    """MedXpertQA-MM prints the options in every question, as `Answer Choices: (A) …`."""
    with gzip.open(MEDXPERT) as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        texts = [option["content"] for option in row["options"]]
        left = without_printed_options(row["question"], options(*texts))
        assert row["question"].startswith(left)
        assert "Answer Choices" not in left
