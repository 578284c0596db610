"""Intervals that hold at every look: confidence sequences by betting, for asking that stops when enough is known.

A gambler bets against each value that the truth may have. If it is the truth, no bet makes money on average, so that
the gambler's capital reaches 1/α at any time with a probability of at most α (Ville's inequality). The values against
which that much was won are excluded. The capital is a mixture over fixed bets: it does not depend on the order of the
items, only on which items were asked, so that an interval can be made again from what is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite, log

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from snellen.stats.clustered import gather
from snellen.stats.estimate import Estimate, Sample
from snellen.stats.observations import Numbers, group_codes, numbers, open_fraction

BETS = np.geomspace(0.02, 0.95, 24)
"""The bets, as shares of the most that can be bet without going broke."""
WEIGHTS = np.log(np.sqrt(BETS) / np.sqrt(BETS).sum())
"""How much of the capital is put on each bet: a little more on larger ones, which find large effects early."""
FARTHEST = 10.0
"""A ratio farther from 0 than this is not told from an infinite one."""
DISTANCES = np.geomspace(40.0, 1e-3, 64)
STEPS = 40
METHOD = "betting"


def confidence_sequence(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    *,
    largest: int | None = None,
    level: float = 0.95,
) -> Estimate:
    """The mean of numbers within bounds, with an interval that holds at all sample sizes at once.

    However often one looks, and whenever one stops, all intervals hold the truth together in at least 95% of studies.
    `clusters` come in a random order, and none has more than `largest` items, by default as many as those here. p is
    that of a mean of 0 where the bounds hold it.

    >>> print(confidence_sequence([1, 0] * 25))
    0.50 [0.29, 0.71] (n=50, betting)
    """
    array = numbers(values, "values")
    least, most = bounds
    if array.min() < least or array.max() > most:
        raise ValueError(f"`values` must lie in [{least}, {most}], got {array[np.abs(array).argmax()]}.")
    by_cluster = gather(array, group_codes(clusters, array.size))
    sample = by_cluster.sample(bounds, (by_cluster.mean, least, most))
    plain = Estimate(by_cluster.mean, least, most, array.size, "", p=1.0 if least < 0 < most else None, sample=sample)
    return at_any_time(plain, largest=largest, level=level) or plain


def at_any_time(estimate: Estimate, *, largest: int | None = None, level: float = 0.95) -> Estimate | None:
    """An estimate with an interval and a p that hold however often one looks; None where nothing is known of it.

    That is so of all but means within bounds and ratios above chance, and of those that were made into another number
    since. `largest` is the number of items that the largest cluster of all has.

    >>> from snellen.stats.intervals import wilson
    >>> print(at_any_time(wilson(25, 50)))
    0.50 [0.29, 0.71] (n=50, betting)
    """
    sample = estimate.sample
    if sample is None or not _as_made(estimate, sample):
        return None
    wrong = 1 - open_fraction(level, "level")
    most_items = float(max(largest or 1, sample.sizes.max()))
    times = np.ones_like(sample.tops) if sample.times is None else sample.times
    method = METHOD if most_items == 1 else f"cluster-{METHOD}"
    if sample.bounds is None:
        low, high = _ratio(sample, times, most_items, estimate.value, log(2 / wrong))
        return replace(estimate, low=low, high=high, method=f"{method}-ratio", p=None, least_p=None)
    low = _lowest(sample.tops, sample.bottoms, times, sample.bounds[0], most_items, estimate.value, log(2 / wrong))
    high = -_lowest(-sample.tops, sample.bottoms, times, -sample.bounds[1], most_items, -estimate.value, log(2 / wrong))
    p = None if estimate.p is None else _p_of_zero(sample, times, sample.bounds, most_items)
    return replace(estimate, low=low, high=high, method=method, p=p, least_p=None)


def _as_made(estimate: Estimate, sample: Sample) -> bool:
    """Whether an estimate is what its sample says, its interval cut at most: what was scaled is another number."""
    value, low, high = sample.interval
    if not isfinite(value):
        return not isfinite(estimate.value)
    return estimate.value == value and estimate.low >= low - 1e-12 and estimate.high <= high + 1e-12


def _won(outcomes: Numbers, times: Numbers, worst: float) -> float:
    """The logarithm of the capital after bets that outcomes are above 0 on average; none is below −`worst`."""
    if worst <= 0:
        return inf if float(times @ outcomes) > 0 else 0.0
    growth = times @ np.log1p(np.outer(outcomes / worst, BETS))
    return float(logsumexp(WEIGHTS + growth))


def _lowest(
    sums: Numbers, sizes: Numbers, times: Numbers, least: float, largest: float, value: float, enough: float
) -> float:
    """The smallest mean that bets do not exclude: what they win falls as the mean rises, and is nothing at `value`."""

    def excluded(mean: float) -> bool:
        return _won(sums - mean * sizes, times, largest * (mean - least)) >= enough

    return _edge(excluded, least, value) if value > least else least


def _ratio(sample: Sample, times: Numbers, largest: float, value: float, enough: float) -> tuple[float, float]:
    """The least and the largest ratio that the bets do not exclude, where the denominator is above 0 in truth.

    An item has top a − c and bottom b − c, all of them shares, so that a − c − r (b − c) has known bounds.
    """
    if not isfinite(value):
        return -inf, inf

    def end(sign: int) -> float:
        def excluded(ratio: float) -> bool:
            reach = largest * (max(1.0, ratio) if ratio >= 0 else 1.0 - ratio)
            return _won(sign * (sample.tops - ratio * sample.bottoms), times, reach) >= enough

        tried = [value - sign * away for away in DISTANCES if abs(value - sign * away) <= FARTHEST]
        if not tried or not excluded(tried[0]):
            return -sign * inf
        inside = next((ratio for ratio in tried if not excluded(ratio)), value)
        outside = tried[tried.index(inside) - 1] if inside in tried else tried[-1]
        return _edge(excluded, outside, inside)

    return end(1), end(-1)


def _edge(excluded: Callable[[float], bool], outside: float, inside: float) -> float:
    """Where, between two points, values are no longer excluded; on the excluded side, so that nothing is lost."""
    for _ in range(STEPS):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if excluded(middle) else (outside, middle)
    return outside


def _p_of_zero(sample: Sample, times: Numbers, bounds: tuple[float, float], largest: float) -> float:
    """One over the capital of bets on both sides that the mean is not 0: valid at any time."""
    up = _won(sample.tops, times, largest * -bounds[0])
    down = _won(-sample.tops, times, largest * bounds[1])
    return float(np.exp(-max(0.0, float(np.logaddexp(up, down)) - log(2))))
