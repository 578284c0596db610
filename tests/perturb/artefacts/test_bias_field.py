"""Bias field: a smooth factor, by hand where that is easy."""

import numpy as np
import pytest

from snellen.perturb.artefacts import BiasField
from snellen.perturb.artefacts.bias_field import POWERS


def field(shape, **coefficients):
    values = {tuple(map(int, name[1:])): value for name, value in coefficients.items()}
    return BiasField(tuple(values.get(power, 0.0) for power in POWERS))(np.ones(shape, dtype=np.float32))


def test_one_coefficient_at_a_time():
    """The constant brightens all; y runs down from −1 to 1, x across; the powers are those of the formula."""
    assert POWERS == ((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0))
    np.testing.assert_allclose(field((2, 3), c00=0.5), np.full((2, 3), np.exp(0.5)), rtol=1e-6)
    np.testing.assert_allclose(field((1, 3), c01=0.5), np.exp([[-0.5, 0, 0.5]]), rtol=1e-6)
    np.testing.assert_allclose(field((5, 1), c30=1), np.exp([[-1], [-0.125], [0], [0.125], [1]]), rtol=1e-6)
    np.testing.assert_allclose(field((2, 2), c11=0.7), np.exp([[0.7, -0.7], [-0.7, 0.7]]), rtol=1e-6)


def test_colours_share_one_field():
    """The field is of the place, not of the colour."""
    picture = np.random.default_rng(1).random((6, 5, 3), dtype=np.float32)
    drawn = BiasField.drawn(1.0, np.random.default_rng(2), kind="MRI")
    factor = drawn(picture) / picture
    np.testing.assert_allclose(factor, factor[..., :1].repeat(3, axis=2), rtol=1e-5)


def test_coefficients_are_even_over_their_range():
    """Over many draws they fill −1.8 to 1.8, and a weaker field is the same with smaller ones."""
    values = np.array([BiasField.drawn(1, np.random.default_rng(i), kind="OCT").coefficients for i in range(400)])
    assert np.abs(values).max() <= 1.8
    assert values.std() == pytest.approx(1.8 / np.sqrt(3), rel=0.05)
    weak = BiasField.drawn(0.5, np.random.default_rng(0), kind="OCT").coefficients
    np.testing.assert_allclose(np.array(weak) / 0.7, values[0] / 1.8)
