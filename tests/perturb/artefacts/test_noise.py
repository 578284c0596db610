"""Noise: exact strength, one field for grey, one for each colour."""

import numpy as np
import pytest

from snellen.perturb.artefacts import Noise
from snellen.perturb.artefacts.noise import noise_field


def test_noise_is_the_field_times_its_sd():
    """Pixel by pixel, row after row."""
    picture = np.full((5, 7), 0.25, dtype=np.float32)
    expected = 0.25 + 0.1 * noise_field(35, 9).reshape(5, 7)
    np.testing.assert_allclose(Noise(0.1, 9)(picture), expected, atol=1e-7)


def test_colours_have_fields_of_their_own():
    """The channels of a colour picture follow each other in one field."""
    picture = np.random.default_rng(0).random((5, 7, 3), dtype=np.float32)
    noise = Noise(0.1, 9)(picture) - picture
    np.testing.assert_allclose(noise.transpose(2, 0, 1).ravel(), 0.1 * noise_field(105, 9), atol=1e-6)


def test_a_severer_noise_is_the_same_noise_louder():
    """The picture gets worse along one path."""
    flat = np.zeros((8, 8), dtype=np.float32)
    weak, strong = (Noise.draw(each, np.random.default_rng(3), kind="MRI")(flat) for each in (0.5, 1.0))
    np.testing.assert_allclose(strong, weak * (0.40 / 0.15), rtol=1e-5)
    assert strong.std() == pytest.approx(0.40, rel=0.25)
