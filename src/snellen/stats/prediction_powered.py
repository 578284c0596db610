"""Prediction-powered inference: a judge's grades of all responses, corrected by human labels of some of them.

Three things are assumed. The labelled responses are a random sample of all responses (or of whole clusters), not those
that were easy or in doubt. People label without seeing the judge's grade. What is estimated is the mean that people
would give to responses like these, not only to these, so that even labels of all responses leave an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.clustered import Clustered, gather, independent_variance, touched
from snellen.stats.estimate import Estimate
from snellen.stats.intervals import proportion
from snellen.stats.observations import Codes, Numbers, fractions, group_codes, open_fraction
from snellen.stats.paired import paired_difference

LEAST_WEIGHT = 1e-12
"""A smaller weight of the judge is a rounding error of 0."""


class PredictionPowered(NamedTuple):
    """One mean, or one difference, three times: by judge and labels together, by labels alone, by the judge alone.

    `weight` is λ, how much the judge counts: 0 where it says nothing of the labels, near 1 where it agrees with nearly
    all of them and there are far more responses than labels. `judge_only` has whatever bias the judge has.
    """

    corrected: Estimate
    labels_only: Estimate
    judge_only: Estimate
    weight: float
    labelled: int
    responses: int


def prediction_powered_mean(
    judge: ArrayLike, labels: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95
) -> PredictionPowered:
    """The mean human label of responses that a judge graded, all in [0, 1]; NaN where a response has no label.

    mean of (label − λ·grade) over the labelled + λ · mean grade over the others: PPI++ (Angelopoulos, Duchi and Zrnic
    2023). λ is the slope of the labels on the grades, times the share of unlabelled responses, kept in [0, 1]. The
    judge's bias cancels, but for about a point that tuning λ on 20 labels can add. Where λ is 0, because the judge says
    nothing of the labels or all responses have one, the result is that of the labels alone.

    The interval is Student's, with an error that is robust to clusters. One error of each kind that nobody saw is added
    to the labels before λ and the error are taken: n labels that all agree do not show that the judge is always right.

    >>> judge = [1] * 280 + [0] * 120
    >>> labels = [1] * 25 + [0] * 3 + [nan] * 252 + [0] * 12 + [nan] * 108
    >>> found = prediction_powered_mean(judge, labels)
    >>> [print(each) for each in (found.corrected, found.labels_only, found.judge_only)]
    0.62 [0.52, 0.73] (n=40, ppi++)
    0.62 [0.47, 0.76] (n=40, wilson)
    0.70 [0.65, 0.74] (n=400, wilson)
    [None, None, None]
    """
    grades, given = _aligned(judge, labels, "judge", "labels")
    codes = group_codes(clusters, grades.size)
    there = np.isfinite(given)
    data = _Data(given, grades, there, codes, unseen=((1.0, 0.0), (0.0, 1.0)))
    open_fraction(level, "level")
    alone = proportion(given[there], _some(codes, there), level) if there.any() else _nothing((0.0, 1.0))
    corrected, weight = _corrected(data, alone, level, (0.0, 1.0))
    everything = proportion(grades, codes, level)
    return PredictionPowered(corrected, alone, everything, weight, int(there.sum()), grades.size)


def prediction_powered_by_stratum(
    judge: ArrayLike, labels: ArrayLike, strata: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95
) -> PredictionPowered:
    """`prediction_powered_mean` where labels were drawn at random within strata, of some more often than of others.

    Each stratum counts as often as it has responses. Distances from the value to the bounds are added as independent
    errors are, or one by one where a cluster lies in several strata. Each stratum needs a label.

    >>> judge, labels = [1] * 100 + [0] * 20, [1] * 10 + [nan] * 90 + [1] * 4 + [0] * 6 + [nan] * 10
    >>> print(prediction_powered_by_stratum(judge, labels, ["a"] * 100 + ["b"] * 20).labels_only)
    0.90 [0.67, 0.95] (n=20, wilson-by-stratum)
    """
    grades, given = _aligned(judge, labels, "judge", "labels")
    everywhere = np.arange(grades.size)
    of, groups = (
        everywhere if codes is None else codes
        for codes in (group_codes(each, grades.size) for each in (strata, clusters))
    )
    parts = [of == each for each in range(int(of.max()) + 1)]
    if not all(np.isfinite(given[part]).any() for part in parts):
        raise ValueError("`labels` must hold one of each stratum at least.")
    found = [prediction_powered_mean(grades[part], given[part], groups[part], level) for part in parts]
    shares = np.array([part.mean() for part in parts])
    apart = len(set(zip(groups.tolist(), of.tolist(), strict=True))) == len(set(groups.tolist()))

    def pooled(estimates: Sequence[Estimate]) -> Estimate:
        value = float(shares @ [each.value for each in estimates])
        below, above = (
            shares * np.abs([getattr(each, bound) - each.value for each in estimates]) for bound in ("low", "high")
        )
        down, up = (float(np.sqrt((each**2).sum()) if apart else each.sum()) for each in (below, above))
        method = f"{max(estimates, key=lambda each: each.n).method}-by-stratum"
        return Estimate(value, max(value - down, 0.0), min(value + up, 1.0), sum(each.n for each in estimates), method)

    corrected, alone, everything = (
        pooled([getattr(each, name) for each in found]) for name in ("corrected", "labels_only", "judge_only")
    )
    weight = float(shares @ [each.weight for each in found])
    return PredictionPowered(corrected, alone, everything, weight, int(np.isfinite(given).sum()), grades.size)


def prediction_powered_difference(
    judge: tuple[ArrayLike, ArrayLike],
    labels: tuple[ArrayLike, ArrayLike],
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> PredictionPowered:
    """How much higher people would rate the second of two conditions, or models, than the first, on the same items.

    `judge` and `labels` hold two arrays each, aligned by item. Labels count where an item has one under both, which
    must be a random sample of items; an item labelled under one only is left out of the labels. Otherwise as
    `prediction_powered_mean`, with the difference of the labels for the label and that of the grades for the grade.

    >>> without, shown = [0] * 300 + [1] * 300, [1] * 150 + [0] * 150 + [1] * 300
    >>> labels = [0.0] * 300 + [1.0] * 300, [1.0] * 140 + [0.0] * 160 + [1.0] * 300
    >>> some = [[label if item % 10 == 0 else nan for item, label in enumerate(each)] for each in labels]
    >>> print(prediction_powered_difference((without, shown), (some[0], some[1])).corrected)
    0.23 [0.17, 0.30] (n=60, ppi++)
    """
    first, first_labels = _aligned(judge[0], labels[0], "judge[0]", "labels[0]")
    second, second_labels = _aligned(judge[1], labels[1], "judge[1]", "labels[1]")
    if first.size != second.size:
        raise ValueError(f"Both of `judge` must be aligned by item, got {first.size} and {second.size} grades.")
    codes = group_codes(clusters, first.size)
    there = np.isfinite(first_labels) & np.isfinite(second_labels)
    data = _Data(second_labels - first_labels, second - first, there, codes, unseen=((1.0, 0.0), (-1.0, 0.0)))
    open_fraction(level, "level")
    alone = _nothing((-1.0, 1.0))
    if there.any():
        alone = paired_difference(first_labels[there], second_labels[there], _some(codes, there), level)
    corrected, weight = _corrected(data, alone, level, (-1.0, 1.0))
    everything = paired_difference(first, second, codes, level)
    return PredictionPowered(corrected, alone, everything, weight, int(there.sum()), first.size)


@dataclass(frozen=True)
class _Data:
    """Labels, grades, which are labelled, the clusters, and the (label, grade) of two labels that nobody saw."""

    labels: Numbers
    grades: Numbers
    there: NDArray[np.bool_]
    codes: Codes | None
    unseen: tuple[tuple[float, float], tuple[float, float]]


def _corrected(data: _Data, alone: Estimate, level: float, bounds: tuple[float, float]) -> tuple[Estimate, float]:
    labels, grades, others = data.labels[data.there], data.grades[data.there], data.grades[~data.there]
    if not labels.size:
        return alone, 0.0
    codes = _some(data.codes, data.there)
    extra = _worth_one_item(labels - grades, codes)
    weight = _slope(labels, grades, np.array(data.unseen), extra) * others.size / data.grades.size
    if weight < LEAST_WEIGHT:
        return alone, 0.0
    left, further = labels - weight * grades, [label - weight * grade for label, grade in data.unseen]
    widened = gather(left, codes).joined((further[0] * extra, further[1] * extra), (extra, extra))
    rest = weight * float(others.mean())
    value = min(max(float(left.mean()) + rest, bounds[0]), bounds[1])
    half = _half_width(data, weight, widened, np.array(further) * extra, level)
    low = max(bounds[0], min(widened.mean + rest - half, value))
    high = min(bounds[1], max(widened.mean + rest + half, value))
    apart = data.codes is None or data.codes.max() + 1 == data.codes.size
    return Estimate(value, low, high, labels.size, "ppi++" if apart else "cluster-ppi++"), weight


def _worth_one_item(disagreements: Numbers, codes: Codes | None) -> float:
    """How many labelled responses are worth one independent one."""
    by_cluster = gather(disagreements, codes)
    return by_cluster.design_effect(independent_variance(disagreements), touched(disagreements, codes))


def _slope(labels: Numbers, grades: Numbers, unseen: Numbers, extra: float) -> float:
    """The slope of labels on grades, the unseen ones included; 0 where it is not defined, and within [0, 1]."""
    y, x = np.append(labels, unseen[:, 0]), np.append(grades, unseen[:, 1])
    weights = np.append(np.ones(labels.size), [extra, extra])
    off_x, off_y = x - np.average(x, weights=weights), y - np.average(y, weights=weights)
    spread = float(weights @ off_x**2)
    return min(max(float(weights @ (off_x * off_y)) / spread, 0.0), 1.0) if spread > 1e-12 else 0.0


def _half_width(data: _Data, weight: float, widened: Clustered, further: Numbers, level: float) -> float:
    """Student's quantile times the error: what each cluster's labels and other grades add, squared and summed."""
    quantile = widened.quantile(level)
    if not isfinite(quantile):
        return inf
    there, others = data.there, data.grades[~data.there]
    parts = np.where(
        there,
        (data.labels - weight * data.grades - widened.mean) / widened.items,
        weight * (data.grades - others.mean()) / others.size,
    )
    sums = parts if data.codes is None else np.bincount(data.codes, weights=parts)
    extra = widened.sizes[-1]
    unseen = (further - widened.mean * extra) / widened.items
    correction = widened.count / (widened.count - 1)
    return quantile * sqrt(correction * (float(np.sum(sums**2)) + float(np.sum(unseen**2))))


def _aligned(judge: ArrayLike, labels: ArrayLike, *names: str) -> tuple[Numbers, Numbers]:
    grades = fractions(judge, names[0])
    given = np.asarray(labels, dtype=np.float64)
    if given.shape != grades.shape:
        raise ValueError(f"`{names[0]}` and `{names[1]}` must be aligned, got shapes {grades.shape} and {given.shape}.")
    there = np.isfinite(given)
    if np.isinf(given).any() or (there.any() and (np.min(given[there]) < 0 or np.max(given[there]) > 1)):
        raise ValueError(f"`{names[1]}` must lie in [0, 1], or be NaN where a response has no label.")
    return grades, given


def _some(codes: Codes | None, there: NDArray[np.bool_]) -> Codes | None:
    return None if codes is None else np.unique(codes[there], return_inverse=True)[1]


def _nothing(bounds: tuple[float, float]) -> Estimate:
    return Estimate(nan, *bounds, 0, "undefined: no labels")
