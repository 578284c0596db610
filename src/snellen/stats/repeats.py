"""Repeated runs: how much of the spread lies between runs, within an item and between items."""

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
"""A variance below this is rounding."""


class Spread(NamedTuple):
    """Three variances of one score, apart.

    `between_runs` is that of the runs' own scores, `within_items` the mean over items of the variance of an item's
    responses, `between_items` that of the items' true scores, what within-item chance adds to it taken off.
    `expected_between_runs` is what `between_runs` would be if the runs differed by within-item chance alone.
    """

    between_runs: Estimate
    within_items: Estimate
    between_items: Estimate
    expected_between_runs: float


def spread(
    items: ArrayLike, runs: ArrayLike, values: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Spread | None:
    """The spread of one value in [0, 1] per response; None where there are fewer than two runs of two items.

    `clusters` names each response's patient. An item that lacks a run is left out of `between_runs`: it would make runs
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
        between_runs=_over_runs(whole.mean(axis=0), expected, within.high / len(whole), level),
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


def _over_runs(scores: Numbers, expected: float, unseen: float, level: float) -> Estimate:
    """The variance of the runs' scores, which may agree by chance: its upper end is at least that of the expected one.

    Where nothing varied at all, the upper end is what may have gone unseen.
    """
    freedom, bound = len(scores) - 1, largest(len(scores))
    value = min(_or_nothing(float(np.var(scores, ddof=1))), bound)
    if not value and not expected:
        return Estimate(0.0, 0.0, min(unseen, bound), len(scores), "nothing-varied")
    low = freedom * value / float(scipy.special.chdtri(freedom, (1 - level) / 2))
    high = freedom * max(value, expected) / float(scipy.special.chdtri(freedom, (1 + level) / 2))
    return Estimate(value, low, min(high, bound), len(scores), "chi-square-over-runs")


def _over_items(grid: Numbers, patients: Codes, level: float) -> tuple[Estimate, Estimate]:
    """The variances within items and between items, by drawing items or patients again."""
    items, replies = len(grid), np.sum(~np.isnan(grid), axis=1)
    variances, scores = np.nanvar(grid, axis=1, ddof=1), np.nanmean(grid, axis=1)
    columns = np.column_stack((np.ones(items), variances, variances / replies, scores, scores**2))
    again = _Again(_units(columns, patients), level)
    mean, bound = again.units.sum(axis=0) / items, largest(int(replies.min()))
    within = again.ends(_within, least=[1, 0, 0, 0, 0], most=[1, bound, 0, 0, 0])
    far = 0.0 if mean[3] > 0.5 else 1.0
    bessel = items / (items - 1)
    correction = bessel * (1 + 1 / len(again.units))  # a variance of what is drawn again is too small by that
    between = again.ends(
        partial(_between, correction=correction), least=[1, 0, mean[2], mean[3], mean[3] ** 2], most=[1, 0, 0, far, far]
    )
    apart = min(again.unseen, 0.5)
    return (
        again.estimate(_within(mean), within, unseen=again.unseen * bound, bound=bound),
        again.estimate(_between(mean, bessel), between, unseen=apart * (1 - apart), bound=largest(items)),
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


@dataclass(frozen=True)
class _Again:
    """Items or patients drawn again, each time with one more that varies as little, or as much, as one can.

    That further one stands for those not seen: where few vary, or all do, the others alone would be far too sure.
    """

    units: Numbers
    level: float

    @cached_property
    def drawn(self) -> Numbers:
        """The totals of every resample, and how often the further unit is in it."""
        with_further = np.zeros((len(self.units) + 1, self.units.shape[1] + 1))
        with_further[:-1, :-1] = self.units
        with_further[-1, -1] = self.units[:, 0].mean()
        return drawn_totals(with_further, np.random.default_rng(SEED), RESAMPLES)

    @property
    def unseen(self) -> float:
        """The largest share of units that may be of a kind of which none was seen."""
        return float(1 - ((1 - self.level) / 2) ** (1 / len(self.units)))

    def ends(self, statistic: Statistic, *, least: ArrayLike, most: ArrayLike) -> tuple[float, float]:
        """Percentiles of a statistic, widened as Student's t widens those of a large sample."""
        count = len(self.units)
        wider = sqrt(count / max(1, count - 1)) * scipy.special.stdtrit(max(1, count - 1), (1 - self.level) / 2)
        tail = float(scipy.special.ndtr(wider))
        low, high = (
            np.quantile(statistic(self.drawn[:, :-1] + self.drawn[:, -1:] * np.asarray(further)), at)
            for further, at in ((least, tail), (most, 1 - tail))
        )
        return float(low), float(high)

    def estimate(self, value: Numbers, ends: tuple[float, float], *, unseen: float, bound: float) -> Estimate:
        """A variance with its ends in [0, bound]; where it is 0, its upper end is what may have gone unseen or more."""
        n, found = round(self.units[:, 0].sum()), min(_or_nothing(float(value)), bound)
        if len(self.units) < 2:
            return Estimate(found, 0.0, bound, n, "one patient only")
        low, high = min(_or_nothing(ends[0]), found), max(ends[1], found, 0.0 if found else unseen)
        method = "bootstrap-over-items" if len(self.units) == n else "bootstrap-over-patients"
        return Estimate(found, low, min(high, bound), n, method)


def largest(count: int) -> float:
    """The largest variance that so many numbers in [0, 1] can have: half of them 0, half of them 1.

    >>> largest(2), largest(4)
    (0.5, 0.3333333333333333)
    """
    return (count // 2) * ((count + 1) // 2) / (count * (count - 1))


def _or_nothing(variance: float) -> float:
    """The variance, or 0 where it is below or but rounding."""
    return variance if variance > NOTHING else 0.0
