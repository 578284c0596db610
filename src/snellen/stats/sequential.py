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
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
STEPS, POINTS = 5, 16
"""How often, and by how many points, an end is looked for between two others."""
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
    enough = log(2 / (1 - open_fraction(level, "level")))
    most_items = float(max(largest or 1, sample.sizes.max()))
    clusters = _Clusters.of(sample)
    method = METHOD if most_items == 1 else f"cluster-{METHOD}"
    if sample.bounds is None:
        low, high = _ratio(clusters, most_items, estimate.value, enough)
        return replace(estimate, low=low, high=high, method=f"{method}-ratio", p=None, least_p=None)
    least, most = sample.bounds
    low = _lowest(clusters, least, most_items, estimate.value, enough)
    high = -_lowest(clusters._replace(tops=-clusters.tops), -most, most_items, -estimate.value, enough)
    p = None if estimate.p is None else _p_of_zero(clusters, sample.bounds, most_items)
    return replace(estimate, low=low, high=high, method=method, p=p, least_p=None)


class _Clusters(NamedTuple):
    """The clusters of a sample, alike ones once, with how often they occur."""

    tops: Numbers
    bottoms: Numbers
    times: Numbers

    @classmethod
    def of(cls, sample: Sample) -> _Clusters:
        weights = np.ones_like(sample.tops) if sample.times is None else sample.times
        alike, which = np.unique(np.stack((sample.tops, sample.bottoms)), axis=1, return_inverse=True)
        return cls(alike[0], alike[1], np.bincount(which.ravel(), weights=weights).astype(np.float64))


def _as_made(estimate: Estimate, sample: Sample) -> bool:
    """Whether an estimate is what its sample says, its interval cut at most: what was scaled is another number."""
    value, low, high = sample.interval
    if not isfinite(value):
        return not isfinite(estimate.value)
    return estimate.value == value and estimate.low >= low - 1e-12 and estimate.high <= high + 1e-12


def _won(outcomes: Numbers, times: Numbers, worst: Numbers) -> Numbers:
    """The logarithm of the capital after bets that outcomes are above 0 on average, for each row of outcomes.

    No outcome of a row is below −`worst`, but for rounding.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(worst[:, None] > 0, np.maximum(outcomes / worst[:, None], -1.0), 0.0)
    growth = WEIGHTS + np.einsum("u,cub->cb", times, np.log1p(shares[:, :, None] * BETS))
    largest = growth.max(axis=1)
    capital = largest + np.log(np.exp(growth - largest[:, None]).sum(axis=1))
    return np.asarray(np.where((worst <= 0) & (outcomes @ times > 0), inf, capital))


def _lowest(clusters: _Clusters, least: float, largest: float, value: float, enough: float) -> float:
    """The smallest mean that bets do not exclude: what they win falls as the mean rises, and is nothing at `value`."""

    def excluded(means: Numbers) -> NDArray[np.bool_]:
        outcomes = clusters.tops - means[:, None] * clusters.bottoms
        return np.asarray(_won(outcomes, clusters.times, largest * (means - least)) >= enough)

    return _edge(excluded, least, value) if value > least else least


def _ratio(clusters: _Clusters, largest: float, value: float, enough: float) -> tuple[float, float]:
    """The least and the largest ratio that the bets do not exclude, where the denominator is above 0 in truth.

    An item has top a − c and bottom b − c, all of them shares, so that a − c − r (b − c) has known bounds.
    """
    if not isfinite(value):
        return -inf, inf

    def end(sign: int) -> float:
        def excluded(ratios: Numbers) -> NDArray[np.bool_]:
            reach = largest * np.where(ratios >= 0, np.maximum(1.0, ratios), 1.0 - ratios)
            outcomes = sign * (clusters.tops - ratios[:, None] * clusters.bottoms)
            return np.asarray(_won(outcomes, clusters.times, reach) >= enough)

        tried = value - sign * DISTANCES
        tried = tried[np.abs(tried) <= FARTHEST]
        out = excluded(tried)
        if not out.size or not out[0]:
            return -sign * inf
        inside = int(np.argmin(np.append(out, False)))
        return _edge(excluded, float(tried[inside - 1]), float(np.append(tried, value)[inside]))

    return end(1), end(-1)


def _edge(excluded: Callable[[Numbers], NDArray[np.bool_]], outside: float, inside: float) -> float:
    """Where, between two points, values are no longer excluded; on the excluded side, so that nothing is lost."""
    for _ in range(STEPS):
        points = np.linspace(outside, inside, POINTS + 2)
        first = int(np.argmin(np.concatenate(([True], excluded(points[1:-1]), [False]))))
        outside, inside = float(points[first - 1]), float(points[first])
    return outside


def _p_of_zero(clusters: _Clusters, bounds: tuple[float, float], largest: float) -> float:
    """One over the capital of bets on both sides that the mean is not 0: valid at any time."""
    (up,) = _won(clusters.tops[None, :], clusters.times, np.array([largest * -bounds[0]]))
    (down,) = _won(-clusters.tops[None, :], clusters.times, np.array([largest * bounds[1]]))
    return float(np.exp(-max(0.0, float(np.logaddexp(up, down)) - log(2))))
