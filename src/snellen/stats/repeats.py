"""Repeated runs: how much of the spread lies between runs, within an item and between items."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri

from snellen.stats.estimate import Estimate
from snellen.stats.intervals import mean
from snellen.stats.observations import Numbers, numbers, open_fraction


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


def spread(items: ArrayLike, runs: ArrayLike, values: ArrayLike, level: float = 0.95) -> Spread | None:
    """The spread of one value per reply; None where there are fewer than two runs of two items.

    An item that lacks a run is left out of `between_runs`: it would make runs differ that do not.

    >>> found = spread([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [1, 1, 1, 0, 0, 0])
    >>> round(found.within_items.value, 3), round(found.between_runs.value, 4)
    (0.167, 0.0556)
    """
    item, run, value = (numbers(each, name) for each, name in ((items, "items"), (runs, "runs"), (values, "values")))
    open_fraction(level, "level")
    _, at_item = np.unique(item, return_inverse=True)
    _, at_run = np.unique(run, return_inverse=True)
    grid = np.full((at_item.max() + 1, at_run.max() + 1), nan)
    grid[at_item, at_run] = value
    repeated = grid[np.sum(~np.isnan(grid), axis=1) > 1]
    whole = grid[~np.isnan(grid).any(axis=1)]
    if grid.shape[1] < 2 or len(repeated) < 2 or len(whole) < 2:
        return None
    variances = np.nanvar(repeated, axis=1, ddof=1)
    chance = float(np.mean(variances / np.sum(~np.isnan(repeated), axis=1)))
    scores = np.nanmean(repeated, axis=1)
    squares = (scores - scores.mean()) ** 2 * len(scores) / (len(scores) - 1)
    expected = float(np.mean(np.var(whole, axis=1, ddof=1))) / len(whole)
    return Spread(
        between_runs=_variance(whole.mean(axis=0), level),
        within_items=_less(mean(variances, level=level), 0.0),
        between_items=_less(mean(squares, level=level), chance),
        expected_between_runs=expected,
    )


def _variance(values: Numbers, level: float) -> Estimate:
    """A sample variance with the interval it has for normal values."""
    freedom = len(values) - 1
    value = float(np.var(values, ddof=1))
    low, high = (freedom * value / float(chdtri(freedom, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    return Estimate(value, low, high, len(values), "chi-square-over-runs")


def _less(estimate: Estimate, chance: float) -> Estimate:
    """A variance with what chance adds to it taken off; none is below 0."""
    value, low, high = (max(0.0, end - chance) for end in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.n, estimate.method)
