"""Which letters a response names, however it is written."""

from hypothesis import assume, given
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.images.letters import SLOAN
from snellen.reading.letters import LetterOutcome, letters_named, read_letters

ROW = st.text(SLOAN, min_size=1, max_size=12)

NAMED = read_table(__file__, "NAMED")


def test_letters_are_found_however_they_are_written():
    """Rows, lists, spelt out or in a sentence; words of a sentence are no letters."""
    assert {reply: letters_named(reply) for reply in NAMED} == NAMED


@given(ROW)
def test_what_is_named_in_order_is_right(row):
    """A whole answer is right in every letter, and each wrong or declined one is counted in its place."""
    assert read_letters(" ".join(row), [row]).right == len(row)
    declined = read_letters("?" * len(row), [row])
    assert declined.count(LetterOutcome.DECLINED) == declined.n == len(row)


@given(ROW.filter(lambda row: len(row) > 1), st.data())
def test_a_letter_left_out_costs_one_letter(row, data):
    """The others are still right: the response is laid beside what was shown."""
    at = data.draw(st.integers(0, len(row) - 1))
    left = row[:at] + row[at + 1 :]
    assume(left not in ("NO", "OK"))  # words, and no letters
    read = read_letters(left, [row])
    assert (read.right, read.count(LetterOutcome.MISSING)) == (len(row) - 1, 1)


@take_rows("reply, outcome, no_image, refused")
def test_no_letters_are_told_apart(reply, outcome, no_image, refused):
    """No image, a refusal, letters that cannot be read, and no words at all are four things."""
    read = read_letters(reply, ["CDHKN"])
    assert (set(read.outcomes), read.said_no_image, read.refused) == ({outcome}, no_image, refused)
