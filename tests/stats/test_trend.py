"""The trend over doses: per-item slopes by NumPy, two doses as a paired difference, brute force, false alarms."""

from __future__ import annotations

from itertools import product
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.stats import paired_difference
from snellen.stats.dose_response import trend_over_doses

DOSES = np.array([0, 0.25, 0.5, 0.75, 1])
answered = st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, nan]), min_size=5, max_size=5), min_size=1, max_size=9)


@given(answered)
@settings(deadline=None)
def test_value_is_the_mean_of_least_squares_slopes(rows):
    """Each item's by NumPy, over the doses at which it was asked; items asked once are left out."""
    answers = np.array(rows)
    slopes = [np.polyfit(DOSES[there], row[there], 1)[0] for row in answers if (there := np.isfinite(row)).sum() > 1]
    found = trend_over_doses(DOSES, answers)
    assert found.n == len(slopes)
    if not slopes:
        assert isnan(found.value)
        assert (found.low, found.high, found.p) == (-inf, inf, None)
        return
    assert found.value == pytest.approx(np.mean(slopes), abs=1e-9)
    assert found.low <= found.value <= found.high


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
@settings(deadline=None)
def test_two_doses_are_a_paired_difference(rows):
    """Value, interval and McNemar's exact p."""
    answers = np.array(rows, dtype=float)
    ours, other = trend_over_doses(np.array([0.0, 1.0]), answers), paired_difference(*answers.T)
    assert (ours.value, ours.low, ours.high, ours.p) == pytest.approx((other.value, other.low, other.high, other.p))


def test_p_is_that_of_trying_all_signs():
    """Of eight items with different slopes, and of four patients with two each."""
    answers = np.random.default_rng(1).random((8, 5)) - 0.3 * DOSES + 0.3
    slopes = np.array([np.polyfit(DOSES, row, 1)[0] for row in answers])
    for clusters, sums in ((None, slopes), (np.arange(8) // 2, slopes.reshape(4, 2).sum(axis=1))):
        totals = [abs(np.dot(signs, sums)) for signs in product((1, -1), repeat=sums.size)]
        expected = np.mean(np.array(totals) >= abs(sums.sum()) - 1e-9)
        assert trend_over_doses(DOSES, np.clip(answers, 0, 1), clusters).p == pytest.approx(expected)


def test_nothing_that_changes_is_not_certainly_nothing():
    """Equal answers at all doses have a slope of 0 with a width, and p 1."""
    found = trend_over_doses(DOSES, np.ones((50, 5)))
    assert (found.value, found.p) == (0, 1)
    assert found.low < 0 < found.high


def test_false_alarms_are_as_rare_as_promised():
    """Without a trend, at uneven doses, p ≤ 0.05 comes up about one time in twenty; with one, nearly always."""
    rng, doses = np.random.default_rng(3), np.array([0, 0.1, 0.3, 1])
    level = [trend_over_doses(doses, (rng.random((60, 4)) < 0.8) * 1.0, seed=i).p <= 0.05 for i in range(300)]
    assert 0.01 <= np.mean(level) <= 0.09
    falling = [
        trend_over_doses(doses, (rng.random((60, 4)) < 0.9 - 0.4 * doses) * 1.0, seed=i).p <= 0.05 for i in range(50)
    ]
    assert np.mean(falling) > 0.9


def test_patients_count_and_not_their_images():
    """Eight alike images of each of ten patients widen the interval eightfold in n."""
    answers = np.random.default_rng(4).integers(0, 2, (10, 5)).astype(float)
    one = trend_over_doses(DOSES, answers)
    eight = trend_over_doses(DOSES, np.repeat(answers, 8, axis=0), np.repeat(np.arange(10), 8))
    assert eight.method == "mean-slope; cluster-bonett-price"
    assert eight.high - eight.low == pytest.approx(one.high - one.low, rel=0.15)
