"""One-sided tests of means, shares and ratios against limits, with matching intervals."""

from __future__ import annotations

from math import inf, isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.clustered import count_nonzero_clusters, gather
from snellen.stats.estimate import Estimate
from snellen.stats.intervals import informative_items, proportion
from snellen.stats.observations import Codes, Numbers, fractions, group_codes, is_binary, numbers

LEVEL = 0.95
FEWEST_VARYING = 5
"""If fewer patients than this deviate from the mean, an interval from their spread would be too narrow."""


class LimitTest(NamedTuple):
    """An estimate, with p-values if the true value equals the limit."""

    estimate: Estimate
    above: float
    """One-sided p of the null hypothesis that the true value is not above the limit."""
    below: float
    """One-sided p of the null hypothesis that the true value is not below the limit."""


def compare_mean(
    values: ArrayLike,
    limit: float = 0.0,
    clusters: ArrayLike | None = None,
    *,
    donors: ArrayLike | None = None,
    span: float = 1.0,
) -> LimitTest:
    """Test a mean against a limit by a Student-t test over patients.

    Two hypothetical patients with one item each, `span` above and below the mean, keep the error above 0. With
    `donors`, items are also clustered by the item that lent their image (two-way clustered variance).

    >>> found = compare_mean([0.4, 0.6, 0.5, 0.9, 0.7, 0.8] * 10, 0.5)
    >>> print(found.estimate, round(found.above, 4))
    0.65 [0.58, 0.72] (n=60, two-unseen-t) 0.0
    """
    array = numbers(values, "values")
    error = _Error.from_values(array, clusters, donors, span)
    mean = float(np.sort(array).mean())
    half = max(error.quantile * error.size, _least_half(array - mean, clusters, span))
    low, high = (mean - half, mean + half) if isfinite(half) else (-inf, inf)
    above, below = error.tails(mean - limit)
    return LimitTest(
        Estimate(mean, low, high, array.size, error.method("two-unseen-t"), p=_two_sided(above)), above, below
    )


def compare_share(values: ArrayLike, limit: float, clusters: ArrayLike | None = None) -> LimitTest:
    """Test a share against a limit by the score test that matches `proportion`.

    >>> found = compare_share([0] * 57 + [1] * 3, 0.1)
    >>> print(found.estimate, round(found.below, 3))
    0.05 [0.02, 0.14] (n=60, wilson) 0.098
    """
    if not 0 < limit < 1:
        raise ValueError(f"`limit` must lie strictly between 0 and 1, got {limit}.")
    array = fractions(values, "values")
    estimate = proportion(array, clusters, LEVEL)
    by_cluster = gather(array, group_codes(clusters, array.size))
    alone = by_cluster.count == array.size and is_binary(array)
    freedom = inf if alone else by_cluster.freedom
    n = float(array.size) if alone else informative_items(by_cluster)
    above, below = _tails((estimate.value - limit) / sqrt(limit * (1 - limit) / n), freedom)
    return LimitTest(estimate, above, below)


def compare_ratio(
    tops: ArrayLike,
    bottoms: ArrayLike,
    limit: float,
    clusters: ArrayLike | None = None,
    *,
    donors: ArrayLike | None = None,
    span: float = 1.0,
) -> LimitTest:
    """Test mean(tops) / mean(bottoms) against a limit.

    The interval holds the ratios that this test does not reject (Fieller). It is [−inf, inf] if the mean of the bottoms
    is not shown to be above 0.

    >>> print(compare_ratio([1, 1, 0, 1] * 15, [1, 1, 1, 1] * 15, 0.5).estimate)
    0.75 [0.63, 0.87] (n=60, unseen-fieller)
    """
    top, bottom = numbers(tops, "tops"), numbers(bottoms, "bottoms")
    if top.size != bottom.size:
        raise ValueError(f"`tops` and `bottoms` must be aligned by item, got {top.size} and {bottom.size} numbers.")
    error = _Error.from_values(top - limit * bottom, clusters, donors, span)
    above, below = error.tails(float(np.sort(top - limit * bottom).mean()))
    up, down = float(np.sort(top).mean()), float(np.sort(bottom).mean())
    low, high = _fieller(top, bottom, clusters, donors, span)
    value = up / down if down > 0 else nan
    if isfinite(low):
        least = _least_half(top - value * bottom, clusters, span) / down
        low, high = min(low, value - least), max(high, value + least)
    return LimitTest(
        Estimate(value, low, high, top.size, error.method("unseen-fieller"), p=_two_sided(above)), above, below
    )


class _Error(NamedTuple):
    """Standard error of a mean, and the degrees of freedom of its t-test."""

    size: float
    freedom: float
    clustered: bool

    @classmethod
    def from_values(cls, values: Numbers, clusters: ArrayLike | None, donors: ArrayLike | None, span: float) -> _Error:
        """Return the standard error clustered by patients, or also by donors.

        With donors, it is the largest of the one-way and two-way errors (Cameron, Gelbach and Miller 2011).
        """
        ways = [group_codes(clusters, values.size), *([] if donors is None else [group_codes(donors, values.size)])]
        parts = [_spread(values, codes, span) for codes in ways]
        variance, freedom = max(part[0] for part in parts), min(part[1] for part in parts)
        if len(ways) == 2 and ways[0] is not None and ways[1] is not None:
            both = ways[0] * (int(ways[1].max()) + 1) + ways[1]
            together = _spread(values, group_codes(both, values.size), span)[0]
            variance = max(variance, parts[0][0] + parts[1][0] - together)
        counts = [values.size if codes is None else int(codes.max()) + 1 for codes in ways]
        return cls(sqrt(variance), freedom, min(counts) < values.size)

    @property
    def quantile(self) -> float:
        """Student's quantile of the 95% interval; infinite for a single patient."""
        return float(scipy.special.stdtrit(self.freedom, (1 + LEVEL) / 2)) if self.freedom > 0.05 else inf

    def tails(self, distance: float) -> tuple[float, float]:
        """One-sided p-values of a mean at this distance from the limit: first for above, then for below."""
        return _tails(distance / self.size, self.freedom) if self.freedom > 0.05 else (1.0, 1.0)

    def method(self, name: str) -> str:
        return f"cluster-{name}" if self.clustered else name


def _spread(values: Numbers, codes: Codes | None, span: float) -> tuple[float, float]:
    """Squared error of a mean with two hypothetical patients, and its degrees of freedom."""
    by_cluster = gather(values, codes)
    count = by_cluster.count + 2
    squares = float(np.sum(by_cluster.deviations**2)) + 2 * span**2
    return count / (count - 1) * squares / by_cluster.items**2, by_cluster.freedom


def _least_half(residuals: Numbers, clusters: ArrayLike | None, span: float) -> float:
    """Smallest half width, by the score interval of 0 of n. 0 unless few patients vary."""
    codes = group_codes(clusters, residuals.size)
    if count_nonzero_clusters(np.where(np.abs(residuals) > 1e-9, residuals, 0.0), codes) >= FEWEST_VARYING:
        return 0.0
    return span * proportion(np.zeros(residuals.size), clusters, LEVEL).high


def _tails(distance: float, freedom: float) -> tuple[float, float]:
    """Upper and lower tail of Student's t, or of the normal distribution."""
    if isfinite(freedom):
        return float(scipy.special.stdtr(freedom, -distance)), float(scipy.special.stdtr(freedom, distance))
    return float(scipy.special.ndtr(-distance)), float(scipy.special.ndtr(distance))


def _two_sided(above: float) -> float:
    return min(1.0, 2 * min(above, 1 - above))


def _fieller(
    top: Numbers, bottom: Numbers, clusters: ArrayLike | None, donors: ArrayLike | None, span: float
) -> tuple[float, float]:
    """Fieller's limits of the ratio; infinite unless the denominator is shown to be positive."""
    errors = {r: _Error.from_values(top - r * bottom, clusters, donors, span) for r in (-1.0, 0.0, 1.0)}
    quantile = errors[0.0].quantile
    if not isfinite(quantile):
        return -inf, inf
    # The variance is quadratic in r, so three values determine it.
    minus, zero, plus = (errors[r].size ** 2 for r in (-1.0, 0.0, 1.0))
    square, cross = (plus + minus) / 2 - zero, (plus - minus) / 2
    up, down = float(top.mean()), float(bottom.mean())
    a, b, c = down**2 - quantile**2 * square, up * down + quantile**2 * cross / 2, up**2 - quantile**2 * zero
    inside = b * b - a * c
    if a <= 0 or down <= 0 or inside < 0:
        return -inf, inf
    return (b - sqrt(inside)) / a, (b + sqrt(inside)) / a
