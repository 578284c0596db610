"""Compromised items: items that models can answer without the image.

The module fits a mixture model to repeated answers without the image (*draws*) and corrects accuracies with it. For
each model an item is compromised or not. In both cases the model has a *favourite* option that it gives more often than
others. The favourite of a compromised item is the answer key. Otherwise every option is equally likely to be the
favourite, so the model's answer does not depend on the key. The fit estimates how often favourites are repeated: wrong
draws show it by agreeing with each other. There are two classes of items, so that an item that is compromised for one
model may be more likely to be so for others.

With one draw per item the data cannot show how often a compromised item is missed; the fit assumes never.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from snellen.stats.estimate import Estimate
from snellen.stats.intervals import score_bounds
from snellen.stats.observations import Codes, Numbers
from snellen.stats.one_sided import hits_by_luck

_SURE = 0.999
"""Share of draws that give the favourite, assumed if each item has only one draw."""
_LEAST_CHANCE = 1e-6
"""Smallest chance of a right guess, used for questions without options."""
_EDGE = 1e-4


class AnswerDraws(NamedTuple):
    """Counts of each item's chosen options, and of draws without a choice.

    `options` is items × options, with the answer key first. Options that an item does not have stay 0; an item that was
    not asked has only zeros. `none` counts the draws that chose no option.
    """

    options: Numbers
    none: Numbers

    @property
    def asked(self) -> Numbers:
        """Number of draws of each item."""
        return np.asarray(self.options.sum(axis=1) + self.none)


class Strengths(NamedTuple):
    """Parameters of a model's answers without the image.

    `known` and `guessed` are the log-odds of the favourite against any one other option, for compromised and other
    items. `silent` is the share of draws without a choice, for compromised and other items.
    """

    known: float
    guessed: float
    silent: tuple[float, float]


@dataclass(frozen=True)
class Fit:
    """Fitted mixture: share of each item class, compromised share and answer behaviour per model."""

    classes: Numbers
    compromised: Numbers
    """Share of compromised items, models × classes."""
    strengths: tuple[Strengths, ...]


@dataclass(frozen=True)
class Posterior:
    """Posterior probabilities of each item.

    `by_model` (models × items) is the probability that the item is compromised for the model. `clean` is the
    probability that it is compromised for no model. `favourite` (models × items × options) is the probability that each
    option is the model's favourite, given that the item is not compromised for it.
    """

    by_model: Numbers
    clean: Numbers
    favourite: Numbers


def fit(
    draws: Sequence[AnswerDraws],
    chance: Numbers,
    weights: Numbers | None = None,
    *,
    start: Fit | None = None,
    most: int = 300,
    tolerance: float = 1e-7,
) -> Fit:
    """Fit the mixture to the draws of all models by EM. `chance` is that of a right guess, per item.

    >>> key, wrong = [3.0, 0, 0, 0], [[0.0, 3, 0, 0], [1, 2, 0, 0], [1, 1, 1, 0], [0, 2, 1, 0], [0, 0, 1, 2]]
    >>> found = fit([AnswerDraws(np.array([key] * 5 + wrong), np.zeros(10))], np.full(10, 0.25))
    >>> round(float(found.compromised[0, 0]), 2)
    0.47
    """
    patterns = _patterns(draws, chance)
    return _fit(patterns, patterns.sums(weights), start or _start(draws, chance), most=most, tolerance=tolerance)


def posterior(found: Fit, draws: Sequence[AnswerDraws], chance: Numbers) -> Posterior:
    """Compute each item's posterior probabilities from a fitted mixture."""
    return _posterior(found, _patterns(draws, chance), draws, chance)


class _Shapes(NamedTuple):
    """Distinct response counts of one model, with wrong options sorted by frequency."""

    options: Numbers
    answered: Numbers
    silent: Numbers
    """Share of draws without a choice; NaN for items that were not asked."""
    others: Numbers
    """Number of options besides the favourite."""
    of: Codes
    """Index of the shape of each joint pattern."""
    single: bool
    """True if no item was asked more than once."""
    even_odds: float
    """Strength at which a favourite is given in every second draw."""


class _JointPatterns(NamedTuple):
    """Distinct response counts of all models together, and the pattern of each item (`of`)."""

    shapes: tuple[_Shapes, ...]
    of: Codes
    distinct: int

    def sums(self, weights: Numbers | None) -> Numbers:
        return np.bincount(self.of, weights, minlength=self.distinct).astype(np.float64)


def _patterns(draws: Sequence[AnswerDraws], chance: Numbers) -> _JointPatterns:
    tables, codes = [], []
    for each in draws:
        wrong = -np.sort(-each.options[:, 1:], axis=1)
        rows = np.column_stack((each.options[:, :1], wrong, each.none, chance))
        table, of = np.unique(rows, axis=0, return_inverse=True)
        tables.append(table)
        codes.append(of.ravel())
    joint, of = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    shapes = tuple(_shapes(table, column) for table, column in zip(tables, joint.T, strict=True))
    return _JointPatterns(shapes, of.ravel(), len(joint))


def _shapes(table: Numbers, of: Codes) -> _Shapes:
    options, none = table[:, :-2], table[:, -2]
    answered = options.sum(axis=1)
    asked = answered + none
    silent = np.where(asked > 0, none / np.maximum(asked, 1), np.nan)
    others = _count_other_options(table[:, -1])
    single = bool(asked.max(initial=0) <= 1)
    return _Shapes(options, answered, silent, others, of, single, float(np.log(np.median(others))))


def _count_other_options(chance: Numbers) -> Numbers:
    return np.asarray(np.round(1 / np.maximum(chance, _LEAST_CHANCE)) - 1)


def _fit(patterns: _JointPatterns, weight: Numbers, found: Fit, *, most: int, tolerance: float) -> Fit:
    before = -np.inf
    for _ in range(most):
        likelihoods = [_likelihoods(*each) for each in zip(patterns.shapes, found.strengths, strict=True)]
        joint, likelihood = _expect_classes(found, likelihoods)
        total = float(weight @ likelihood)
        found = _maximise_fit(found, patterns.shapes, joint, weight)
        if total - before < tolerance * max(1.0, abs(total)):
            break
        before = total
    return found


def _posterior(found: Fit, patterns: _JointPatterns, draws: Sequence[AnswerDraws], chance: Numbers) -> Posterior:
    likelihoods = [_likelihoods(*each) for each in zip(patterns.shapes, found.strengths, strict=True)]
    joint, likelihood = _expect_classes(found, likelihoods)
    none = np.log(found.classes) + sum(
        np.log1p(-found.compromised[place]) + guessed[:, None] for place, (_, guessed) in enumerate(likelihoods)
    )
    clean = np.clip(np.exp(np.logaddexp.reduce(none, axis=1) - likelihood), 0.0, 1.0)
    others = _count_other_options(chance)
    favourite = [
        _favourite(each.options, others, strengths.guessed)
        for each, strengths in zip(draws, found.strengths, strict=True)
    ]
    return Posterior(joint[:, :-1].sum(axis=2).T[:, patterns.of], clean[patterns.of], np.stack(favourite))


def _start(draws: Sequence[AnswerDraws], chance: Numbers) -> Fit:
    """Start values: accuracy above chance; one class has more compromised items than the other."""
    models = len(draws)
    share = np.empty(models)
    strengths = []
    for place, each in enumerate(draws):
        asked = each.asked > 0
        right = each.options[asked, 0] / np.maximum(each.options[asked].sum(axis=1), 1)
        share[place] = np.clip(
            np.mean((right - chance[asked]) / (1 - chance[asked])) if asked.any() else 0.1, 0.05, 0.9
        )
        silent = float(np.clip(np.mean(each.none[asked] / each.asked[asked]) if asked.any() else 0.0, 0.01, 0.99))
        single = each.asked.max(initial=0) <= 1
        others = 1 / max(float(chance.mean()), _LEAST_CHANCE) - 1
        known, guessed = (_SURE, _SURE) if single else (0.9, min(0.95, 2 / (others + 1)))
        strengths.append(Strengths(_log_odds(known, others), _log_odds(guessed, others), (min(0.5, silent), silent)))
    if models == 1:
        return Fit(np.ones(1), share[:, None], tuple(strengths))
    return Fit(np.array([0.5, 0.5]), np.column_stack((np.minimum(0.97, 1.5 * share), share / 2)), tuple(strengths))


def _log_odds(share: float, others: float) -> float:
    return float(np.log(share * others / (1 - share)))


def _likelihoods(shapes: _Shapes, strengths: Strengths) -> tuple[Numbers, Numbers]:
    """Log-likelihood of each pattern's draws if the item is compromised, and if it is not.

    Giving no answer counts once per item, because a model that declines an item does so repeatedly.
    """
    known = strengths.known * shapes.options[:, 0] - shapes.answered * _norm(strengths.known, shapes.others)
    guessed = _log_total(shapes.options, shapes.others, strengths.guessed) - np.log(shapes.others + 1)
    guessed -= shapes.answered * _norm(strengths.guessed, shapes.others)
    asked, silent = np.isfinite(shapes.silent), np.nan_to_num(shapes.silent)
    spoken = [np.where(asked, silent * np.log(each) + (1 - silent) * np.log1p(-each), 0.0) for each in strengths.silent]
    return (known + spoken[0])[shapes.of], (guessed + spoken[1])[shapes.of]


def _norm(strength: float, others: Numbers) -> Numbers:
    return np.asarray(np.logaddexp(strength, np.log(others)))


def _log_total(options: Numbers, others: Numbers, strength: float) -> Numbers:
    """Logarithm of the sum over options of exp(strength × count of the option)."""
    there = np.arange(options.shape[1]) < others[:, None] + 1
    unlisted = np.maximum(0.0, others + 1 - options.shape[1])
    most = strength * options.max(axis=1)
    grown = np.where(there, np.exp(strength * options - most[:, None]), 0.0)
    return np.asarray(most + np.log(grown.sum(axis=1) + unlisted * np.exp(-most)))


def _favourite(options: Numbers, others: Numbers, strength: float) -> Numbers:
    """Probability of each option to be the favourite of an item that is not compromised.

    Options that an item does not have get probability 0.

    >>> _favourite(np.array([[2.0, 0.0, 0.0]]), np.array([1.0]), 0.5).round(2).tolist()
    [[0.73, 0.27, 0.0]]
    """
    there = np.arange(options.shape[1]) < others[:, None] + 1
    given = np.exp(strength * options - _log_total(options, others, strength)[:, None])
    return np.asarray(np.where(there, given, 0.0))


def _expect_classes(found: Fit, likelihoods: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Joint probabilities of class and compromise (patterns × models × classes), with log-likelihoods.

    The last entry of the second axis has the probabilities of the classes themselves.
    """
    items, models = len(likelihoods[0][0]), len(likelihoods)
    both = np.empty((items, models, found.classes.size))
    share = np.empty_like(both)
    for place, (known, guessed) in enumerate(likelihoods):
        one = np.log(found.compromised[place]) + known[:, None]
        both[:, place] = np.logaddexp(one, np.log1p(-found.compromised[place]) + guessed[:, None])
        share[:, place] = np.exp(one - both[:, place])
    whole = np.log(found.classes) + both.sum(axis=1)
    likelihood = np.logaddexp.reduce(whole, axis=1)
    classes = np.exp(whole - likelihood[:, None])
    return np.concatenate((share * classes[:, None, :], classes[:, None, :]), axis=1), likelihood


def _maximise_fit(found: Fit, every: Sequence[_Shapes], joint: Numbers, weight: Numbers) -> Fit:
    classes = weight @ joint[:, -1]
    known = np.einsum("i,ijt->jt", weight, joint[:, :-1])
    compromised = np.clip(known / np.maximum(classes, 1e-12), _EDGE, 1 - _EDGE)
    strengths = tuple(
        _strengths(shapes, before, *(np.bincount(shapes.of, weight * each).astype(np.float64) for each in (z, 1 - z)))
        for shapes, before, z in zip(every, found.strengths, joint[:, :-1].sum(axis=2).T, strict=True)
    )
    return Fit(np.clip(classes / classes.sum(), 1e-6, 1.0), compromised, strengths)


def _strengths(shapes: _Shapes, before: Strengths, known: Numbers, guessed: Numbers) -> Strengths:
    """Estimate how a model answers, from the weights of compromised and other items per shape."""
    asked = np.isfinite(shapes.silent)
    known_silent, silent = (
        float((each[asked] @ shapes.silent[asked] + 0.5) / (each[asked].sum() + 1)) for each in (known, guessed)
    )
    # An item that a model answers in less than half of the draws is not compromised for it.
    both = (min(0.5, known_silent), silent)
    if shapes.single:
        return before._replace(silent=both)
    given = np.sum(_favourite(shapes.options, shapes.others, before.guessed) * shapes.options, axis=1)
    return Strengths(
        _strength(before.known, shapes, known, shapes.options[:, 0], least=shapes.even_odds),
        _strength(before.guessed, shapes, guessed, given, least=0.0),
        both,
    )


def _strength(strength: float, shapes: _Shapes, weight: Numbers, given: Numbers, *, least: float) -> float:
    """Estimate by Newton's method how often a favourite is repeated."""
    # Half a draw more on either side keeps a favourite that was always given from being certain.
    wanted = float(weight @ given) + 0.5
    total = weight * shapes.answered
    for _ in range(3):
        share = 1 / (1 + shapes.others * exp(-strength))
        drawn = total * share
        gap = wanted - float(drawn.sum()) - float(share[0])
        slope = float(drawn @ (1 - share)) + float(share[0] * (1 - share[0]))
        strength = min(40.0, max(least, strength + min(2.0, max(-2.0, gap / max(slope, 1e-9)))))
    return strength


class CleanAccuracy(NamedTuple):
    """Result of one model on the items that are compromised for none of the models.

    `accuracy` is with the image. `seen` is the share of items that the model answers correctly because of the image,
    and not by a guess.
    """

    accuracy: float
    seen: float


def clean_accuracies(
    found: Posterior, shown: Sequence[AnswerDraws], chance: Numbers, weights: Numbers | None = None
) -> list[CleanAccuracy]:
    """Accuracy on items compromised for no model, corrected for selection.

    If an item is not compromised, a model that is shown the image either sees the answer, gives its favourite or gives
    another option. Least squares finds the three shares from how often each option is chosen. The correction is needed
    because items with a lucky favourite look compromised and were removed; wrong favourites show how often that
    happens.
    """
    weight = np.ones(len(chance)) if weights is None else weights
    return [
        _clean_accuracy(found.by_model[place], found.clean, found.favourite[place], each, chance, weight)
        for place, each in enumerate(shown)
    ]


def _clean_accuracy(
    compromised: Numbers, clean: Numbers, favourite: Numbers, shown: AnswerDraws, chance: Numbers, weight: Numbers
) -> CleanAccuracy:
    asked = shown.asked > 0
    if not asked.any() or not (weight * clean)[asked].sum() > 0:
        return CleanAccuracy(np.nan, np.nan)
    weight, clean, chance = weight[asked], clean[asked], chance[asked]
    rows, goal = _equations(compromised[asked], clean, favourite[asked], shown, asked, chance)
    counted = weight * _as_represented(clean, chance, weight)
    items, columns, unknowns = rows.shape
    flat = rows.reshape(items * columns, unknowns)
    scaled = flat * np.repeat(counted, columns)[:, None]
    normal, target = scaled.T @ flat, scaled.T @ goal.ravel()
    used = normal.diagonal() > 1e-9
    shares = np.zeros(len(target))
    # Reduced to a least-squares problem with as many rows as unknowns.
    values, vectors = np.linalg.eigh(normal[np.ix_(used, used)])
    root = np.sqrt(np.maximum(values, 1e-12 * values.max()))
    shares[used] = scipy.optimize.nnls(root[:, None] * vectors.T, (vectors.T @ target[used]) / root)[0]
    seen, repeated, other = shares[:3]
    luck = float(weight @ (clean * chance) / (weight @ clean))
    # rounded, so that equal models get equal results
    accuracy, seen = (min(1.0, round(float(each), 9)) for each in (seen + luck * (repeated + other), seen))
    return CleanAccuracy(accuracy, seen)


def _equations(
    compromised: Numbers,
    clean: Numbers,
    favourite: Numbers,
    shown: AnswerDraws,
    asked: NDArray[np.bool_],
    chance: Numbers,
) -> tuple[Numbers, Numbers]:
    """Expected and observed frequency of each option of each item.

    The unknowns are in three groups: items compromised for no model, only for other models, and for this one.
    """
    elsewhere = np.clip(1 - clean - compromised, 0.0, 1.0)
    others = _count_other_options(chance)
    items, columns = shown.options[asked].shape
    there = np.arange(columns) < others[:, None] + 1
    is_key = np.zeros((items, columns))
    is_key[:, 0] = 1
    rest = np.where(there, (1 - favourite) / others[:, None], 0.0)
    rows = np.zeros((items, columns, 8))
    for at, mass in ((0, clean), (3, elsewhere)):
        rows[:, :, at] = mass[:, None] * is_key
        rows[:, :, at + 1] = mass[:, None] * favourite
        rows[:, :, at + 2] = mass[:, None] * rest
    rows[:, :, 6] = compromised[:, None] * is_key
    rows[:, :, 7] = np.where(there, compromised[:, None] * (1 - is_key) / others[:, None], 0.0)
    return rows, shown.options[asked] / shown.asked[asked][:, None]


def _as_represented(clean: Numbers, chance: Numbers, weight: Numbers) -> Numbers:
    """Weights that correct for the larger loss of items with few options."""
    _, of = np.unique(chance, return_inverse=True)
    mass, square = np.bincount(of, weight * clean), np.bincount(of, weight * clean**2)
    return np.asarray((mass / np.maximum(square, 1e-12))[of])


class Resampled(NamedTuple):
    """Results of each resample: resamples × models, or one number per resample.

    `whole` are accuracies on all items and `kept` those on the items that a rule keeps. `clean` and `seen` are the
    fields of `CleanAccuracy`. `compromised` is the share of items that are compromised for at least one model.
    """

    whole: Numbers
    kept: Numbers
    clean: Numbers
    seen: Numbers
    compromised: Numbers


def resample_fits(
    without: Sequence[AnswerDraws],
    shown: Sequence[AnswerDraws],
    chance: Numbers,
    kept: NDArray[np.bool_],
    clusters: Codes,
    *,
    resamples: int = 200,
    seed: int = 0,
) -> Resampled:
    """Resample clusters of items, and compute the fit and all accuracies of each resample.

    `kept` is resampled with the items, because it depends only on each item's own draws.
    """
    patterns = _patterns(without, chance)
    start = _fit(patterns, patterns.sums(None), _start(without, chance), most=300, tolerance=1e-7)
    right = np.stack(
        [np.where(each.asked > 0, each.options[:, 0] / np.maximum(each.asked, 1), np.nan) for each in shown]
    )
    _, of = np.unique(clusters, return_inverse=True)
    count = int(of.max()) + 1
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(resamples):
        weight = rng.multinomial(count, np.full(count, 1 / count))[of].astype(np.float64)
        found = _fit(patterns, patterns.sums(weight), start, most=100, tolerance=1e-6)
        said = _posterior(found, patterns, without, chance)
        clean = clean_accuracies(said, shown, chance, weight)
        share = 1 - float(weight @ said.clean / weight.sum())
        whole, some = _means(right, weight), _means(right, weight * kept)
        rows.append((whole, some, [each.accuracy for each in clean], [each.seen for each in clean], share))
    return Resampled(*(np.array(column) for column in zip(*rows, strict=True)))


def _means(values: Numbers, weight: Numbers) -> Numbers:
    """Weighted mean of each row without its NaNs; NaN if nothing is left."""
    there = np.isfinite(values)
    total = there @ weight
    return np.asarray(np.where(total > 0, np.where(there, values, 0.0) @ weight / np.maximum(total, 1e-12), np.nan))


def percentile_interval(
    value: float, drawn: Numbers, n: int, method: str, level: float = 0.95, *, items: float = 0.0
) -> Estimate:
    """A value with its percentile interval. The bounds are NaN if over 10% of resamples have no value.

    For a share of `items`, the interval is at least as wide as Wilson's: resamples of equal items are equal.

    >>> print(percentile_interval(1.0, np.ones(50), 20, "bootstrap", items=20))
    1.00 [0.84, 1.00] (n=20, bootstrap)
    """
    there = drawn[np.isfinite(drawn)]
    if not isfinite(value) or there.size < 0.9 * drawn.size or not there.size:
        return Estimate(value, np.nan, np.nan, n, method)
    tails = np.quantile(there, [(1 - level) / 2, (1 + level) / 2])
    bounds = score_bounds(value, items, float(scipy.special.ndtri((1 + level) / 2))) if items >= 1 else (value, value)
    return Estimate(value, min(float(tails[0]), bounds[0]), max(float(tails[1]), bounds[1]), n, method)


def guessed_union(chance: Numbers, guesses: Numbers, level: float = 0.95) -> Estimate:
    """Expected number of items that at least one of several random guesses answers correctly.

    The interval is exact and contains the number of such items itself, not only its mean, with probability `level`.

    >>> print(guessed_union(np.full(100, 0.25), np.full(100, 3)))
    57.81 [48.00, 67.00] (n=100, poisson-binomial)
    """
    hit = 1 - (1 - chance) ** guesses
    below = np.cumsum(hits_by_luck(hit))
    low, high = (int(np.searchsorted(below, bound)) for bound in ((1 - level) / 2, (1 + level) / 2))
    return Estimate(float(hit.sum()), float(low), float(high), len(chance), "poisson-binomial")
