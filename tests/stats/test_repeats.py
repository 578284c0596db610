"""The spread of repeated runs, against plain loops and against the analysis of variance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from snellen.stats import spread


def columns(grid):
    items, runs = np.indices(grid.shape)
    return items.ravel(), runs.ravel(), grid.ravel()


@given(seed=st.integers(0, 10_000), items=st.integers(2, 12), runs=st.integers(2, 6), right=st.floats(0.05, 0.95))
def test_the_three_variances_are_what_plain_loops_give(seed, items, runs, right):
    """Between runs, within items and between items, each written out."""
    grid = (np.random.default_rng(seed).random((items, runs)) < right).astype(float)
    found = spread(*columns(grid))
    of_runs = np.array([grid[:, r].mean() for r in range(runs)])
    within = np.mean([np.var(row, ddof=1) for row in grid])
    assert found.between_runs.value == pytest.approx(sum((of_runs - of_runs.mean()) ** 2) / (runs - 1))
    assert found.within_items.value == pytest.approx(within)
    assert found.between_items.value == pytest.approx(max(0, np.var(grid.mean(axis=1), ddof=1) - within / runs))
    assert found.expected_between_runs == pytest.approx(within / items)


def test_the_components_are_those_of_a_one_way_analysis_of_variance():
    """Mean squares within and between items give the same two components."""
    grid = (np.random.default_rng(3).random((40, 8)) < np.random.default_rng(4).random((40, 1))).astype(float)
    found = spread(*columns(grid))
    f = stats.f_oneway(*grid).statistic
    within = np.mean(np.var(grid, axis=1, ddof=1))
    assert found.within_items.value == pytest.approx(within)
    assert found.between_items.value == pytest.approx((f * within - within) / 8)


def test_the_interval_between_runs_covers_the_truth():
    """Runs that differ by chance alone: the chi-square interval holds the true variance in about 95 of 100 studies."""
    rng = np.random.default_rng(0)
    truth = rng.random(60)
    expected = np.mean(truth * (1 - truth)) / 60
    held = 0
    for _ in range(400):
        found = spread(*columns((rng.random((60, 10)) < truth[:, None]).astype(float))).between_runs
        held += found.low <= expected <= found.high
    assert 0.91 <= held / 400 <= 0.99


def test_an_item_that_lacks_a_run_does_not_make_runs_differ():
    """Every item always gives the same answer; that one of them was asked once only changes nothing."""
    items, runs, values = [0, 0, 1, 1, 2], [0, 1, 0, 1, 0], [1, 1, 0, 0, 1]
    assert spread(items, runs, values).between_runs.value == 0


@pytest.mark.parametrize("grid", [np.ones((5, 1)), np.ones((1, 5))])
def test_one_run_or_one_item_has_no_spread(grid):
    """Nothing to compare."""
    assert spread(*columns(grid)) is None
