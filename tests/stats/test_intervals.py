"""Intervals for one mean or one proportion, against statsmodels, SciPy and simulation."""

from __future__ import annotations

from math import comb, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from snellen.stats import mean, median, proportion, student_t_over_items, wilson
from snellen.stats.intervals import score_bounds
from snellen.stats.observations import group_codes

levels = st.floats(0.5, 0.999)
fractions = st.floats(0, 1).map(lambda x: round(x, 3))


@st.composite
def labelled(draw, elements=fractions, most=30):
    """Values with a cluster label each, and an order to shuffle them into."""
    values = draw(st.lists(elements, min_size=1, max_size=most))
    labels = draw(st.lists(st.integers(0, 6), min_size=len(values), max_size=len(values)))
    order = draw(st.permutations(range(len(values))))
    return np.array(values), np.array(labels), np.array(order)


@settings(deadline=None)
@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), levels)
def test_wilson_is_that_of_statsmodels(counts, level):
    """Value and bounds are those of an independent implementation."""
    successes, n = counts
    low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    estimate = wilson(successes, n, level)
    assert (estimate.value, estimate.n, estimate.method) == (successes / n, n, "wilson")
    assert estimate.low == pytest.approx(low, abs=1e-12)
    assert estimate.high == pytest.approx(high, abs=1e-12)


def test_wilson_reaches_exactly_to_the_edges():
    """None right gives a lower bound of exactly 0, all right an upper bound of exactly 1."""
    assert wilson(0, 7).low == 0
    assert wilson(7, 7).high == 1


@settings(deadline=None)
@given(st.lists(st.integers(0, 1), min_size=1, max_size=50), levels)
def test_independent_answers_get_wilson(values, level):
    """Zeros and ones without clusters, or each in its own cluster, get Wilson's interval."""
    expected = wilson(sum(values), len(values), level)
    assert expected == proportion(values, level=level)
    assert expected == proportion(values, clusters=np.arange(len(values)), level=level)


@settings(deadline=None)
@given(labelled(), levels)
def test_proportion_contains_its_value_and_never_has_no_width(drawn, level):
    """0 ≤ low ≤ value ≤ high ≤ 1, and low < high, whatever the clusters."""
    values, labels, _ = drawn
    for clusters in (None, labels):
        estimate = proportion(values, clusters, level)
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
        assert estimate.low < estimate.high
        assert estimate.value == pytest.approx(values.mean(), abs=1e-12)
        assert estimate.n == len(values)


@settings(deadline=None)
@given(labelled())
def test_order_of_items_changes_nothing(drawn):
    """Shuffling the items, with their clusters, changes no estimate."""
    values, labels, order = drawn
    for estimator in (proportion, mean):
        straight, shuffled = estimator(values, labels), estimator(values[order], labels[order])
        assert straight.method == shuffled.method
        bounds = [straight.value, straight.low, straight.high]
        assert bounds == pytest.approx([shuffled.value, shuffled.low, shuffled.high], abs=1e-12)


def test_agreeing_clusters_count_once():
    """Where every cluster is of one mind, the interval is that of one item per cluster with a t quantile."""
    answers = np.array([1, 0, 1, 1, 0, 1, 1, 1])
    estimate = proportion(np.repeat(answers, 5), np.repeat(np.arange(8), 5))
    level = 2 * reference.norm.cdf(reference.t.ppf(0.975, 7)) - 1
    alike = wilson(6, 8, level)
    # The robust error has G/(G − 1) where Wilson's has 1, but no more than the number of clusters can be lost.
    assert [estimate.low, estimate.high] == pytest.approx([alike.low, alike.high], abs=1e-9)
    assert estimate.method == "cluster-wilson"


def test_all_right_in_few_clusters_is_not_many_independent_items():
    """A hundred right answers on five patients bound the accuracy no better than five right answers do."""
    estimate = proportion(np.ones(100), np.repeat(np.arange(5), 20))
    assert estimate.high == 1
    assert estimate.low < wilson(5, 5).low


def test_rare_answers_say_little_of_how_far_clusters_agree():
    """Two of 20 pairs are split, and weigh 2 to the 8 of the worst case; so they do where the others are wrong."""
    right = np.where(np.isin(np.arange(40), (0, 2)), 0.0, 1.0)
    low, high = score_bounds(0.95, 40 / 2**0.8, reference.t.ppf(0.975, 19))
    found, wrong = (proportion(each, np.arange(40) // 2) for each in (right, 1 - right))
    assert (found.low, found.high, 1 - wrong.high, 1 - wrong.low) == pytest.approx((low, high, low, high))


@pytest.mark.parametrize("values", [[1, 1, 0], [1, 1, 1], [0.3, 0.3, 0.3]])
def test_a_single_cluster_bounds_nothing(values):
    """With one cluster the proportion may be anything, and a mean has no bounds."""
    estimate = proportion(values, [4, 4, 4])
    assert (estimate.low, estimate.high) == (0, 1)
    assert (mean(values, [4, 4, 4]).low, mean(values, [4, 4, 4]).high) == (-inf, inf)


def test_one_huge_cluster_is_nearly_a_single_one():
    """A thousand items of one patient and one item of another hardly say more than the first patient alone."""
    estimate = proportion([*([1, 0] * 500), 1], [0] * 1000 + [1])
    assert (estimate.low, estimate.high) == (0, 1)


@settings(deadline=None)
@given(labelled(st.floats(-100, 100).map(lambda x: round(x, 2))))
def test_mean_has_the_cluster_robust_error_of_statsmodels(drawn):
    """The squared error is statsmodels' cluster-robust one with its G/(G−1) factor (its (n−1)/(n−k) is 1 here)."""
    values, labels, _ = drawn
    sizes = np.unique(labels, return_counts=True)[1]
    freedom = len(values) ** 2 / np.sum(sizes**2) - 1
    if freedom <= 0.5:
        return
    fit = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": labels})
    half = reference.t.ppf(0.975, freedom) * np.sqrt(fit.cov_params()[0, 0])
    estimate = mean(values, labels)
    assert estimate.value == pytest.approx(fit.params[0], abs=1e-9)
    assert estimate.high - estimate.value == pytest.approx(half, rel=1e-6, abs=1e-6)


def test_independent_mean_is_the_textbook_t_interval():
    """Without clusters the interval is Student's."""
    values = np.random.default_rng(5).normal(3, 2, 40)
    low, high = reference.t.interval(0.9, 39, values.mean(), reference.sem(values))
    estimate = mean(values, level=0.9)
    assert [estimate.low, estimate.high] == pytest.approx([low, high], abs=1e-12)
    assert estimate.method == "student-t"


def test_student_t_over_items_is_as_published():
    """Items − 1 degrees of freedom, not clipped, no width where all items agree."""
    values = [1.0, 1.0, 0.9, 1.0]
    low, high = reference.t.interval(0.95, 3, np.mean(values), reference.sem(values))
    estimate = student_t_over_items(values)
    assert [estimate.low, estimate.high] == pytest.approx([low, high], abs=1e-12)
    assert estimate.high > 1
    same = student_t_over_items([0.25, 0.25])
    assert (same.value, same.low, same.high) == (0.25, 0.25, 0.25)
    for each in (estimate, wilson(3, 8), proportion(values)):
        assert each.sample.interval == (each.value, each.low, each.high)


@pytest.mark.parametrize(
    ("clusters", "size", "truth", "agreement"),
    [(20, 5, 0.5, 0.5), (20, 5, 0.9, 1.0), (50, 5, 0.95, 0.5), (100, 20, 0.99, 0.5), (30, 4, 0.7, 0.0)],
)
def test_clustered_proportion_covers_the_truth(clusters, size, truth, agreement):
    """The 95% CI holds the truth at least 93% of the time, also for rare errors that come together."""
    rng = np.random.default_rng(11)
    labels = np.repeat(np.arange(clusters), size)
    hits = 0
    for _ in range(600):
        shared = rng.random(labels.size) < agreement
        values = np.where(shared, rng.random(clusters)[labels], rng.random(labels.size)) < truth
        estimate = proportion(values, labels)
        hits += estimate.low <= truth <= estimate.high
    assert hits / 600 >= 0.93


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wilson(3, 2), "between 0 and n = 2, got 3"),
        (lambda: wilson(0, 0), "at least 1, got 0"),
        (lambda: wilson(1, 2, level=1), "strictly between 0 and 1, got 1"),
        (lambda: proportion([]), "at least one number, got none"),
        (lambda: proportion([0.5, 1.5]), r"in \[0, 1\], got 1.5 at position 1"),
        (lambda: proportion([0.5, float("nan")]), "finite, got nan at position 1"),
        (lambda: proportion([0, 1], clusters=[1]), r"one label per item \(2\), got an array of shape \(1,\)"),
        (lambda: mean([1, 2], clusters=[0.0, float("nan")]), "label every item, got nan at position 1"),
        (lambda: mean([[1, 2]]), r"one number per item, got an array of shape \(1, 2\)"),
        (lambda: mean(["a"]), "`values` must hold numbers only"),
        (lambda: mean([inf]), "finite, got inf"),
        (lambda: student_t_over_items([-0.1]), "got -0.1"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()


@given(st.lists(st.integers(-3, 40) | st.integers(0, 10**6), min_size=1, max_size=20))
def test_labels_are_numbered_in_their_order(labels):
    """Small labels, large ones and negative ones: as NumPy numbers them."""
    codes = group_codes(np.array(labels), len(labels))
    assert codes.tolist() == np.unique(labels, return_inverse=True)[1].tolist()


def by_hand(values, level=0.95):
    """The widest trim on both sides that still covers the median so often, by adding up coin tosses."""
    ordered, n = sorted(values), len(values)
    kept = None
    for trim in range(n // 2 + 1):
        outside = sum(comb(n, heads) for heads in range(trim + 1)) / 2**n
        if 2 * outside <= 1 - level:
            kept = trim
    return (-inf, inf) if kept is None else (ordered[kept], ordered[n - 1 - kept])


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.sampled_from([0.8, 0.9, 0.95]))
def test_the_interval_is_the_shortest_that_covers_enough(values, level):
    """As counted by hand, and the order of the values does not matter."""
    found = median(values, level)
    assert (found.low, found.high) == by_hand(values, level)
    assert found.value == np.median(values)
    assert median(values[::-1], level) == found


def test_the_interval_covers_as_often_as_it_says():
    """Over draws of a skewed distribution whose median is known."""
    rng = np.random.default_rng(0)
    draws = rng.exponential(size=(2000, 25))
    found = [median(each) for each in draws]
    covered = np.mean([each.low <= np.log(2) <= each.high for each in found])
    assert 0.945 <= covered <= 0.97


def test_few_values_have_no_interval():
    """Five show nothing with 95% certainty."""
    assert (median([1, 2, 3, 4, 5]).low, median([1, 2, 3, 4, 5]).high) == (-inf, inf)
    with pytest.raises(ValueError, match="at least one number"):
        median([])
