"""The ratio of two accuracies on the same items: what is left without the image, say, over what there was with it."""

from __future__ import annotations

from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.clustered import Clustered, gather, independent_variance, touched
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers, group_codes, open_fraction, paired_fractions


def ratio_of_accuracies(
    numerator: ArrayLike, denominator: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """The mean of one array over the mean of another, aligned by item, with Fieller's interval.

    Two clusters nobody saw, one right only above and one right only below the line, are added before the interval is
    taken, so that it has a width even where nothing is right above or all is alike. Where the data cannot bound the
    ratio, `high` is infinite; with nothing right below the line the value is nan and the interval [0, inf].

    >>> print(ratio_of_accuracies([1, 1, 0, 0, 1, 0, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]))
    0.50 [0.12, 1.14] (n=10, fieller)
    """
    above, below = paired_fractions(numerator, denominator, ("numerator", "denominator"))
    codes = group_codes(clusters, above.size)
    open_fraction(level, "level")
    tops, bottoms = _gather_both(above, below, codes)
    method = "fieller" if tops.count == above.size else "cluster-fieller"
    if bottoms.mean == 0:
        return Estimate(nan, 0.0, inf, above.size, method)
    value = tops.mean / bottoms.mean
    weight = _weight(above - value * below, codes, min(touched(above, codes), touched(below, codes)))
    low, high = _fieller(
        tops.joined((weight, 0.0), (weight, weight)), bottoms.joined((0.0, weight), (weight, weight)), level
    )
    return Estimate(value, min(low, value), max(high, value), above.size, method)


def _gather_both(above: Numbers, below: Numbers, codes: Codes | None) -> tuple[Clustered, Clustered]:
    """Both arrays by cluster, the clusters in one common order that does not depend on the items'."""
    groups = np.arange(above.size) if codes is None else codes
    order = np.lexsort((below, above, groups))
    tops = np.bincount(groups[order], weights=above[order]).astype(np.float64)
    bottoms = np.bincount(groups[order], weights=below[order]).astype(np.float64)
    sizes = np.bincount(groups).astype(np.float64)
    common = np.lexsort((sizes, bottoms, tops))
    return Clustered(tops[common], sizes[common]), Clustered(bottoms[common], sizes[common])


def _weight(residuals: Numbers, codes: Codes | None, evidence: int) -> float:
    """How many items an independent one is worth, as the residuals of the ratio show it."""
    return gather(residuals, codes).design_effect(independent_variance(residuals), evidence)


def _fieller(tops: Clustered, bottoms: Clustered, level: float) -> tuple[float, float]:
    """The least and the largest ratio r ≥ 0 for which the mean of numerator − r · denominator may be 0."""
    scale = tops.count / (tops.count - 1) * (tops.quantile(level) / tops.items) ** 2
    # a r² − 2 b r + c ≤ 0 holds for the ratios that are not rejected.
    a = bottoms.mean**2 - scale * float(np.sum(bottoms.deviations**2))
    b = tops.mean * bottoms.mean - scale * float(tops.deviations @ bottoms.deviations)
    c = tops.mean**2 - scale * float(np.sum(tops.deviations**2))
    inside = b * b - a * c
    if a > 0:
        root = sqrt(max(inside, 0.0))
        return max(0.0, (b - root) / a), (b + root) / a
    if inside <= 0 or c <= 0:
        return 0.0, inf
    # The rejected ratios lie between the roots, of which one is negative: only small ratios are ruled out.
    return (b - sqrt(inside)) / a if a < 0 else c / (2 * b), inf
