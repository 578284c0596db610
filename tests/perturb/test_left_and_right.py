"""Left and right in six languages: what names a side, and what the other one is called."""

from hypothesis import given
from hypothesis import strategies as st

from rows import read_table
from snellen.perturb.left_and_right import in_signs, names_a_side, other_side

OTHER = read_table(__file__, "OTHER")
NO_SIDE = read_table(__file__, "NO_SIDE")
SIDES = read_table(__file__, "SIDES")


def test_the_other_side_by_its_name():
    """In every language, with its ending, its capitals and its hour."""
    for text, other in OTHER.items():
        assert names_a_side(text), text
        assert other_side(text) == other, text
        assert in_signs(text, mirrored=True) == in_signs(other), text
        assert in_signs(text) != in_signs(other), text


def test_what_a_mirror_leaves_true_names_no_side():
    """Both sides together, how to read the image, above and below, from the midline, and words of other meanings."""
    for text in NO_SIDE:
        assert not names_a_side(text), text
        assert other_side(text) in (text, None) or "patient" in text.lower() or "soggetto" in text or "患者" in text, (
            text
        )


def test_a_side_among_others_is_named():
    """A comparison of two sides is false in a mirror, and so is an order from left to right."""
    for text in SIDES:
        assert names_a_side(text), text


PIECES = st.sampled_from(
    [*OTHER, *OTHER.values(), *NO_SIDE, *SIDES, "lEFT", "anticlockwise", "droit", " ", "or", "and", ",", "/", "Ⅻ"]
)


@given(st.lists(PIECES | st.text(max_size=4), max_size=5).map(" ".join))
def test_there_and_back(text):
    """The other side of the other side is the text itself, or there is no other side of it by rule."""
    other = other_side(text)
    assert other is None or other_side(other) == text


def test_what_cannot_be_turned_back_has_no_other_side():
    """No word is made up: of anticlockwise, one would get back counterclockwise."""
    assert [other_side(text) for text in ("anticlockwise", "lEft lung")] == [None, None]
