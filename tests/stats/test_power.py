"""Minimum detectable effects, against simulation and the textbook approximation."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.stats import (
    mcnemar_exact,
    mcnemar_power,
    minimum_detectable_effect,
    minimum_detectable_gain,
    minimum_detectable_mean,
    proportion,
    wilson,
)


@pytest.mark.parametrize(("n", "discordance"), [(60, 0.3), (300, 0.1), (100, 0.03), (12, 0.2)])
def test_the_test_finds_the_detectable_effect_as_often_as_promised(n, discordance):
    """Answers drawn with the effect are told apart by McNemar's test 80% of the time, within Monte Carlo error."""
    effect = minimum_detectable_effect(n, discordance)
    changed = max(discordance, effect)
    luck = np.random.default_rng(1).random((1500, n))
    gained, lost = luck < (changed + effect) / 2, luck > 1 - (changed - effect) / 2
    found = [mcnemar_exact(row_lost, row_gained) <= 0.05 for row_lost, row_gained in zip(lost, gained, strict=True)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.035)


def test_large_studies_agree_with_the_normal_approximation():
    """For many items the exact answer is that of δ = z₁√(ψ/n) + z₂√((ψ − δ²)/n)."""
    n, discordance = 20_000, 0.15
    effect = minimum_detectable_effect(n, discordance)
    z_level, z_power = reference.norm.ppf([0.975, 0.8])
    expected = z_level * np.sqrt(discordance / n) + z_power * np.sqrt((discordance - effect**2) / n)
    assert effect == pytest.approx(expected, rel=0.01)


@given(st.integers(1, 80), st.integers(0, 1000).map(lambda x: x / 1000), st.sampled_from([0.01, 0.05, 0.1]))
def test_power_is_the_sum_over_all_outcomes(n, discordance, alpha):
    """The power equals that of adding up every possible outcome, decided by SciPy's binomial test."""
    difference = discordance / 3
    expected = 0.0
    for changed in range(n + 1):
        share = reference.binom.pmf(changed, n, discordance)
        if changed and share > 1e-12:
            tails = 2 * reference.binom.cdf(
                np.minimum(np.arange(changed + 1), changed - np.arange(changed + 1)), changed, 0.5
            )
            expected += share * np.sum(reference.binom.pmf(np.arange(changed + 1), changed, 2 / 3)[tails <= alpha])
    assert mcnemar_power(n, discordance, difference, alpha) == pytest.approx(expected, abs=1e-9)


def test_more_items_and_less_power_make_smaller_effects_detectable():
    """The effect shrinks with n and grows with power and with a stricter level."""
    usual = minimum_detectable_effect(500, 0.2)
    assert minimum_detectable_effect(2000, 0.2) < usual < minimum_detectable_effect(500, 0.2, power=0.95)
    assert usual < minimum_detectable_effect(500, 0.2, alpha=0.01)


def test_effects_beyond_the_discordance_change_one_way_only():
    """Where no effect within the discordance can be found, enough items must all change in one direction."""
    effect = minimum_detectable_effect(20, 0.0)
    # With 20 items six one-way changes are the fewest that McNemar's test finds at 5%.
    assert reference.binom.sf(5, 20, effect) == pytest.approx(0.8, abs=1e-4)
    assert minimum_detectable_effect(5, 0.5) == inf
    assert minimum_detectable_effect(6, 0.5) < 1


@pytest.mark.parametrize(("n", "chance"), [(30, 0.25), (100, 0.5), (400, 0.2)])
def test_detectable_gain_is_found_as_often_as_promised(n, chance):
    """With that gain Wilson's interval lies above chance 80% of the time, exactly by the binomial law."""
    gain = minimum_detectable_gain(n, chance)
    above = np.array([wilson(right, n).low > chance for right in range(n + 1)])
    assert reference.binom.pmf(np.arange(n + 1), n, chance + gain)[above].sum() == pytest.approx(0.8, abs=1e-9)


def test_two_items_cannot_beat_chance():
    """Where even all right does not exclude chance, the gain is infinite."""
    assert proportion([1, 1]).low < 0.5
    assert minimum_detectable_gain(2, 0.5) == inf


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: minimum_detectable_effect(0, 0.1), "`n` must be a whole number of at least 1, got 0"),
        (lambda: minimum_detectable_effect(10, 1.1), r"`discordance` must lie in \[0, 1\], got 1.1"),
        (lambda: minimum_detectable_effect(10, 0.1, alpha=0), "`alpha` must lie strictly"),
        (lambda: minimum_detectable_effect(10, 0.1, power=1), "`power` must lie strictly"),
        (lambda: mcnemar_power(10, 0.1, 0.2), "difference of 0.2 needs `discordance`"),
        (lambda: minimum_detectable_gain(10, 1.0), "`chance` must lie strictly"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()


def test_the_detectable_mean_is_found_in_four_of_five_tries():
    """Simulated: differences of that mean and this spread are significant in about 80% of studies."""
    rng = np.random.default_rng(0)
    spread = rng.normal(0, 0.3, 60)
    effect = minimum_detectable_mean(spread)
    studies = rng.normal(effect, spread.std(ddof=1), (1500, 60))
    assert 0.77 <= np.mean(reference.ttest_1samp(studies, 0, axis=1).pvalue < 0.05) <= 0.84


def test_one_cluster_can_show_nothing():
    """There is nothing to compare it with."""
    assert minimum_detectable_mean([0.1, 0.2], clusters=[1, 1]) == inf
