"""Clustered observations: means whose errors allow for items that belong together, such as those of one patient."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, sqrt

import numpy as np
import scipy

from snellen.stats.estimate import Sample
from snellen.stats.observations import Codes, Numbers

PRIOR_CLUSTERS = 8
"""How many clusters of evidence the assumption "all items of a cluster agree" is worth, until the data say otherwise.

Chosen by simulation: with none, intervals for rare events cover the truth as seldom as half the time.
"""


@dataclass(frozen=True)
class Clustered:
    """The sum and the size of every cluster: all that a mean and its cluster-robust error need."""

    sums: Numbers
    sizes: Numbers

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return self.sums.size

    @cached_property
    def items(self) -> float:
        """How many items the clusters hold."""
        return float(self.sizes.sum())

    @cached_property
    def mean(self) -> float:
        """The mean over items."""
        return float(self.sums.sum()) / self.items

    @cached_property
    def deviations(self) -> Numbers:
        """By how much each cluster's sum differs from what its size and the mean would give."""
        return self.sums - self.mean * self.sizes

    @cached_property
    def variance(self) -> float:
        """The squared standard error of the mean: G/(G−1) · Σ deviation² / items², infinite for a single cluster."""
        if self.count < 2:
            return inf
        return self.count / (self.count - 1) * float(np.sum(self.deviations**2)) / self.items**2

    @cached_property
    def worst_design_effect(self) -> float:
        """How many items are worth one independent item if those of a cluster always agree."""
        return float(np.sum(self.sizes**2)) / self.items

    def quantile(self, level: float) -> float:
        """The two-sided Student-t quantile; a few large clusters count for fewer degrees of freedom than many equal."""
        freedom = self.items / self.worst_design_effect - 1
        # Below this the quantile is astronomical: the data are one cluster for all purposes.
        return float(scipy.special.stdtrit(freedom, (1 + level) / 2)) if freedom > 0.05 else inf

    def margin(self, level: float) -> float:
        """Half the width of the mean's Student-t interval."""
        quantile = self.quantile(level)
        return quantile * sqrt(self.variance) if isfinite(quantile) else inf

    def design_effect(self, independent: float, evidence: int) -> float:
        """How many items are worth one independent item, given the variance the mean had were they all independent.

        A geometric mean of what is measured and of the worst case, which weighs as much as eight clusters of evidence.
        """
        worst = self.worst_design_effect
        measured = self.variance / independent if independent > 1e-15 else worst
        bounded = min(max(measured, 1.0), worst)
        logs = evidence * np.log(bounded) + PRIOR_CLUSTERS * np.log(worst)
        return float(np.exp(logs / (evidence + PRIOR_CLUSTERS)))

    def sample(self, bounds: tuple[float, float], interval: tuple[float, float, float]) -> Sample:
        """The clusters as what stands behind an estimate of their mean, whose items lie within bounds."""
        return Sample(self.sums, self.sizes, self.sizes, bounds, interval=interval)

    def joined(self, sums: tuple[float, ...], sizes: tuple[float, ...]) -> Clustered:
        """The same with a few more clusters."""
        return Clustered(np.append(self.sums, sums), np.append(self.sizes, sizes))


def gather(values: Numbers, codes: Codes | None) -> Clustered:
    """The values by cluster, or each by itself; in the order of their size, so that no result depends on the items'."""
    if codes is None:
        return Clustered(np.sort(values), np.ones(values.size))
    order = np.lexsort((values, codes))
    sums = np.bincount(codes[order], weights=values[order]).astype(np.float64)
    sizes = np.bincount(codes).astype(np.float64)
    by_sum = np.lexsort((sizes, sums))
    return Clustered(sums[by_sum], sizes[by_sum])


def touched(values: Numbers, codes: Codes | None) -> int:
    """How many clusters hold a value other than 0."""
    return int(np.count_nonzero(gather(np.abs(values), codes).sums))


def independent_variance(values: Numbers) -> float:
    """The squared standard error that the mean had were all items independent, 0 for a single item."""
    return float(np.var(values, ddof=1)) / values.size if values.size > 1 else 0.0
