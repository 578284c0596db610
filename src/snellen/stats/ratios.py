"""Ratios of two accuracies on the same items, such as without and with image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.clustered import Clustered, count_nonzero_clusters, worth_one_item
from snellen.stats.estimate import Estimate, Sample
from snellen.stats.observations import Codes, Numbers, check_count, group_codes, open_fraction, paired_fractions
from snellen.stats.resampling import drawn_totals

Pair = tuple[ArrayLike, ArrayLike]
Labels = Sequence[Any] | NDArray[Any]
"""Cluster labels: one per item, or for each pair an array of labels (or None for independent items)."""


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
    weight = worth_one_item(
        above - value * below, codes, min(count_nonzero_clusters(above, codes), count_nonzero_clusters(below, codes))
    )
    sizes = (weight, weight)
    more = tops.with_clusters((weight, 0.0), sizes), bottoms.with_clusters((0.0, weight), sizes)
    low, high = fieller_ends(*_quadratic(*more, level))
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
    weight = worth_one_item(
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


def mean_of_ratios(
    pairs: Sequence[Pair],
    clusters: Labels | None = None,
    *,
    shared_items: bool = False,
    seed: int = 0,
    resamples: int = 4000,
    level: float = 0.95,
) -> Estimate:
    """Unweighted mean of ratios of means, with a bootstrap interval.

    A pair is (numerator, denominator), aligned by item. Each pair's items are resampled separately, and `clusters` is
    one array of labels per pair. With `shared_items`, such as several models on one benchmark, they are resampled
    together, and `clusters` is one array. Two hypothetical clusters are added: one correct only in numerators, one only
    in denominators. If the median of the resamples lies above the value, the lower bound is moved down by the
    difference. If a denominator is 0, the mean is nan in [0, inf].

    >>> print(mean_of_ratios([([1, 0] * 20, [1, 1] * 20), ([1, 1, 1, 0] * 10, [1, 1, 1, 1] * 10)]))
    0.62 [0.52, 0.74] (n=80, unseen-bootstrap)
    """
    check_count(resamples, "resamples")
    tails = (1 - open_fraction(level, "level")) / 2, 0.5, (1 + level) / 2
    sheets = _sheets(pairs, clusters, shared_items)
    n = sum(len(sheet.above) for sheet in sheets)
    method = "unseen-bootstrap" if all(sheet.apart for sheet in sheets) else "cluster-unseen-bootstrap"
    if any((sheet.below.sum(axis=0) == 0).any() for sheet in sheets):
        return Estimate(nan, 0.0, inf, n, method)
    rng = np.random.default_rng(seed)
    value = float(np.mean(np.concatenate([sheet.ratios for sheet in sheets])))
    drawn = np.hstack([_ratios(drawn_totals(sheet.units, rng, resamples)) for sheet in sheets]).mean(axis=1)
    low, middle, high = np.quantile(drawn, tails, method="inverted_cdf").tolist()
    return Estimate(value, max(0.0, min(low, low - (middle - value), value)), max(high, value), n, method)


@dataclass(frozen=True)
class _Sheet:
    """Items that are resampled together: numerators and denominators of each ratio."""

    above: Numbers
    below: Numbers
    codes: Codes | None

    @property
    def apart(self) -> bool:
        """True if every item is its own cluster."""
        return self.codes is None or self.codes.max() + 1 == len(self.codes)

    @cached_property
    def ratios(self) -> Numbers:
        return _ratios(np.hstack((self.above.sum(axis=0), self.below.sum(axis=0))))

    @cached_property
    def units(self) -> Numbers:
        """Sums of each cluster in a fixed order, then those of two hypothetical clusters."""
        rows = np.hstack((self.above, self.below))
        groups = np.arange(len(rows)) if self.codes is None else self.codes
        totals = np.column_stack([np.bincount(groups, weights=column) for column in rows.T]).round(12)
        residuals = np.mean((self.above - self.ratios * self.below) / self.below.mean(axis=0), axis=1)
        evidence = min(count_nonzero_clusters(part.sum(axis=1), self.codes) for part in (self.above, self.below))
        up = np.repeat([worth_one_item(residuals, self.codes, evidence), 0.0], self.above.shape[1])
        return np.vstack((totals[np.lexsort(totals.T)], up, up[::-1]))


def _sheets(pairs: Sequence[Pair], clusters: Labels | None, shared: bool) -> list[_Sheet]:
    tables = [paired_fractions(above, below, ("numerator", "denominator")) for above, below in pairs]
    sizes = [len(above) for above, _ in tables]
    if not tables:
        raise ValueError("`pairs` must hold at least one pair, got none.")
    if shared:
        if len(set(sizes)) > 1:
            raise ValueError(f"Pairs with `shared_items` must have equally many items, got {sizes}.")
        above, below = (np.column_stack(columns) for columns in zip(*tables, strict=True))
        return [_Sheet(above, below, group_codes(clusters, sizes[0]))]
    labels = [None] * len(tables) if clusters is None else list(clusters)
    if len(labels) != len(tables):
        raise ValueError(f"`clusters` must be one array for each of the {len(tables)} pairs, got {len(labels)}.")
    return [
        _Sheet(above[:, None], below[:, None], group_codes(names, len(above)))
        for (above, below), names in zip(tables, labels, strict=True)
    ]


def _ratios(sums: Numbers) -> Numbers:
    """Divide numerator sums by denominator sums; infinite if the denominator is 0."""
    above, below = np.split(sums, 2, axis=-1)
    return np.divide(above, below, out=np.full_like(above, inf), where=below > 0)
