"""Mean of several ratios of accuracies, such as over benchmarks or models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.clustered import count_nonzero_clusters, gather, independent_variance
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers, check_count, group_codes, open_fraction, paired_fractions
from snellen.stats.resampling import drawn_totals

Pair = tuple[ArrayLike, ArrayLike]
Labels = Sequence[Any] | NDArray[Any]
"""Cluster labels: one per item, or for each pair an array of labels (or None for independent items)."""


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
        """Ratio of each column."""
        return _ratios(np.hstack((self.above.sum(axis=0), self.below.sum(axis=0))))

    @cached_property
    def units(self) -> Numbers:
        """Sums of each cluster in a fixed order, then those of two hypothetical clusters."""
        rows = np.hstack((self.above, self.below))
        groups = np.arange(len(rows)) if self.codes is None else self.codes
        totals = np.column_stack([np.bincount(groups, weights=column) for column in rows.T]).round(12)
        up = np.repeat([self._weight, 0.0], self.above.shape[1])
        return np.vstack((totals[np.lexsort(totals.T)], up, up[::-1]))

    @property
    def _weight(self) -> float:
        """Number of items worth one independent item, from the residuals."""
        residuals = np.mean((self.above - self.ratios * self.below) / self.below.mean(axis=0), axis=1)
        evidence = min(count_nonzero_clusters(part.sum(axis=1), self.codes) for part in (self.above, self.below))
        return gather(residuals, self.codes).design_effect(independent_variance(residuals), evidence)


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
