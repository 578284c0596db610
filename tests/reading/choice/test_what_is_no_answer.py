"""Words, letters and signs that look like an answer and are none, each beside a response where they are one."""

import pytest

from rows import read_table
from snellen.items import LETTERS, Item, Option
from snellen.reading import read_choice

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
