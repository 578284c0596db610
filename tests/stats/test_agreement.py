"""Agreement of raters: against statsmodels, against brute force, and where chance leaves nothing to measure."""

from __future__ import annotations

from itertools import combinations
from math import isnan

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import t as student_t
from statsmodels.stats import inter_rater

from snellen.stats import (
    Estimate,
    clustered_kappa,
    cohens_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    proportion,
    unanimity,
    wilson,
)

pairs = st.lists(st.tuples(st.sampled_from("ABCD"), st.sampled_from("ABCD")), min_size=2, max_size=60)
boards = st.integers(2, 5).flatmap(
    lambda raters: st.lists(st.lists(st.sampled_from("ABC"), min_size=raters, max_size=raters), min_size=3, max_size=30)
)


@settings(deadline=None)
@given(pairs)
def test_cohens_kappa_is_that_of_statsmodels(labelled):
    """Value and interval are those of an independent implementation, clipped to what κ can be."""
    first, second = zip(*labelled, strict=True)
    assume(first != second and len(set(first)) > 1 and len(set(second)) > 1)
    table = [[labelled.count((row, column)) for column in "ABCD"] for row in "ABCD"]
    with np.errstate(all="ignore"):  # their test of κ = 0, which we do not use, may divide by nothing
        theirs = inter_rater.cohens_kappa(table)
    ours = cohens_kappa(first, second)
    assert ours.value == pytest.approx(theirs.kappa, abs=1e-9)
    assume(theirs.std_kappa > 1e-5)  # where theirs has no width, ours has one: tested below
    assert ours.low == pytest.approx(max(theirs.kappa_low, -1), abs=1e-7)
    assert ours.high == pytest.approx(min(theirs.kappa_upp, 1), abs=1e-7)


def test_full_agreement_still_has_an_interval():
    """Ten items alike say less than a thousand alike; the lower bound is that of the agreement."""
    few, many = cohens_kappa("AB" * 5, "AB" * 5), cohens_kappa("AB" * 500, "AB" * 500)
    assert few.value == many.value == 1
    assert few.low == pytest.approx((wilson(10, 10).low - 0.5) / 0.5)
    assert few.low < many.low < 1


def test_one_label_only_leaves_kappa_undefined():
    """Where both raters know one label, there is nothing beyond chance to agree on."""
    for estimate in (cohens_kappa("AAAA", "AAAA"), fleiss_kappa(["AAA", "AAA"])):
        assert isnan(estimate.value)
        assert (estimate.low, estimate.high, estimate.method) == (-1, 1, "undefined: one label only")


@given(
    sizes=st.lists(st.integers(1, 400), min_size=2, max_size=6),
    single=st.sampled_from("AZ"),
    swapped=st.booleans(),
)
def test_a_rater_with_a_single_label_is_known_as_one_whatever_the_counts(sizes, single, swapped):
    """However many items and however the other spreads its labels: κ is 0 and the interval says nothing."""
    other = [label for label, size in zip("ABCDEF", sizes, strict=False) for _ in range(size)]
    raters = ([single] * len(other), other)
    estimate = cohens_kappa(*(raters[::-1] if swapped else raters))
    assert (estimate.value, estimate.low, estimate.high) == (0, -1, 1)
    assert (estimate.n, estimate.method) == (len(other), "one rater with one label")


def test_a_single_label_is_known_for_every_number_of_items():
    """Counts of which the shares do not add up to 1 in floating point, from 3 items to 300, are no exception."""
    for n in range(3, 301):
        other = "A" * (n - 2 * (n // 3)) + "B" * (n // 3) + "C" * (n // 3)
        assert cohens_kappa("A" * n, other) == Estimate(0.0, -1.0, 1.0, n, "one rater with one label")
        undefined = cohens_kappa("A" * n, "A" * n)
        assert isnan(undefined.value)
        assert (undefined.low, undefined.high) == (-1, 1)


@pytest.mark.parametrize("n", [1, 2, 5, 49, 333])
def test_full_disagreement_still_has_an_interval(n):
    """Two raters who always differ have κ = −1, and few such items say less than many."""
    estimate = cohens_kappa("AB" * n, "BA" * n)
    assert (estimate.value, estimate.low) == (pytest.approx(-1), pytest.approx(-1))
    assert estimate.high == pytest.approx(2 * wilson(0, 2 * n).high - 1)


@pytest.mark.parametrize(("ratings", "value"), [(["AA", "BB"] * 5, 1), (["AB"] * 10, -1)])
def test_fleiss_kappa_of_items_all_alike_still_has_an_interval(ratings, value):
    """Leaving out any item changes nothing: the bounds are those of the agreement."""
    estimate = fleiss_kappa(ratings)
    assert estimate.value == pytest.approx(value)
    assert -1 <= estimate.low < estimate.high <= 1
    assert estimate.method == "wilson-of-agreement"


@pytest.mark.parametrize(("n", "truth"), [(60, 0.5), (200, 0.8)])
def test_interval_of_cohens_kappa_covers_the_truth(n, truth):
    """The 95% CI holds the true κ about as often as it says."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(600):
        first = rng.integers(0, 3, n)
        copied = rng.random(n) < truth
        second = np.where(copied, first, rng.integers(0, 3, n))
        estimate = cohens_kappa(first.tolist(), second.tolist())
        held += estimate.low <= truth <= estimate.high
    assert held / 600 >= 0.92


@settings(deadline=None)
@given(boards)
def test_fleiss_kappa_is_that_of_statsmodels(ratings):
    """The value is that of an independent implementation and lies in its interval."""
    assume(len({label for row in ratings for label in row}) > 1)
    table, _ = inter_rater.aggregate_raters(np.array(ratings))
    ours = fleiss_kappa(ratings)
    assert ours.value == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-9)
    assert -1 <= ours.low <= ours.value + 1e-9
    assert ours.value - 1e-9 <= ours.high <= 1


@pytest.mark.parametrize(("n", "truth"), [(40, 0.4), (150, 0.8)])
def test_interval_of_fleiss_kappa_covers_the_truth(n, truth):
    """Three raters who follow the truth, or else guess: the 95% CI holds κ = truth² about as often as it says."""
    rng = np.random.default_rng(8)
    held, runs = 0, 500
    for _ in range(runs):
        right = rng.integers(0, 3, (n, 1))
        ratings = np.where(rng.random((n, 3)) < truth, right, rng.integers(0, 3, (n, 3)))
        estimate = fleiss_kappa(ratings.tolist())
        held += estimate.low <= truth**2 <= estimate.high
    assert held / runs >= 0.92


@given(boards)
def test_unanimity_is_the_share_of_items_with_one_label(ratings):
    """Counted by hand; patients make it less sure; one label throughout is full unanimity though κ is undefined."""
    alone = [len(set(row)) == 1 for row in ratings]
    assert unanimity(ratings) == proportion(alone)
    assert unanimity(ratings).value == pytest.approx(sum(alone) / len(ratings))
    patients = np.arange(len(ratings)) // 2
    assert unanimity(ratings, patients) == proportion(alone, patients)
    assert unanimity([["A"] * len(row) for row in ratings]).value == 1


def test_more_items_make_fleiss_kappa_surer():
    """The same pattern ten times over has a narrower interval."""
    pattern = ["AAA", "ABB", "BBB", "CCB", "CCC", "AAC"]
    few, many = fleiss_kappa(pattern), fleiss_kappa(pattern * 10)
    assert many.high - many.low < (few.high - few.low) / 2


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC"), st.integers(0, 5)), min_size=4, max_size=40))
def test_clustered_kappa_leaves_out_one_cluster_at_a_time(labelled):
    """By brute force: κ without each cluster, and Student's t over them."""
    first, second, clusters = zip(*labelled, strict=True)
    found = clustered_kappa(first, second, clusters)
    assert found.value == pytest.approx(cohens_kappa(first, second).value, nan_ok=True)
    assert found.low <= found.high
    kinds = sorted(set(clusters))
    assume(found.method == "cluster-jackknife-t")
    without = [
        cohens_kappa(*zip(*[(a, b) for a, b, each in labelled if each != left_out], strict=True)).value
        for left_out in kinds
    ]
    count = len(kinds)
    error = np.sqrt((count - 1) / count * np.sum((np.array(without) - np.mean(without)) ** 2))
    half = student_t.ppf(0.975, count - 1) * error
    assert (found.low, found.high) == pytest.approx((max(found.value - half, -1), min(found.value + half, 1)), abs=1e-7)


@given(pairs)
def test_clusters_of_one_are_independent_items(labelled):
    """Then it is Cohen's κ with its own interval."""
    first, second = zip(*labelled, strict=True)
    assert str(clustered_kappa(first, second, range(len(first)))) == str(cohens_kappa(first, second))


def test_items_that_say_the_same_count_as_one():
    """Fifty copies of each of four items tell no more than the four."""
    first, second = "AABB" * 50, "AABA" * 50
    found, alone = clustered_kappa(first, second, list(range(4)) * 50), cohens_kappa(first, second)
    assert found.high - found.low > 4 * (alone.high - alone.low)
    agreeing = clustered_kappa("AB" * 50, "AB" * 50, [0, 1] * 50)
    assert agreeing.value == 1
    assert agreeing.low < cohens_kappa("AB" * 50, "AB" * 50).low
    assert clustered_kappa("AABB", "AABA", [1, 1, 1, 1]).method == "one cluster only"


HANDBOOK = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
"""Four observers of twelve units, of which the last has one label: the example that Krippendorff works out."""
boards_with_gaps = st.integers(2, 5).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([1, 2, 3, 4, None]), min_size=raters, max_size=raters), min_size=3, max_size=25
    )
)


def test_krippendorffs_own_example_comes_out_as_by_hand():
    """From the coincidences, counted by hand: 40 labels, 4 of 608 possible differences (nominal), or their squares."""
    totals = {1: 9, 2: 13, 3: 10, 4: 5, 5: 3}
    met = {(1, 2): 4 / 3, (1, 3): 1 / 3, (1, 4): 1 / 3, (2, 3): 4 / 3, (2, 4): 1 / 3, (3, 4): 1 / 3}
    ranks = {1: 4.5, 2: 15.5, 3: 27.0, 4: 34.5, 5: 38.5}  # the middle of each label's places among the 40
    squares = {(one, two): (ranks[one] - ranks[two]) ** 2 for one, two in combinations(totals, 2)}
    expected = sum(totals[one] * totals[two] * apart for (one, two), apart in squares.items())
    by_hand = {
        "nominal": 1 - 39 * 4 / 608,
        "ordinal": 1 - 39 * sum(times * squares[pair] for pair, times in met.items()) / expected,
    }
    units = list(zip(*HANDBOOK, strict=True))
    for scale, value in by_hand.items():
        found = krippendorff_alpha(units, scale=scale)
        assert found.value == pytest.approx(value)
        assert found.n == 11
    assert by_hand == {"nominal": pytest.approx(0.743, abs=5e-4), "ordinal": pytest.approx(0.815, abs=5e-4)}


@settings(deadline=None)
@given(boards_with_gaps, st.sampled_from(["nominal", "ordinal"]))
def test_krippendorffs_alpha_is_that_of_the_krippendorff_package(ratings, scale):
    """On any table with missing labels, both scales; the interval is the jackknife's, made by brute force."""
    paired = [row for row in ratings if sum(label is not None for label in row) > 1]
    assume(len({label for row in paired for label in row if label is not None}) > 1)
    found = krippendorff_alpha(ratings, scale=scale)
    table = np.array(ratings, dtype=float).T
    theirs = krippendorff.alpha(table, level_of_measurement=scale, value_domain=[1, 2, 3, 4])
    assert found.value == pytest.approx(theirs, abs=1e-9)
    assert found.n == len(paired)
    assume(found.method == "jackknife-t")
    without = [krippendorff_alpha(paired[:at] + paired[at + 1 :], scale=scale).value for at in range(found.n)]
    error = np.sqrt((found.n - 1) / found.n * np.sum((np.array(without) - np.mean(without)) ** 2))
    half = student_t.ppf(0.975, found.n - 1) * error
    assert (found.low, found.high) == pytest.approx((max(found.value - half, -1), min(found.value + half, 1)), abs=1e-7)


@given(boards, st.sampled_from(["nominal", "ordinal"]))
def test_labels_that_nobody_gave_change_no_alpha(ratings, scale):
    """A rater who says nothing, or an item with one label, adds nothing."""
    more = [[*row, None] for row in ratings] + [["A", *[None] * len(ratings[0])]]
    assert str(krippendorff_alpha(more, scale=scale)) == str(krippendorff_alpha(ratings, scale=scale))


def test_alpha_is_not_defined_without_two_labels():
    """One label throughout, or no item that two raters read, says nothing of agreement."""
    for ratings, why in ((["AA", "AA"], "undefined: one label only"), (["A", "B"], "no item with two labels")):
        found = krippendorff_alpha(ratings)
        assert isnan(found.value)
        assert (found.low, found.high, found.method) == (-1, 1, why)


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
def test_full_agreement_of_any_raters_still_has_an_interval(scale):
    """Ten items alike say less than a thousand alike, and ten of two patients less than ten of ten."""
    few, many = krippendorff_alpha(["AA", "BB"] * 5, scale=scale), krippendorff_alpha(["AA", "BB"] * 500, scale=scale)
    assert few.value == many.value == 1
    by_chance = 2 * 10 * 10 / (20 * 19)
    assert few.low == pytest.approx(1 - wilson(0, 10).high / by_chance)
    assert few.low < many.low < few.high == many.high == 1
    two_patients = krippendorff_alpha(["AA", "BB"] * 5, [0, 1] * 5, scale=scale)
    assert (two_patients.value, two_patients.n) == (1, 10)
    assert two_patients.low < few.low


@settings(deadline=None)
@given(st.lists(st.tuples(st.lists(st.sampled_from("ABC"), min_size=3, max_size=3), st.integers(0, 4)), min_size=4))
def test_items_of_one_cluster_are_left_out_together(labelled):
    """Fleiss' κ and Krippendorff's α: κ without each cluster by brute force, and Student's t over them."""
    ratings, clusters = zip(*labelled, strict=True)
    for statistic in (fleiss_kappa, krippendorff_alpha):
        found = statistic(ratings, clusters)
        assert found.value == pytest.approx(statistic(ratings).value, nan_ok=True)
        if found.method != "cluster-jackknife-t":
            continue
        kinds = sorted(set(clusters))
        without = [statistic([row for row, each in labelled if each != left_out]).value for left_out in kinds]
        error = np.sqrt((len(kinds) - 1) / len(kinds) * np.sum((np.array(without) - np.mean(without)) ** 2))
        half = student_t.ppf(0.975, len(kinds) - 1) * error
        expected = (max(found.value - half, -1), min(found.value + half, 1))
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-7)


def test_what_cannot_be_bounded_may_be_anything():
    """One item, one cluster, or an item without which one label is left: no bounds, and the reason."""
    for found, why in (
        (clustered_kappa("AABB", "AABA", [1, 1, 1, 1]), "one cluster only"),
        *((kind(["AB"]), "one item only") for kind in (fleiss_kappa, krippendorff_alpha)),
        *((kind(["AA", "AB"], [1, 1]), "one cluster only") for kind in (fleiss_kappa, krippendorff_alpha)),
        *((kind(["AA", "AB"]), "undefined without one item") for kind in (fleiss_kappa, krippendorff_alpha)),
    ):
        assert (found.low, found.high, found.method) == (-1, 1, why)


@pytest.mark.parametrize(("rows", "agreeing"), [(["AA", "BB"], 1), (["AA", "BB", "AB", "BA"], 0.5), (["AB", "BA"], 0)])
def test_clusters_that_are_all_alike_count_as_one_item_each(rows, agreeing):
    """Leaving one of five out changes nothing: the bounds are those of five items, cut at −1 and 1."""
    clusters = np.repeat(np.arange(5), len(rows)).tolist()
    share, total = wilson(5 * agreeing, 5), 10 * len(rows)
    fleiss, alpha = (kind(rows * 5, clusters) for kind in (fleiss_kappa, krippendorff_alpha))
    assert (fleiss.low, fleiss.high) == pytest.approx((max(2 * share.low - 1, -1), 2 * share.high - 1))
    bounds = [max(1 - (1 - each) * (total - 1) / total * 2, -1) for each in (share.low, share.high)]
    assert [alpha.low, alpha.high] == pytest.approx(bounds)


@pytest.mark.parametrize("second", ["AABA", "BBAB"])
def test_alike_clusters_widen_cohens_kappa_as_fewer_items_would(second):
    """Five clusters of four items: twice as wide as of twenty, cut at −1 and 1."""
    alone = cohens_kappa("AABB" * 5, second * 5)
    found = clustered_kappa("AABB" * 5, second * 5, np.repeat(np.arange(5), 4).tolist())
    half = 2 * min(alone.high - alone.value, alone.value - alone.low)
    assert (found.low, found.high) == pytest.approx((max(alone.value - half, -1), min(alone.value + half, 1)))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cohens_kappa("AB", "A"), "must label the same items, got 2 and 1 labels"),
        (lambda: cohens_kappa([], []), "`first` must hold at least one label, got none"),
        (lambda: cohens_kappa("AB", "AA", level=95), "`level` must lie strictly between 0 and 1, got 95"),
        (lambda: fleiss_kappa(["AB", "ABC"]), "same number of labels for every item, at least 2"),
        (lambda: clustered_kappa("AB", "AB", [1]), "one label per item"),
        (lambda: krippendorff_alpha(["AB"], scale="ratio"), "`scale` must be nominal or ordinal, got 'ratio'"),
        (lambda: krippendorff_alpha(["AB"], [1, 2]), "one label per item"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()
