"""Falling curves: against SciPy's optimiser and its isotonic regression, the law of the half, steps, free floors."""

from __future__ import annotations

from itertools import product
from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from snellen.stats.falling_curve import FINE, FallingCurve, Samples, fit, never_rising, remaining

DOSES = np.array([0, 0.25, 0.5, 0.75, 1])
WEIGHTS = np.array([900.0, 800, 700, 600, 800])
UNEVEN = [
    [0.92, 0.90, 0.72, 0.55, 0.51],
    [0.88, 0.80, 0.74, 0.66, 0.60],
    [0.95, 0.71, 0.58, 0.52, 0.50],
    [0.81, 0.83, 0.79, 0.77, 0.58],
]


def logistic(doses, upper, midpoint, rate, lower):
    """A plain logistic curve between its own asymptotes."""
    return lower + (upper - lower) / (1 + np.exp(rate * (doses - midpoint)))


def half(midpoint, rate):
    """The dose at which a plain logistic has lost half of what it has at dose 0, found by bisection."""
    return optimize.brentq(lambda d: logistic(d, 1, midpoint, rate, 0) - logistic(0, 1, midpoint, rate, 0) / 2, 0, 9)


def misfit(parameters, means, lower):
    """The weighted sum of squares of a curve with these parameters."""
    upper, threshold, shape, *free = parameters
    curve = FallingCurve(upper, free[0] if free else lower, threshold, shape / threshold)
    return float(np.sum(WEIGHTS * (curve.predict_accuracy(DOSES) - means) ** 2))


def optimum(means, lower):
    """The least misfit that SciPy finds from many starts."""
    bounds = [(lower or 0, 1), (0.01, 15.9), (log(2) * 1.0001, 62)] + ([] if lower is not None else [(0, 1)])
    starts = [[0.9, t, s] + ([] if lower is not None else [0.5]) for t in (0.3, 0.7, 1.5) for s in (1, 6)]
    runs = [
        optimize.minimize(misfit, start, (np.array(means), lower), bounds=bounds, method="L-BFGS-B") for start in starts
    ]
    return min(runs, key=lambda run: run.fun)


@given(st.floats(0.05, 1), st.floats(0.7, 40))
def test_half_is_left_at_the_threshold_and_all_at_dose_zero(threshold, shape):
    """Whatever the shape; and what is left never grows."""
    left = remaining(np.array([0, threshold, 2 * threshold, 50 * threshold]), threshold, shape)
    assert left[:2] == pytest.approx([1, 0.5])
    assert np.all(np.diff(left) <= 0)


@given(st.floats(0.1, 0.9), st.floats(1, 40))
def test_every_logistic_curve_is_one_of_ours(midpoint, rate):
    """Scaled to its height at dose 0, with its own half-way dose for a threshold."""
    threshold = half(midpoint, rate)
    upper = float(logistic(0.0, 0.9, midpoint, rate, 0.0))
    curve = FallingCurve(upper, 0.0, threshold, rate)
    grid = np.linspace(0, 1, 9)
    assert curve.predict_accuracy(grid) == pytest.approx(logistic(grid, 0.9, midpoint, rate, 0.0), abs=1e-6)


@pytest.mark.parametrize(
    ("means", "lower"), [*product(UNEVEN[:3], [0.5]), *product(UNEVEN, [0.25]), *product(UNEVEN[:2], [None])]
)
def test_the_fit_is_the_optimum_of_scipy(means, lower):
    """No worse than the best of six starts, and, where the floor is known, at the same threshold."""
    found = fit(DOSES, Samples(np.array([means]), WEIGHTS[None]), lower, grid=FINE, alike=1e-4)
    threshold = float(np.mean([end[0] for end in found.thresholds]))
    best = optimum(means, lower)
    ours = [found.upper[0], threshold, found.steepness[0] * threshold, found.lower[0]]
    assert misfit(ours, np.array(means), None) <= best.fun + 0.05
    if lower is not None:
        assert threshold == pytest.approx(best.x[1], abs=0.01)
        assert found.upper[0] == pytest.approx(best.x[0], abs=0.01)


@pytest.mark.parametrize("lower", [0.5, None])
def test_many_samples_at_once_are_those_one_by_one(lower):
    """However they are cut into parts."""
    rng = np.random.default_rng(1)
    means = np.sort(rng.uniform(0.4, 1, (60, 5)), axis=1)[:, ::-1]
    weights = rng.uniform(100, 900, (60, 5))
    together = fit(DOSES, Samples(means, weights), lower)
    for row in range(0, 60, 7):
        alone = fit(DOSES, Samples(means[row : row + 1], weights[row : row + 1]), lower)
        assert together.upper[row] == pytest.approx(alone.upper[0])
        assert [end[row] for end in together.thresholds] == [end[0] for end in alone.thresholds]


def test_a_step_may_lie_anywhere_between_two_doses():
    """The thresholds that fit span the gap, and no steepness is too steep."""
    found = fit(DOSES, Samples(np.array([[0.9, 0.9, 0.5, 0.5, 0.5]]), WEIGHTS[None]), 0.5)
    low, high = (float(end[0]) for end in found.thresholds)
    assert 0.25 < low < 0.3
    assert 0.45 < high < 0.5
    assert found.steepnesses[1][0] == inf


def test_a_level_row_falls_nowhere():
    """All thresholds that fit lie beyond the doses, or the height above the floor is nothing."""
    level = fit(DOSES, Samples(np.full((1, 5), 0.8), WEIGHTS[None]), 0.5)
    assert level.thresholds[0][0] > 1
    nothing = fit(DOSES, Samples(np.full((1, 5), 0.3), WEIGHTS[None]), 0.5)
    assert nothing.upper[0] == 0.5


def test_heights_stay_where_accuracies_can_be():
    """Never above 1, the floor never below 0 nor above the upper height."""
    means = np.random.default_rng(2).random((200, 5))
    for lower in (0.25, None):
        found = fit(DOSES, Samples(means, np.tile(WEIGHTS, (200, 1))), lower)
        assert np.all(found.upper <= 1)
        assert np.all((found.lower >= 0) & (found.lower <= found.upper + 1e-12))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), min_size=1, max_size=12))
def test_pooling_neighbours_is_the_isotonic_regression_of_scipy(rows):
    """For any means and weights."""
    means, weights = zip(*rows, strict=True)
    expected = optimize.isotonic_regression(means, weights=weights, increasing=False).x
    assert never_rising(means, weights) == pytest.approx(expected)
