"""Effect size: how large paired differences are beside their own spread."""

from __future__ import annotations

from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.clustered import gather, independent_variance, touched
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, group_codes, numbers, open_fraction

ROUNDING = 1e-9
"""A standard deviation that is smaller than this share of the largest difference is one of the arithmetic."""


def cohens_d(differences: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """Cohen's d of paired differences: their mean over their standard deviation, with an interval by the delta method.

    The interval allows for skewed differences, as those of right and wrong answers are. Where all differences are
    alike, also if rounding alone makes them differ, there is no spread to hold their mean against: d is nan, as it is
    for a single item, and has no bounds. Nor has that of a single cluster.

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
        effect = by_cluster.design_effect(variance / array.size, touched(array, codes))
        half = quantile * sqrt(_spread(array, value) * effect / array.size)
    low, high = (value - half, value + half) if half < inf else (-inf, inf)
    return Estimate(
        value, low, high, array.size, "delta-method" if by_cluster.count == array.size else "cluster-delta-method"
    )


def _spread(array: Numbers, value: float) -> float:
    """The variance of d over n items times n, 1 − d·skewness + d²·(kurtosis − 1)/4, at least that of the normal law."""
    normal = 1 + value**2 / 2
    # In sorted order, so that the rounding does not depend on the order of the items.
    centred = np.sort(array) - np.mean(np.sort(array))
    standard = centred / np.sqrt(np.mean(centred**2))
    return max(normal, float(1 - value * np.mean(standard**3) + value**2 * (np.mean(standard**4) - 1) / 4))
