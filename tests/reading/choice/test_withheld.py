"""Answers that are taken back in the same breath, or hold only on a condition; each beside one that stands."""

import pytest

from rows import read_table
from snellen.items import Item, Option
from snellen.reading import read_choice

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
