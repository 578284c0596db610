"""Cross-validated AUC: separation of two groups by classifiers trained on other folds."""

from __future__ import annotations

from dataclasses import replace
from math import exp, inf, log

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from snellen.stats.clustered import PRIOR_CLUSTERS
from snellen.stats.estimate import Estimate
from snellen.stats.intervals import score_bounds
from snellen.stats.observations import Codes, Numbers, group_codes, is_binary, numbers, open_fraction

WORTH = 1.5
"""Number of yes-or-no items that are assumed to be as informative as one cluster, before any data.

At an AUC of 0.5, ranks of m independent scores in each group have the variance 1/(6m); a share of m items has 1/(4m).
"""
BEYOND_CHANCE = 3.0
"""Number of standard deviations from ½ up to which the variance by chance counts in full."""
TINY = 1e-12


def cross_validated_auc(
    scores: ArrayLike,
    positive: ArrayLike,
    folds: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    by_chance: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Probability that a positive scores higher than a negative of its fold; ties count half.

    Scores of different folds come from different classifiers and are never compared. The variance is DeLong's, within
    folds and by cluster, with the classifier of each fold taken as given (LeDell and others 2015). That is too small if
    classifiers learn mostly chance. `by_chance` corrects this: the AUCs of the same cross-validation with the labels of
    whole clusters swapped at random. The interval is Wilson's for the number of independent yes-or-no items with that
    variance, so it has a width even if all pairs agree. Each cluster must lie within one fold.

    >>> print(cross_validated_auc([1, 2, 3, 4, 1, 2, 3, 4], [0, 0, 1, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1]))
    0.88 [0.37, 0.99] (n=4, cluster-delong-in-folds)
    """
    values, marked = numbers(scores, "scores"), numbers(positive, "positive")
    fold = group_codes(folds, values.size, "folds")
    patient = group_codes(np.arange(values.size) if clusters is None else clusters, values.size)
    assert fold is not None
    assert patient is not None
    _check(values, marked, fold, patient)
    auc, influence = _within_folds(values, marked > 0, fold)
    variance, freedom = _by_cluster(influence, fold, patient)
    found = Estimate(auc, 0.0, 1.0, int(marked.sum()), "cluster-delong-in-folds")
    if by_chance is not None:
        variance = _with_chance(auc, variance, numbers(by_chance, "by_chance"))
        found = replace(found, method=f"{found.method}-and-permutation")
    if freedom < 1:
        return found
    worth = _informative(auc, variance, np.bincount(patient, weights=np.abs(influence)).astype(np.float64))
    low, high = score_bounds(auc, worth, float(scipy.special.stdtrit(freedom, (1 + open_fraction(level, "level")) / 2)))
    return replace(found, low=low, high=high)


def aucs_in_folds(scores: ArrayLike, positive: ArrayLike, folds: ArrayLike) -> Numbers:
    """AUC within folds for each column of scores and labels, without an interval.

    >>> marks = [[0], [0], [1], [1], [0], [1], [0], [1]]
    >>> aucs_in_folds([[1], [2], [3], [4], [1], [2], [3], [4]], marks, [0, 0, 0, 0, 1, 1, 1, 1]).tolist()
    [0.875]
    """
    values, marked, fold = np.asarray(scores, dtype=np.float64), np.asarray(positive) > 0, np.asarray(folds)
    won, pairs = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    for at in np.unique(fold):
        those = fold == at
        ups = marked[those].sum(axis=0)
        ranks = np.where(marked[those], _ranks(values[those]), 0).sum(axis=0)
        won += ranks - ups * (ups + 1) / 2
        pairs += ups * (int(those.sum()) - ups)
    return won / pairs


def _ranks(values: Numbers) -> Numbers:
    """Rank each value in its column from 1; ties share the mean rank."""
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    place = np.broadcast_to(np.arange(len(values))[:, None], values.shape)
    edge = np.ones((1, values.shape[1]), dtype=bool)
    other = ordered[1:] != ordered[:-1]
    first = np.maximum.accumulate(np.where(np.concatenate([edge, other]), place, 0), axis=0)
    last = np.where(np.concatenate([other, edge]), place, len(values))[::-1]
    shared = (first + np.minimum.accumulate(last, axis=0)[::-1]) / 2 + 1
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, shared, axis=0)
    return ranks


def _with_chance(auc: float, variance: float, by_chance: Numbers) -> float:
    """Add the variance by chance, which counts less the further the AUC is from ½."""
    spread = float(np.mean((by_chance - 0.5) ** 2))
    away = (auc - 0.5) ** 2 / spread if spread > 0 else inf
    more = max(0.0, 4 * auc * (1 - auc) * spread - variance)
    return variance + more * min(1.0, BEYOND_CHANCE**2 / away if away > 0 else 1.0)


def _check(values: Numbers, marked: Numbers, fold: Codes, patient: Codes) -> None:
    if marked.size != values.size or not is_binary(marked):
        raise ValueError(f"`positive` must be 0 or 1 for each of the {values.size} scores.")
    pairs = np.unique(np.stack([patient, fold]), axis=1)
    if pairs.shape[1] > patient.max() + 1:
        raise ValueError("Each cluster must lie within one fold, but some cluster is in several.")
    if not _count_pairs(marked > 0, fold).any():
        raise ValueError("At least one fold must have both a positive and a negative case, got none.")


def _count_pairs(positive: NDArray[np.bool_], fold: Codes) -> Numbers:
    counts = [np.bincount(fold[each], minlength=int(fold.max()) + 1) for each in (positive, ~positive)]
    return np.asarray(counts[0] * counts[1], dtype=np.float64)


def _within_folds(values: Numbers, positive: NDArray[np.bool_], fold: Codes) -> tuple[float, Numbers]:
    """The AUC, and by how much each score changes it (DeLong's components, centred by fold)."""
    pairs = _count_pairs(positive, fold)
    weight = pairs / pairs.sum()
    auc, influence = 0.0, np.zeros(values.size)
    for at in np.flatnonzero(pairs):
        ups, downs = np.flatnonzero((fold == at) & positive), np.flatnonzero((fold == at) & ~positive)
        parts = (np.concatenate([ups, downs]), ups, downs)
        ranks, of_ups, of_downs = (_ranks(values[places, None])[:, 0] for places in parts)
        beaten = (ranks[: ups.size] - of_ups) / downs.size
        beating = 1 - (ranks[ups.size :] - of_downs) / ups.size
        own = float(beaten.mean())
        auc += float(weight[at]) * own
        influence[ups] = weight[at] * (beaten - own) / ups.size
        influence[downs] = weight[at] * (beating - own) / downs.size
    return min(max(auc, 0.0), 1.0), influence


def _by_cluster(influence: Numbers, fold: Codes, patient: Codes) -> tuple[float, float]:
    """Cluster-robust variance of the AUC and its degrees of freedom (Satterthwaite)."""
    moved = np.bincount(patient, weights=influence)
    home = np.zeros(moved.size, dtype=np.intp)
    home[patient] = fold
    clusters = np.bincount(home).astype(np.float64)
    squares = np.bincount(home, weights=moved**2)
    spread = np.where(clusters > 1, clusters / np.maximum(clusters - 1, 1), 1.0) * squares
    total = float(spread.sum())
    free = float(np.maximum(clusters - 1, 0).sum())
    uneven = float(np.sum(spread**2 / np.maximum(clusters - 1, 1)))
    return total, min(free, total**2 / uneven) if uneven > 0 else free


def _informative(auc: float, variance: float, moved: Numbers) -> float:
    """Number of independent items that are as informative as these clusters."""
    evidence = int(np.count_nonzero(moved > TINY)) if variance > 0 else 0
    guessed = log(WORTH * moved.size if evidence else moved.size)
    measured = log(auc * (1 - auc) / variance) if evidence else 0.0
    return exp((evidence * measured + PRIOR_CLUSTERS * guessed) / (evidence + PRIOR_CLUSTERS))
