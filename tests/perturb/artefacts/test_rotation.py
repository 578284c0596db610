"""Rotation: counter-clockwise on a growing canvas."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import ndimage

from snellen.perturb.artefacts import Rotation
from snellen.perturb.artefacts.rotation import canvas


def test_a_quarter_turn_is_exact():
    """Up goes left; nothing is resampled."""
    picture = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    assert Rotation(90)(picture).tolist() == [[3, 6], [2, 5], [1, 4]]
    assert np.array_equal(Rotation(-90)(picture), np.rot90(picture, -1))
    assert np.array_equal(Rotation(180)(picture), picture[::-1, ::-1])
    assert np.array_equal(Rotation(0)(picture), picture)


@given(degrees=st.floats(-180, 180), size=st.tuples(st.integers(1, 40), st.integers(1, 40)), seed=st.integers(0, 9))
def test_canvas_and_values_are_scipys(between_pixels, degrees, size, seed):
    """The canvas is that of scipy.ndimage.rotate, and so are the values, linear, as far as places are rounded.

    The picture has a black edge: at its very rim SciPy goes over to black at once, we within a pixel.
    """
    picture = np.random.default_rng(seed).random(size).astype(np.float32)
    picture[0] = picture[-1] = picture[:, 0] = picture[:, -1] = 0
    expected = ndimage.rotate(picture, degrees, order=1)
    turned = Rotation(degrees)(picture)
    assert turned.shape == expected.shape
    np.testing.assert_allclose(turned, expected, atol=between_pixels)


@given(degrees=st.floats(-89, 89), size=st.tuples(st.integers(1, 40), st.integers(1, 40)), seed=st.integers(0, 9))
def test_values_at_rounded_places_are_scipys(at_rounded_places, degrees, size, seed):
    """At the same places, linear, black around: SciPy's to the rounding of values to 1/16,320."""
    assume(degrees)
    picture = np.random.default_rng(seed).random(size).astype(np.float32)
    origin, *shape = canvas(degrees, *size)
    expected = at_rounded_places(picture, origin, shape, 0)
    np.testing.assert_allclose(Rotation(degrees)(picture), expected, atol=0.5 / 16_320 + 1e-6)


@pytest.mark.parametrize(("severity", "degrees"), [(0.5, 30), (1, 90)])
def test_the_angle_is_the_papers_and_fixed(severity, degrees):
    """No draw changes it."""
    assert {Rotation.draw(severity, np.random.default_rng(i), kind="MRI").degrees for i in range(3)} == {degrees}


def test_the_canvas_holds_everything():
    """No light is lost: the sum over the canvas is that of the picture."""
    picture = np.zeros((40, 60), dtype=np.float32)
    picture[3:37, 3:57] = np.random.default_rng(0).random((34, 54))
    picture = ndimage.gaussian_filter(picture, 1)
    assert Rotation(30)(picture).sum() == pytest.approx(picture.sum(), rel=2e-3)
