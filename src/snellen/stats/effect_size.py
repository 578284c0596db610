"""Effect size: paired differences relative to their standard deviation."""

from __future__ import annotations

from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.clustered import count_nonzero_clusters, gather, independent_variance
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, group_codes, numbers, open_fraction

ROUNDING = 1e-9
"""Standard deviations below this share of the largest difference count as rounding errors."""


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
