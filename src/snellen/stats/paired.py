"""Paired comparisons: the same items asked under two conditions."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.clustered import count_nonzero_clusters, gather, independent_variance, worth_one_item
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, group_codes, is_binary, numbers, open_fraction, paired_fractions
from snellen.stats.permutation import mcnemar_exact, permutation_test

ROUNDING = 1e-9
"""Standard deviations below this share of the largest difference count as rounding errors."""


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> Estimate:
    """Mean of `b` − `a` over items, with the interval of `bonett_price` and a p.

    p is McNemar's exact one for independent zeros and ones, otherwise that of `permutation_test`.

    >>> same = [1, 1, 0, 1, 0, 1, 1, 1, 0, 1]
    >>> print(paired_difference(same, same))
    0.00 [-0.27, 0.27] (n=10, bonett-price)
    """
    left, right = paired_fractions(a, b, ("a", "b"))
    estimate = bonett_price(right - left, clusters, level)
    if estimate.method == "bonett-price" and is_binary(left) and is_binary(right):
        return replace(estimate, p=mcnemar_exact(left, right))
    found = permutation_test(right - left, clusters, resamples=resamples, seed=seed)
    return replace(estimate, p=found.p, least_p=found.least)


def bonett_price(differences: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """Mean of differences in [−1, 1], with an interval that always has a width.

    Two hypothetical clusters, with the differences 1 and −1, are added for a cluster-robust Student-t interval (Bonett
    and Price's idea for single items). Each weighs as much as one independent item, by the design effect. The value is
    the plain mean.

    >>> print(bonett_price([0, 0, 0, 0, 1, 1, 1, -1]))
    0.25 [-0.36, 0.76] (n=8, bonett-price)
    """
    array = numbers(differences, "differences")
    if np.abs(array).max() > 1:
        raise ValueError(f"`differences` must lie in [−1, 1], got {array[np.abs(array).argmax()]}.")
    codes = group_codes(clusters, array.size)
    by_cluster, weight = gather(array, codes), worth_one_item(array, codes)
    bounds, value = (-1.0, 1.0), by_cluster.mean
    low, high = by_cluster.ends_with((weight, -weight), weight, bounds, open_fraction(level, "level"))
    method = "bonett-price" if by_cluster.count == array.size else "cluster-bonett-price"
    return Estimate(value, low, high, array.size, method, sample=by_cluster.sample(bounds, (value, low, high)))


def cohens_d(differences: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """Cohen's d of paired differences, with a delta-method interval.

    The interval allows for skewed differences, such as those of right and wrong answers. d is nan, without bounds, if
    all differences are equal up to rounding or there is only one item. With a single cluster d has no bounds.

    >>> print(cohens_d([0.0, 1.0, 2.0]))
    1.00 [-2.04, 4.04] (n=3, delta-method)
    """
    array = numbers(differences, "differences")
    codes = group_codes(clusters, array.size)
    by_cluster = gather(array, codes)
    variance = independent_variance(array) * array.size
    deviation, largest = sqrt(variance), float(np.abs(array).max())
    value = by_cluster.mean / deviation if array.size > 1 and deviation > ROUNDING * largest else nan
    quantile = by_cluster.quantile(open_fraction(level, "level"))
    half = inf
    if np.isfinite(value) and np.isfinite(quantile):
        effect = by_cluster.design_effect(variance / array.size, count_nonzero_clusters(array, codes))
        half = quantile * sqrt(_spread(array, value) * effect / array.size)
    low, high = (value - half, value + half) if half < inf else (-inf, inf)
    return Estimate(
        value, low, high, array.size, "delta-method" if by_cluster.count == array.size else "cluster-delta-method"
    )


def _spread(array: Numbers, value: float) -> float:
    """Variance of d times n: 1 − d·skewness + d²·(kurtosis − 1)/4."""
    normal = 1 + value**2 / 2
    # In sorted order, so that the rounding does not depend on the order of the items.
    centred = np.sort(array) - np.mean(np.sort(array))
    standard = centred / np.sqrt(np.mean(centred**2))
    return max(normal, float(1 - value * np.mean(standard**3) + value**2 * (np.mean(standard**4) - 1) / 4))
