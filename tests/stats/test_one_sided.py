"""One-sided tests: against SciPy, by brute force, and at their stated rate."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest, ttest_1samp
from scipy.stats import t as t_law

from snellen.stats import above_chance_p, luck_p, positive_mean_p
from snellen.stats.one_sided import CROSS_VALIDATED


def test_independent_hits_of_one_chance_have_the_binomial_p():
    """Without clusters it is the exact one-sided binomial test."""
    for count in (0, 3, 11, 20):
        expected = binomtest(count, 20, 0.25, alternative="greater").pvalue
        assert above_chance_p([1] * count + [0] * (20 - count), [0.25] * 20) == pytest.approx(expected)


def test_hits_of_several_chances_have_the_p_of_all_ways_to_be_lucky():
    """With a chance for each item it is the sum over every outcome with as many hits."""
    chances = np.array([0.5, 0.2, 0.25, 0.5])
    ways = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    weight = np.prod(np.where(ways, chances, 1 - chances), axis=1)
    expected = weight[ways.sum(axis=1) >= 3].sum()
    assert above_chance_p([1, 1, 1, 0], chances) == pytest.approx(expected)


def test_items_that_agree_count_as_one():
    """Twenty patients whose five items are all right or all wrong say as much as twenty items, not as a hundred."""
    right = np.repeat(np.arange(20) < 14, 5).astype(float)
    apart, together = (
        above_chance_p(right, [0.5] * 100),
        above_chance_p(right, [0.5] * 100, np.repeat(np.arange(20), 5)),
    )
    assert apart < 1e-4
    assert together == pytest.approx(binomtest(14, 20, 0.5, alternative="greater").pvalue, abs=0.03)


def test_hits_without_exception_are_significant_and_one_cluster_is_not():
    """No variance among the items is no reason for p = 0 or 1."""
    clusters = np.repeat(np.arange(10), 3)
    assert 0 < above_chance_p([1] * 30, [0.25] * 30, clusters) < 0.01
    assert above_chance_p([1] * 30, [0.25] * 30, [0] * 30) == 1
    assert above_chance_p([1] * 4, [1.0] * 4, [0, 0, 1, 1]) == 1  # luck itself is always right
    assert positive_mean_p([0.5] * 5) == 1 / 32


def test_inflated_hits_have_the_p_of_students_test_less_half_a_hit():
    """The variance of chance times the inflation, by hand."""
    t = (14 / 20 - 0.5 - 0.5 / 20) / np.sqrt(4 * 0.25 / 20)
    assert above_chance_p([1] * 14 + [0] * 6, [0.5] * 20, inflation=4) == pytest.approx(t_law.sf(t, 19))


def test_a_mean_has_the_p_of_students_test():
    """Without clusters it is the one-sided t-test; inflation divides t by its root."""
    values = np.random.default_rng(0).normal(0.3, 1, 40)
    assert positive_mean_p(values) == pytest.approx(ttest_1samp(values, 0, alternative="greater").pvalue)
    assert positive_mean_p(values, inflation=CROSS_VALIDATED) > positive_mean_p(values)
    assert positive_mean_p(-values) == 1


def test_clusters_that_say_nothing_give_no_degrees_of_freedom():
    """Three items of a thousand that differ from 0 are three, whatever the others are."""
    values = np.zeros(1000)
    values[:3] = 0.1
    assert positive_mean_p(values) == pytest.approx(1 / 8, abs=0.03)
    assert positive_mean_p([0.0] * 10) == 1


def test_items_that_train_each_other_vary_twice_as_much():
    """What is shared by luck counts twice in cross-validation; with `CROSS_VALIDATED` the rate is as stated."""
    rng = np.random.default_rng(1)
    plain, allowed = [], []
    for _ in range(400):
        items = rng.choice([-1.0, 1.0], size=(60, 50))
        alike = items @ items.T
        fold = np.arange(60) % 5
        alike[fold[:, None] == fold] = 0
        gain = alike.sum(axis=1)
        plain.append(positive_mean_p(gain) <= 0.05)
        allowed.append(positive_mean_p(gain, inflation=CROSS_VALIDATED) <= 0.05)
    assert np.mean(plain) > 0.08
    assert np.mean(allowed) < 0.07


def test_hits_and_chances_must_be_of_the_same_items():
    """Two lengths are an error."""
    with pytest.raises(ValueError, match="one value per item, got 2 and 1"):
        above_chance_p([1, 0], [0.5])


CHANCES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=1, max_size=7)


@given(CHANCES, st.data())
def test_it_is_the_share_of_all_that_could_happen(chances, data):
    """Every pattern of hits with its probability, summed in both tails."""
    hits = data.draw(st.lists(st.integers(0, 1), min_size=len(chances), max_size=len(chances)))
    tails = [0.0, 0.0]
    for pattern in product((0, 1), repeat=len(chances)):
        weight = np.prod([chance if hit else 1 - chance for hit, chance in zip(pattern, chances, strict=True)])
        tails[0] += weight * (sum(pattern) <= sum(hits))
        tails[1] += weight * (sum(pattern) >= sum(hits))
    assert luck_p(hits, chances) == pytest.approx(min(1, 2 * min(tails)), abs=1e-12)


@given(st.integers(1, 3000), st.floats(0.05, 0.95), st.data())
def test_with_one_chance_it_is_the_binomial(tries, chance, data):
    """Twice the smaller of SciPy's two tails, of many tries too."""
    count = data.draw(st.integers(0, tries))
    tails = [stats.binom.cdf(count, tries, chance), stats.binom.sf(count - 1, tries, chance)]
    hits = [1] * count + [0] * (tries - count)
    assert luck_p(hits, [chance] * tries) == pytest.approx(min(1, 2 * min(tails)), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("tries", [8, 20, 50])
def test_luck_is_seldom_called_more_than_luck(tries):
    """In at most one of forty on either side, however few the tries and skewed the chances."""
    rng = np.random.default_rng(0)
    chances = np.resize([0.2, 0.25, 0.5], tries)
    low = high = 0
    for _ in range(1000):
        hits = rng.random(tries) < chances
        if luck_p(hits, chances) < 0.05:
            low, high = low + (hits.sum() < chances.sum()), high + (hits.sum() > chances.sum())
    assert max(low, high) / 1000 < 0.035


@pytest.mark.parametrize(
    ("hits", "luck"), [([0.5], [0.2]), ([1, 0], [0.2]), ([1], [1.2]), ([1], [-0.1]), ([1], [np.nan])]
)
def test_what_is_no_hit_or_no_chance_is_refused(hits, luck):
    """Shares, other lengths, chances beyond 0 and 1."""
    with pytest.raises(ValueError):
        luck_p(hits, luck)
