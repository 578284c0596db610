"""Means, shares and ratios against a limit, beside brute force."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.stats import compare_mean, compare_ratio, compare_share, proportion

SEED = 7


def clustered(n=60, size=3, seed=SEED):
    """Numbers of patients with several items each."""
    rng = np.random.default_rng(seed)
    patients = np.arange(n) // size
    return rng.normal(0.3, 1, n) + rng.normal(0, 0.5, n // size)[patients], patients


def error_by_hand(values, *groupings):
    """The standard error of a mean by loops over groups; two groups of one item each lie 1 above and below."""
    mean, n = sum(values) / len(values), len(values)

    def squares(labels):
        groups = {}
        for value, label in zip(values, labels, strict=True):
            groups[label] = groups.get(label, 0.0) + value - mean
        count = len(groups) + 2
        return count / (count - 1) * (sum(each**2 for each in groups.values()) + 2) / n**2

    parts = [squares(labels) for labels in groupings]
    if len(parts) == 1:
        return parts[0] ** 0.5
    both = squares(list(zip(*groupings, strict=True)))
    return max(*parts, sum(parts) - both) ** 0.5


def test_a_mean_is_tested_over_patients():
    """t, its degrees of freedom and the interval are those of a sum over patients, two unseen ones added."""
    values, patients = clustered()
    error, found = error_by_hand(values.tolist(), patients.tolist()), compare_mean(values, 0.1, patients)
    t = (values.mean() - 0.1) / error
    assert found.above == pytest.approx(scipy.stats.t.sf(t, 19))
    assert found.below == pytest.approx(scipy.stats.t.cdf(t, 19))
    half = scipy.stats.t.ppf(0.975, 19) * error
    assert (found.estimate.low, found.estimate.high) == pytest.approx((values.mean() - half, values.mean() + half))


def test_donors_are_a_second_clustering():
    """Items that share a donor add to the variance as those of a patient do, less what both share."""
    values, patients = clustered()
    rng = np.random.default_rng(SEED)
    donors = rng.integers(0, 8, len(values))
    error = error_by_hand(values.tolist(), patients.tolist(), donors.tolist())
    alone, both = compare_mean(values, 0, patients), compare_mean(values, 0, patients, donors=donors)
    assert both.estimate.high - both.estimate.low > alone.estimate.high - alone.estimate.low
    freedom = len(values) ** 2 / float(np.sum(np.bincount(donors) ** 2)) - 1
    half = scipy.stats.t.ppf(0.975, freedom) * error
    assert both.estimate.high - both.estimate.value == pytest.approx(half)


def test_without_patients_a_mean_is_nearly_an_ordinary_t_test():
    """With many items the two unseen ones weigh nothing."""
    values = np.random.default_rng(SEED).normal(0.1, 1, 4000)
    assert compare_mean(values).above == pytest.approx(
        scipy.stats.ttest_1samp(values, 0, alternative="greater").pvalue, abs=2e-3
    )


def test_a_mean_without_spread_keeps_a_width():
    """Twenty equal values are no proof that the next is equal: the interval is as wide as 0 of 20 leaves open."""
    found = compare_mean(np.full(20, 0.5), 0.4)
    assert found.estimate.high - 0.5 == pytest.approx(proportion(np.zeros(20)).high)


def test_one_patient_says_nothing():
    """Whatever the items of one patient say, others may be otherwise."""
    assert compare_mean(np.ones(40), 0.5, np.zeros(40, int))[1:] == (1.0, 1.0)


share_lists = st.lists(st.sampled_from([0.0, 1.0]), min_size=8, max_size=60)


@settings(max_examples=60)
@given(share_lists, st.floats(0.02, 0.98), st.sampled_from([1, 2, 4]))
def test_a_share_is_on_one_side_exactly_if_its_interval_is(values, limit, size):
    """The score test and the interval of `proportion` agree, with patients and without."""
    patients = np.arange(len(values)) // size
    found = compare_share(values, limit, patients)
    if min(abs(found.above - 0.025), abs(found.below - 0.025)) > 1e-6:
        assert (found.above < 0.025) == (found.estimate.low > limit)
        assert (found.below < 0.025) == (found.estimate.high < limit)
    assert found.above + found.below == pytest.approx(1)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 0.9), st.sampled_from([1, 3]))
def test_a_ratio_is_rejected_exactly_if_it_is_outside_the_interval(seed, limit, size):
    """Fieller's interval holds the ratios that the t-test of tops − r · bottoms does not reject."""
    rng = np.random.default_rng(seed)
    bottoms = rng.normal(0.8, 0.4, 60)
    tops = bottoms * rng.uniform(0.2, 0.8) + rng.normal(0, 0.3, 60)
    patients = np.arange(60) // size
    found = compare_ratio(tops, bottoms, limit, patients)
    if np.isfinite(found.estimate.low) and abs(min(found.above, found.below) - 0.025) > 1e-6:
        outside = not found.estimate.low <= limit <= found.estimate.high
        assert outside == (min(found.above, found.below) < 0.025)


def test_a_ratio_without_a_denominator_has_no_bounds():
    """What is not shown to be above 0 divides nothing."""
    rng = np.random.default_rng(SEED)
    found = compare_ratio(rng.normal(0.5, 1, 40), rng.normal(0, 1, 40), 0.5)
    assert (found.estimate.low, found.estimate.high) == (-np.inf, np.inf)


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_a_share_has_no_limit_at_an_end(limit):
    """No share can lie beyond 0 or 1."""
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        compare_share([0, 1], limit)


def test_numbers_that_are_not_aligned_are_refused():
    """A ratio needs both numbers of every item."""
    with pytest.raises(ValueError, match="aligned by item, got 2 and 3"):
        compare_ratio([1, 2], [1, 2, 3], 0.5)
