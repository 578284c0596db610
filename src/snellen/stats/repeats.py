"""Repeated runs: how much of the spread lies between runs, within an item and between items."""

from __future__ import annotations

from collections.abc import Callable
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri, ndtr, stdtrit

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers, fractions, group_codes, numbers, open_fraction
from snellen.stats.resampling import drawn_totals

RESAMPLES = 1000
SEED = 0
NOTHING = 1e-12
"""A variance below this is rounding."""


class Spread(NamedTuple):
    """Three variances of one score, apart.

    `between_runs` is that of the runs' own scores, `within_items` the mean over items of the variance of an item's
    replies, `between_items` that of the items' true scores, what within-item chance adds to it taken off.
    `expected_between_runs` is what `between_runs` would be if the runs differed by within-item chance alone.
    """

    between_runs: Estimate
    within_items: Estimate
    between_items: Estimate
    expected_between_runs: float


def spread(
    items: ArrayLike, runs: ArrayLike, values: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Spread | None:
    """The spread of one value in [0, 1] per reply; None where there are fewer than two runs of two items.

    `clusters` names each reply's patient. An item that lacks a run is left out of `between_runs`: it would make runs
    differ that do not. No interval is without width: that nothing varied here does not mean that nothing does.

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
        between_runs=_over_runs(whole.mean(axis=0), expected or within.high / len(whole), level),
        within_items=within,
        between_items=between,
        expected_between_runs=expected,
    )


def _patients(clusters: ArrayLike | None, at_item: Codes, first: Codes) -> Codes:
    """The cluster of every item; an item is its own where none are given."""
    codes = group_codes(clusters, len(at_item))
    if codes is None:
        return np.arange(len(first))
    if np.any(codes != codes[first][at_item]):
        raise ValueError("All replies to an item must lie in one cluster, but some item has replies in several.")
    return codes[first]


def _over_runs(scores: Numbers, by_chance: float, level: float) -> Estimate:
    """The variance of the runs' scores; its upper end is that of runs that differ as chance has it, or more."""
    freedom = len(scores) - 1
    value = _or_nothing(float(np.var(scores, ddof=1)))
    low = freedom * value / float(chdtri(freedom, (1 - level) / 2))
    high = freedom * max(value, by_chance) / float(chdtri(freedom, (1 + level) / 2))
    return Estimate(value, low, max(value, min(high, largest(len(scores)))), len(scores), "chi-square-over-runs")


def _over_items(grid: Numbers, patients: Codes, level: float) -> tuple[Estimate, Estimate]:
    """The variances within items and between items, by drawing items or patients again."""
    items, replies = len(grid), np.sum(~np.isnan(grid), axis=1)
    variances, scores = np.nanvar(grid, axis=1, ddof=1), np.nanmean(grid, axis=1)
    columns = np.column_stack((np.ones(items), variances, variances / replies, scores, scores**2))
    units = _units(columns, patients)
    bessel = items / (items - 1)
    again = bessel * len(units) / max(1, len(units) - 1)  # a variance of what is drawn again is that much too small
    size = items / len(units)
    far = 0.0 if scores.mean() > 0.5 else 1.0
    bound, hidden = largest(int(replies.min())), 1 - ((1 - level) / 2) ** (1 / len(units))
    within = _Resampled(_within, units, size * np.array([1, bound, 0, 0, 0]), level)
    between = _Resampled(lambda totals: _between(totals, again), units, size * np.array([1, 0, 0, far, far]), level)
    apart = min(hidden, 0.5)
    return (
        within.estimate(float(_within(columns.sum(axis=0))), hidden * bound, bound),
        between.estimate(float(_between(columns.sum(axis=0), bessel)), apart * (1 - apart), largest(items)),
    )


def _units(columns: Numbers, patients: Codes) -> Numbers:
    """The columns' sums by patient, in an order and to a digit that do not depend on the items' order."""
    _, codes = np.unique(patients, return_inverse=True)
    totals = np.column_stack([np.bincount(codes, weights=column) for column in columns.T]).round(12)
    return np.asarray(totals[np.lexsort(totals.T)])


def _within(totals: Numbers) -> Numbers:
    return np.asarray(totals[..., 1] / totals[..., 0])


def _between(totals: Numbers, correction: float) -> Numbers:
    items, _, chance, sums, squares = np.moveaxis(totals, -1, 0)
    return np.asarray((squares / items - (sums / items) ** 2) * correction - chance / items)


class _Resampled(NamedTuple):
    """A variance of units drawn again; for its upper end, together with one more unit that varies as far as it can.

    Where few units vary, a resample of them alone reaches far too low: that further one stands for those unseen.
    """

    statistic: Callable[[Numbers], Numbers]
    units: Numbers
    further: Numbers
    level: float

    def estimate(self, value: float, unseen: float, bound: float) -> Estimate:
        """The value with its interval in [0, bound]; where it is 0, the upper end is at least what goes unseen."""
        n, count, value = round(self.units[:, 0].sum()), len(self.units), _or_nothing(value)
        method = "bootstrap-over-items" if count == n else "bootstrap-over-patients"
        if count < 2:
            return Estimate(value, 0.0, bound, n, "one patient only")
        rng = np.random.default_rng(SEED)
        # Percentiles are those of large samples; this widens them as Student's t does.
        tail = float(ndtr(sqrt(count / (count - 1)) * stdtrit(count - 1, (1 - self.level) / 2)))
        alone = self.statistic(drawn_totals(self.units, rng, RESAMPLES))
        joined = self.statistic(drawn_totals(np.vstack((self.units, self.further)), rng, RESAMPLES))
        low = _or_nothing(float(np.quantile(alone, tail)))
        high = max(float(np.quantile(joined, 1 - tail)), value, 0.0 if value else unseen)
        return Estimate(value, min(low, value), min(high, bound), n, method)


def largest(count: int) -> float:
    """The largest variance that so many numbers in [0, 1] can have: half of them 0, half of them 1.

    >>> largest(2), largest(4)
    (0.5, 0.3333333333333333)
    """
    return (count // 2) * ((count + 1) // 2) / (count * (count - 1))


def _or_nothing(variance: float) -> float:
    """The variance, or 0 where it is below or but rounding."""
    return variance if variance > NOTHING else 0.0
