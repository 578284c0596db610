"""The ratio above chance: Fieller by brute force on centred values, its unbounded cases, laws, coverage."""

from __future__ import annotations

from itertools import product
from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.stats import bonett_price, ratio_above_chance, ratio_of_accuracies

tenths = st.integers(0, 10).map(lambda x: x / 10)
rows = st.lists(st.tuples(tenths, tenths, st.sampled_from([0, 0.2, 0.25, 0.5])), min_size=1, max_size=25)


def accepted(above, below, chance, ratio):
    """Whether a paired t test lets this ratio stand, the two items nobody saw added."""
    luck = chance.mean()
    top = np.append(above - chance, [1 - luck, -luck])
    bottom = np.append(below - chance, [-luck, 1 - luck])
    return reference.ttest_1samp(top - ratio * bottom, 0).pvalue > 0.05


def sample(seed, both, below, above, items=60):
    """Answers above and below the line, as one draw per item decides, and each item's chance."""
    rng = np.random.default_rng(seed)
    luck = rng.random(items)
    return (luck < both) | (luck > 1 - above), luck < both + below, rng.choice([0.2, 0.25, 0.5], items)


@given(rows)
@settings(deadline=None)
def test_value_is_the_ratio_of_what_exceeds_chance(drawn):
    """Summed by hand; nan in [−inf, inf] where nothing exceeds chance below the line."""
    found = ratio_above_chance(*zip(*drawn, strict=True))
    top, bottom = sum(a - c for a, _, c in drawn), sum(b - c for _, b, c in drawn)
    if bottom < 1e-9:
        assert isnan(found.value)
        assert (found.low, found.high, found.n) == (-inf, inf, len(drawn))
    else:
        assert found.value == pytest.approx(top / bottom, abs=1e-9)
        assert found.low <= found.value <= found.high
        assert found.low < found.high


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shares", [(0.4, 0.4, 0.05), (0.1, 0.7, 0.0), (0.8, 0.1, 0.1)])
def test_bounds_are_where_the_paired_t_test_turns(seed, shares):
    """A ratio is inside exactly where the test of (a − c) − ratio · (b − c), with the added items, lets it stand."""
    above, below, chance = sample(seed, *shares)
    found = ratio_above_chance(above, below, chance)
    width = found.high - found.low
    for inside, outside in (
        (found.low + width / 99, found.low - width / 99),
        (found.high - width / 99, found.high + 1),
    ):
        assert accepted(above, below, chance, inside)
        assert not accepted(above, below, chance, outside)


def test_a_sure_numerator_over_an_unsure_denominator_is_bounded_on_one_side():
    """Which side, its sign tells: the larger root for a ratio above 0, the smaller for one below."""
    good, weak, chance = np.ones(40), np.arange(40) < 13, np.full(40, 0.25)
    found = ratio_above_chance(good, weak, chance)
    assert found.high == inf
    assert 1 < found.low < found.value == pytest.approx(10)
    assert accepted(good, weak, chance, found.low + 0.01)
    assert not accepted(good, weak, chance, found.low - 0.01)
    bad = ratio_above_chance(np.zeros(40), weak, chance)
    assert bad.low == -inf
    assert pytest.approx(-10 / 3) == bad.value < bad.high < 0
    assert accepted(np.zeros(40), weak, chance, bad.high - 0.01)
    assert not accepted(np.zeros(40), weak, chance, bad.high + 0.01)


def test_the_sign_is_that_of_the_numerator():
    """It is so even where what the two have in common outweighs the product of their means."""
    item = np.arange(400)
    found = ratio_above_chance(item < 360, item < 200, np.full(400, 0.4999))
    assert found.high == inf
    assert 1 < found.low < found.value == pytest.approx(4001)


def test_two_unsure_means_are_bounded_on_neither_side():
    """Where neither mean can be told from chance, any ratio may be."""
    found = ratio_above_chance(np.arange(40) % 4 == 0, np.arange(40) < 11, np.full(40, 0.25))
    assert (found.value, found.low, found.high) == (0, -inf, inf)


def test_without_chance_it_is_the_ratio_of_accuracies():
    """Where a guess scores nothing, both functions agree, down to a lower end that here may be negative."""
    above, below, _ = sample(1, 0.4, 0.4, 0.05)
    found, plain = ratio_above_chance(above, below, np.zeros(60)), ratio_of_accuracies(above, below)
    assert (found.value, found.low, found.high) == pytest.approx((plain.value, plain.low, plain.high))
    nothing = ratio_above_chance(np.zeros(60), below, np.zeros(60))
    assert nothing.value == 0
    assert nothing.low <= 0 < nothing.high < 0.2


def test_below_chance_is_negative_and_better_without_is_above_one():
    """The ratio is clipped nowhere."""
    right = np.arange(200) % 10
    assert ratio_above_chance(right < 1, right < 9, np.full(200, 0.25)).high < 0
    assert ratio_above_chance(right < 9, right < 6, np.full(200, 0.25)).low > 1


@given(rows, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_of_items_changes_nothing(drawn, random):
    """Shuffled items give the same estimate."""
    first, second = (ratio_above_chance(*zip(*some, strict=True)) for some in (drawn, random.sample(drawn, len(drawn))))
    assert (first.value, first.low, first.high) == pytest.approx(
        (second.value, second.low, second.high), rel=1e-6, abs=1e-9, nan_ok=True
    )


def test_patients_count_and_not_their_items():
    """Eight items of each patient that are all alike widen the interval to about that of one."""
    columns = sample(3, 0.4, 0.4, 0.05)
    one = ratio_above_chance(*columns)
    eight = ratio_above_chance(*(np.repeat(column, 8) for column in columns), clusters=np.repeat(np.arange(60), 8))
    assert (one.method, eight.method) == ("fieller-above-chance", "cluster-fieller-above-chance")
    assert eight.high - eight.low == pytest.approx(one.high - one.low, rel=0.05)


@pytest.mark.parametrize(
    ("both", "below", "above", "cluster"),
    [(0.4, 0.3, 0.05, 1), (0.2, 0.4, 0.05, 1), (0.1, 0.3, 0.1, 1), (0.6, 0.1, 0.05, 5), (0.7, 0.0, 0.0, 5)],
)
def test_interval_holds_the_truth(both, below, above, cluster):
    """Of 300 samples of 60 items at least 93 in a hundred intervals do, also for a ratio of 0 or below."""
    rng = np.random.default_rng(5)
    labels = np.repeat(np.arange(60 // cluster), cluster)
    truth, held = (both + above - 0.25) / (both + below - 0.25), 0
    for _ in range(300):
        shared = rng.random(60) < 0.5
        luck = np.where(shared, rng.random(60)[labels], rng.random(60))
        found = ratio_above_chance((luck < both) | (luck > 1 - above), luck < both + below, np.full(60, 0.25), labels)
        held += found.low <= truth <= found.high
    assert held / 300 >= 0.93


@pytest.mark.parametrize("patients", [1, 4])
@pytest.mark.parametrize("chance", [0.2, 0.5])
def test_interval_holds_the_share_kept_of_models_shown_to_see(chance, patients):
    """At least 93 in a hundred intervals do, over all samples and over those in which the model is shown to see.

    60 items, from none to all of the accuracy kept, 10 to 40 points above chance; the bound leaves three standard
    errors for the few samples. research/verdicts/verdicts.md has the whole grid.
    """
    rng = np.random.default_rng(7)
    clusters, luck = np.arange(60) // patients, np.full(60, chance)
    held, shown = [], []
    for above, kept, _ in product((0.1, 0.4), (0.0, 0.5, 1.0), range(60)):
        known = above / (1 - chance)
        alike = np.where(rng.random(60) < 0.5, rng.random(60)[clusters], rng.random(60))
        drawn = alike if patients > 1 else rng.random(60)
        guesses = rng.random((2, 60)) < chance
        seen, blind = (drawn < known) | guesses[0], (drawn < known * kept) | guesses[1]
        found = ratio_above_chance(blind, seen, luck, clusters=clusters)
        held.append(found.low <= kept <= found.high)
        shown.append(bonett_price(seen - luck, clusters).low > 0)
    for some in (np.array(held), np.array(held)[shown]):
        assert some.size > 100
        assert some.mean() >= 0.93 - 3 * np.sqrt(0.93 * 0.07 / some.size)


def test_bad_input_is_named():
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match="`chance` and `denominator` must be aligned by item, got 2 and 1"):
        ratio_above_chance([1], [1], [0.2, 0.2])
    with pytest.raises(ValueError, match=r"`chance` must lie in \[0, 1\], got 2.0"):
        ratio_above_chance([1], [1], [2])
