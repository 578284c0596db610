"""Arithmetic that every processor does alike: right, and by steps that leave no choice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.perturb.arithmetic import FINE, exponential, find_levels, move_canvas, places, round_levels, turn_canvas


def test_powers_of_e_are_right():
    """To a few roundings of 32 bits between the ends of the table; beyond them it stays where it is."""
    exponents = np.linspace(-32, 32, 100_001, dtype=np.float32)
    expected = np.exp(exponents.astype(np.float64))
    np.testing.assert_allclose(exponential(exponents), expected, rtol=4 * 2.0**-23)
    assert exponential(np.array([-1e6, 1e6], dtype=np.float32)).tolist() == pytest.approx([np.exp(-32), np.exp(32)])


@given(
    degrees=st.floats(-180, 180),
    size=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    shape=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    outside=st.sampled_from([None, 0, 77]),
    seed=st.integers(0, 99),
)
def test_moved_levels_are_sums_of_whole_numbers(degrees, size, shape, outside, seed):
    """Weights are 1024ths: computed by whole numbers alone, in any order, every value is the same to the bit."""
    levels = np.random.default_rng(seed).integers(0, FINE + 1, size)
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    origin = np.array([[cosine, -sine, 3.3], [sine, cosine, -2.7]])
    across, down = places(origin, height=shape[0], width=shape[1])
    right, bottom = (across[:, None, :] + down[:, :, None]) >> 5
    margin = 64
    mode = {"mode": "edge"} if outside is None else {"constant_values": outside}
    wide = np.pad(levels, margin, **mode)
    expected = np.zeros(shape, dtype=np.int64)
    for below, beside in np.ndindex(2, 2):
        weights = (bottom % 32 if below else 32 - bottom % 32) * (right % 32 if beside else 32 - right % 32)
        expected += weights * wide[bottom // 32 + below + margin, right // 32 + beside + margin]
    found = move_canvas(levels.astype(np.float32), origin, height=shape[0], width=shape[1], outside=outside)
    assert np.array_equal(found * 1024.0, expected)


def test_what_lies_around_a_picture():
    """A value, also one that the picture itself lacks; or the picture's own edge."""
    picture = np.array([[0.2, 0.4]], dtype=np.float32)
    away = np.array([[1.0, 0, 40], [0, 1, 0]])
    assert turn_canvas(picture, away, height=1, width=1, beyond=0.7).item() == pytest.approx(0.7, abs=1 / FINE)
    assert turn_canvas(picture, away, height=1, width=1, beyond=None).item() == pytest.approx(0.4, abs=1 / FINE)


@given(low=st.floats(-3, 0.9), high=st.floats(0.1, 5), full=st.sampled_from([FINE, 65_535]))
def test_levels_stand_for_the_nearest_fraction(low, high, full):
    """Also where a picture goes beyond black and white; levels of 8 bits are hit exactly."""
    picture = np.linspace(low, high, 99, dtype=np.float32)[None]
    levels = find_levels(picture, full)
    reach = max(1, high, low) - min(0, low, high)
    assert levels.whole.min() >= 0
    assert levels.whole.max() <= full
    np.testing.assert_allclose(levels.fractions(levels.whole), picture, atol=0.5 * reach / full + 1e-6)
    bytes_ = np.float32(1 / 255) * np.arange(256, dtype=np.float32)[None]
    assert np.array_equal(find_levels(bytes_, FINE).whole, 64.0 * np.arange(256)[None])


def test_rounded_to_the_nearest_level():
    """Halves to the even one, and nothing beyond the ends."""
    levels = np.array([-1, 0.5, 1.5, 2.51, 65_534.6, 9e9], dtype=np.float32)
    assert round_levels(levels.copy(), 65_535).tolist() == [0, 0, 2, 3, 65_535, 65_535]
    assert round_levels(levels).tolist() == [0, 0, 2, 3, 255, 255]
