"""Cohen's d: value by hand, degenerate cases, and coverage by simulation."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.stats import cohens_d

numbers = st.integers(-50, 50).map(lambda x: x / 10)


@settings(deadline=None)
@given(st.lists(numbers, min_size=2, max_size=40), st.randoms(use_true_random=False))
def test_d_is_mean_over_standard_deviation_in_any_order(values, random):
    """The value is mean over sd (n − 1), inside its interval, whatever the order; turned round it changes sign."""
    estimate = cohens_d(values)
    shuffled = cohens_d(random.sample(values, len(values)))
    turned = cohens_d([-value for value in values])
    spread = np.std(values, ddof=1)
    if spread < 1e-9:
        assert isnan(estimate.value)
        return
    assert estimate.value == pytest.approx(np.mean(values) / spread, abs=1e-9)
    assert estimate.low <= estimate.value <= estimate.high
    assert [shuffled.low, shuffled.high] == pytest.approx([estimate.low, estimate.high], abs=1e-9)
    assert [-turned.high, -turned.low] == pytest.approx([estimate.low, estimate.high], abs=1e-9)


@pytest.mark.parametrize("alike", [[0.0] * 10, [0.1] * 7, [-1, -1], [1 / 3, 2 / 3 - 1 / 3, 1 - 2 / 3], [0.4]])
def test_where_all_differences_are_alike_there_is_no_d(alike):
    """There is no spread to hold the mean against, also where only the last digits differ: no number, no bounds."""
    found = cohens_d(alike)
    assert isnan(found.value)
    assert (found.low, found.high) == (-inf, inf)


def test_clusters_widen_the_interval():
    """Answers that come in agreeing fives tell as much as a fifth of them."""
    values = np.random.default_rng(1).normal(0.5, 1, 40)
    alone = cohens_d(values)
    repeated = cohens_d(np.repeat(values, 5), np.repeat(np.arange(40), 5))
    assert repeated.method == "cluster-delta-method"
    assert repeated.high - repeated.low == pytest.approx(alone.high - alone.low, rel=0.03)
    assert (cohens_d([1, 2, 3], [0, 0, 0]).low, cohens_d([1, 2, 3], [0, 0, 0]).high) == (-inf, inf)


@pytest.mark.parametrize(("n", "gained", "lost"), [(10, 0.2, 0.05), (30, 0.6, 0.1), (100, 0.9, 0.05), (200, 0.1, 0.1)])
def test_interval_covers_the_truth(n, gained, lost):
    """The 95% CI holds the true d at least 93% of the time for answers that are gained, kept or lost."""
    rng = np.random.default_rng(3)
    truth = (gained - lost) / np.sqrt(gained + lost - (gained - lost) ** 2)
    drawn = rng.choice([1.0, 0.0, -1.0], size=(1000, n), p=[gained, 1 - gained - lost, lost])
    estimates = [cohens_d(row) for row in drawn]
    assert np.mean([estimate.low <= truth <= estimate.high for estimate in estimates]) >= 0.93


def test_bad_input_is_named():
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match="`differences` must hold at least one number, got none"):
        cohens_d([])
    with pytest.raises(ValueError, match="`level` must lie strictly between 0 and 1, got 95"):
        cohens_d([1, 2], level=95)
