"""Intervals for one mean, one proportion or one median."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, sqrt

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.clustered import Clustered, gather
from snellen.stats.estimate import Estimate, Sample
from snellen.stats.observations import check_count, fractions, group_codes, is_binary, numbers, open_fraction

ZERO_AND_ONE, ONES = np.array([0.0, 1.0]), np.ones(2)


def wilson(successes: float, n: int, level: float = 0.95) -> Estimate:
    """Proportion of independent yes-or-no items, with Wilson's score interval.

    >>> print(wilson(5, 10))
    0.50 [0.24, 0.76] (n=10, wilson)
    """
    check_count(n, "n")
    if not 0 <= successes <= n:
        raise ValueError(f"`successes` must lie between 0 and n = {n}, got {successes}.")
    low, high = score_bounds(successes / n, n, float(scipy.special.ndtri((1 + open_fraction(level, "level")) / 2)))
    counts = np.array([n - successes, successes])
    sample = Sample(ZERO_AND_ONE, ONES, ONES, (0.0, 1.0), counts, (successes / n, low, high))
    return Estimate(successes / n, low, high, n, "wilson", sample=sample)


def proportion(values: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """Mean of numbers in [0, 1], with an interval that always has a width.

    Independent zeros and ones get Wilson's interval. Other data get Wilson's interval for the number of independent
    items with the same information, with a Student-t quantile. That number is at most the number of items; if all agree
    it is the number of equal clusters. The interval of a single cluster is [0, 1].

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
    """Mean of any numbers, with a Student-t interval that is robust to clusters.

    The interval has no width if all values are equal, and no bounds if there is only one cluster.

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
    """Mean of bounded scores, with the interval cut at the bounds.

    Scores from 0 to 1 vary less than zeros and ones, so the interval of `proportion` would be too wide. It is used only
    if all scores are equal, since the interval of `mean` has no width then.

    >>> print(mean_score([0.8, 0.9, 1.0]), "|", mean_score([1.0, 1.0, 1.0]))
    0.90 [0.65, 1.00] (n=3, student-t) | 1.00 [0.44, 1.00] (n=3, wilson)
    """
    array = numbers(values, "values")
    if bounds == (0.0, 1.0) and np.ptp(array) == 0:
        return proportion(array, clusters, level)
    found = mean(array, clusters, level)
    return replace(found, low=max(bounds[0], found.low), high=min(bounds[1], found.high))


def student_t_over_items(item_means: ArrayLike, level: float = 0.95) -> Estimate:
    """Mean accuracy over repeats, with a Student-t interval over items, as in publications.

    It has items − 1 degrees of freedom, is not clipped to [0, 1], and has no width if all items agree.

    >>> print(student_t_over_items([0.2, 0.4, 0.6]))
    0.40 [-0.10, 0.90] (n=3, student-t-over-items)
    """
    array = fractions(item_means, "item_means")
    by_item = gather(array, None)
    found = _student_t(by_item, open_fraction(level, "level"), array.size, "student-t-over-items")
    return replace(found, sample=by_item.sample((0.0, 1.0), (found.value, found.low, found.high)))


def median(values: ArrayLike, level: float = 0.95) -> Estimate:
    """Median of independent values, with an interval between two of the sorted values.

    Each value is below the true median with probability ½, so the number below it is binomial. With fewer than six
    values no 95% interval exists, and the bounds are infinite.

    >>> print(median([7, 1, 2, 3, 4, 5, 6]))
    4.00 [1.00, 7.00] (n=7, order-statistics)
    """
    ordered = np.sort(numbers(values, "values"))
    n = len(ordered)
    place = int(np.searchsorted(scipy.special.bdtr(np.arange(n), n, 0.5), (1 - open_fraction(level, "level")) / 2))
    low, high = (ordered[place - 1], ordered[n - place]) if place else (-np.inf, np.inf)
    return Estimate(float(np.median(ordered)), float(low), float(high), n, "order-statistics")


def _student_t(by_cluster: Clustered, level: float, n: int, method: str) -> Estimate:
    half = by_cluster.margin(level)
    return Estimate(by_cluster.mean, by_cluster.mean - half, by_cluster.mean + half, n, method)


def informative_items(by_cluster: Clustered) -> float:
    """Number of independent yes-or-no items with the same information."""
    value, items = by_cluster.mean, by_cluster.items
    rarer = min(np.count_nonzero(by_cluster.sums > 0), np.count_nonzero(by_cluster.sums < by_cluster.sizes))
    return items / by_cluster.design_effect(value * (1 - value) / items, int(rarer))


def score_bounds(value: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's bounds. Exactly 0 for a value of 0, and 1 for a value of 1."""
    square = quantile**2
    centre = (value + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * sqrt(value * (1 - value) / n + square / (4 * n * n))
    low = 0.0 if value == 0 else min(max(centre - half, 0.0), value)
    high = 1.0 if value == 1 else max(min(centre + half, 1.0), value)
    return low, high
