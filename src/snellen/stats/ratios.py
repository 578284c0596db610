"""Ratio of two accuracies on the same items, such as without and with image."""

from __future__ import annotations

from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.clustered import Clustered, count_nonzero_clusters, gather, independent_variance
from snellen.stats.estimate import Estimate, Sample
from snellen.stats.observations import Codes, Numbers, group_codes, open_fraction, paired_fractions


def ratio_of_accuracies(
    numerator: ArrayLike, denominator: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Ratio of two means, aligned by item, with Fieller's interval.

    Two hypothetical clusters are added: one correct only in the numerator, one only in the denominator. So the interval
    has a width even if the numerator is 0 or all items are alike. `high` is infinite if the data cannot bound the
    ratio. If the denominator is 0, the value is nan and the interval [0, inf].

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
    weight = _weight(
        above - value * below, codes, min(count_nonzero_clusters(above, codes), count_nonzero_clusters(below, codes))
    )
    low, high = _fieller(
        tops.with_clusters((weight, 0.0), (weight, weight)),
        bottoms.with_clusters((0.0, weight), (weight, weight)),
        level,
    )
    return Estimate(value, min(low, value), max(high, value), above.size, method)


def ratio_above_chance(
    numerator: ArrayLike,
    denominator: ArrayLike,
    chance: ArrayLike,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Ratio of two means above chance: mean(a − c) / mean(b − c), with Fieller's interval.

    `chance` is the expected score of a random guess on each item. The ratio is negative if the numerator is below
    chance. Two hypothetical clusters are added as in `ratio_of_accuracies`. If the interval of the denominator includes
    chance, one or both bounds are infinite. If the denominator is not above chance, the value is nan in [−inf, inf].

    >>> print(ratio_above_chance([1, 1, 1, 0, 0] * 20, [1, 1, 1, 1, 0] * 20, [0.25] * 100))
    0.64 [0.49, 0.79] (n=100, fieller-above-chance)
    """
    above, below = paired_fractions(numerator, denominator, ("numerator", "denominator"))
    luck, _ = paired_fractions(chance, below, ("chance", "denominator"))
    codes = group_codes(clusters, above.size)
    open_fraction(level, "level")
    tops, bottoms = _gather_both(above - luck, below - luck, codes)
    method = f"{'' if tops.count == above.size else 'cluster-'}fieller-above-chance"
    if bottoms.mean < 1e-12:
        sample = Sample(tops.sums, bottoms.sums, tops.sizes, interval=(nan, -inf, inf))
        return Estimate(nan, -inf, inf, above.size, method, sample=sample)
    value = tops.mean / bottoms.mean
    weight = _weight(
        above - luck - value * (below - luck),
        codes,
        min(count_nonzero_clusters(above, codes), count_nonzero_clusters(below, codes)),
    )
    guess = float(np.sort(luck).mean())
    right, wrong = weight * (1 - guess), -weight * guess
    low, high = _fieller_of_either_sign(
        tops.with_clusters((right, wrong), (weight, weight)),
        bottoms.with_clusters((wrong, right), (weight, weight)),
        level,
    )
    low, high = min(low, value), max(high, value)
    sample = Sample(tops.sums, bottoms.sums, tops.sizes, interval=(value, low, high))
    return Estimate(value, low, high, above.size, method, sample=sample)


def _gather_both(above: Numbers, below: Numbers, codes: Codes | None) -> tuple[Clustered, Clustered]:
    """Sum both arrays by cluster, in an order independent of the items."""
    groups = np.arange(above.size) if codes is None else codes
    order = np.lexsort((below, above, groups))
    tops = np.bincount(groups[order], weights=above[order]).astype(np.float64)
    bottoms = np.bincount(groups[order], weights=below[order]).astype(np.float64)
    sizes = np.bincount(groups).astype(np.float64)
    common = np.lexsort((sizes, bottoms, tops))
    return Clustered(tops[common], sizes[common]), Clustered(bottoms[common], sizes[common])


def _weight(residuals: Numbers, codes: Codes | None, evidence: int) -> float:
    """Number of items worth one independent item, from the ratio's residuals."""
    return gather(residuals, codes).design_effect(independent_variance(residuals), evidence)


def _fieller(tops: Clustered, bottoms: Clustered, level: float) -> tuple[float, float]:
    """Limits of the ratio r ≥ 0: mean(numerator − r · denominator) may be 0."""
    return fieller_ends(*_quadratic(tops, bottoms, level))


def fieller_ends(a: float, b: float, c: float) -> tuple[float, float]:
    """Solve a r² − 2 b r + c ≤ 0 for r ≥ 0. Return both limits, infinite if unbounded."""
    inside = b * b - a * c
    if a > 0:
        root = sqrt(max(inside, 0.0))
        return max(0.0, (b - root) / a), (b + root) / a
    if inside <= 0 or c <= 0:
        return 0.0, inf
    # The rejected ratios lie between the roots, and one root is negative: only small ratios are excluded.
    return (b - sqrt(inside)) / a if a < 0 else c / (2 * b), inf


def _quadratic(tops: Clustered, bottoms: Clustered, level: float) -> tuple[float, float, float]:
    """Coefficients a, b and c of `fieller_ends` for the ratios that are not rejected."""
    scale = tops.count / (tops.count - 1) * (tops.quantile(level) / tops.items) ** 2
    a = bottoms.mean**2 - scale * float(np.sum(bottoms.deviations**2))
    b = tops.mean * bottoms.mean - scale * float(tops.deviations @ bottoms.deviations)
    c = tops.mean**2 - scale * float(np.sum(tops.deviations**2))
    return a, b, c


def _fieller_of_either_sign(tops: Clustered, bottoms: Clustered, level: float) -> tuple[float, float]:
    """Limits of a ratio that may be negative, for a positive denominator."""
    a, b, c = _quadratic(tops, bottoms, level)
    root = sqrt(max(b * b - a * c, 0.0))
    if a > 0:
        return (b - root) / a, (b + root) / a
    if a == 0 or c <= 0:
        return -inf, inf
    # 0 is rejected, so the ratio has the numerator's sign, and only one of the two remaining rays is possible.
    return ((b - root) / a, inf) if tops.mean > 0 else (-inf, (b + root) / a)
