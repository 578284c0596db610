"""Contrasts: the formulas against exact tests and against studies that are drawn, within sampling error."""

from math import inf, isfinite, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats import bonett_price, mcnemar_exact, mcnemar_power, ratio_above_chance, wilson
from snellen.stats.item_contrast import ItemContrast, chance_of_moving

DRAWS = 400


def within_error(found, formula, *, low=0.0):
    """Whether a share of the draws is what a formula says, up to four standard errors; it may be `low` more."""
    error = 4 * sqrt(max(formula * (1 - formula), 0.01) / DRAWS)
    return -error <= found - formula <= low + error


@pytest.mark.parametrize("alpha", [0.05, 0.002])
def test_a_difference_is_never_said_to_be_found_more_often_than_by_the_exact_test(alpha):
    """Where it matters, at powers of 70% and more; and at most 12 points less often."""
    for size in (0.03, 0.05, 0.1, 0.2):
        for to_and_fro in (0.02, 0.1, 0.4):
            for n in (50, 100, 200, 400, 800, 1600, 3200):
                exact = mcnemar_power(n, size + to_and_fro, size, alpha)
                formula = ItemContrast(size, size + to_and_fro - size**2, sort="difference", alpha=alpha).power(n)
                assert exact - 0.12 < formula
                assert formula < 0.7 or formula <= exact + 0.005


def drawn_pairs(rng, items, repeats, *, change, moved, coins):
    """Right or wrong under two conditions: some items turn for good, some to and fro, some are coins in every run."""
    kind = rng.choice(4, items, p=[change, moved / 2, moved / 2, 1 - change - moved])
    first = np.where(kind == 2, 0.0, 1.0)
    second = np.where(kind < 2, 0.0, 1.0)
    tossed = rng.random(items) < coins
    first, second = (np.where(tossed & (kind == 3), 0.5, each) for each in (first, second))
    return [rng.binomial(repeats, each) / repeats for each in (first, second)]


@pytest.mark.parametrize("repeats", [1, 3])
def test_changes_are_found_and_none_is_shown_as_often_as_said(repeats):
    """Drawn studies: McNemar's test or the same by sign flips, and the interval of the mean."""
    rng = np.random.default_rng(repeats)
    items, change, moved, coins = 300, 0.07, 0.04, 0.16
    noise = 2 * 0.25 * coins * (1 - change - moved)
    formula = ItemContrast(change, moved + change - change**2, noise, "difference").power(items, repeats)
    found = 0
    for _ in range(DRAWS):
        first, second = drawn_pairs(rng, items, repeats, change=change, moved=moved, coins=coins)
        if repeats == 1:
            found += mcnemar_exact(first, second) < 0.05
        else:
            gap = second - first
            found += abs(gap.sum()) > 1.96 * sqrt((gap**2).sum())
    assert within_error(found / DRAWS, formula, low=0.06)
    noise = 2 * 0.25 * coins * (1 - moved)
    formula = ItemContrast(0.05, moved, noise, "inside-both").power(items, repeats)
    shown = 0
    for _ in range(DRAWS):
        first, second = drawn_pairs(rng, items, repeats, change=0, moved=moved, coins=coins)
        estimate = bonett_price(second - first)
        shown += estimate.low > -0.05 and estimate.high < 0.05
    assert within_error(shown / DRAWS, formula, low=0.03)


def test_a_rate_is_told_from_its_limit_as_often_as_said():
    """By Wilson's interval."""
    rng, formula = np.random.default_rng(0), ItemContrast(0.15, 0.35 * 0.65, null=0.25 / (0.35 * 0.65)).power(80)
    told = sum(wilson(int(rng.binomial(80, 0.35)), 80).high < 0.5 for _ in range(DRAWS))
    assert within_error(told / DRAWS, formula, low=0.03)


def test_a_share_kept_is_told_from_its_limit_as_often_as_said():
    """By the interval of the ratio, if right with and right without the image are independent."""
    rng, items, chance = np.random.default_rng(0), 120, 0.25
    kept = chance + 0.25 * 0.55
    formula = ItemContrast(0.25 * 0.55, kept * (1 - kept) + 0.25 * 0.8 * 0.2).power(items)
    told = 0
    for _ in range(DRAWS):
        after, before = (rng.binomial(1, p, items).astype(float) for p in (kept, 0.8))
        told += ratio_above_chance(after, before, np.full(items, chance)).high < 0.5
    assert within_error(told / DRAWS, formula, low=0.03)


@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_how_far_coins_move_beyond_run_to_run(repeats):
    """Its mean is 0 and its variance that of the enumeration."""
    rng = np.random.default_rng(repeats)
    a, b = (rng.binomial(repeats, 0.5, 40_000) / repeats for _ in range(2))
    alone = (a * (1 - a) + b * (1 - b)) * repeats / (repeats - 1)
    moved = a + b - 2 * a * b - alone
    assert abs(moved.mean()) < 4 * moved.std() / 200
    assert chance_of_moving(repeats) == pytest.approx(moved.var(), rel=0.05)


CONTRASTS = st.builds(
    ItemContrast,
    distance=st.floats(0.01, 0.5),
    between=st.floats(0, 0.4),
    within=st.floats(0, 0.5),
    sort=st.sampled_from(["difference", "limit", "inside", "inside-both"]),
    alpha=st.sampled_from([0.05, 0.01]),
    null=st.floats(0.5, 2),
)


@given(CONTRASTS, st.sampled_from([0.5, 0.8, 0.95]), st.integers(1, 4))
def test_the_fewest_items_are_enough_and_one_less_is_not(contrast, power, repeats):
    """And more repeats never need more items."""
    items = contrast.items(power, repeats)
    assert contrast.power(items, repeats) >= power
    assert items == 1 or contrast.power(items - 1, repeats) < power
    assert contrast.items(power, repeats + 1) <= items


@given(CONTRASTS, st.integers(5, 2000))
def test_the_smallest_distance_is_decided_with_its_power(contrast, items):
    """And the distance of the contrast is at least that, if it is decided."""
    smallest = contrast.detectable(items, 0.8)
    if contrast.power(items) >= 0.8 and contrast.between >= contrast.distance:
        assert smallest <= contrast.distance + 1e-5
    if isfinite(smallest) and contrast.sort != "difference":
        just, less = (contrast._replace(distance=smallest - by).power(items) for by in (0, 2e-6))
        assert less < 0.8 <= just


def test_what_is_never_decided_has_no_number():
    """No distance needs more than a billion items, and a single item decides no distance; no spread decides at once."""
    assert ItemContrast(0.0, 0.1).items(0.8) == inf
    assert ItemContrast(0.05, 0.3).detectable(1, 0.8) == inf
    assert [ItemContrast(0.1, 0.0, sort="difference").power(items) for items in (10, 1000)] == [0, 1]
