"""Variance of a score between repeats, within items and between items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers, fractions, group_codes, numbers, open_fraction
from snellen.stats.resampling import drawn_totals

RESAMPLES = 1000
SEED = 0
Statistic = Callable[[Numbers], Numbers]
NOTHING = 1e-12
"""Variances below this are rounding errors and count as 0."""


class Spread(NamedTuple):
    """Variance of a score, split into three parts.

    `between_runs` is the variance of the repeats' scores. `within_items` is the mean variance of the responses to one
    item. `between_items` is the variance of the items' true scores, without the part that comes from chance within
    items. `expected_between_runs` is `between_runs` if repeats differ only by chance within items.
    """

    between_runs: Estimate
    within_items: Estimate
    between_items: Estimate
    expected_between_runs: float


def spread(
    items: ArrayLike, runs: ArrayLike, values: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Spread | None:
    """Variances of values in [0, 1]; None with fewer than two repeats of two items.

    `clusters` names each response's patient. An item that lacks a repeat is left out of `between_runs`, because it
    would add differences between repeats. Every interval has a width, even if nothing varied in the sample.

    >>> found = spread([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [1, 1, 1, 0, 0, 0])
    >>> round(found.within_items.value, 3), round(found.between_runs.value, 4)
    (0.167, 0.0556)
    """
    open_fraction(level, "level")
    value = fractions(values, "values")
    _, first, at_item = np.unique(numbers(items, "items"), return_index=True, return_inverse=True)
    _, at_run = np.unique(numbers(runs, "runs"), return_inverse=True)
    grid = np.full((len(first), at_run.max() + 1), nan)
    grid[at_item, at_run] = value
    there = ~np.isnan(grid)
    repeated, whole = np.sum(there, axis=1) > 1, grid[there.all(axis=1)]
    if grid.shape[1] < 2 or np.sum(repeated) < 2 or len(whole) < 2:
        return None
    patients = _patients(clusters, at_item, first)[repeated]
    within, between = _over_items(grid[repeated], patients, level)
    expected = _or_nothing(float(np.mean(np.var(whole, axis=1, ddof=1)))) / len(whole)
    return Spread(
        between_runs=_over_runs(whole.mean(axis=0), expected, within.high / len(whole), level),
        within_items=within,
        between_items=between,
        expected_between_runs=expected,
    )


def _patients(clusters: ArrayLike | None, at_item: Codes, first: Codes) -> Codes:
    """Return the cluster of each item; without clusters, each item is a cluster of one."""
    codes = group_codes(clusters, len(at_item))
    if codes is None:
        return np.arange(len(first))
    if np.any(codes != codes[first][at_item]):
        raise ValueError("All responses to an item must lie in one cluster, but some item has responses in several.")
    return codes[first]


def _over_runs(scores: Numbers, expected: float, unseen: float, level: float) -> Estimate:
    """Variance of the repeats' scores, with an interval by the χ² distribution.

    The upper bound is at least that of the expected variance. If nothing varied at all, it is `unseen`, the variance
    that may have been missed.
    """
    freedom, bound = len(scores) - 1, largest(len(scores))
    value = min(_or_nothing(float(np.var(scores, ddof=1))), bound)
    if not value and not expected:
        return Estimate(0.0, 0.0, min(unseen, bound), len(scores), "nothing-varied")
    low = freedom * value / float(scipy.special.chdtri(freedom, (1 - level) / 2))
    high = freedom * max(value, expected) / float(scipy.special.chdtri(freedom, (1 + level) / 2))
    return Estimate(value, low, min(high, bound), len(scores), "chi-square-over-runs")


def _over_items(grid: Numbers, patients: Codes, level: float) -> tuple[Estimate, Estimate]:
    """Variances within and between items, by resampling items or patients."""
    items, replies = len(grid), np.sum(~np.isnan(grid), axis=1)
    variances, scores = np.nanvar(grid, axis=1, ddof=1), np.nanmean(grid, axis=1)
    columns = np.column_stack((np.ones(items), variances, variances / replies, scores, scores**2))
    again = _Again(_units(columns, patients), level)
    mean, bound = again.units.sum(axis=0) / items, largest(int(replies.min()))
    within = again.ends(_estimate_within, least=[1, 0, 0, 0, 0], most=[1, bound, 0, 0, 0])
    far = 0.0 if mean[3] > 0.5 else 1.0
    bessel = items / (items - 1)
    correction = bessel * (1 + 1 / len(again.units))  # resampled variances are too small by this factor
    between = again.ends(
        partial(_estimate_between, correction=correction),
        least=[1, 0, mean[2], mean[3], mean[3] ** 2],
        most=[1, 0, 0, far, far],
    )
    apart = min(again.unseen, 0.5)
    return (
        again.estimate(_estimate_within(mean), within, unseen=again.unseen * bound, bound=bound),
        again.estimate(_estimate_between(mean, bessel), between, unseen=apart * (1 - apart), bound=largest(items)),
    )


def _units(columns: Numbers, patients: Codes) -> Numbers:
    """Column sums by patient, in an order independent of the items."""
    _, codes = np.unique(patients, return_inverse=True)
    totals = np.column_stack([np.bincount(codes, weights=column) for column in columns.T]).round(12)
    return np.asarray(totals[np.lexsort(totals.T)])


def _estimate_within(totals: Numbers) -> Numbers:
    return np.asarray(totals[..., 1] / totals[..., 0])


def _estimate_between(totals: Numbers, correction: float) -> Numbers:
    items, _, chance, sums, squares = np.moveaxis(totals, -1, 0)
    return np.asarray((squares / items - (sums / items) ** 2) * correction - chance / items)


@dataclass(frozen=True)
class _Again:
    """Resampled items or patients, with one added unit of extreme variance.

    The added unit stands for those not in the sample. Without it, intervals would be far too narrow if few units vary,
    or all do.
    """

    units: Numbers
    level: float

    @cached_property
    def drawn(self) -> Numbers:
        """Totals of each resample, and how often the added unit is in it."""
        with_further = np.zeros((len(self.units) + 1, self.units.shape[1] + 1))
        with_further[:-1, :-1] = self.units
        with_further[-1, -1] = self.units[:, 0].mean()
        return drawn_totals(with_further, np.random.default_rng(SEED), RESAMPLES)

    @property
    def unseen(self) -> float:
        """Largest share of units that may be of a kind not in the sample."""
        return float(1 - ((1 - self.level) / 2) ** (1 / len(self.units)))

    def ends(self, statistic: Statistic, *, least: ArrayLike, most: ArrayLike) -> tuple[float, float]:
        """Percentiles of a statistic, widened as Student's t widens a normal interval."""
        count = len(self.units)
        wider = sqrt(count / max(1, count - 1)) * scipy.special.stdtrit(max(1, count - 1), (1 - self.level) / 2)
        tail = float(scipy.special.ndtr(wider))
        low, high = (
            np.quantile(statistic(self.drawn[:, :-1] + self.drawn[:, -1:] * np.asarray(further)), at)
            for further, at in ((least, tail), (most, 1 - tail))
        )
        return float(low), float(high)

    def estimate(self, value: Numbers, ends: tuple[float, float], *, unseen: float, bound: float) -> Estimate:
        """Return a variance with bounds in [0, bound]. They allow for kinds of units not in the sample."""
        n, found = round(self.units[:, 0].sum()), min(_or_nothing(float(value)), bound)
        if len(self.units) < 2:
            return Estimate(found, 0.0, bound, n, "one patient only")
        low, high = min(_or_nothing(ends[0]), found), max(ends[1], found, 0.0 if found else unseen)
        method = "bootstrap-over-items" if len(self.units) == n else "bootstrap-over-patients"
        return Estimate(found, low, min(high, bound), n, method)


def largest(count: int) -> float:
    """Return the largest variance of this number of values in [0, 1]: half 0, half 1.

    >>> largest(2), largest(4)
    (0.5, 0.3333333333333333)
    """
    return (count // 2) * ((count + 1) // 2) / (count * (count - 1))


def _or_nothing(variance: float) -> float:
    """Return the variance, or 0 if it is negative or a rounding error."""
    return variance if variance > NOTHING else 0.0
