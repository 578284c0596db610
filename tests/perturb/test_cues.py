"""Cues as pixels: they mark their place, leave the rest, and take images of any size and colour."""

import numpy as np
import pytest

from snellen.perturb.cues import Pointed, Written

BOX = (30, 40, 60, 80)


def film(height=120, width=160, colour=False):
    """An even grey image."""
    return np.full((height, width, 3) if colour else (height, width), 100, dtype=np.uint8)


@pytest.mark.parametrize("size", [(120, 160), (9, 7), (300, 40)])
def test_words_are_white_on_black_in_their_place(size):
    """In the top right corner or along the bottom, never over all of a large image; long words are made smaller."""
    for words, corner in (("B", True), ("Pneumothorax on the left, with a small effusion", False)):
        for colour in (False, True):
            before = film(*size, colour=colour)
            after = Written(words, corner=corner)(before)
            assert after.shape == before.shape
            assert (before == 100).all()
            changed = np.argwhere((after != 100).reshape(*size, -1).any(axis=2))
            top, left = changed.min(axis=0)
            bottom, right = changed.max(axis=0)
            assert (right == size[1] - 1, top == 0) if corner else (left == 0, bottom == size[0] - 1) == (True, True)
    if size[1] > 100:
        assert Written("B", corner=True)(film(*size)).max() > 200


def test_other_words_give_other_pixels():
    """Two letters can be told apart."""
    assert not np.array_equal(Written("A", corner=True)(film()), Written("B", corner=True)(film()))


@pytest.mark.parametrize("pointer", ["arrow", "frame", "heat-map"])
def test_pointers_are_red_and_at_their_box(pointer):
    """A grey image becomes RGB; the mark's centre of mass lies at the box, or an arrow's tip does."""
    for colour in (False, True):
        before = film(colour=colour)
        after = Pointed(pointer, BOX)(before)
        assert after.shape == (120, 160, 3)
        assert (before == 100).all()
        red = after[..., 0].astype(int) - after[..., 2]
        if pointer == "arrow":
            assert red[57:63, 42:48].max() > 100
        else:
            y, x = (red > 0.4 * red.max()).nonzero()
            assert abs(x.mean() - 45) < 2
            assert abs(y.mean() - 60) < 2
    if pointer == "frame":
        inside = Pointed(pointer, BOX)(film())[45:75, 35:55]
        assert (inside == 100).all()
    if pointer == "heat-map":
        assert tuple(Pointed(pointer, BOX)(film())[60, 45]) == pytest.approx((177, 50, 50), abs=3)
