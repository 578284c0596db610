"""Means of clustered observations, such as several items per patient."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, sqrt

import numpy as np
import scipy

from snellen.stats.estimate import Sample
from snellen.stats.observations import Codes, Numbers

PRIOR_CLUSTERS = 8
"""Weight of the prior assumption that all items of a cluster agree, in clusters of evidence.

Chosen by simulation: without it, intervals for rare events contain the truth in as few as half of the cases.
"""


@dataclass(frozen=True)
class Clustered:
    """Sum and size of each cluster, for a mean and its cluster-robust standard error."""

    sums: Numbers
    sizes: Numbers

    @property
    def count(self) -> int:
        """Number of clusters."""
        return self.sums.size

    @cached_property
    def items(self) -> float:
        """Number of items in all clusters."""
        return float(self.sizes.sum())

    @cached_property
    def mean(self) -> float:
        """Mean over items."""
        return float(self.sums.sum()) / self.items

    @cached_property
    def deviations(self) -> Numbers:
        """Each cluster's sum minus its size times the mean."""
        return self.sums - self.mean * self.sizes

    @cached_property
    def variance(self) -> float:
        """Squared standard error of the mean: G/(G−1) · Σ deviation² / items²; infinite for one cluster."""
        if self.count < 2:
            return inf
        return self.count / (self.count - 1) * float(np.sum(self.deviations**2)) / self.items**2

    @cached_property
    def worst_design_effect(self) -> float:
        """Number of items worth one independent item if all items of a cluster agree."""
        return float(np.sum(self.sizes**2)) / self.items

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the clusters; unequal sizes reduce them."""
        return self.items / self.worst_design_effect - 1

    def quantile(self, level: float) -> float:
        """Two-sided Student-t quantile."""
        # Below this the quantile is huge: the data are practically one cluster.
        return float(scipy.special.stdtrit(self.freedom, (1 + level) / 2)) if self.freedom > 0.05 else inf

    def margin(self, level: float) -> float:
        """Half the width of the mean's Student-t interval."""
        quantile = self.quantile(level)
        return quantile * sqrt(self.variance) if isfinite(quantile) else inf

    def design_effect(self, independent: float, evidence: int) -> float:
        """Number of items that are worth one independent item.

        A weighted geometric mean of the measured number (weight `evidence`) and the worst case (weight
        `PRIOR_CLUSTERS`).
        """
        worst = self.worst_design_effect
        measured = self.variance / independent if independent > 1e-15 else worst
        bounded = min(max(measured, 1.0), worst)
        logs = evidence * np.log(bounded) + PRIOR_CLUSTERS * np.log(worst)
        return float(np.exp(logs / (evidence + PRIOR_CLUSTERS)))

    def sample(self, bounds: tuple[float, float], interval: tuple[float, float, float]) -> Sample:
        """Return the clusters as the `Sample` behind the estimate of a bounded mean."""
        return Sample(self.sums, self.sizes, self.sizes, bounds, interval=interval)

    def ends_with(
        self, sums: tuple[float, ...], weight: float, bounds: tuple[float, float], level: float
    ) -> tuple[float, float]:
        """Ends of the mean's interval, computed with two further clusters of this weight."""
        widened = self.with_clusters(sums, (weight, weight))
        half = widened.margin(level)
        return max(bounds[0], min(widened.mean - half, self.mean)), min(bounds[1], max(widened.mean + half, self.mean))

    def with_clusters(self, sums: tuple[float, ...], sizes: tuple[float, ...]) -> Clustered:
        """Return a copy with further clusters."""
        return Clustered(np.append(self.sums, sums), np.append(self.sizes, sizes))


def gather(values: Numbers, codes: Codes | None) -> Clustered:
    """Sum values by cluster; without clusters, each value is a cluster of one.

    Sorting makes rounding independent of the order of the items.
    """
    if codes is None:
        return Clustered(np.sort(values), np.ones(values.size))
    order = np.lexsort((values, codes))
    sums = np.bincount(codes[order], weights=values[order]).astype(np.float64)
    sizes = np.bincount(codes).astype(np.float64)
    by_sum = np.lexsort((sizes, sums))
    return Clustered(sums[by_sum], sizes[by_sum])


def count_nonzero_clusters(values: Numbers, codes: Codes | None) -> int:
    """Count the clusters that have a value other than 0."""
    return int(np.count_nonzero(gather(np.abs(values), codes).sums))


def independent_variance(values: Numbers) -> float:
    """Squared standard error of the mean for independent items; 0 for one."""
    return float(np.var(values, ddof=1)) / values.size if values.size > 1 else 0.0


def worth_one_item(values: Numbers, codes: Codes | None, evidence: int | None = None) -> float:
    """Number of items worth one independent item. By default every cluster with a value other than 0 is evidence."""
    count = count_nonzero_clusters(values, codes) if evidence is None else evidence
    return gather(values, codes).design_effect(independent_variance(values), count)
