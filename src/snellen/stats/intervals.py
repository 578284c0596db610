"""Intervals for one mean or one proportion."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, sqrt

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.clustered import Clustered, gather
from snellen.stats.estimate import Estimate, Sample
from snellen.stats.observations import fractions, group_codes, is_binary, numbers, open_fraction, whole

ZERO_AND_ONE, ONES = np.array([0.0, 1.0]), np.ones(2)


def wilson(successes: float, n: int, level: float = 0.95) -> Estimate:
    """A proportion of independent yes-or-no items with Wilson's score interval.

    >>> print(wilson(5, 10))
    0.50 [0.24, 0.76] (n=10, wilson)
    """
    whole(n, "n")
    if not 0 <= successes <= n:
        raise ValueError(f"`successes` must lie between 0 and n = {n}, got {successes}.")
    low, high = score_bounds(successes / n, n, float(scipy.special.ndtri((1 + open_fraction(level, "level")) / 2)))
    counts = np.array([n - successes, successes])
    sample = Sample(ZERO_AND_ONE, ONES, ONES, (0.0, 1.0), counts, (successes / n, low, high))
    return Estimate(successes / n, low, high, n, "wilson", sample=sample)


def proportion(values: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """The mean of one number in [0, 1] per item: 0 or 1 for a single response, the mean of several responses otherwise.

    Independent zeros and ones get Wilson's interval. All else gets Wilson's interval at the number of independent
    items that would be as informative (at most the number of items; the number of equal clusters where all agree),
    with a Student-t quantile, so that it never has no width. A single cluster says nothing of others: [0, 1].

    >>> print(proportion([1, 1, 0, 0], clusters=[7, 7, 8, 8]))
    0.50 [0.00, 1.00] (n=4, cluster-wilson)
    """
    array = fractions(values, "values")
    by_cluster = gather(array, group_codes(clusters, array.size))
    if by_cluster.count == array.size and is_binary(array):
        return wilson(float(array.sum()), array.size, level)
    value = min(max(by_cluster.mean, 0.0), 1.0)
    quantile = by_cluster.quantile(open_fraction(level, "level"))
    low, high = (0.0, 1.0) if not isfinite(quantile) else score_bounds(value, informative_items(by_cluster), quantile)
    sample = by_cluster.sample((0.0, 1.0), (value, low, high))
    return Estimate(value, low, high, array.size, "cluster-wilson", sample=sample)


def mean(values: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """The mean of any numbers with a Student-t interval whose error is robust to clusters.

    It has no width where all values are equal, and no bounds where there is but one cluster.

    >>> print(mean([1.0, 2.0, 3.0]))
    2.00 [-0.48, 4.48] (n=3, student-t)
    """
    array = numbers(values, "values")
    by_cluster = gather(array, group_codes(clusters, array.size))
    method = "student-t" if by_cluster.count == array.size else "cluster-t"
    return _student_t(by_cluster, open_fraction(level, "level"), array.size, method)


def mean_score(
    values: ArrayLike, clusters: ArrayLike | None = None, bounds: tuple[float, float] = (0.0, 1.0), level: float = 0.95
) -> Estimate:
    """The mean of scores that lie within bounds, as `mean` gives it, with an interval cut at the bounds.

    A score from 0 to 1 varies less than what is right or wrong, so that the interval of `proportion` would be too wide;
    it is taken where all scores are equal, since that of `mean` has no width then.

    >>> print(mean_score([0.8, 0.9, 1.0]), "|", mean_score([1.0, 1.0, 1.0]))
    0.90 [0.65, 1.00] (n=3, student-t) | 1.00 [0.44, 1.00] (n=3, wilson)
    """
    array = numbers(values, "values")
    if bounds == (0.0, 1.0) and np.ptp(array) == 0:
        return proportion(array, clusters, level)
    found = mean(array, clusters, level)
    return replace(found, low=max(bounds[0], found.low), high=min(bounds[1], found.high))


def student_t_over_items(item_means: ArrayLike, level: float = 0.95) -> Estimate:
    """The mean of the items' own accuracies over repeated runs, with a Student-t interval over items.

    As it is published: items − 1 degrees of freedom, not clipped to [0, 1], no width where all items agree.

    >>> print(student_t_over_items([0.2, 0.4, 0.6]))
    0.40 [-0.10, 0.90] (n=3, student-t-over-items)
    """
    array = fractions(item_means, "item_means")
    by_item = gather(array, None)
    found = _student_t(by_item, open_fraction(level, "level"), array.size, "student-t-over-items")
    return replace(found, sample=by_item.sample((0.0, 1.0), (found.value, found.low, found.high)))


def _student_t(by_cluster: Clustered, level: float, n: int, method: str) -> Estimate:
    half = by_cluster.margin(level)
    return Estimate(by_cluster.mean, by_cluster.mean - half, by_cluster.mean + half, n, method)


def informative_items(by_cluster: Clustered) -> float:
    """The number of independent yes-or-no items that would tell as much."""
    value, items = by_cluster.mean, by_cluster.items
    rarer = min(np.count_nonzero(by_cluster.sums > 0), np.count_nonzero(by_cluster.sums < by_cluster.sizes))
    return items / by_cluster.design_effect(value * (1 - value) / items, int(rarer))


def score_bounds(value: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's bounds; 0 and 1 are exact where they should be."""
    square = quantile**2
    centre = (value + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * sqrt(value * (1 - value) / n + square / (4 * n * n))
    low = 0.0 if value == 0 else min(max(centre - half, 0.0), value)
    high = 1.0 if value == 1 else max(min(centre + half, 1.0), value)
    return low, high
