"""Ghosting: copies at even distances along one axis."""

import numpy as np
import pytest

from snellen.perturb.artefacts import Ghosting


@pytest.mark.parametrize(("axis", "ghosts"), [(0, 4), (1, 5)])
def test_copies_stand_evenly_apart(axis, ghosts):
    """A bar leaves its edges at multiples of 1/ghosts of the axis, and nothing in between or along the other axis."""
    size = 120
    picture = np.zeros((size, size), dtype=np.float32)
    picture[54:66, 54:66] = 1
    spoilt = Ghosting(0.01, ghosts, axis)(picture)
    change = np.abs(spoilt - picture)
    across = change.sum(axis=axis)
    assert across[54:66].min() > 0
    assert across[:54].max() < 1e-4
    along = change.sum(axis=1 - axis)
    places = np.arange(size)
    near = np.zeros(size, dtype=bool)
    for ghost in range(-ghosts, ghosts + 1):
        near |= np.abs(places - (59.5 + ghost * size / ghosts)) < 11
    assert along[near].sum() > 20 * along[~near].sum()
    assert along[(places - size // ghosts) % size][54:66].max() > 0.1


def test_mean_and_energy_stay():
    """Lines of k-space are shifted in phase only."""
    picture = np.random.default_rng(0).random((33, 48)).astype(np.float32)
    spoilt = Ghosting(0.03, 4, 0)(picture)
    assert spoilt.mean() == pytest.approx(picture.mean(), rel=1e-5)
    assert np.square(spoilt).sum() == pytest.approx(np.square(picture).sum(), rel=1e-5)


def test_the_axes_do_the_same_to_a_turned_picture():
    """Along the columns of the transposed picture it is what it was along the rows."""
    picture = np.random.default_rng(1).random((33, 48)).astype(np.float32)
    np.testing.assert_allclose(Ghosting(0.03, 4, 1)(picture.T.copy()), Ghosting(0.03, 4, 0)(picture).T, atol=1e-6)


def test_both_axes_and_three_to_eight_ghosts_are_drawn():
    """And nothing else."""
    drawn = [Ghosting.draw(0.5, np.random.default_rng(seed), kind="MRI") for seed in range(200)]
    assert {each.axis for each in drawn} == {0, 1}
    assert {each.ghosts for each in drawn} == {3, 4, 5, 6, 7, 8}
