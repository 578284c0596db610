"""Compromised items: which can be answered without the image, by how often models do, and what is scored on the others.

The model. An item is compromised for a model, or it is not. Either way the model has a favourite option that it gives
without the image more often than others. If the item is compromised, the favourite is the key. If not, every option is
the favourite with the same chance: what the model says has nothing to do with the key, however often it repeats it.
How stubbornly favourites are repeated is estimated: draws that are wrong show it by agreeing with each other. Items
are of two classes, so that what is compromised for one model may be likelier to be so for others.

With one draw an item, nothing says how often a compromised item is missed: it is then taken to be never.
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
from snellen.stats.luck import hits_by_luck
from snellen.stats.observations import Codes, Numbers

_SURE = 0.999
"""How often a favourite is given where a single draw cannot say it."""
_LEAST_CHANCE = 1e-6
"""The chance of a right guess where there are no options to choose from."""
_EDGE = 1e-4


class Draws(NamedTuple):
    """How often a model chose each option of each item, the key in the first column, and how often it chose none.

    `options` is items × options; places that an item does not have stay 0. An item that was not asked has only zeros.
    """

    options: Numbers
    none: Numbers

    @property
    def asked(self) -> Numbers:
        """How often each item was asked."""
        return np.asarray(self.options.sum(axis=1) + self.none)


class Strengths(NamedTuple):
    """How a model answers without the image.

    `known` and `guessed` are the log-odds of a favourite against any one other option, for compromised items and
    others; `silent` is how often it chooses none: of compromised items, of others.
    """

    known: float
    guessed: float
    silent: tuple[float, float]


@dataclass(frozen=True)
class Fit:
    """The mixture: classes of items, how often each model's items of a class are compromised, and how models answer."""

    classes: Numbers
    compromised: Numbers
    """Models × classes."""
    strengths: tuple[Strengths, ...]


@dataclass(frozen=True)
class Posterior:
    """What the draws say of each item: `by_model` is the chance that it is compromised for each model.

    `clean` is the chance that it is so for none. `favourite` (models × items × options) is, given that an item is not
    compromised for the model, the chance that each option is the one it favours.
    """

    by_model: Numbers
    clean: Numbers
    favourite: Numbers


def fit(
    draws: Sequence[Draws],
    chance: Numbers,
    weights: Numbers | None = None,
    *,
    start: Fit | None = None,
    most: int = 300,
    tolerance: float = 1e-7,
) -> Fit:
    """The mixture that makes the draws of all models likeliest, by EM; `chance` is that of a right guess of each item.

    >>> key, wrong = [3.0, 0, 0, 0], [[0.0, 3, 0, 0], [1, 2, 0, 0], [1, 1, 1, 0], [0, 2, 1, 0], [0, 0, 1, 2]]
    >>> found = fit([Draws(np.array([key] * 5 + wrong), np.zeros(10))], np.full(10, 0.25))
    >>> round(float(found.compromised[0, 0]), 2)
    0.47
    """
    patterns = _patterns(draws, chance)
    return _fit(patterns, patterns.sums(weights), start or _start(draws, chance), most=most, tolerance=tolerance)


def posterior(found: Fit, draws: Sequence[Draws], chance: Numbers) -> Posterior:
    """What a fitted mixture says of each item."""
    return _posterior(found, _patterns(draws, chance), draws, chance)


class _Shapes(NamedTuple):
    """The distinct ways in which a model answered items; wrong options are alike, the most frequent first."""

    options: Numbers
    answered: Numbers
    silent: Numbers
    """The share of draws that chose none; NaN where nothing was asked."""
    others: Numbers
    """How many options there are beside the favourite."""
    of: Codes
    """The shape of each pattern."""
    single: bool
    """Whether no item was asked more than once."""
    even_odds: float
    """The strength at which a favourite is given every other time."""


class _Patterns(NamedTuple):
    """The distinct ways in which all models together answered items, and which of them each item has."""

    shapes: tuple[_Shapes, ...]
    of: Codes
    distinct: int

    def sums(self, weights: Numbers | None) -> Numbers:
        """How much weight the items of each pattern have."""
        return np.bincount(self.of, weights, minlength=self.distinct).astype(np.float64)


def _patterns(draws: Sequence[Draws], chance: Numbers) -> _Patterns:
    tables, codes = [], []
    for each in draws:
        wrong = -np.sort(-each.options[:, 1:], axis=1)
        rows = np.column_stack((each.options[:, :1], wrong, each.none, chance))
        table, of = np.unique(rows, axis=0, return_inverse=True)
        tables.append(table)
        codes.append(of.ravel())
    joint, of = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    shapes = tuple(_shapes(table, column) for table, column in zip(tables, joint.T, strict=True))
    return _Patterns(shapes, of.ravel(), len(joint))


def _shapes(table: Numbers, of: Codes) -> _Shapes:
    options, none = table[:, :-2], table[:, -2]
    answered = options.sum(axis=1)
    asked = answered + none
    silent = np.where(asked > 0, none / np.maximum(asked, 1), np.nan)
    others = _others(table[:, -1])
    single = bool(asked.max(initial=0) <= 1)
    return _Shapes(options, answered, silent, others, of, single, float(np.log(np.median(others))))


def _others(chance: Numbers) -> Numbers:
    """How many options there are beside one."""
    return np.asarray(np.round(1 / np.maximum(chance, _LEAST_CHANCE)) - 1)


def _fit(patterns: _Patterns, weight: Numbers, found: Fit, *, most: int, tolerance: float) -> Fit:
    before = -np.inf
    for _ in range(most):
        likelihoods = [_likelihoods(*each) for each in zip(patterns.shapes, found.strengths, strict=True)]
        joint, likelihood = _expected(found, likelihoods)
        total = float(weight @ likelihood)
        found = _maximised(found, patterns.shapes, joint, weight)
        if total - before < tolerance * max(1.0, abs(total)):
            break
        before = total
    return found


def _posterior(found: Fit, patterns: _Patterns, draws: Sequence[Draws], chance: Numbers) -> Posterior:
    likelihoods = [_likelihoods(*each) for each in zip(patterns.shapes, found.strengths, strict=True)]
    joint, likelihood = _expected(found, likelihoods)
    none = np.log(found.classes) + sum(
        np.log1p(-found.compromised[place]) + guessed[:, None] for place, (_, guessed) in enumerate(likelihoods)
    )
    clean = np.clip(np.exp(np.logaddexp.reduce(none, axis=1) - likelihood), 0.0, 1.0)
    others = _others(chance)
    favourite = [
        _favourite(each.options, others, strengths.guessed)
        for each, strengths in zip(draws, found.strengths, strict=True)
    ]
    return Posterior(joint[:, :-1].sum(axis=2).T[:, patterns.of], clean[patterns.of], np.stack(favourite))


def _start(draws: Sequence[Draws], chance: Numbers) -> Fit:
    """Right more often than by luck, first; one class knows more than the other."""
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
    """The log-likelihood of every pattern's draws if the item is compromised, and if not.

    Whether a draw chooses at all counts once an item: who declines an item does so again and again.
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
    """The logarithm of the sum over options of exp(strength × how often it was chosen)."""
    there = np.arange(options.shape[1]) < others[:, None] + 1
    unlisted = np.maximum(0.0, others + 1 - options.shape[1])
    most = strength * options.max(axis=1)
    grown = np.where(there, np.exp(strength * options - most[:, None]), 0.0)
    return np.asarray(most + np.log(grown.sum(axis=1) + unlisted * np.exp(-most)))


def _favourite(options: Numbers, others: Numbers, strength: float) -> Numbers:
    """Given that an item is not compromised, the chance of each of its options to be the favourite.

    An item with fewer options than another has no chance beyond its own.

    >>> _favourite(np.array([[2.0, 0.0, 0.0]]), np.array([1.0]), 0.5).round(2).tolist()
    [[0.73, 0.27, 0.0]]
    """
    there = np.arange(options.shape[1]) < others[:, None] + 1
    given = np.exp(strength * options - _log_total(options, others, strength)[:, None])
    return np.asarray(np.where(there, given, 0.0))


def _expected(found: Fit, likelihoods: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Patterns × models × classes: the chance to be of the class and compromised for the model; and log-likelihoods.

    After the last model come the classes themselves.
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


def _maximised(found: Fit, every: Sequence[_Shapes], joint: Numbers, weight: Numbers) -> Fit:
    classes = weight @ joint[:, -1]
    known = np.einsum("i,ijt->jt", weight, joint[:, :-1])
    compromised = np.clip(known / np.maximum(classes, 1e-12), _EDGE, 1 - _EDGE)
    strengths = tuple(
        _strengths(shapes, before, *(_sums(shapes.of, weight * each) for each in (z, 1 - z)))
        for shapes, before, z in zip(every, found.strengths, joint[:, :-1].sum(axis=2).T, strict=True)
    )
    return Fit(np.clip(classes / classes.sum(), 1e-6, 1.0), compromised, strengths)


def _sums(of: Codes, weight: Numbers) -> Numbers:
    return np.bincount(of, weight).astype(np.float64)


def _strengths(shapes: _Shapes, before: Strengths, known: Numbers, guessed: Numbers) -> Strengths:
    """How a model answers, from the weight of each shape as compromised and as not."""
    asked = np.isfinite(shapes.silent)
    known_silent, silent = (
        float((each[asked] @ shapes.silent[asked] + 0.5) / (each[asked].sum() + 1)) for each in (known, guessed)
    )
    # What a model does not even answer every other time is not compromised for it.
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
    """The strength at which a favourite is given as often as it was, by a few steps of Newton's method."""
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
    """A model on the items that are compromised for none of the models.

    `accuracy` is with the image; `seen` is the share of items that the image itself lets it answer: right, and not as a
    guess would be.
    """

    accuracy: float
    seen: float


def clean_accuracies(
    found: Posterior, shown: Sequence[Draws], chance: Numbers, weights: Numbers | None = None
) -> list[CleanAccuracy]:
    """Each model's accuracy with the image on items that are compromised for none, corrected for selecting on luck.

    With the image, a model sees the answer of an item that is not compromised, or else gives its favourite, or another
    option. The shares of the three are found by least squares from how often each option is chosen, right or wrong:
    one that repeats a wrong favourite would have repeated a lucky one too, and was removed for it.
    """
    weight = np.ones(len(chance)) if weights is None else weights
    return [
        _clean_accuracy(found.by_model[place], found.clean, found.favourite[place], each, chance, weight)
        for place, each in enumerate(shown)
    ]


def _clean_accuracy(
    compromised: Numbers, clean: Numbers, favourite: Numbers, shown: Draws, chance: Numbers, weight: Numbers
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
    # The normal equations as a least-squares problem of their own size.
    values, vectors = np.linalg.eigh(normal[np.ix_(used, used)])
    root = np.sqrt(np.maximum(values, 1e-12 * values.max()))
    shares[used] = scipy.optimize.nnls(root[:, None] * vectors.T, (vectors.T @ target[used]) / root)[0]
    seen, repeated, other = shares[:3]
    luck = float(weight @ (clean * chance) / (weight @ clean))
    # equal models stay equal, whatever the last bits are
    accuracy, seen = (min(1.0, round(float(each), 9)) for each in (seen + luck * (repeated + other), seen))
    return CleanAccuracy(accuracy, seen)


def _equations(
    compromised: Numbers, clean: Numbers, favourite: Numbers, shown: Draws, asked: NDArray[np.bool_], chance: Numbers
) -> tuple[Numbers, Numbers]:
    """How often each option is expected, by seeing, repeating and else, on three kinds of items; and how often it is.

    The kinds: compromised for no model; for another model only; for this one.
    """
    elsewhere = np.clip(1 - clean - compromised, 0.0, 1.0)
    others = _others(chance)
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
    """Weights by which items of few options, more of which are lost to luck, count as often as they are clean."""
    _, of = np.unique(chance, return_inverse=True)
    mass, square = np.bincount(of, weight * clean), np.bincount(of, weight * clean**2)
    return np.asarray((mass / np.maximum(square, 1e-12))[of])


class Resampled(NamedTuple):
    """The whole procedure on items, or clusters of items, drawn again: resamples × models, or one number a resample.

    `whole` are accuracies on all items, `kept` on those that a rule keeps, `clean` and `seen` as `CleanAccuracy` has
    them; `compromised` is the share of items that are compromised for some model.
    """

    whole: Numbers
    kept: Numbers
    clean: Numbers
    seen: Numbers
    compromised: Numbers


def resampled(
    without: Sequence[Draws],
    shown: Sequence[Draws],
    chance: Numbers,
    kept: NDArray[np.bool_],
    clusters: Codes,
    *,
    resamples: int = 200,
    seed: int = 0,
) -> Resampled:
    """Draw clusters of items again and again; each time the mixture is fitted and everything measured anew.

    Which items a rule keeps follows from an item's own draws, so that it is drawn along with the item.
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
    """The weighted mean of each row over its numbers; NaN where there is none."""
    there = np.isfinite(values)
    total = there @ weight
    return np.asarray(np.where(total > 0, np.where(there, values, 0.0) @ weight / np.maximum(total, 1e-12), np.nan))


def percentile_interval(
    value: float, drawn: Numbers, n: int, method: str, level: float = 0.95, *, items: float = 0.0
) -> Estimate:
    """A value with the interval that holds the middle of its resamples; without bounds where most have no value.

    Of a share of so many `items`, it is at least as wide as Wilson's: resamples of items that are all alike are, too.

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
    """How many items at least one of some blind guesses hits, each item with its own chance and number of guesses.

    The interval holds the number of hits itself with that probability (exact), not only its mean.

    >>> print(guessed_union(np.full(100, 0.25), np.full(100, 3)))
    57.81 [48.00, 67.00] (n=100, poisson-binomial)
    """
    hit = 1 - (1 - chance) ** guesses
    below = np.cumsum(hits_by_luck(hit))
    low, high = (int(np.searchsorted(below, bound)) for bound in ((1 - level) / 2, (1 + level) / 2))
    return Estimate(float(hit.sum()), float(low), float(high), len(chance), "poisson-binomial")
