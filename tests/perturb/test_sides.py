"""Words of side and position in six languages, and words that only look like them."""

from rows import read_table
from snellen.perturb.sides import speaks_of_sides

SIDES = read_table(__file__, "SIDES")


def test_a_side_is_found():
    """A quarter turn makes what is said of it false."""
    for text in SIDES:
        assert speaks_of_sides(text), text


NO_SIDES = read_table(__file__, "NO_SIDES")


def test_what_only_looks_like_a_side_is_none():
    """Correct, remaining, law, greater, a litre, a vertebra: such questions stay as true when the image is turned."""
    for text in NO_SIDES:
        assert not speaks_of_sides(text), text
