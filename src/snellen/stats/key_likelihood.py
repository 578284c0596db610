"""Evidence from several models' answers that another option than the answer key is correct.

Each item has a difficulty d and a discrimination a, as in the two-parameter logistic model: a model of ability θ is
correct with probability σ(aθ − d). With a = 0, weak and strong models are correct equally often. Wrong answers follow a
Dirichlet law over the other options: with a small concentration they gather on one attractive wrong option. EM
estimates how often each kind of item occurs, and the abilities, from the answers (empirical Bayes). So if models often
agree on wrong options, their agreement is weak evidence against a key. The evidence on an item uses parameters fitted
to the items of other groups (cross-fitting).

The evidence orders items for review by a person. It does not estimate the share of wrong keys: a wrong belief that the
strongest models share looks the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, log_expit, logit

from snellen.stats.observations import Codes, Numbers

FOLDS = 5
ROUNDS = 40
_ROUNDS_OF_A_FOLD = 10
_FIRST_SHARE = 0.02
_DISCRIMINATIONS = np.array([0.0, 0.5, 1.0, 2.0])
_DIFFICULTIES = np.linspace(-6.0, 6.0, 17)
_CONCENTRATIONS = np.array([0.1, 0.5, 2.0, 20.0])
_ABILITIES = np.linspace(-6.0, 6.0, 241)
_PRIOR_ITEMS = 8.0
"""Weight of the prior of the kinds of items, in items."""
_ABILITY_SD = 1.5


class KeyEvidence(NamedTuple):
    """Evidence against the key of each item."""

    evidence: Numbers
    """Mean likelihood ratio of the other options being the key, compared with the given key."""
    other: Codes
    """The most likely key among the other options; −1 if no model chose another option."""


class _Patterns(NamedTuple):
    """Distinct patterns of answers to an item, if a given option were its key."""

    right: Numbers
    wrong: Numbers
    spread: Numbers
    """Log-likelihood of the choices among wrong options, one column per concentration."""


class _Rows(NamedTuple):
    """One row per item and possible key. The `times` options that no model chose share one row."""

    item: Codes
    option: Codes
    is_key: Codes
    times: Numbers
    others: Numbers
    pattern: Codes

    def select_rows(self, kept: Codes) -> _Rows:
        return self._replace(**{name: column[kept] for name, column in self._asdict().items()})


class _Law(NamedTuple):
    """Estimated parameters: abilities, and how often each kind of item occurs."""

    ability: Numbers
    profiles: Numbers
    share: float
    """Weight in the fit of options other than the keys; not reported, because shared beliefs raise it."""


def key_evidence(chosen: ArrayLike, options: ArrayLike, key: ArrayLike, groups: ArrayLike | None = None) -> KeyEvidence:
    """Compute the evidence against each key from models × items answers; −1 is no answer.

    `options` is the number of options of each item, `key` the place of the correct one, `groups` the patient.
    """
    picks, many, keys = (np.asarray(each, dtype=np.int64) for each in (chosen, options, key))
    if picks.ndim != 2 or picks.shape[1] != many.size or many.shape != keys.shape:
        raise ValueError(f"`chosen` must have a column for each of the {many.size} items, got the shape {picks.shape}.")
    if (many < 2).any() or (keys < 0).any() or (keys >= many).any() or (picks >= many).any():
        raise ValueError("Every item needs two options or more, and its key and answers must be among them.")
    rows, patterns = _rows(picks, many, keys)
    start = _Law(_first_abilities(picks, keys), _BASE, _FIRST_SHARE)
    whole = _fit_law(rows, patterns, start, ROUNDS)
    # Whole groups are assigned to folds in turn.
    fold = np.unique(np.arange(many.size) if groups is None else groups, return_inverse=True)[1] % FOLDS
    log_ratio, other = np.zeros(many.size), keys.copy()
    for part in np.unique(fold):
        elsewhere = rows.select_rows(np.flatnonzero(fold[rows.item] != part))
        law = _fit_law(elsewhere, patterns, whole, _ROUNDS_OF_A_FOLD) if elsewhere.item.size else whole
        _weigh(rows.select_rows(np.flatnonzero(fold[rows.item] == part)), patterns, law, log_ratio, other)
    return KeyEvidence(np.exp(np.minimum(log_ratio, 700.0)), other)


def versions(chosen: ArrayLike, key: ArrayLike, *, shared: float = 0.5) -> Codes:
    """Assign one number to models that share too many wrong answers to count separately.

    Two models are compared on the items that at least one of them answers wrong. Items on which both agree with most
    other models do not count, because there the key may be wrong.

    >>> versions([[0, 1, 1, 2], [0, 1, 1, 2], [2, 0, 0, 0]], [0, 0, 0, 0]).tolist()
    [0, 0, 1]
    """
    picks, keys = np.asarray(chosen, dtype=np.int64), np.asarray(key, dtype=np.int64)
    there, items = picks >= 0, np.arange(keys.size)
    votes = np.array([(picks == option).sum(axis=0) for option in range(int(picks.max(initial=0)) + 1)])
    group = np.arange(len(picks))
    for one in range(len(picks)):
        for two in range(one):
            both = there[one] & there[two]
            same = both & (picks[one] == picks[two])
            backed = same & (2 * (votes[np.maximum(picks[one], 0), items] - 2) > there.sum(axis=0) - 2)
            either = both & ~backed & ((picks[one] != keys) | (picks[two] != keys))
            if either.any() and same[either].mean() >= shared:
                group[group == group[one]] = group[two]
    codes: Codes = np.unique(group, return_inverse=True)[1]
    return codes


def _rows(picks: Codes, options: Codes, keys: Codes) -> tuple[_Rows, _Patterns]:
    items = options.size
    counts = np.zeros((items, int(options.max(initial=2))))
    answered = picks >= 0
    np.add.at(counts, (np.nonzero(answered)[1], picks[answered]), 1.0)
    seen = counts > 0
    seen[np.arange(items), keys] = True
    item, option = np.nonzero(seen)
    unseen = options - seen.sum(axis=1)
    rest = np.flatnonzero(unseen)
    item, option = np.concatenate([item, rest]), np.concatenate([option, np.full(rest.size, -1)])
    times = np.concatenate([np.ones(item.size - rest.size), unseen[rest].astype(np.float64)])
    right = (picks[:, item] == option) & (option >= 0)
    wrong = answered[:, item] & ~right
    own = np.where(option >= 0, counts[item, option], 0.0)
    others = (options[item] - 1).astype(np.float64)
    told = np.concatenate([right, wrong], axis=0).T
    spread = _spread(counts, item, own, others).round(9)
    first, pattern = np.unique(np.concatenate([told, spread], axis=1), axis=0, return_index=True, return_inverse=True)[
        1:
    ]
    is_key = (option == keys[item]).astype(np.int64)
    patterns = _Patterns(right.T[first].astype(np.float64), wrong.T[first].astype(np.float64), spread[first])
    return _Rows(item, option, is_key, times, others, pattern.ravel()), patterns


def _spread(counts: Numbers, item: Codes, own: Numbers, others: Numbers) -> Numbers:
    """Log-likelihood of which wrong options were chosen, one column per concentration."""
    total = counts.sum(axis=1)[item] - own
    columns = []
    for each in _CONCENTRATIONS:
        gathered = (gammaln(each + counts) - gammaln(each)).sum(axis=1)[item] - (gammaln(each + own) - gammaln(each))
        columns.append(gathered + gammaln(others * each) - gammaln(others * each + total))
    return np.stack(columns, axis=1)


_SLOPE, _DIFFICULTY = (each.ravel() for each in np.meshgrid(_DISCRIMINATIONS, _DIFFICULTIES, indexing="ij"))
"""Discrimination and difficulty of each kind of item."""
_BASE = np.outer(np.exp(-0.5 * (_DIFFICULTY / 3.0) ** 2), np.ones(_CONCENTRATIONS.size))
_BASE /= _BASE.sum()


class _Likelihoods(NamedTuple):
    """Likelihoods of each pattern: of hits by kind of item, and of the wrong options by concentration."""

    hits: Numbers
    spread: Numbers
    scale: Numbers


def _likelihoods(patterns: _Patterns, ability: Numbers) -> _Likelihoods:
    inner = np.outer(ability, _SLOPE) - _DIFFICULTY
    hits = patterns.right @ log_expit(inner) + patterns.wrong @ log_expit(-inner)
    top, gathered = hits.max(axis=1), patterns.spread.max(axis=1)
    return _Likelihoods(np.exp(hits - top[:, None]), np.exp(patterns.spread - gathered[:, None]), top + gathered)


def _fit_law(rows: _Rows, patterns: _Patterns, start: _Law, rounds: int) -> _Law:
    """Fit abilities, kinds of items and the weight of options other than the keys."""
    ability, profiles, share = start
    items = np.unique(rows.item).size
    for _ in range(rounds):
        found = _likelihoods(patterns, ability)
        mixed = found.spread @ profiles.T
        likelihood = (found.hits * mixed).sum(axis=1)
        log_joint = (found.scale + np.log(likelihood))[rows.pattern] + _log_prior(rows, share)
        posterior = np.exp(log_joint - _sum_logs(rows.item, log_joint)[rows.item])
        per = np.bincount(rows.pattern, weights=posterior, minlength=likelihood.size) / likelihood
        profiles = profiles * (found.hits.T @ (found.spread * per[:, None])) + _PRIOR_ITEMS * _BASE
        profiles /= profiles.sum()
        kinds = found.hits * mixed * per[:, None]
        ability = _abilities(patterns.right.T @ kinds, patterns.wrong.T @ kinds)
        share = float(posterior[rows.is_key == 0].sum() / items)
    return _Law(ability, profiles, share)


def _log_prior(rows: _Rows, share: float) -> Numbers:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.where(rows.is_key == 1, 1 - share, share * rows.times / rows.others)))


def _sum_logs(item: Codes, logs: Numbers) -> Numbers:
    """Logarithm of the sum over each item's rows; −∞ for an item without rows."""
    found = np.full(int(item.max()) + 1, -np.inf)
    np.maximum.at(found, item, logs)
    sums = np.bincount(item, weights=np.exp(logs - found[item]), minlength=found.size)
    there = sums > 0
    found[there] += np.log(sums[there])
    return found


def _log_likelihood(patterns: _Patterns, law: _Law) -> Numbers:
    """Log-likelihood of each pattern's answers if the option is the key."""
    found = _likelihoods(patterns, law.ability)
    return np.asarray(found.scale + np.log((found.hits * (found.spread @ law.profiles.T)).sum(axis=1)))


def _first_abilities(picks: Codes, keys: Codes) -> Numbers:
    answered = picks >= 0
    right = (picks == keys) & answered
    return np.asarray(logit((right.sum(axis=1) + 1.0) / (answered.sum(axis=1) + 2.0)))


_IF_RIGHT = log_expit(np.outer(_SLOPE, _ABILITIES) - _DIFFICULTY[:, None])
_IF_WRONG = log_expit(_DIFFICULTY[:, None] - np.outer(_SLOPE, _ABILITIES))


def _abilities(right: Numbers, wrong: Numbers) -> Numbers:
    """Most likely ability of each model, from the expected numbers of right and wrong answers."""
    log_likelihood = right @ _IF_RIGHT + wrong @ _IF_WRONG
    best = np.argmax(log_likelihood - 0.5 * (_ABILITIES / _ABILITY_SD) ** 2, axis=1)
    return np.asarray(_ABILITIES[best])


def _weigh(rows: _Rows, patterns: _Patterns, law: _Law, log_ratio: Numbers, other: Codes) -> None:
    """Write the evidence on the items of some rows into `log_ratio` and `other`."""
    log_likelihood = _log_likelihood(patterns, law)[rows.pattern]
    of_key = np.zeros(log_ratio.size)
    at_key = rows.is_key == 1
    of_key[rows.item[at_key]] = log_likelihood[at_key]
    ratio = log_likelihood[~at_key] - of_key[rows.item[~at_key]]
    summed = np.full(log_ratio.size, -np.inf)
    np.logaddexp.at(summed, rows.item[~at_key], ratio + np.log((rows.times / rows.others)[~at_key]))
    there = np.unique(rows.item)
    log_ratio[there] = summed[there]
    best = np.lexsort((-ratio, rows.item[~at_key]))
    first = np.unique(rows.item[~at_key][best], return_index=True)[1]
    likeliest = best[first]
    other[rows.item[~at_key][likeliest]] = rows.option[~at_key][likeliest]
