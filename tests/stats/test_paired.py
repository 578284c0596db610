"""Paired differences: a hand-made case, laws, and the coverage of the interval by simulation."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.stats import bonett_price, cohens_d, mcnemar_exact, paired_difference, paired_permutation

tenths = st.integers(0, 10).map(lambda x: x / 10)
rows = st.lists(st.tuples(tenths, tenths, st.integers(0, 5)), min_size=1, max_size=25)


def test_independent_interval_is_bonett_and_price_with_a_t_quantile():
    """One more gained and one more lost, then the interval of a mean, as one does it by hand."""
    a = np.array([1] * 30 + [0] * 12 + [1] * 5 + [0] * 13)
    b = np.array([1] * 30 + [1] * 12 + [0] * 5 + [0] * 13)
    gained, lost, n = 13 / 62, 6 / 62, 62
    error = np.sqrt((gained + lost - (gained - lost) ** 2) / (n - 1))
    half = reference.t.ppf(0.975, n - 1) * error
    estimate = paired_difference(a, b)
    assert estimate.value == pytest.approx(7 / 60)
    assert [estimate.low, estimate.high] == pytest.approx([gained - lost - half, gained - lost + half], abs=1e-12)
    assert estimate.p == mcnemar_exact(a, b)
    assert (estimate.n, estimate.method) == (60, "bonett-price")


def test_no_difference_at_all_is_not_certainty():
    """Where no answer changed the interval still has a width, that shrinks with n and grows with the clusters' size."""
    few, many = paired_difference(np.ones(20), np.ones(20)), paired_difference(np.ones(200), np.ones(200))
    by_patient = paired_difference(np.ones(200), np.ones(200), np.repeat(np.arange(20), 10))
    assert few.high > many.high > 0
    assert by_patient.high == pytest.approx(few.high)
    assert (few.value, few.low, few.p) == (0, -few.high, 1)


def test_fractions_and_clusters_get_a_permutation_p():
    """The p is McNemar's only for single answers of independent items."""
    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 4, 40) / 3, rng.integers(0, 4, 40) / 3
    labels = np.arange(40) // 4
    assert paired_difference(a, b).p == paired_permutation(b - a)
    assert paired_difference(a, b).method == "bonett-price"
    whole = paired_difference(a > 0.5, b > 0.5, labels)
    assert whole.p == paired_permutation((b > 0.5) * 1.0 - (a > 0.5), labels)
    assert whole.method == "cluster-bonett-price"
    for names in (labels - 5, labels * 10**6, labels.astype(float), labels.astype(str)):
        assert paired_difference(a > 0.5, b > 0.5, names) == whole


@settings(deadline=None)
@given(rows, st.floats(0.2, 0.99))
def test_interval_contains_the_value_and_turns_round_with_the_arms(drawn, level):
    """−1 ≤ low ≤ value ≤ high ≤ 1, and exchanging the arms changes the signs only."""
    a, b, labels = (np.array(column) for column in zip(*drawn, strict=True))
    forth, back = bonett_price(b - a, labels, level), bonett_price(a - b, labels, level)
    assert -1 <= forth.low <= forth.value <= forth.high <= 1
    assert forth.low < forth.high
    assert [forth.value, forth.low, forth.high] == pytest.approx([-back.value, -back.high, -back.low], abs=1e-12)


@settings(deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_order_of_items_changes_nothing(drawn, random):
    """Shuffling the items, with their clusters, changes no estimate."""
    first, second = (
        paired_difference(*(np.array(column) for column in zip(*some, strict=True)))
        for some in (drawn, random.sample(drawn, len(drawn)))
    )
    assert [first.value, first.low, first.high] == pytest.approx([second.value, second.low, second.high], abs=1e-12)
    assert first.p == second.p


@pytest.mark.parametrize("agreement", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("sizes", "gained", "lost"),
    [
        ([1] * 10, 0.2, 0.05),
        ([1] * 30, 0.02, 0.01),
        ([1] * 200, 0.01, 0.0),
        ([1] * 400, 0.3, 0.1),
        ([5] * 20, 0.05, 0.0),
        ([5] * 20, 0.2, 0.05),
        ([20] * 50, 0.01, 0.0),
        ([1, 2, 3, 14] * 15, 0.1, 0.1),
    ],
)
def test_interval_covers_the_truth(sizes, gained, lost, agreement):
    """The 95% CI holds the truth at least 93% of the time: few items, rare changes, clusters that agree."""
    if max(sizes) == 1 and agreement:
        return
    rng = np.random.default_rng(9)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    hits, runs = 0, 400
    for _ in range(runs):
        shared = rng.random(labels.size) < agreement
        luck = np.where(shared, rng.random(len(sizes))[labels], rng.random(labels.size))
        estimate = bonett_price((luck < gained) * 1.0 - (luck > 1 - lost), labels)
        hits += estimate.low <= gained - lost <= estimate.high
    assert hits / runs >= 0.93


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: paired_difference([0, 1], [1]), "aligned by item, got 2 and 1 numbers"),
        (lambda: paired_difference([], []), "`a` must hold at least one number"),
        (lambda: paired_difference([0, 1], [1, 2]), r"`b` must lie in \[0, 1\], got 2.0"),
        (lambda: paired_difference([0, 1], [1, -0.5]), r"`b` must lie in \[0, 1\], got -0.5 at position 1"),
        (lambda: paired_difference([0], [float("nan")]), "`b` must be finite"),
        (lambda: paired_difference([0], [1], level=0), "`level` must lie strictly"),
        (lambda: paired_difference([0, 1], [1, 1], clusters=[[1, 2]]), "one label per item"),
        (lambda: bonett_price([0, -1.5]), "got -1.5"),
        (lambda: cohens_d([]), "`differences` must hold at least one number, got none"),
        (lambda: cohens_d([1, 2], level=95), "`level` must lie strictly between 0 and 1, got 95"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()


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
def test_interval_of_d_covers_the_truth(n, gained, lost):
    """The 95% CI holds the true d at least 93% of the time for answers that are gained, kept or lost."""
    rng = np.random.default_rng(3)
    truth = (gained - lost) / np.sqrt(gained + lost - (gained - lost) ** 2)
    drawn = rng.choice([1.0, 0.0, -1.0], size=(1000, n), p=[gained, 1 - gained - lost, lost])
    estimates = [cohens_d(row) for row in drawn]
    assert np.mean([estimate.low <= truth <= estimate.high for estimate in estimates]) >= 0.93
