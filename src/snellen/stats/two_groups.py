"""Difference of means between two groups of different items."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from snellen.stats.estimate import Estimate


def group_difference(first: Estimate, second: Estimate, *, correlation: float = 0.0) -> Estimate:
    """First mean minus second, from both intervals (MOVER: Zou and Donner 2008).

    The bounds follow from those of the two means, so they are valid even if a group has no variance. `correlation` is
    that of the two means, 0 for independent groups.

    >>> first, second = Estimate(0.5, 0.3, 0.7, 20, "wilson"), Estimate(0.4, 0.1, 0.8, 10, "wilson")
    >>> print(group_difference(first, second))
    0.10 [-0.35, 0.46] (n=30, mover)
    """
    value = first.value - second.value
    low = value - _length(first.value - first.low, second.high - second.value, correlation)
    high = value + _length(first.high - first.value, second.value - second.low, correlation)
    return Estimate(value, low, high, first.n + second.n, "mover")


def _length(one: float, other: float, correlation: float) -> float:
    """Third side of a triangle. The correlation is the cosine of the angle."""
    return sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))


def shared_correlation(
    first: Sequence[float] | NDArray[np.float64],
    second: Sequence[float] | NDArray[np.float64],
    first_clusters: Sequence[int] | NDArray[np.int64],
    second_clusters: Sequence[int] | NDArray[np.int64],
) -> float:
    """Correlation of two groups' means because of shared clusters; 0 without any.

    Each cluster counts by the sum of its deviations from the group's mean, as in a clustered standard error.

    >>> round(shared_correlation([1, 0, 1, 0], [0, 1, 0, 1], [1, 2, 3, 4], [1, 2, 3, 4]), 9)
    -1.0
    >>> shared_correlation([1, 0], [0, 1], [1, 2], [3, 4])
    0.0
    """
    names, at = np.unique(np.concatenate([first_clusters, second_clusters]), return_inverse=True)
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not len(one) or not len(two):
        return 0.0
    sums = [
        np.bincount(places, weights=values - values.mean(), minlength=len(names))
        for places, values in ((at[: len(one)], one), (at[len(one) :], two))
    ]
    scale = sqrt(float(sums[0] @ sums[0]) * float(sums[1] @ sums[1]))
    return float(sums[0] @ sums[1]) / scale if scale else 0.0
