"""Evidence against keys: likelihoods against a brute-force urn, and planted wrong keys that come first."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from snellen.stats import key_likelihood
from snellen.stats.key_likelihood import key_evidence, versions


def law(models, seed):
    """Some law that could have been estimated."""
    rng = np.random.default_rng(seed)
    profiles = rng.gamma(0.3, size=key_likelihood._BASE.shape)
    return key_likelihood._Law(rng.normal(size=models), profiles / profiles.sum(), 0.1)


def by_urn(answers, key, options, given):
    """The probability of some answers, a wrong one drawn from an urn to which each wrong answer adds a ball."""
    total = 0.0
    for place, weights in enumerate(given.profiles):
        share = expit(key_likelihood._SLOPE[place] * given.ability - key_likelihood._DIFFICULTY[place])
        for concentration, weight in zip(key_likelihood._CONCENTRATIONS, weights, strict=True):
            balls = {option: concentration for option in range(options) if option != key}
            chance = weight
            for model, answer in enumerate(answers):
                if answer == key:
                    chance *= share[model]
                elif answer >= 0:
                    chance *= (1 - share[model]) * balls[answer] / sum(balls.values())
                    balls[answer] += 1
            total += chance
    return total


def test_likelihoods_are_those_of_an_urn_and_sum_to_one():
    """All answers of three models to three options: each probability is the urn's, and together they are 1."""
    picks = np.array(list(product(range(3), repeat=3))).T
    given = law(3, 1)
    rows, patterns = key_likelihood._rows(picks, np.full(27, 3), np.ones(27, dtype=int))
    found = np.exp(key_likelihood._log_likelihood(patterns, given))[rows.pattern]
    for item, option, chance in zip(rows.item, rows.option, found, strict=True):
        unseen = next(each for each in range(3) if each not in picks[:, item] and each != 1) if option < 0 else option
        assert chance == pytest.approx(by_urn(picks[:, item], unseen, 3, given))
    assert found[rows.is_key == 1].sum() == pytest.approx(1)


def test_the_likeliest_ability_weighs_answers_by_a_normal_prior():
    """The ability of each model is the mode of the likelihood times N(0, SD²), found here by a plain search."""
    rng = np.random.default_rng(4)
    right, wrong = rng.gamma(2.0, size=(2, 5, key_likelihood._SLOPE.size))
    found = key_likelihood._abilities(right, wrong)
    for row, ability in enumerate(found):
        share = expit(key_likelihood._SLOPE * key_likelihood._ABILITIES[:, None] - key_likelihood._DIFFICULTY)
        fit = (right[row] * np.log(share) + wrong[row] * np.log1p(-share)).sum(axis=1)
        fit += norm.logpdf(key_likelihood._ABILITIES, scale=key_likelihood._ABILITY_SD)
        assert ability == key_likelihood._ABILITIES[fit.argmax()]


def test_evidence_averages_one_where_the_key_is_right():
    """Over all answers, weighted by how likely they are with a right key, the likelihood ratio is 1 on average."""
    picks = np.array(list(product(range(-1, 4), repeat=3))).T
    picks = picks[:, (picks >= 0).all(axis=0)]
    given, items = law(3, 2), picks.shape[1]
    keys = np.zeros(items, dtype=int)
    rows, patterns = key_likelihood._rows(picks, np.full(items, 4), keys)
    log_ratio = np.zeros(items)
    key_likelihood._weigh(rows, patterns, given, log_ratio, keys.copy())
    weights = [by_urn(answers, 0, 4, given) for answers in picks.T]
    assert np.dot(np.exp(log_ratio), weights) == pytest.approx(1)


def planted(seed, *, items=500, models=10, wrong=0.1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=items)
    right = rng.random((models, items)) < expit(rng.normal(1.2, 0.7, (models, 1)) - rng.normal(size=items))
    chosen = np.where(right, truth, (truth + rng.integers(1, 4, size=(models, items))) % 4)
    turned = rng.random(items) < wrong
    return chosen, np.where(turned, (truth + rng.integers(1, 4, size=items)) % 4, truth), turned, truth


def test_wrong_keys_come_first_and_the_right_options_are_named():
    """Of 500 items with a tenth of wrong keys, those with most evidence have one, and the truth is named."""
    chosen, key, turned, truth = planted(3)
    found = key_evidence(chosen, np.full(500, 4), key)
    first = np.argsort(-found.evidence)[:30]
    assert turned[first].mean() > 0.8
    assert (found.other == truth)[first][turned[first]].mean() > 0.95


def test_an_item_on_which_all_choose_the_key_names_no_other_option():
    """No model chose anything else: the evidence is for the key."""
    chosen, key, _, _ = planted(5, items=60, models=6, wrong=0.0)
    chosen[:, 1] = key[1]
    found = key_evidence(chosen, np.full(60, 4), key, groups=np.arange(60) // 2)
    assert found.other[1] == -1
    assert found.evidence[1] < 0.1


def test_what_order_items_and_options_stand_in_does_not_matter():
    """Options renumbered and models in another order: the same evidence."""
    chosen, key, _, _ = planted(4, items=100, models=6)
    found = key_evidence(chosen, np.full(100, 4), key)
    turned = key_evidence(3 - chosen[::-1], np.full(100, 4), 3 - key)
    assert turned.evidence == pytest.approx(found.evidence, rel=1e-6)
    assert (3 - turned.other[turned.other >= 0]).tolist() == found.other[found.other >= 0].tolist()


def test_an_item_that_nobody_answered_says_nothing():
    """Its likelihood ratio is 1, whatever the rest; options from 2 to 26 may stand side by side."""
    chosen, key, _, _ = planted(5, items=60, models=6)
    chosen[:, 0] = -1
    found = key_evidence(chosen, np.r_[26, np.full(59, 4)], key)
    assert found.evidence[0] == pytest.approx(1)
    assert np.isfinite(found.evidence).all()


def test_models_that_share_their_wrong_answers_are_one():
    """A copy with slips belongs to its model; models that all choose the truth against wrong keys stay apart."""
    rng = np.random.default_rng(6)
    chosen, key, _, _ = planted(6, items=400, models=5)
    copy = np.where(rng.random(400) < 0.1, rng.integers(4, size=400), chosen[2])
    assert versions(np.vstack([chosen, copy]), key).tolist() == [0, 1, 2, 3, 4, 2]
    strong, _, _, truth = planted(7, items=400, models=5)
    strong = np.where(rng.random(strong.shape) < 0.95, truth, strong)
    shifted = np.where(np.arange(400) < 40, (truth + 1) % 4, truth)
    assert len(set(versions(strong, shifted).tolist())) == 5


@pytest.mark.parametrize(
    ("chosen", "options", "key"), [([[0], [1]], [1], [0]), ([[0, 1]], [2], [0]), ([[2]], [2], [0])]
)
def test_what_does_not_fit_is_refused(chosen, options, key):
    """One option, columns that are not items, an answer beyond the options."""
    with pytest.raises(ValueError, match="item"):
        key_evidence(chosen, options, key)
