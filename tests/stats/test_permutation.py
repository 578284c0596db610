"""McNemar's test and the paired permutation test, against SciPy, statsmodels and brute force."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference
from statsmodels.stats.contingency_tables import mcnemar

from snellen.stats import grounding_signal, mcnemar_exact, paired_difference, paired_permutation
from snellen.stats.permutation import LEAST

tenths = st.integers(-10, 10).map(lambda x: x / 10)
pairs = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60)


def brute_force(differences, clusters):
    """The p of all signs of all clusters, one by one."""
    sums = [sum(d for d, c in zip(differences, clusters, strict=True) if c == k) for k in sorted(set(clusters))]
    observed = abs(sum(sums))
    outcomes = [
        abs(sum(s * x for s, x in zip(signs, sums, strict=True))) for signs in product((1, -1), repeat=len(sums))
    ]
    return sum(outcome >= observed - 1e-9 for outcome in outcomes) / len(outcomes)


@settings(deadline=None)
@given(pairs)
def test_mcnemar_is_that_of_statsmodels_and_of_the_binomial_test(rows):
    """The exact p equals statsmodels' and SciPy's."""
    a, b = np.array(rows).T
    gained, lost = int(np.sum(b > a)), int(np.sum(b < a))
    table = [[int(np.sum((a == i) & (b == j))) for j in (0, 1)] for i in (0, 1)]
    expected = reference.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar_exact(a, b) == pytest.approx(expected, abs=1e-12)
    assert mcnemar_exact(a, b) == pytest.approx(mcnemar(table, exact=True).pvalue, abs=1e-12)


@settings(deadline=None)
@given(pairs)
def test_permutation_of_single_answers_is_mcnemar(rows):
    """For differences of −1, 0 and 1 without clusters the permutation test is McNemar's exact test."""
    a, b = np.array(rows).T
    assert mcnemar_exact(a, b) == paired_permutation(b - a)


@settings(deadline=None)
@given(st.lists(st.tuples(tenths, st.integers(0, 7)), min_size=1, max_size=20))
def test_few_clusters_are_enumerated(rows):
    """With few clusters the p is that of trying all signs, for any differences."""
    differences, clusters = zip(*rows, strict=True)
    assert paired_permutation(differences, clusters) == pytest.approx(brute_force(differences, clusters), abs=1e-12)


@pytest.mark.parametrize("digits", [1, 12])
def test_many_differences_agree_with_scipy(digits):
    """Random signs, of few distinct amounts or of many, give SciPy's p within Monte Carlo error."""
    differences = np.round(np.random.default_rng(2).normal(0.1, 0.5, 60), digits)
    expected = reference.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(3)
    ).pvalue
    assert paired_permutation(differences) == pytest.approx(expected, abs=0.015)
    drawn = paired_permutation(differences, seed=1) != paired_permutation(differences, seed=2)
    assert drawn == (digits == 12)  # tenths are counted, all ways of them


@given(
    st.lists(st.integers(-9, 9), min_size=15, max_size=120), st.sampled_from([1, 2, 3, 5, 12, 60, 2520]), st.booleans()
)
@settings(deadline=None)
def test_means_of_repeats_are_counted_to_the_last_way(units, parts, one_sided):
    """The p of all 2^n signs, from integers that hold how many ways lead to each sum."""
    kept = [abs(unit) if one_sided else unit for unit in units]
    ways = {0: 1}
    for unit in kept:
        then = Counter()
        for total, count in ways.items():
            then[total + unit] += count
            then[total - unit] += count
        ways = then
    extreme = sum(count for total, count in ways.items() if abs(total) >= abs(sum(kept)))
    expected = extreme / 2 ** len(kept)
    assert paired_permutation(np.array(kept) / parts) == pytest.approx(max(expected, LEAST), abs=1e-13)


def test_random_signs_agree_with_enumeration():
    """Sampled and enumerated signs agree within Monte Carlo error."""
    differences = np.random.default_rng(8).normal(0.3, 0.6, 12)
    exact = paired_permutation(differences)
    assert exact == pytest.approx(brute_force(differences, range(12)), abs=1e-12)
    assert paired_permutation(differences, resamples=4000) == pytest.approx(exact, abs=0.03)


def test_random_signs_of_few_amounts_agree_with_all_ways():
    """Three amounts without a common part, eight times each: only the number of plus signs of each matters."""
    amounts, plus = np.array([2**0.5 / 3, 1 / np.pi, 3**0.5 / 2]), (6, 5, 6)
    differences = np.repeat(np.concatenate([amounts, -amounts]), [*plus, *(8 - count for count in plus)])
    every = np.array(list(product(range(9), repeat=3)))
    chances = reference.binom.pmf(every, 8, 0.5).prod(axis=1)
    expected = chances[np.abs((2 * every - 8) @ amounts) >= abs(differences.sum()) - 1e-9].sum()
    assert paired_permutation(differences) == pytest.approx(expected, abs=5 * np.sqrt(expected / 10_000))
    assert paired_permutation(differences, seed=1) != paired_permutation(differences, seed=2)


@given(st.lists(st.tuples(tenths, st.integers(0, 30)), min_size=15, max_size=60), st.randoms(use_true_random=False))
def test_order_of_items_changes_no_p(rows, random):
    """The p under a seed does not depend on the order of the items."""
    shuffled = random.sample(rows, len(rows))
    first, second = (paired_permutation(*zip(*some, strict=True), resamples=200) for some in (rows, shuffled))
    assert first == second


def test_p_is_never_zero_and_no_change_is_p_one():
    """The smallest p of random signs is 1 / (resamples + 1); without any difference p is 1."""
    assert paired_permutation(np.linspace(0.5, 1, 100) ** 2, resamples=999) == 1 / 1000
    assert paired_permutation(np.zeros(5)) == 1
    assert mcnemar_exact([1, 0], [1, 0]) == 1


def test_false_alarms_are_as_rare_as_promised():
    """Under no effect, with clusters that agree, p ≤ 0.05 comes up about one time in twenty."""
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(40), 5)
    p = np.array([paired_permutation(rng.normal(size=40)[labels], labels, resamples=199, seed=i) for i in range(500)])
    assert 0.02 <= np.mean(p <= 0.05) <= 0.08


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mcnemar_exact([0, 1], [1]), "aligned by item, got 2 and 1 numbers"),
        (lambda: mcnemar_exact([0, 0.5], [1, 1]), "0 or 1 for McNemar's test"),
        (lambda: mcnemar_exact([], []), "at least one number"),
        (lambda: paired_permutation([0.1], resamples=0), "at least 1, got 0"),
        (lambda: paired_permutation([0.1, float("nan")]), "finite, got nan"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()


def test_a_p_at_the_floor_of_the_draws_is_known_as_one():
    """Nothing drawn is as extreme: p is the least that the draws can show. What is exact has no floor."""
    before, odd = np.zeros(60), np.linspace(0.5, 1, 60) ** 2
    found = paired_difference(before, odd)
    assert (found.p, found.least_p, found.p_at_floor) == (1 / 10_001, 1 / 10_001, True)
    counted = paired_difference(before, np.tile([1.0, 0.5], 30))
    assert (counted.p, counted.least_p, counted.p_at_floor) == (LEAST, LEAST, True)
    mixed = paired_difference(np.tile([0.0, 1.0], 30), np.tile([1.0, 0.5], 30))
    assert mixed.p > mixed.least_p
    assert not mixed.p_at_floor
    exact = paired_difference(before, np.ones(60))
    assert (exact.least_p, exact.p_at_floor) == (None, False)


def test_a_signal_at_the_floor_of_its_draws_is_known_as_one():
    """Answers that always move, on many items: the least that ten thousand ways of dealing can show."""
    item = np.repeat(np.arange(40), 3)
    found = grounding_signal([1, 1, 1] * 40, [2, 2, 2] * 40, item, item)
    assert found.p_at_floor
    assert found.p == found.least_p == 1 / 10_001
