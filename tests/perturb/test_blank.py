"""Blank pictures: nothing is left of the original but its shape."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import StudyError
from snellen.perturb.blank import Blanked, Placeholder


@given(
    fill=st.sampled_from(["white", "black", "grey", "noise"]),
    shape=st.sampled_from([(5, 7), (4, 3, 3), (1, 1), (9, 2)]),
    seed=st.integers(0, 2**53),
)
def test_a_blank_depends_on_nothing_but_shape_fill_and_seed(fill, shape, seed):
    """Two different pictures of one shape become the same blank; the input stays untouched."""
    one, two = np.zeros(shape, dtype=np.uint8), np.full(shape, 200, dtype=np.uint8)
    step = Blanked(fill, seed)
    made = step(one)
    assert np.array_equal(made, step(two))
    assert made.shape == shape
    assert made.dtype == np.uint8
    assert not one.any()


@pytest.mark.parametrize(("fill", "tone"), [("white", 255), ("black", 0), ("grey", 128)])
def test_tones(fill, tone):
    """A tone is one value everywhere."""
    assert (Blanked(fill)(np.ones((3, 4), dtype=np.uint8)) == tone).all()


def test_noise_is_noise_and_the_same_for_one_seed():
    """All values turn up about as often; another seed gives another picture."""
    shape = np.zeros((256, 256, 3), dtype=np.uint8)
    made = Blanked("noise", 5)(shape)
    counts = np.bincount(made.ravel(), minlength=256)
    assert abs(counts - made.size / 256).max() < 6 * np.sqrt(made.size / 256)
    assert np.array_equal(made, Blanked("noise", 5)(shape))
    assert not np.array_equal(made, Blanked("noise", 6)(shape))


def test_the_first_noise_bytes_are_what_they_always_were():
    """A seed gives the same noise on every machine and in every version: stored studies can be redone."""
    assert Blanked("noise", 1)(np.zeros((1, 8), dtype=np.uint8)).tolist() == [[255, 228, 34, 121, 243, 189, 6, 131]]


def test_the_placeholder_is_that_of_the_paper():
    """White, 279 by 175, in colour."""
    made = Placeholder().draw()
    assert made.shape == (175, 279, 3)
    assert (made == 255).all()


def test_an_unknown_fill_is_refused():
    """The message says what there is."""
    with pytest.raises(StudyError, match="white, black, grey, noise, got 'pink'"):
        Blanked("pink")(np.zeros((2, 2), dtype=np.uint8))
