"""The relative change: by hand, by brute force, its coverage, and the published test that alarms at anything."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.stats import (
    mcnemar_exact,
    paired_permutation,
    percent_change,
    ratio_of_accuracies,
    stratified_means,
    t_test_as_published,
)

tenths = st.integers(0, 10).map(lambda x: x / 10)
METHODS = ["fieller", "bootstrap-stratified"]


def answers(rng, n, base, arm, overlap):
    """Zeros and ones of two arms: independent at overlap 0, as many right twice as can be at 1."""
    both = (1 - overlap) * base * arm + overlap * min(base, arm)
    kinds = np.searchsorted(np.cumsum([both, base - both, arm - both]), rng.random(n), side="right")
    return np.isin(kinds, [0, 1]).astype(float), np.isin(kinds, [0, 2]).astype(float)


def test_the_example_of_the_paper():
    """0.7 before and 0.5 after are −28.6%."""
    found = percent_change([1] * 7 + [0] * 3, [1] * 5 + [0] * 5)
    assert round(100 * found.value, 1) == -28.6


@given(st.lists(st.tuples(tenths, tenths), min_size=2, max_size=30), st.sampled_from(METHODS))
@settings(deadline=None)
def test_value_is_the_difference_over_the_base(rows, method):
    """Whatever the method; the interval holds it; without anything right before, there is no change."""
    base, arm = (np.array(column) for column in zip(*rows, strict=True))
    found = percent_change(base, arm, method=method)
    if not base.any():
        assert isnan(found.value)
        assert (found.low, found.high) == (-1, inf)
        return
    assert found.value == pytest.approx((arm.mean() - base.mean()) / base.mean(), abs=1e-9)
    assert found.low >= -1
    assert found.n == len(rows)
    if method == "fieller":
        assert found.low <= found.value <= found.high


def test_the_default_is_fieller_less_one():
    """The ends are those of the ratio; p is McNemar's, or with clusters that of permutation."""
    base, arm = answers(np.random.default_rng(1), 100, 0.8, 0.6, 0.5)
    ratio, found = ratio_of_accuracies(arm, base), percent_change(base, arm)
    assert (found.low, found.high, found.method) == (ratio.low - 1, ratio.high - 1, "fieller")
    assert found.p == mcnemar_exact(base, arm)
    patients = np.arange(100) // 4
    clustered = percent_change(base, arm, clusters=patients)
    assert clustered.method == "cluster-fieller"
    assert clustered.p == paired_permutation(arm - base, patients)
    odd = np.linspace(0.5, 1, 100) ** 2
    assert percent_change(odd, odd * base).least_p == 1 / 10_001


COVERED = [(50, 0.5, 0.25, 0.0), (50, 0.9, 0.87, 0.9), (100, 0.7, 0.5, 0.5), (200, 0.6, 0.65, 0.5), (200, 0.9, 0.8, 1)]


@pytest.mark.parametrize("truth", COVERED, ids=str)
def test_the_default_interval_holds_the_truth(truth):
    """Of 400 samples at least 93.5%, less two standard errors of the simulation."""
    rng, held = np.random.default_rng(2), 0
    for _ in range(400):
        found = ratio_of_accuracies(*answers(rng, *truth)[::-1])
        held += found.low <= truth[2] / truth[1] <= found.high
    assert held / 400 >= 0.935 - 0.025


def test_a_bootstrap_of_pairs_is_that_of_loops():
    """Both answers of an item are drawn together, within its class."""
    rng = np.random.default_rng(3)
    base, arm = answers(rng, 200, 0.8, 0.6, 0.5)
    classes = np.repeat([0, 1], [50, 150])
    ratios = []
    for _ in range(2000):
        picked = np.r_[rng.integers(0, 50, 50), rng.integers(50, 200, 150)]
        ratios.append(arm[picked].sum() / base[picked].sum() - 1)
    found = percent_change(base, arm, method="bootstrap-stratified", strata=classes)
    assert [found.low, found.high] == pytest.approx(np.quantile(ratios, [0.025, 0.975]), abs=0.02)
    assert found.method == "paired-stratified-bootstrap-percentile; resamples=1000"


def test_a_bootstrap_draws_patients_whole():
    """Five alike images of each patient are worth one; of one patient alone nothing is known."""
    base, arm = answers(np.random.default_rng(4), 60, 0.8, 0.6, 0.5)
    one = percent_change(base, arm, method="bootstrap-stratified")
    five = percent_change(
        np.repeat(base, 5), np.repeat(arm, 5), method="bootstrap-stratified", clusters=np.repeat(np.arange(60), 5)
    )
    assert five.method == "paired-stratified-cluster-bootstrap-percentile; resamples=1000"
    assert five.high - five.low == pytest.approx(one.high - one.low, rel=0.15)
    alone = percent_change(base, arm, method="bootstrap-stratified", clusters=np.zeros(60))
    assert (alone.low, alone.high) == (-1, inf)


def test_resamples_with_nothing_right_before_are_infinite():
    """One right answer of thirty before: some resamples have none, and the upper end says so."""
    found = percent_change([1] + [0] * 29, [1] * 30, method="bootstrap-stratified")
    assert found.high == inf
    assert 0 < found.low < found.value == 29


def test_the_published_change_is_of_bootstrap_means_without_an_interval():
    """It comes within Monte Carlo error of the plain change, and its ends are nan."""
    base, arm = answers(np.random.default_rng(5), 200, 0.76, 0.466, 0.5)
    found = percent_change(base, arm, method="as-published", strata=np.arange(200) % 2)
    assert found.value == pytest.approx(percent_change(base, arm).value, abs=0.01)
    assert found.value != percent_change(base, arm).value
    assert isnan(found.low)
    assert isnan(found.high)
    assert found.method == "percent-change-as-published; resamples=1000"
    assert found.p == t_test_as_published(base, arm, strata=np.arange(200) % 2).p
    assert isnan(percent_change(np.zeros(10), np.ones(10), method="as-published").value)


def test_the_published_test_is_the_t_test_of_scipy():
    """Between two sets of bootstrap means, drawn apart."""
    base, arm = answers(np.random.default_rng(6), 200, 0.7, 0.7, 0.97)
    found = t_test_as_published(base, arm, seed=3, resamples=50)
    seeds = np.random.SeedSequence(3).generate_state(2).tolist()
    one, two = (stratified_means(x, None, seed=s, resamples=50) for x, s in zip((base, arm), seeds, strict=True))
    assert found.p == pytest.approx(reference.ttest_ind(one, two).pvalue, rel=1e-9)
    assert found.value == pytest.approx(two.mean() - one.mean())
    assert found.method == "t-test-as-published; resamples=50"


def test_the_published_test_alarms_at_anything():
    """One answer in eight changes by chance, either way: p < 0.05 in more than eight of ten samples, ours in few."""
    rng, published, ours = np.random.default_rng(7), 0, 0
    for trial in range(200):
        base, arm = answers(rng, 200, 0.7, 0.7, 0.7)
        published += t_test_as_published(base, arm, strata=np.arange(200) % 2, seed=trial).p < 0.05
        ours += percent_change(base, arm).p < 0.05
    assert published / 200 > 0.8
    assert ours / 200 < 0.08


def test_more_resamples_make_the_published_p_as_small_as_one_likes():
    """A single answer of 200 that changes is significant, if one draws often enough."""
    base, arm = np.arange(200) < 140, np.arange(200) < 139
    few, many = (t_test_as_published(base, arm, seed=1, resamples=number).p for number in (100, 20_000))
    assert many < 1e-6 < few
    assert percent_change(base, arm).p == 1


def test_answers_that_never_vary_have_no_t():
    """All right twice: p is 1; all right, then all wrong: 0; a single resample shows nothing."""
    ones = np.ones(20)
    assert t_test_as_published(ones, ones).p == 1
    assert t_test_as_published(ones, 0 * ones).p == 0
    assert t_test_as_published(np.arange(20) < 9, np.arange(20) < 12, resamples=1).p == 1


@pytest.mark.parametrize(
    ("base", "arm", "options", "says"),
    [
        ([1, 0], [1], {}, "`base` and `arm` must be aligned by item, got 2 and 1"),
        ([1, 2], [1, 1], {}, r"`base` must lie in \[0, 1\]"),
        ([1, 0], [1, 1], {"method": "delta"}, "got 'delta'"),
    ],
)
def test_bad_input_is_named(base, arm, options, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        percent_change(base, arm, **options)
