"""The ratio of two accuracies on the same items: what is left without the image, say, over what there was with it."""

from __future__ import annotations

from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.clustered import Clustered, gather, independent_variance, touched
from snellen.stats.estimate import Estimate, Sample
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


def ratio_above_chance(
    numerator: ArrayLike,
    denominator: ArrayLike,
    chance: ArrayLike,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """What is above chance in one array over what is above chance in another: mean(a − c) / mean(b − c), by Fieller.

    `chance` is what a blind guess scores on each item. The ratio is negative where the numerator lies below chance.
    Two clusters nobody saw are added as in `ratio_of_accuracies`. Where the data cannot tell the denominator from
    chance, one end or both are infinite; where it is not above chance, the value is nan in [−inf, inf].

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
    weight = _weight(above - luck - value * (below - luck), codes, min(touched(above, codes), touched(below, codes)))
    guess = float(np.sort(luck).mean())
    right, wrong = weight * (1 - guess), -weight * guess
    low, high = _fieller_of_either_sign(
        tops.joined((right, wrong), (weight, weight)), bottoms.joined((wrong, right), (weight, weight)), level
    )
    low, high = min(low, value), max(high, value)
    sample = Sample(tops.sums, bottoms.sums, tops.sizes, interval=(value, low, high))
    return Estimate(value, low, high, above.size, method, sample=sample)


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
    return fieller_ends(*_quadratic(tops, bottoms, level))


def fieller_ends(a: float, b: float, c: float) -> tuple[float, float]:
    """The least and the largest r ≥ 0 for which a r² − 2 b r + c ≤ 0; infinite where nothing bounds it."""
    inside = b * b - a * c
    if a > 0:
        root = sqrt(max(inside, 0.0))
        return max(0.0, (b - root) / a), (b + root) / a
    if inside <= 0 or c <= 0:
        return 0.0, inf
    # The rejected ratios lie between the roots, of which one is negative: only small ratios are ruled out.
    return (b - sqrt(inside)) / a if a < 0 else c / (2 * b), inf


def _quadratic(tops: Clustered, bottoms: Clustered, level: float) -> tuple[float, float, float]:
    """a, b and c, where a r² − 2 b r + c ≤ 0 holds for the ratios that are not rejected."""
    scale = tops.count / (tops.count - 1) * (tops.quantile(level) / tops.items) ** 2
    a = bottoms.mean**2 - scale * float(np.sum(bottoms.deviations**2))
    b = tops.mean * bottoms.mean - scale * float(tops.deviations @ bottoms.deviations)
    c = tops.mean**2 - scale * float(np.sum(tops.deviations**2))
    return a, b, c


def _fieller_of_either_sign(tops: Clustered, bottoms: Clustered, level: float) -> tuple[float, float]:
    """The least and the largest ratio, of either sign, where the denominator is taken to be above 0 in truth."""
    a, b, c = _quadratic(tops, bottoms, level)
    root = sqrt(max(b * b - a * c, 0.0))
    if a > 0:
        return (b - root) / a, (b + root) / a
    if a == 0 or c <= 0:
        return -inf, inf
    # 0 is rejected, so the numerator has a sign, and the ratio the same: of the two rays left one is possible.
    return ((b - root) / a, inf) if tops.mean > 0 else (-inf, (b + root) / a)
