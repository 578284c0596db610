"""The ratio of two accuracies: Fieller by brute force, degenerate cases, the bootstrap, coverage."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.stats import bootstrap, ratio_of_accuracies

tenths = st.integers(0, 10).map(lambda x: x / 10)
rows = st.lists(st.tuples(tenths, tenths, st.integers(0, 5)), min_size=1, max_size=25)


def ratio_of_means(sample, axis):
    """The ratio of the first column's mean over the second's."""
    top, bottom = np.moveaxis(np.mean(sample, axis=axis), -1, 0)
    return top / bottom


@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_where_the_paired_t_test_turns(seed):
    """A ratio is inside exactly where numerator − ratio · denominator, with the two added items, may have mean 0."""
    rng = np.random.default_rng(seed)
    top, bottom = (rng.random(40) < 0.4) * 1.0, (rng.random(40) < 0.8) * 1.0
    above, below = np.append(top, [1, 0]), np.append(bottom, [0, 1])
    estimate = ratio_of_accuracies(top, bottom)
    for bound in (estimate.low, estimate.high):
        assert reference.ttest_1samp(above - bound * below, 0).pvalue == pytest.approx(0.05, abs=1e-9)
    inner = (estimate.low + estimate.high) / 2
    assert reference.ttest_1samp(above - inner * below, 0).pvalue > 0.05


def test_large_samples_agree_with_the_bootstrap():
    """With many items the bounds are those of the percentile bootstrap."""
    rng = np.random.default_rng(7)
    bottom = rng.random(2000) < 0.7
    top = np.where(rng.random(2000) < 0.6, bottom, rng.random(2000) < 0.3)
    estimate = ratio_of_accuracies(top, bottom)
    resampled = bootstrap(np.column_stack((top, bottom)), ratio_of_means, seed=1, resamples=2000)
    assert estimate.value == pytest.approx(resampled.value)
    assert [estimate.low, estimate.high] == pytest.approx([resampled.low, resampled.high], abs=0.01)


def test_nothing_right_below_the_line_has_no_ratio():
    """A zero denominator gives nan in [0, inf]; a zero numerator gives 0 with a bound above."""
    undefined = ratio_of_accuracies([1, 0, 1], [0, 0, 0])
    assert isnan(undefined.value)
    assert (undefined.low, undefined.high, undefined.n) == (0, inf, 3)
    none_left = ratio_of_accuracies(np.zeros(100), np.ones(100))
    assert (none_left.value, none_left.low) == (0, 0)
    assert 0.02 < none_left.high < 0.1


def test_equal_arms_have_ratio_one_with_a_width():
    """The same answers in both arms: 1, not certainly 1."""
    same = ratio_of_accuracies([1, 1, 0, 1] * 25, [1, 1, 0, 1] * 25)
    assert same.value == 1
    assert 0.9 < same.low < 1 < same.high < 1.1


def test_weak_denominators_leave_the_ratio_open_above():
    """A single right answer below the line bounds the ratio from below at most."""
    weak = ratio_of_accuracies([1] * 30, [1] + [0] * 29)
    assert weak.high == inf
    assert 1 < weak.low < weak.value == 30


@settings(deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_interval_holds_the_value_in_any_order(drawn, random):
    """0 ≤ low ≤ value ≤ high, the same for shuffled items."""
    first, second = (
        ratio_of_accuracies(*(np.array(column) for column in zip(*some, strict=True)))
        for some in (drawn, random.sample(drawn, len(drawn)))
    )
    if isnan(first.value):
        assert isnan(second.value)
    else:
        assert 0 <= first.low <= first.value <= first.high
        assert [first.value, first.low] == pytest.approx([second.value, second.low], abs=1e-9)
        assert first.high == pytest.approx(second.high, rel=1e-6)


@pytest.mark.parametrize(
    ("sizes", "agreement", "both", "below", "above"),
    [
        ([1] * 30, 0.0, 0.5, 0.3, 0.1),
        ([1] * 100, 0.0, 0.02, 0.6, 0.0),
        ([5] * 20, 0.5, 0.5, 0.3, 0.1),
        ([5] * 20, 1.0, 0.02, 0.6, 0.0),
        ([1, 2, 3, 14] * 10, 0.5, 0.3, 0.1, 0.1),
    ],
)
def test_interval_covers_the_truth(sizes, agreement, both, below, above):
    """The 95% CI holds the true ratio at least 93% of the time."""
    rng = np.random.default_rng(5)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    hits, runs = 0, 400
    for _ in range(runs):
        shared = rng.random(labels.size) < agreement
        luck = np.where(shared, rng.random(len(sizes))[labels], rng.random(labels.size))
        estimate = ratio_of_accuracies((luck < both) | (luck > 1 - above), luck < both + below, labels)
        hits += estimate.low <= (both + above) / (both + below) <= estimate.high
    assert hits / runs >= 0.93


def test_bad_input_is_named():
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match="`numerator` and `denominator` must be aligned by item, got 1 and 2"):
        ratio_of_accuracies([1], [1, 0])
    with pytest.raises(ValueError, match=r"`denominator` must lie in \[0, 1\], got -1.0"):
        ratio_of_accuracies([1], [-1])
