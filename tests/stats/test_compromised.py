"""Compromised items: the mixture against brute force, and accuracies against worlds in which the truth is known."""

from dataclasses import replace
from itertools import product
from math import comb, exp

import numpy as np
import pytest
from scipy.stats import binom

from snellen.stats import wilson
from snellen.stats.compromised import (
    AnswerDraws,
    Fit,
    Strengths,
    _log_total,
    clean_accuracies,
    fit,
    guessed_union,
    percentile_interval,
    posterior,
    resample_fits,
)


def asked(rng, items, *, draws=1, options=4, leaked=0.4, known=1.0, stubborn=0.0, same=0.0, sees=0.5, models=2):
    """Draws without and with the image of models of which it is known what they know."""
    columns = np.arange(items)
    leak = rng.random(items) < leaked
    without, shown = [], []
    for _ in range(models):
        favourite = rng.integers(0, options, items)
        compromised = leak & (rng.random(items) < 0.9)
        seen = rng.random(items) < np.where(compromised, 0.9, sees)
        blind, sighted = np.zeros((items, options)), np.zeros((items, options))
        for counts, knows, often, repeats in ((blind, compromised, known, stubborn), (sighted, seen, 1.0, same)):
            for _ in range(draws):
                guess = np.where(rng.random(items) < repeats, favourite, rng.integers(0, options, items))
                wrong = rng.integers(1, options, items)
                answer = np.where(knows, np.where(rng.random(items) < often, 0, wrong), guess)
                counts[columns, answer] += 1
        without.append(AnswerDraws(blind, np.zeros(items)))
        shown.append(AnswerDraws(sighted, np.zeros(items)))
    return without, shown, np.full(items, 1 / options)


def chance_of(draws, favourite, strength, options):
    """The probability of single draws, one after the other, of a model with this favourite."""
    given = exp(strength) / (exp(strength) + options - 1)
    found = 1.0
    for option, count in enumerate(draws):
        found *= (given if option == favourite else (1 - given) / (options - 1)) ** count
    return found


def test_the_posterior_is_that_of_counting_every_case():
    """By brute force over classes, what is compromised for whom, and every favourite: Bayes' rule, nothing else."""
    rng = np.random.default_rng(0)
    options = 3
    rows = [rng.multinomial(3, [1 / 3] * 3, size=12).astype(float) for _ in range(2)]
    draws = [AnswerDraws(each, np.zeros(12)) for each in rows]
    strengths = (Strengths(2.0, 0.7, (0.1, 0.1)), Strengths(3.0, 1.1, (0.2, 0.2)))
    given = Fit(np.array([0.3, 0.7]), np.array([[0.8, 0.2], [0.6, 0.1]]), strengths)
    found = posterior(given, draws, np.full(12, 1 / 3))
    for item in range(12):
        weights = {}
        for of, states in product(range(2), product((0, 1), repeat=2)):
            for favourites in product(range(options), repeat=2):
                weight = given.classes[of]
                for model, (state, favourite) in enumerate(zip(states, favourites, strict=True)):
                    share = given.compromised[model, of]
                    if state:
                        weight *= share * (favourite == 0)
                        strength = strengths[model].known
                    else:
                        weight *= (1 - share) / options
                        strength = strengths[model].guessed
                    weight *= chance_of(rows[model][item], favourite, strength, options)
                weights[of, states, favourites] = weight
        total = sum(weights.values())
        assert found.clean[item] == pytest.approx(sum(w for (_, s, _), w in weights.items() if not any(s)) / total)
        for model in range(2):
            known = sum(w for (_, s, _), w in weights.items() if s[model]) / total
            assert found.by_model[model, item] == pytest.approx(known)
            guessed = [sum(w for (_, s, f), w in weights.items() if not s[model] and f[model] == o) for o in range(3)]
            assert found.favourite[model, item] == pytest.approx(np.array(guessed) / sum(guessed))


def test_no_other_mixture_is_likelier():
    """The fit of one model's draws is at the top of the likelihood, seen from all sides."""
    without, _, chance = asked(np.random.default_rng(1), 300, draws=4, known=0.8, stubborn=0.5, models=1)
    found = fit(without, chance, most=2000, tolerance=1e-12)

    def likelihood(share, known, guessed):
        total = 0.0
        for row in without[0].options:
            lucky = np.mean([chance_of(row, favourite, guessed, 4) for favourite in range(4)])
            total += np.log(share * chance_of(row, 0, known, 4) + (1 - share) * lucky)
        return total

    here = (float(found.compromised[0, 0]), found.strengths[0].known, found.strengths[0].guessed)
    top = likelihood(*here)
    for place, step in product(range(3), (-0.15, 0.15)):
        there = list(here)
        there[place] += step
        assert likelihood(*there) < top


@pytest.mark.parametrize("draws", [1, 4])
def test_shuffling_the_items_changes_nothing(draws):
    """Nor does the order of wrong options."""
    rng = np.random.default_rng(2)
    without, shown, chance = asked(rng, 120, draws=draws, stubborn=0.5, same=0.5)
    order = rng.permutation(120)
    shuffled = [AnswerDraws(each.options[order][:, [0, 2, 3, 1]], each.none[order]) for each in without]
    moved = [AnswerDraws(each.options[order][:, [0, 2, 3, 1]], each.none[order]) for each in shown]
    first = posterior(fit(without, chance), without, chance)
    second = posterior(fit(shuffled, chance), shuffled, chance)
    assert second.clean == pytest.approx(first.clean[order], abs=1e-6)
    one, two = clean_accuracies(first, shown, chance), clean_accuracies(second, moved, chance)
    assert [each.accuracy for each in two] == pytest.approx([each.accuracy for each in one], abs=1e-6)


def test_guesses_that_are_repeated_are_no_knowledge():
    """Models that know nothing and repeat themselves: hardly an item is called compromised, and accuracy is chance."""
    without, shown, chance = asked(
        np.random.default_rng(3), 1500, draws=5, leaked=0.0, stubborn=1.0, same=1.0, sees=0.0, models=1
    )
    said = posterior(fit(without, chance), without, chance)
    assert (1 - said.clean).mean() < 0.06
    kept = without[0].options[:, 0] == 0
    assert shown[0].options[kept, 0].mean() == 0  # by the paper's rule, a model that guesses is always wrong
    assert clean_accuracies(said, shown, chance)[0].accuracy == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("draws", [1, 5])
def test_accuracy_on_clean_items_is_found_where_the_rule_misses_it(draws):
    """Half of the answers are seen, the others repeat a guess: 62.5% is right; the rule's accuracy is far lower."""
    gaps, rule = [], []
    for seed in range(6):
        without, shown, chance = asked(np.random.default_rng(seed), 1500, draws=draws, stubborn=0.9, same=0.9)
        said = posterior(fit(without, chance), without, chance)
        gaps += [each.accuracy - 0.625 for each in clean_accuracies(said, shown, chance)]
        kept = np.all([each.options[:, 0] == 0 for each in without], axis=0)
        rule += [(each.options[kept, 0] / draws).mean() - 0.625 for each in shown]
    assert abs(np.mean(gaps)) < 0.015
    assert np.mean(rule) < -0.05


@pytest.mark.parametrize("draws", [1, 3])
def test_items_of_few_options_count_as_often_as_they_are_clean(draws):
    """Luck removes more of them: the rule forgets them, and the corrected accuracy does not."""
    rng = np.random.default_rng(8)
    parts = [
        asked(rng, 1200, draws=draws, leaked=0.5, options=k, sees=sees, models=3) for k, sees in ((2, 0.9), (5, 0.3))
    ]
    widened = [[[_five(each) for each in side] for side in part[:2]] for part in parts]
    without, shown = (
        [AnswerDraws(np.concatenate([one, two]), np.zeros(2400)) for one, two in zip(*sides, strict=True)]
        for sides in zip(*widened, strict=True)
    )
    chance = np.concatenate([part[2] for part in parts])
    kept = np.all([each.options[:, 0] == 0 for each in without], axis=0)
    assert (shown[0].options[kept, 0] / draws).mean() < 0.6
    found = clean_accuracies(posterior(fit(without, chance), without, chance), shown, chance)
    assert np.mean([each.accuracy for each in found]) == pytest.approx((0.95 + 0.44) / 2, abs=0.03)


def _five(draws):
    """The options in five columns."""
    return np.pad(draws.options, ((0, 0), (0, 5 - draws.options.shape[1])))


def test_a_model_that_declines_makes_nothing_compromised():
    """Who never answers without the image says nothing for an item, and nothing against it."""
    without, _, chance = asked(np.random.default_rng(4), 200, models=1)
    every = [*without, AnswerDraws(np.zeros((200, 4)), np.ones(200))]
    alone, both = (posterior(fit(each, chance), each, chance) for each in (without, every))
    assert both.by_model[1].max() < 0.01
    assert both.clean == pytest.approx(alone.clean, abs=0.05)


def test_an_item_that_was_not_asked_is_as_likely_compromised_as_any():
    """No draw says nothing."""
    without, _, chance = asked(np.random.default_rng(5), 300, models=1)
    without[0].options[:50] = 0
    said = posterior(fit(without, chance), without, chance)
    assert said.by_model[0, :50] == pytest.approx(said.by_model[0].mean(), abs=0.02)


def test_open_questions_are_compromised_once_they_are_right():
    """Nobody guesses an answer in words."""
    options = np.zeros((60, 2))
    options[:20, 0], options[20:, 1] = 1, 1
    draws = [AnswerDraws(options, np.zeros(60))]
    said = posterior(fit(draws, np.zeros(60)), draws, np.zeros(60))
    assert said.clean[:20].max() < 0.01
    assert said.clean[20:].min() > 0.9
    shown = [AnswerDraws(options[::-1].copy(), np.zeros(60))]
    assert clean_accuracies(said, shown, np.zeros(60))[0].accuracy == pytest.approx(0.5, abs=0.02)


def test_what_guesses_hit_follows_its_exact_law():
    """The bounds are quantiles of the number of hits, by a sum over all numbers of hits of each kind."""
    found = guessed_union(np.array([0.5] * 6 + [0.25] * 5), np.array([1.0] * 6 + [2.0] * 5))
    law = np.zeros(12)
    for one, other in product(range(7), range(6)):
        law[one + other] += comb(6, one) * 0.5**6 * binom.pmf(other, 5, 1 - 0.75**2)
    assert found.value == pytest.approx(float(law @ np.arange(12)))
    assert (found.low, found.high) == tuple(float(np.searchsorted(np.cumsum(law), at)) for at in (0.025, 0.975))
    nobody = guessed_union(np.full(5, 0.5), np.zeros(5))
    assert (nobody.value, nobody.high) == (0.0, 0.0)


def test_resamples_spread_as_far_as_new_samples_do():
    """The spread of a resampled accuracy is that of the accuracy over many worlds, within two fifths."""
    values, spreads = [], []
    for seed in range(20):
        without, shown, chance = asked(np.random.default_rng(seed), 200, stubborn=0.5, same=0.5)
        said = posterior(fit(without, chance), without, chance)
        values.append(clean_accuracies(said, shown, chance)[0].accuracy)
        if seed < 2:
            drawn = resample_fits(
                without, shown, chance, np.ones(200, dtype=bool), np.arange(200), resamples=40, seed=seed
            )
            spreads.append(drawn.clean[:, 0].std())
            assert drawn.whole == pytest.approx(drawn.kept)
    assert np.mean(spreads) == pytest.approx(np.std(values), rel=0.4)


def test_clusters_are_drawn_whole():
    """Items of one patient that are all alike widen the interval."""
    without, shown, chance = asked(np.random.default_rng(6), 60, models=1)
    alone = resample_fits(without, shown, chance, np.ones(60, bool), np.arange(60), resamples=40)
    fourfold = [
        [AnswerDraws(np.repeat(e.options, 4, axis=0), np.zeros(240)) for e in each] for each in (without, shown)
    ]
    together = resample_fits(
        *fourfold, np.full(240, 0.25), np.ones(240, bool), np.repeat(np.arange(60), 4), resamples=40
    )
    assert together.whole.std() == pytest.approx(alone.whole.std(), rel=0.01)


def test_an_interval_without_resamples_has_no_bounds():
    """A value that most resamples do not have is given alone."""
    found = percentile_interval(0.5, np.full(50, np.nan), 10, "bootstrap")
    assert found.value == 0.5
    assert np.isnan(found.low)


def test_resamples_measure_kept_and_asked_items_alone():
    """A rule that keeps what is right has accuracy 1; items that were not asked count for no model."""
    without, shown, chance = asked(np.random.default_rng(7), 60, leaked=0.5)
    kept = shown[0].options[:, 0] == 1
    shown[1].options[:30] = 0
    said = posterior(fit(without, chance), without, chance)
    drawn = resample_fits(without, shown, chance, kept, np.arange(60), resamples=8)
    assert (drawn.kept[:, 0] == 1).all()
    assert drawn.whole[:, 1].mean() == pytest.approx(shown[1].options[30:, 0].mean(), abs=0.08)
    assert drawn.compromised.mean() == pytest.approx(1 - said.clean.mean(), abs=0.08)
    nobody = AnswerDraws(np.zeros((60, 4)), np.zeros(60))
    for each, draws in ((said, nobody), (replace(said, clean=np.zeros(60)), shown[0])):
        assert np.isnan(clean_accuracies(each, [draws], chance)[0]).all()
    assert np.isnan(resample_fits(without, [nobody], chance, kept, np.arange(60), resamples=1).whole).all()


def test_the_wider_of_resamples_and_wilson_is_taken():
    """A tenth of the resamples may lack a value; without a value of its own there are no bounds."""
    drawn = np.linspace(0.2, 0.8, 101)
    few, many = (percentile_interval(0.5, drawn, 9, "bootstrap", items=items) for items in (1, 1000))
    assert (many.low, many.high) == pytest.approx((0.215, 0.785))
    assert (few.low, few.high) == pytest.approx((wilson(0.5, 1).low, wilson(0.5, 1).high))
    for value, holes, bounded in ((0.5, 5, True), (0.5, 20, False), (np.nan, 0, False)):
        found = percentile_interval(value, np.where(np.arange(101) < holes, np.nan, drawn), 9, "bootstrap")
        assert np.isfinite([found.low, found.high]).tolist() == [bounded] * 2


def test_the_total_counts_each_option_of_an_item_once():
    """By hand: items with as many, fewer and more options than are listed in columns."""
    options = np.array([[3.0, 1.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 2.0]])
    others = np.array([3.0, 1.0, 6.0])
    chosen = ([3, 1, 0, 0], [2, 0], [1, 1, 0, 2, 0, 0, 0])
    expected = [np.log(sum(np.exp(0.7 * count) for count in counts)) for counts in chosen]
    assert np.allclose(_log_total(options, others, 0.7), expected)
