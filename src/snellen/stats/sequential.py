"""Confidence sequences by betting: intervals that are valid however often results are computed.

A gambler bets against each possible true value. If the value is true, no bet gains on average. So the gambler's capital
ever reaches 1/α with a probability of at most α (Ville's inequality). The interval excludes the values against which
the capital reached 1/α. The capital is a mixture over fixed bets: it depends on which items were asked but not on their
order, so an interval can be recomputed from stored responses.
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
"""The bets, as shares of the largest bet that cannot lose the whole capital."""
WEIGHTS = np.log(np.sqrt(BETS) / np.sqrt(BETS).sum())
"""Log share of the capital on each bet; larger bets get more, because they find large effects early."""
FARTHEST = 10.0
"""Ratios farther from 0 than this count as infinite."""
DISTANCES = np.geomspace(40.0, 1e-3, 64)
STEPS, POINTS = 5, 16
"""Number of refinements of an interval's end, and grid points in each."""
METHOD = "betting"


def confidence_sequence(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    *,
    largest: int | None = None,
    level: float = 0.95,
) -> Estimate:
    """Mean of bounded numbers, with an interval that is valid at all sample sizes together.

    However often results are computed, and whenever asking stops, all intervals contain the true mean in at least 95%
    of studies. `clusters` come in a random order, and none has more than `largest` items (default: the largest here). p
    is for a true mean of 0; None if 0 is not inside the bounds.

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
    """Replace an estimate's interval and p by ones that are valid at every look. None if impossible.

    Possible for means within bounds and ratios above chance, as long as the estimate was not transformed afterwards.
    `largest` is the number of items in the largest cluster of the benchmark.

    >>> from snellen.stats.intervals import wilson
    >>> print(at_any_time(wilson(25, 50)))
    0.50 [0.29, 0.71] (n=50, betting)
    """
    sample = estimate.sample
    if sample is None or not _as_made(estimate, sample):
        return None
    enough = log(2 / (1 - open_fraction(level, "level")))
    most_items = float(max(largest or 1, sample.sizes.max()))
    clusters = _Clusters.from_sample(sample)
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
    """The distinct clusters of a sample, and how often each occurs."""

    tops: Numbers
    bottoms: Numbers
    times: Numbers

    @classmethod
    def from_sample(cls, sample: Sample) -> _Clusters:
        weights = np.ones_like(sample.tops) if sample.times is None else sample.times
        alike, which = np.unique(np.stack((sample.tops, sample.bottoms)), axis=1, return_inverse=True)
        return cls(alike[0], alike[1], np.bincount(which.ravel(), weights=weights).astype(np.float64))


def _as_made(estimate: Estimate, sample: Sample) -> bool:
    """Return True if the estimate still matches its sample; its interval may have been cut."""
    value, low, high = sample.interval
    if not isfinite(value):
        return not isfinite(estimate.value)
    return estimate.value == value and estimate.low >= low - 1e-12 and estimate.high <= high + 1e-12


def _compute_log_capital(outcomes: Numbers, times: Numbers, worst: Numbers) -> Numbers:
    """Log capital of bets that the mean is above 0, one per row.

    No outcome of a row is below −`worst`, except by rounding.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(worst[:, None] > 0, np.maximum(outcomes / worst[:, None], -1.0), 0.0)
    growth = WEIGHTS + np.einsum("u,cub->cb", times, np.log1p(shares[:, :, None] * BETS))
    largest = growth.max(axis=1)
    capital = largest + np.log(np.exp(growth - largest[:, None]).sum(axis=1))
    return np.asarray(np.where((worst <= 0) & (outcomes @ times > 0), inf, capital))


def _lowest(clusters: _Clusters, least: float, largest: float, value: float, enough: float) -> float:
    """Smallest mean that the bets do not exclude."""

    def excludes(means: Numbers) -> NDArray[np.bool_]:
        outcomes = clusters.tops - means[:, None] * clusters.bottoms
        return np.asarray(_compute_log_capital(outcomes, clusters.times, largest * (means - least)) >= enough)

    return _edge(excludes, least, value) if value > least else least


def _ratio(clusters: _Clusters, largest: float, value: float, enough: float) -> tuple[float, float]:
    """Limits of the ratio that the bets do not exclude, for a positive denominator.

    An item has top a − c and bottom b − c. All are shares, so a − c − r (b − c) has known bounds.
    """
    if not isfinite(value):
        return -inf, inf

    def end(sign: int) -> float:
        def excludes(ratios: Numbers) -> NDArray[np.bool_]:
            reach = largest * np.where(ratios >= 0, np.maximum(1.0, ratios), 1.0 - ratios)
            outcomes = sign * (clusters.tops - ratios[:, None] * clusters.bottoms)
            return np.asarray(_compute_log_capital(outcomes, clusters.times, reach) >= enough)

        tried = value - sign * DISTANCES
        tried = tried[np.abs(tried) <= FARTHEST]
        out = excludes(tried)
        if not out.size or not out[0]:
            return -sign * inf
        inside = int(np.argmin(np.append(out, False)))
        return _edge(excludes, float(tried[inside - 1]), float(np.append(tried, value)[inside]))

    return end(1), end(-1)


def _edge(excludes: Callable[[Numbers], NDArray[np.bool_]], outside: float, inside: float) -> float:
    """Find the boundary between an excluded and an included point, on the excluded side."""
    for _ in range(STEPS):
        points = np.linspace(outside, inside, POINTS + 2)
        first = int(np.argmin(np.concatenate(([True], excludes(points[1:-1]), [False]))))
        outside, inside = float(points[first - 1]), float(points[first])
    return outside


def _p_of_zero(clusters: _Clusters, bounds: tuple[float, float], largest: float) -> float:
    """Anytime-valid p of a true mean of 0, from bets on both sides."""
    (up,) = _compute_log_capital(clusters.tops[None, :], clusters.times, np.array([largest * -bounds[0]]))
    (down,) = _compute_log_capital(-clusters.tops[None, :], clusters.times, np.array([largest * bounds[1]]))
    return float(np.exp(-max(0.0, float(np.logaddexp(up, down)) - log(2))))
