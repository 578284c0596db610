"""The bootstrap, against SciPy's and against exact laws."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.stats import bootstrap
from snellen.stats.bootstrap import _acceleration, _bca
from snellen.stats.resampling import arrange

NAMES = {"percentile": "percentile", "bca": "BCa"}
SKEWED = np.random.default_rng(12).exponential(1, 80)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("statistic", [np.mean, np.median, np.std])
def test_bounds_are_those_of_scipy(method, statistic):
    """Percentile and BCa bounds equal SciPy's within Monte Carlo error, which the tolerance is a tenth of the width."""
    ours = bootstrap(SKEWED, statistic, seed=1, method=method, resamples=4000)
    theirs = reference.bootstrap(
        (SKEWED,), statistic, method=NAMES[method], n_resamples=4000, rng=np.random.default_rng(2)
    ).confidence_interval
    tolerance = 0.1 * (theirs.high - theirs.low)
    assert [ours.low, ours.high] == pytest.approx([theirs.low, theirs.high], abs=tolerance)
    assert (ours.n, ours.method) == (80, f"bootstrap-{method}")
    assert ours.value == pytest.approx(statistic(SKEWED))


@pytest.mark.parametrize("statistic", [np.mean, np.var])
def test_bca_endpoints_are_exactly_those_of_scipy(statistic):
    """From SciPy's own resamples our correction takes SciPy's BCa bounds, to the last digits."""
    theirs = reference.bootstrap((SKEWED,), statistic, method="BCa", n_resamples=999, rng=np.random.default_rng(2))
    sample, replicates = arrange(SKEWED, None, None), theirs.bootstrap_distribution
    tails = _bca(np.array([0.025, 0.975]), statistic(SKEWED), replicates, _acceleration(sample, statistic))
    interval = theirs.confidence_interval
    assert np.quantile(replicates, tails) == pytest.approx([interval.low, interval.high], rel=1e-9)


def test_acceleration_of_strata_is_the_skewness_within_them():
    """For a mean it is Σ(x − stratum's mean)³ / 6 (Σ(x − stratum's mean)²)^1.5, however unequal the strata."""
    strata = np.repeat([0, 1], [5, 75])
    centred = SKEWED - np.array([SKEWED[:5].mean(), SKEWED[5:].mean()])[strata]
    expected = np.sum(centred**3) / (6 * np.sum(centred**2) ** 1.5)
    assert _acceleration(arrange(SKEWED, None, strata), np.mean) == pytest.approx(expected, rel=1e-9)


def test_bca_moves_the_bounds_of_skewed_values():
    """Of a long right tail both BCa bounds lie above the percentile ones."""
    plain, corrected = (bootstrap(SKEWED, seed=1, method=method) for method in ("percentile", "bca"))
    assert corrected.low > plain.low
    assert corrected.high > plain.high


def test_binary_items_follow_the_binomial_law():
    """The bounds of independent yes-or-no items are the quantiles of the binomial law they are drawn from."""
    estimate = bootstrap([1] * 140 + [0] * 60, seed=3)
    assert [estimate.low, estimate.high] == pytest.approx(
        reference.binom.ppf([0.025, 0.975], 200, 0.7) / 200, abs=0.006
    )


def test_few_kinds_of_units_give_the_law_of_picking_each():
    """Counting equal units and picking every unit are the same law: both paths agree."""
    values = np.repeat([0.0, 0.25, 1.0], [20, 30, 50])
    counted = bootstrap(values, seed=1)
    picked = bootstrap(values + np.linspace(0, 1e-9, 100), seed=1)
    assert [counted.low, counted.high] == pytest.approx([picked.low, picked.high], abs=0.01)


@pytest.mark.parametrize("statistic", ["mean", np.median])
def test_clusters_are_drawn_whole(statistic):
    """Of agreeing fives the interval is that of one item each, not that of five times as many."""
    values = np.random.default_rng(4).normal(size=60)
    alone = bootstrap(values, statistic, seed=1, resamples=2000)
    fives = bootstrap(np.repeat(values, 5), statistic, seed=1, clusters=np.repeat(np.arange(60), 5), resamples=2000)
    assert fives.method == "cluster-bootstrap-percentile"
    assert [fives.low, fives.high] == pytest.approx([alone.low, alone.high], abs=0.06)


def test_unequal_clusters_have_the_cluster_robust_error():
    """The spread of the resampled means is the linearised cluster error of a ratio of sums."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 9, 150)
    labels = np.repeat(np.arange(150), sizes)
    values = rng.normal(size=150)[labels] + rng.normal(size=labels.size)
    deviations = np.bincount(labels, values - values.mean())
    error = np.sqrt(np.sum(deviations**2)) / labels.size
    for statistic in ("mean", lambda sample, axis: np.mean(sample, axis=axis)):
        estimate = bootstrap(values, statistic, seed=2, clusters=labels, resamples=3000)
        assert (estimate.high - estimate.low) / (2 * 1.96) == pytest.approx(error, rel=0.06)


@pytest.mark.parametrize("statistic", ["mean", lambda sample, axis: np.mean(sample, axis=axis)])
def test_strata_keep_their_numbers(statistic):
    """What differs between strata only does not widen the interval."""
    values = np.concatenate((np.zeros(50), np.ones(50)))
    strata = np.repeat([0, 1], 50)
    assert bootstrap(values, statistic, seed=1, resamples=500).high > 0.55
    within = bootstrap(values, statistic, seed=1, strata=strata, resamples=500)
    assert (within.low, within.value, within.high) == (0.5, 0.5, 0.5)
    assert within.method == "stratified-bootstrap-percentile"
    lonely = bootstrap([1, 2, 5], statistic, seed=1, strata=[0, 0, 1], resamples=500)
    assert (lonely.low, lonely.value, lonely.high) == pytest.approx((7 / 3, 8 / 3, 3))


def test_stratified_error_is_that_of_the_strata():
    """The spread is the pooled error of the strata's own spreads, with clusters in strata too."""
    rng = np.random.default_rng(6)
    strata = np.repeat([0, 1, 2], [40, 80, 120])
    values = rng.normal(size=240) * (1 + strata) + 5 * strata
    error = np.sqrt(sum(np.var(values[strata == s]) * np.sum(strata == s) for s in range(3))) / 240
    plain = bootstrap(values, seed=1, strata=strata)
    doubled = bootstrap(
        np.repeat(values, 2), seed=1, strata=np.repeat(strata, 2), clusters=np.repeat(np.arange(240), 2), method="bca"
    )
    assert doubled.method == "stratified-cluster-bootstrap-bca"
    for estimate in (plain, doubled):
        assert (estimate.high - estimate.low) / (2 * 1.96) == pytest.approx(error, rel=0.05)


def test_bca_of_the_mean_is_the_same_by_the_general_path():
    """The closed form of the left-out means equals leaving each unit out in turn."""
    labels, strata = np.arange(80) // 2, np.arange(80) // 40
    fast = bootstrap(SKEWED, seed=1, method="bca", clusters=labels, strata=strata)
    slow = bootstrap(
        SKEWED, lambda sample, axis: np.mean(sample, axis=axis), seed=1, method="bca", clusters=labels, strata=strata
    )
    assert [fast.low, fast.high] == pytest.approx([slow.low, slow.high], abs=0.02)


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 4)), min_size=6, max_size=30),
    st.sampled_from(["percentile", "bca"]),
    st.sampled_from(["mean", np.median]),
    st.randoms(use_true_random=False),
)
def test_order_of_items_changes_nothing(rows, method, statistic, random):
    """Under one seed the shuffled items, with their clusters and strata, give the very same bounds."""
    rows = [*rows, (0.0, 0), (1.0, 1), (2.0, 2)]
    estimates = []
    for some in (rows, random.sample(rows, len(rows))):
        values, labels = (np.array(column) for column in zip(*some, strict=True))
        for groups in ({}, {"clusters": labels}, {"clusters": labels, "strata": labels % 2}, {"strata": labels % 2}):
            estimates.append(bootstrap(values, statistic, seed=7, method=method, resamples=100, **groups))
    half = len(estimates) // 2
    assert estimates[:half] == estimates[half:]


def test_the_unit_of_measurement_does_not_matter():
    """Tiny numbers have the same interval, scaled, as large ones."""
    usual, tiny = (bootstrap(SKEWED * unit, np.median, seed=1, method="bca", resamples=500) for unit in (1, 2.0**-500))
    assert [usual.low, usual.high] == [tiny.low * 2.0**500, tiny.high * 2.0**500]


def test_seeds_decide_the_draws():
    """One seed gives one interval, another seed another."""
    assert bootstrap(SKEWED, seed=1) == bootstrap(SKEWED, seed=1)
    assert bootstrap(SKEWED, seed=1) != bootstrap(SKEWED, seed=2)


def test_memory_stays_small():
    """Ten thousand resamples of 2,000 real numbers take less than 100 MB at any time."""
    values = np.random.default_rng(1).random(2000)
    tracemalloc.start()
    bootstrap(values, seed=1)
    bootstrap(values, np.std, seed=1, resamples=2000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_alike_items_have_no_width():
    """Where all items are alike both methods give the value itself."""
    for method in ("percentile", "bca"):
        estimate = bootstrap(np.full(20, 0.25), seed=1, method=method)
        assert (estimate.low, estimate.value, estimate.high) == (0.25, 0.25, 0.25)


@pytest.mark.parametrize(
    ("values", "options", "says"),
    [
        ([], {}, "at least one number"),
        ([1, float("nan")], {}, "finite, got nan"),
        (np.zeros((2, 2, 2)), {}, r"got shape \(2, 2, 2\)"),
        ([1], {}, "at least two items or clusters"),
        ([1, 2, 3], {"clusters": [5, 5, 5]}, "at least two items or clusters"),
        ([1, 2, 3], {"clusters": [0, 0, 1], "strata": [0, 1, 1]}, "Every cluster must lie in one stratum"),
        ([1, 2, 3], {"strata": [0, 1]}, r"`strata` must be one label per item \(3\)"),
        ([1, 2, 3], {"method": "basic"}, "got 'basic'"),
        ([1, 2, 3], {"statistic": "median"}, "got 'median'"),
        ([[1, 2], [3, 4]], {"statistic": "mean"}, 'must be "mean" of one number per item'),
        ([1, 2, 3], {"statistic": lambda sample, axis: sample.sum()}, "one number per sample"),
        ([1, 2, 3], {"resamples": 10}, "too few for the tails of a 95% interval"),
        ([1, 2, 3], {"level": 1.5}, "`level` must lie strictly"),
    ],
)
def test_bad_input_is_named(values, options, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        bootstrap(values, seed=1, **options)
