"""ROC curve: shares of positives and negatives that reach each threshold."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.auc import cross_validated_auc
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, is_binary, numbers, open_fraction


class RocPoint(NamedTuple):
    """A threshold, with the shares of negatives and positives that reach it."""

    threshold: float
    false_alarms: float
    detected: float


def roc(scores: ArrayLike, positive: ArrayLike) -> tuple[RocPoint, ...]:
    """Compute the ROC curve, with one point per distinct score.

    >>> roc([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1])[1:3]
    (RocPoint(threshold=0.9, false_alarms=0.0, detected=0.5), RocPoint(threshold=0.4, false_alarms=0.5, detected=1.0))
    """
    values, marked = _check_scores(scores, positive)
    levels = np.unique(values)[::-1]
    up, down = values[marked], values[~marked]
    points = [RocPoint(float(each), float(np.mean(down >= each)), float(np.mean(up >= each))) for each in levels]
    return (RocPoint(float("inf"), 0.0, 0.0), *points)


def area_under_curve(
    scores: ArrayLike, positive: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Probability that a positive scores higher than a negative; ties count half.

    The variance is DeLong's, by cluster. n counts positives and negatives.

    >>> print(area_under_curve([0.1, 0.4, 0.4, 0.9], [0, 0, 1, 1]))
    0.88 [0.28, 0.99] (n=4, cluster-delong)
    """
    values, marked = _check_scores(scores, positive)
    found = cross_validated_auc(values, marked.astype(np.float64), np.zeros(values.size), clusters, level=level)
    return replace(found, n=values.size, method="cluster-delong")


def threshold_at(negatives: ArrayLike, rate: float, others: ArrayLike = ()) -> float:
    """Find the lowest threshold that at most this share of negatives reaches. Infinite if there is none.

    It lies midway between two scores of negatives or `others`, so that rounding moves no item across it.

    >>> threshold_at([0.0, 0.0, 0.0, 0.6], 0.25, [0.4, 0.8])
    0.2
    """
    values = numbers(negatives, "negatives")
    open_fraction(rate, "rate")
    levels = np.unique(np.concatenate([values, np.asarray(others, dtype=np.float64)]))
    midway = (levels[:-1] + levels[1:]) / 2
    cuts = np.concatenate([midway, [float(levels[-1]) + (1.0 - min(1.0, float(levels[-1]))) / 2]])
    kept = [float(cut) for cut in cuts if np.mean(values >= cut) <= rate]
    return kept[0] if kept else float("inf")


def _check_scores(scores: ArrayLike, positive: ArrayLike) -> tuple[Numbers, NDArray[np.bool_]]:
    values, marked = numbers(scores, "scores"), numbers(positive, "positive")
    if marked.size != values.size or not is_binary(marked):
        raise ValueError(f"`positive` must be 0 or 1 for each of the {values.size} scores.")
    if not 0 < marked.sum() < marked.size:
        raise ValueError(
            f"Both positives and negatives are needed, got {int(marked.sum())} positives among {marked.size}."
        )
    return values, marked > 0
