"""Confidence sequences: the capital of the bets by hand, coverage under many looks, and an independent package."""

from dataclasses import replace
from math import inf, log

import numpy as np
import pytest
from ville import BettingCS

from snellen.stats import at_any_time, bootstrap, confidence_sequence, paired_difference, proportion, ratio_above_chance
from snellen.stats.sequential import BETS, WEIGHTS

CASES = {
    "half": ((0.0, 1.0), [0.0, 1.0], [0.5, 0.5]),
    "rare": ((0.0, 1.0), [0.0, 1.0], [0.95, 0.05]),
    "changes": ((-1.0, 1.0), [-1.0, 0.0, 1.0], [0.3, 0.6, 0.1]),
    "means of runs": ((0.0, 1.0), [0.0, 1 / 3, 2 / 3, 1.0], [0.1, 0.2, 0.3, 0.4]),
}


def drawn(case, n, seed=0):
    bounds, values, shares = CASES[case]
    return bounds, np.random.default_rng(seed).choice(values, n, p=shares)


def won(outcomes, worst):
    """What each bet wins, one item after the other, and what they win together."""
    capital = np.exp(WEIGHTS)
    for outcome in outcomes:
        capital = capital * (1 + BETS * outcome / worst)
    return capital.sum()


@pytest.mark.parametrize("case", CASES)
def test_at_its_ends_a_bet_has_won_forty_times_its_stake(case):
    """Each side has half of the 5%: a mean is excluded where the capital is 40 or more, and not before."""
    (least, most), values = drawn(case, 80)
    found = confidence_sequence(values, bounds=(least, most))
    assert won(values - found.low, found.low - least) == pytest.approx(40, rel=1e-3)
    assert won(found.high - values, most - found.high) == pytest.approx(40, rel=1e-3)
    assert found.low < values.mean() < found.high


def test_the_ends_of_a_ratio_are_those_of_its_bets():
    """A ratio is excluded where bets on a − c − r (b − c) have won 40 times their stake."""
    rng = np.random.default_rng(1)
    with_image, without = rng.random(150) < 0.8, rng.random(150) < 0.5
    chance = np.full(150, 0.25)
    found = at_any_time(ratio_above_chance(without, with_image, chance))
    rest = [without - 0.25 - ratio * (with_image - 0.25) for ratio in (found.low, found.high)]
    assert won(rest[0], max(1, found.low)) == pytest.approx(40, rel=1e-3)
    assert won(-rest[1], max(1, found.high)) == pytest.approx(40, rel=1e-3)
    assert (found.method, found.p) == ("betting-ratio", None)


def test_a_ratio_to_guessing_has_no_bounds():
    """Where the denominator may be chance, nothing bounds the ratio."""
    for with_image in ([1, 0, 0, 0, 1] * 4, [0] * 20):
        plain = ratio_above_chance([1, 0, 0, 0] * 5, with_image, [0.25] * 20)
        found = at_any_time(plain)
        assert (found.low, found.high, found.method) == (-inf, inf, "betting-ratio")
    assert at_any_time(replace(plain, value=0.5)) is None


@pytest.mark.parametrize("case", CASES)
def test_nearly_as_narrow_as_another_package(case):
    """At no size is it more than 15% wider than the hedged capital of `ville`, whose bets are tuned to the data."""
    for n in (60, 400):
        bounds, values = drawn(case, n)
        theirs = BettingCS(bounds=bounds, grid=4001, intersect=False).fit(values)
        ours = confidence_sequence(values, bounds=bounds)
        width = np.ravel(theirs.upper_)[-1] - np.ravel(theirs.lower_)[-1]
        assert ours.high - ours.low < 1.15 * width


def test_looking_often_costs_no_coverage():
    """Over ten looks, few studies ever exclude the truth (5% at most); ordinary intervals exclude it far more often."""
    looks, studies = (20, 30, 45, 60, 80, 100, 130, 160, 200, 240), 80
    missed = {"once": 0, "always": 0}
    for seed in range(studies):
        values = np.random.default_rng(seed).random(looks[-1]) < 0.3
        plain = [proportion(values[:n]) for n in looks]
        missed["once"] += any(not each.low <= 0.3 <= each.high for each in plain)
        missed["always"] += any(not each.low <= 0.3 <= each.high for each in map(at_any_time, plain))
    three_errors = 3 * np.sqrt(0.05 * 0.95 / studies)
    assert missed["always"] / studies < 0.05 + three_errors < missed["once"] / studies


def test_a_patient_counts_once():
    """Items of one patient that agree tell no more than one item, and the order of items changes nothing."""
    _, values = drawn("changes", 60)
    alone = confidence_sequence(values, bounds=(-1, 1))
    patients = np.repeat(np.arange(60), 3)
    order = np.random.default_rng(2).permutation(180)
    together = confidence_sequence(np.repeat(values, 3)[order], patients[order], (-1, 1))
    assert (together.low, together.high, together.p) == pytest.approx((alone.low, alone.high, alone.p))
    assert (together.n, together.method) == (180, "cluster-betting")
    wider = confidence_sequence(values, bounds=(-1, 1), largest=5)
    assert wider.low < alone.low < alone.high < wider.high
    uneven = np.minimum(np.arange(60), 57)
    mixed, told = (confidence_sequence(values, uneven, (-1, 1), largest=most) for most in (None, 3))
    assert (mixed.low, mixed.high, mixed.p) == (told.low, told.high, told.p)
    assert mixed.low < alone.low


def test_p_is_one_over_what_was_won_against_zero():
    """P of a paired difference is that of bets on both sides, valid at any time."""
    before, after = np.repeat([1, 0, 1], [30, 20, 10]), np.repeat([0, 0, 1], [30, 20, 10])
    found = at_any_time(paired_difference(before, after))
    changes = after - before
    capital = (won(changes, 1) + won(-changes, 1)) / 2
    assert log(found.p) == pytest.approx(-log(capital))
    assert at_any_time(paired_difference(before, before)).p == 1
    assert confidence_sequence(changes, bounds=(-1, 1)).p == pytest.approx(found.p)
    assert at_any_time(paired_difference(after, before)).p == pytest.approx(found.p)
    assert confidence_sequence(after).p is None


def test_what_was_made_into_another_number_has_no_sequence():
    """A number that was scaled is not what its items were; one that was only cut still is."""
    plain = proportion([1, 0, 1, 1, 0, 1])
    assert at_any_time(replace(plain, value=2 * plain.value)) is None
    assert at_any_time(replace(plain, low=plain.low - 0.1)) is None
    assert at_any_time(replace(plain, high=plain.high + 0.1)) is None
    assert at_any_time(replace(plain, low=plain.low + 0.1)) is not None
    assert at_any_time(bootstrap([0.1, 0.4, 0.3], seed=0)) is None


def test_bad_input_is_refused():
    """A value outside its bounds is named."""
    with pytest.raises(ValueError, match=r"must lie in \[0.0, 1.0\], got 2.0"):
        confidence_sequence([0, 1, 2])
    with pytest.raises(ValueError, match=r"got -1\.0"):
        confidence_sequence([-1, 0.5])


@pytest.mark.parametrize(("n", "limit"), [(33, 0.1), (34, 0.1), (36, 0.1), (37, 0.1)])
def test_a_mean_at_its_bound_but_for_rounding_is_no_worse_than_the_bound(n, limit):
    """A share of 0 less its limit, of three items a patient: nothing is bet beyond the capital."""
    found = confidence_sequence(np.zeros(n) - limit, np.arange(n) // 3, (-limit, 1 - limit), largest=3)
    assert found.low == pytest.approx(-limit)
    assert -limit < found.high < 1 - limit
