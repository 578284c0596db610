"""Stratified bootstrap: each stratum, such as a class of items, is resampled by itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, check_count, fractions, group_codes
from snellen.stats.resampling import ClusteredRows, arrange, resampled_means

Interval = Literal["percentile", "normal", "published-text"]
ERRORS = {"normal": 1.0, "published-text": 0.2}
"""Factor from the standard deviation of the bootstrap means to a standard error, by kind of interval.

The artefacts paper describes a division by 5, for which there is no reason; its printed intervals are percentiles.
"""
TAILS = (0.025, 0.975)
Z = 1.96


def stratified_bootstrap(
    correct: ArrayLike,
    strata: ArrayLike | None,
    *,
    seed: int,
    resamples: int = 1000,
    clusters: ArrayLike | None = None,
    interval: Interval = "percentile",
) -> Estimate:
    """Mean of numbers in [0, 1], with a 95% interval by resampling within strata.

    Whole clusters, such as patients, are drawn. `percentile` takes the tails of the bootstrap means. `normal` is their
    mean ± 1.96 SD. `published-text` is what the artefacts paper describes, their mean ± 1.96 SD / 5, which contains the
    truth about three times in ten. A stratum whose items are all alike adds no width, so use `proportion` for rates
    near 0 or 1. The interval is [0, 1] if no stratum has two units.

    >>> print(stratified_bootstrap([1] * 95 + [0] * 5 + [1] * 59 + [0] * 41, [1] * 100 + [0] * 100, seed=0))
    0.77 [0.71, 0.82] (n=200, stratified-bootstrap-percentile; resamples=1000)
    """
    sample = stratified_sample(fractions(correct, "correct"), clusters, strata)
    low, high = 0.0, 1.0
    if drawable(sample):
        low, high = _ends(
            resampled_means(sample, np.random.default_rng(seed), check_count(resamples, "resamples")), interval
        )
    together = "" if sample.single else "cluster-"
    method = f"stratified-{together}bootstrap-{interval}; resamples={resamples}"
    return Estimate(float(sample.rows.mean()), low, high, len(sample.rows), method)


def stratified_means(
    correct: ArrayLike,
    strata: ArrayLike | None,
    *,
    seed: int,
    resamples: int = 1000,
    clusters: ArrayLike | None = None,
) -> Numbers:
    """Return the bootstrap means, whose mean the artefacts paper prints.

    >>> stratified_means([1, 1, 0, 0], [1, 1, 0, 0], seed=0, resamples=3)
    array([0.5, 0.5, 0.5])
    """
    sample = stratified_sample(fractions(correct, "correct"), clusters, strata)
    if not drawable(sample):
        raise ValueError("The bootstrap needs a stratum with at least two items or clusters, got none.")
    return resampled_means(sample, np.random.default_rng(seed), check_count(resamples, "resamples"))


def stratified_law(right: Sequence[int], sizes: Sequence[int], *, interval: Interval = "percentile") -> Estimate:
    """Exact limit of the stratified bootstrap for infinitely many resamples, from right answers per stratum.

    In resamples, the right answers of a stratum follow a binomial law.

    >>> print(stratified_law([95, 59], [100, 100]))
    0.77 [0.71, 0.82] (n=200, stratified-law-percentile)
    """
    if len(right) != len(sizes) or not len(sizes):
        raise ValueError(f"`right` and `sizes` must be aligned by stratum, got {len(right)} and {len(sizes)} numbers.")
    for some, size in zip(right, sizes, strict=True):
        if not 0 <= some <= check_count(size, "sizes"):
            raise ValueError(f"`right` must lie between 0 and the stratum's size {size}, got {some}.")
    n, value = sum(sizes), sum(right) / sum(sizes)
    if _check_interval(interval) == "percentile":
        # Rounding must not move an exactly met tail to the next count.
        low, high = (np.searchsorted(_law(right, sizes).cumsum(), np.array(TAILS) - 1e-12) / n).tolist()
    else:
        spread = sqrt(sum(some * (1 - some / size) for some, size in zip(right, sizes, strict=True))) / n
        low, high = (value + sign * Z * ERRORS[interval] * spread for sign in (-1, 1))
    return Estimate(value, low, high, n, f"stratified-law-{interval}")


def stratified_sample(rows: Numbers, clusters: ArrayLike | None, strata: ArrayLike | None) -> ClusteredRows:
    """Arrange rows for resampling, with clusters in several strata as a stratum of their own.

    For instance, patients with a normal and a diseased image are drawn from the patients who have both.
    """
    layer, unit = group_codes(strata, len(rows), "strata"), group_codes(clusters, len(rows))
    if layer is not None and unit is not None:
        has = np.zeros((unit.max() + 1, layer.max() + 1), dtype=np.bool_)
        has[unit, layer] = True
        layer = np.unique(has, axis=0, return_inverse=True)[1].ravel()[unit]
    return arrange(rows, unit, layer)


def drawable(sample: ClusteredRows) -> bool:
    """Return True if a stratum has at least two units."""
    return any(part.stop - part.start > 1 for part in sample.strata)


def _ends(means: Numbers, interval: Interval) -> tuple[float, float]:
    if _check_interval(interval) == "percentile":
        low, high = np.quantile(means, TAILS).tolist()
        return low, high
    centre, half = float(means.mean()), Z * ERRORS[interval] * float(means.std())
    return centre - half, centre + half


def _law(right: Sequence[int], sizes: Sequence[int]) -> Numbers:
    """Probabilities of 0, 1, 2… right answers in total."""
    law = np.ones(1)
    for some, size in zip(right, sizes, strict=True):
        law = np.convolve(law, np.diff(scipy.special.bdtr(np.arange(size + 1), size, some / size), prepend=0))
    return law


def _check_interval(interval: Interval) -> Interval:
    if interval != "percentile" and interval not in ERRORS:
        raise ValueError(f'`interval` must be "percentile", "normal" or "published-text", got {interval!r}.')
    return interval
