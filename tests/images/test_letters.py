"""Letters are drawn to their size and contrast, each unlike the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.images import Image
from snellen.images.letters import SLOAN, LetterChart, PlacedLetter, glyph


@given(st.sampled_from(SLOAN), st.integers(5, 200))
def test_a_letter_fills_its_square(letter, size):
    """Ink touches the sides, covers about half of the square, and is never more than all of a pixel."""
    ink = glyph(letter, size)
    assert ink.shape == (size, size)
    assert ink.min() >= 0
    assert ink.max() <= 1
    sides = [ink[0], ink[-1], ink[:, 0], ink[:, -1]]
    assert all(side.max() > 0.2 for side in sides[: 3 if letter == "C" else 4])  # C opens where it would touch
    assert ink.mean() == pytest.approx(glyph(letter, 250).mean(), abs=0.02)


def test_no_two_letters_look_alike():
    """Even at ten pixels the closest pair differs in a tenth of its ink."""
    drawn = [glyph(letter, 10).ravel() for letter in SLOAN]
    apart = [np.abs(one - other).mean() for i, one in enumerate(drawn) for other in drawn[:i]]
    assert min(apart) > 0.04


@given(st.floats(0.02, 1), st.booleans(), st.sampled_from(["plain", "x-ray"]), st.integers(0, 99))
def test_contrast_is_a_share_of_what_the_ground_allows(contrast, light_on_dark, ground, seed):
    """Under full ink a pixel goes so far towards black or white; beside the letter the ground is untouched."""
    shown = {"light_on_dark": light_on_dark, "ground": ground, "seed": seed}
    bare = LetterChart(60, 60, (), **shown).draw().astype(float)
    drawn = LetterChart(60, 60, (PlacedLetter("H", 10, 10, 40),), contrast=contrast, **shown).draw().astype(float)
    towards = 255 if light_on_dark else 0
    expected = bare + contrast * (towards - bare)
    assert np.abs(drawn[10:50, 10:18] - expected[10:50, 10:18]).max() <= 1
    assert (drawn[:10] == bare[:10]).all()


def test_a_chart_is_a_picture_like_any_other():
    """It is sent as PNG of its size, the same for the same fields, another for another seed."""
    charts = [LetterChart(64, 48, (PlacedLetter("S", 8, 8, 30),), ground="x-ray", seed=seed) for seed in (1, 1, 2)]
    first, again, other = (Image(chart).encoded() for chart in charts)
    assert (first.width, first.height, first.media_type) == (64, 48, "image/png")
    assert first.sha256 == again.sha256 != other.sha256


@pytest.mark.parametrize(
    "placed", [PlacedLetter("H", 50, 0, 20), PlacedLetter("H", -1, 0, 20), PlacedLetter("Q", 0, 0, 20)]
)
def test_what_cannot_be_drawn_is_refused(placed):
    """A letter beyond the edge, and one that is not Sloan's."""
    with pytest.raises(ValueError, match="Expected"):
        LetterChart(60, 60, (placed,)).draw()
