"""Prediction-powered inference: a judge's grades corrected by human labels.

There are three assumptions. The labelled responses are a random sample of all responses (or of whole clusters), and not
chosen as easy or doubtful. People label without seeing the judge's grade. The estimate is the mean label of responses
like these, not only of these, so there is an interval even if all responses are labelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.clustered import Clustered, gather, worth_one_item
from snellen.stats.estimate import Estimate
from snellen.stats.intervals import proportion
from snellen.stats.observations import Codes, Numbers, fractions, group_codes, open_fraction
from snellen.stats.paired import paired_difference

LEAST_WEIGHT = 1e-12
"""Weights of the judge below this count as 0."""


class PredictionPowered(NamedTuple):
    """Estimates by judge and labels, by labels alone, and by the judge alone.

    `weight` is λ, the weight of the judge: 0 if its grades do not predict the labels, near 1 if they agree with nearly
    all labels and most responses have no label. `judge_only` includes the judge's bias.
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
    """Mean human label in [0, 1] of judge-graded responses. Unlabelled ones are NaN in `labels`.

    The value is the mean of (label − λ·grade) over labelled responses + λ · mean grade over the others: PPI++
    (Angelopoulos, Duchi and Zrnic 2023). λ is the slope of the labels on the grades, times the share of responses
    without a label, kept in [0, 1]. If λ is 0, the result is that of the labels alone. The interval is Student's, with
    a cluster-robust error. For λ and the error, one hypothetical error of each kind is added to the labels, because n
    labels that all agree do not show that the judge is always right.

    >>> judge = [1] * 280 + [0] * 120
    >>> labels = [1] * 25 + [0] * 3 + [nan] * 252 + [0] * 12 + [nan] * 108
    >>> found = prediction_powered_mean(judge, labels)
    >>> [print(each) for each in (found.corrected, found.labels_only, found.judge_only)]
    0.62 [0.52, 0.73] (n=40, ppi++)
    0.62 [0.47, 0.76] (n=40, wilson)
    0.70 [0.65, 0.74] (n=400, wilson)
    [None, None, None]
    """
    grades, given = _check_aligned(judge, labels, "judge", "labels")
    codes = group_codes(clusters, grades.size)
    there = np.isfinite(given)
    data = _Data(given, grades, there, codes, unseen=((1.0, 0.0), (0.0, 1.0)))
    open_fraction(level, "level")
    alone = proportion(given[there], _select_codes(codes, there), level) if there.any() else _nothing((0.0, 1.0))
    corrected, weight = _correct_by_labels(data, alone, level, (0.0, 1.0))
    everything = proportion(grades, codes, level)
    return PredictionPowered(corrected, alone, everything, weight, int(there.sum()), grades.size)


def prediction_powered_by_stratum(
    judge: ArrayLike, labels: ArrayLike, strata: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95
) -> PredictionPowered:
    """`prediction_powered_mean` for labels drawn at a different rate in each stratum.

    Each stratum is weighted by its responses and needs a label. The distances from the values to the bounds are added
    in quadrature, or linearly if a cluster lies in several strata.

    >>> judge, labels = [1] * 100 + [0] * 20, [1] * 10 + [nan] * 90 + [1] * 4 + [0] * 6 + [nan] * 10
    >>> print(prediction_powered_by_stratum(judge, labels, ["a"] * 100 + ["b"] * 20).labels_only)
    0.90 [0.67, 0.95] (n=20, wilson-by-stratum)
    """
    grades, given = _check_aligned(judge, labels, "judge", "labels")
    everywhere = np.arange(grades.size)
    of, groups = (
        everywhere if codes is None else codes
        for codes in (group_codes(each, grades.size) for each in (strata, clusters))
    )
    parts = [of == each for each in range(int(of.max()) + 1)]
    if not all(np.isfinite(given[part]).any() for part in parts):
        raise ValueError("`labels` needs at least one label in each stratum.")
    found = [prediction_powered_mean(grades[part], given[part], groups[part], level) for part in parts]
    shares = np.array([part.mean() for part in parts])
    apart = len(set(zip(groups.tolist(), of.tolist(), strict=True))) == len(set(groups.tolist()))

    def pool_estimates(estimates: Sequence[Estimate]) -> Estimate:
        value = float(shares @ [each.value for each in estimates])
        below, above = (
            shares * np.abs([getattr(each, bound) - each.value for each in estimates]) for bound in ("low", "high")
        )
        down, up = (float(np.sqrt((each**2).sum()) if apart else each.sum()) for each in (below, above))
        method = f"{max(estimates, key=lambda each: each.n).method}-by-stratum"
        return Estimate(value, max(value - down, 0.0), min(value + up, 1.0), sum(each.n for each in estimates), method)

    corrected, alone, everything = (
        pool_estimates([getattr(each, name) for each in found]) for name in ("corrected", "labels_only", "judge_only")
    )
    weight = float(shares @ [each.weight for each in found])
    return PredictionPowered(corrected, alone, everything, weight, int(np.isfinite(given).sum()), grades.size)


def prediction_powered_difference(
    judge: tuple[ArrayLike, ArrayLike],
    labels: tuple[ArrayLike, ArrayLike],
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> PredictionPowered:
    """Difference of people's labels between two conditions or models, paired by item.

    `judge` and `labels` hold two arrays each, aligned by item. An item counts as labelled if both its responses are,
    and such items must be a random sample. The method is that of `prediction_powered_mean`, with differences of labels
    and of grades.

    >>> without, shown = [0] * 300 + [1] * 300, [1] * 150 + [0] * 150 + [1] * 300
    >>> labels = [0.0] * 300 + [1.0] * 300, [1.0] * 140 + [0.0] * 160 + [1.0] * 300
    >>> some = [[label if item % 10 == 0 else nan for item, label in enumerate(each)] for each in labels]
    >>> print(prediction_powered_difference((without, shown), (some[0], some[1])).corrected)
    0.23 [0.17, 0.30] (n=60, ppi++)
    """
    first, first_labels = _check_aligned(judge[0], labels[0], "judge[0]", "labels[0]")
    second, second_labels = _check_aligned(judge[1], labels[1], "judge[1]", "labels[1]")
    if first.size != second.size:
        raise ValueError(
            f"`judge` needs two sets of grades for the same items, got {first.size} and {second.size} grades."
        )
    codes = group_codes(clusters, first.size)
    there = np.isfinite(first_labels) & np.isfinite(second_labels)
    data = _Data(second_labels - first_labels, second - first, there, codes, unseen=((1.0, 0.0), (-1.0, 0.0)))
    open_fraction(level, "level")
    alone = _nothing((-1.0, 1.0))
    if there.any():
        alone = paired_difference(first_labels[there], second_labels[there], _select_codes(codes, there), level)
    corrected, weight = _correct_by_labels(data, alone, level, (-1.0, 1.0))
    everything = paired_difference(first, second, codes, level)
    return PredictionPowered(corrected, alone, everything, weight, int(there.sum()), first.size)


@dataclass(frozen=True)
class _Data:
    """Labels and grades of all responses, with clusters and two hypothetical errors."""

    labels: Numbers
    grades: Numbers
    there: NDArray[np.bool_]
    codes: Codes | None
    unseen: tuple[tuple[float, float], tuple[float, float]]


def _correct_by_labels(
    data: _Data, alone: Estimate, level: float, bounds: tuple[float, float]
) -> tuple[Estimate, float]:
    labels, grades, others = data.labels[data.there], data.grades[data.there], data.grades[~data.there]
    if not labels.size:
        return alone, 0.0
    codes = _select_codes(data.codes, data.there)
    extra = worth_one_item(labels - grades, codes)
    weight = _slope(labels, grades, np.array(data.unseen), extra) * others.size / data.grades.size
    if weight < LEAST_WEIGHT:
        return alone, 0.0
    left, further = labels - weight * grades, [label - weight * grade for label, grade in data.unseen]
    widened = gather(left, codes).with_clusters((further[0] * extra, further[1] * extra), (extra, extra))
    rest = weight * float(others.mean())
    value = min(max(float(left.mean()) + rest, bounds[0]), bounds[1])
    half = _half_width(data, weight, widened, np.array(further) * extra, level)
    low = max(bounds[0], min(widened.mean + rest - half, value))
    high = min(bounds[1], max(widened.mean + rest + half, value))
    apart = data.codes is None or data.codes.max() + 1 == data.codes.size
    return Estimate(value, low, high, labels.size, "ppi++" if apart else "cluster-ppi++"), weight


def _slope(labels: Numbers, grades: Numbers, unseen: Numbers, extra: float) -> float:
    y, x = np.append(labels, unseen[:, 0]), np.append(grades, unseen[:, 1])
    weights = np.append(np.ones(labels.size), [extra, extra])
    off_x, off_y = x - np.average(x, weights=weights), y - np.average(y, weights=weights)
    spread = float(weights @ off_x**2)
    return min(max(float(weights @ (off_x * off_y)) / spread, 0.0), 1.0) if spread > 1e-12 else 0.0


def _half_width(data: _Data, weight: float, widened: Clustered, further: Numbers, level: float) -> float:
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


def _check_aligned(judge: ArrayLike, labels: ArrayLike, *names: str) -> tuple[Numbers, Numbers]:
    grades = fractions(judge, names[0])
    given = np.asarray(labels, dtype=np.float64)
    if given.shape != grades.shape:
        raise ValueError(f"`{names[0]}` and `{names[1]}` must be aligned, got shapes {grades.shape} and {given.shape}.")
    there = np.isfinite(given)
    if np.isinf(given).any() or (there.any() and (np.min(given[there]) < 0 or np.max(given[there]) > 1)):
        raise ValueError(f"`{names[1]}` must lie in [0, 1], or be NaN if a response has no label.")
    return grades, given


def _select_codes(codes: Codes | None, there: NDArray[np.bool_]) -> Codes | None:
    return None if codes is None else np.unique(codes[there], return_inverse=True)[1]


def _nothing(bounds: tuple[float, float]) -> Estimate:
    return Estimate(nan, *bounds, 0, "undefined: no labels")
