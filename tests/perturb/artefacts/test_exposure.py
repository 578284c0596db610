"""Exposure: stops up and down."""

import numpy as np

from snellen.perturb.artefacts import Degradation, Exposure, LowContrast


def test_a_stop_doubles_or_halves():
    """And over-exposed values end at white."""
    picture = np.array([[0, 0.2, 0.4, 0.8]], dtype=np.float32)
    np.testing.assert_allclose(Exposure(1)(picture), [[0, 0.4, 0.8, 1]])
    np.testing.assert_allclose(Exposure(-1)(picture), [[0, 0.1, 0.2, 0.4]])


def test_burnt_highlights_do_not_come_back():
    """Not even when contrast is lowered afterwards, which would bring fractions beyond white back into range."""
    pixels = np.array([[100, 200, 250]], dtype=np.uint8)
    after = Degradation((Exposure(1), LowContrast(0.5)))(pixels)
    assert after[0, 1] == after[0, 2] == 191
    assert after[0, 0] < 191


def test_both_directions_are_drawn():
    """About as often, and each keeps its direction as severity grows."""
    signs = [Exposure.draw(0.5, np.random.default_rng(seed), kind="OCT").stops > 0 for seed in range(200)]
    assert 70 < sum(signs) < 130
    assert signs == [Exposure.draw(1.0, np.random.default_rng(seed), kind="OCT").stops > 0 for seed in range(200)]
