"""The stratified bootstrap: each class drawn from itself, so that the mix of classes stays, with intervals by name."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, fractions, group_codes, whole
from snellen.stats.resampling import Sample, arrange, resampled_means

Interval = Literal["percentile", "normal", "published-text"]
ERRORS = {"normal": 1.0, "published-text": 0.2}
"""What the standard deviation of the bootstrap means is multiplied by for a standard error.

The artefacts paper writes that it divides by 5, for which there is no reason; its printed intervals are percentiles.
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
    """The mean of one number in [0, 1] per item, with a 95% interval from items drawn again within their strata.

    Several responses to an item come as their mean; clusters, such as patients, are drawn whole. `percentile` takes the
    bootstrap means' own tails; `normal` is their mean ± 1.96 SD; `published-text` is what the artefacts paper says,
    their mean ± 1.96 SD / 5, which holds the truth about three times in ten. The value is the plain mean. A stratum
    whose items are all alike adds no width: `proportion` is the honest choice for a rate near 0 or 1. Where no stratum
    has two units to draw from, the interval is [0, 1].

    >>> print(stratified_bootstrap([1] * 95 + [0] * 5 + [1] * 59 + [0] * 41, [1] * 100 + [0] * 100, seed=0))
    0.77 [0.71, 0.82] (n=200, stratified-bootstrap-percentile; resamples=1000)
    """
    sample = stratified_sample(fractions(correct, "correct"), clusters, strata)
    low, high = 0.0, 1.0
    if drawable(sample):
        low, high = _ends(resampled_means(sample, np.random.default_rng(seed), whole(resamples, "resamples")), interval)
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
    """The bootstrap means themselves; the artefacts paper prints their mean in place of the plain one.

    >>> stratified_means([1, 1, 0, 0], [1, 1, 0, 0], seed=0, resamples=3)
    array([0.5, 0.5, 0.5])
    """
    sample = stratified_sample(fractions(correct, "correct"), clusters, strata)
    if not drawable(sample):
        raise ValueError("The bootstrap needs two items or clusters at least in some stratum, got one.")
    return resampled_means(sample, np.random.default_rng(seed), whole(resamples, "resamples"))


def stratified_law(right: Sequence[int], sizes: Sequence[int], *, interval: Interval = "percentile") -> Estimate:
    """What the bootstrap comes to with ever more resamples, from how many of each stratum's items are right.

    Drawn again, a stratum's right answers follow a binomial law, and all together the law of their sum.

    >>> print(stratified_law([95, 59], [100, 100]))
    0.77 [0.71, 0.82] (n=200, stratified-law-percentile)
    """
    if len(right) != len(sizes) or not len(sizes):
        raise ValueError(f"`right` and `sizes` must be aligned by stratum, got {len(right)} and {len(sizes)} numbers.")
    for some, size in zip(right, sizes, strict=True):
        if not 0 <= some <= whole(size, "sizes"):
            raise ValueError(f"`right` must lie between 0 and the stratum's size {size}, got {some}.")
    n, value = sum(sizes), sum(right) / sum(sizes)
    if _checked(interval) == "percentile":
        # Rounding must not push a tail that is met exactly to the next count.
        low, high = (np.searchsorted(_law(right, sizes).cumsum(), np.array(TAILS) - 1e-12) / n).tolist()
    else:
        spread = sqrt(sum(some * (1 - some / size) for some, size in zip(right, sizes, strict=True))) / n
        low, high = (value + sign * Z * ERRORS[interval] * spread for sign in (-1, 1))
    return Estimate(value, low, high, n, f"stratified-law-{interval}")


def stratified_sample(rows: Numbers, clusters: ArrayLike | None, strata: ArrayLike | None) -> Sample:
    """The rows to be drawn from; clusters with items of several strata, in one combination, are a stratum of their own.

    A patient with a normal and a diseased image, say, is then drawn from the patients who have both.
    """
    layer, unit = group_codes(strata, len(rows), "strata"), group_codes(clusters, len(rows))
    if layer is not None and unit is not None:
        has = np.zeros((unit.max() + 1, layer.max() + 1), dtype=np.bool_)
        has[unit, layer] = True
        layer = np.unique(has, axis=0, return_inverse=True)[1].ravel()[unit]
    return arrange(rows, unit, layer)


def drawable(sample: Sample) -> bool:
    """Whether some stratum has two units at least."""
    return any(part.stop - part.start > 1 for part in sample.strata)


def _ends(means: Numbers, interval: Interval) -> tuple[float, float]:
    if _checked(interval) == "percentile":
        low, high = np.quantile(means, TAILS).tolist()
        return low, high
    centre, half = float(means.mean()), Z * ERRORS[interval] * float(means.std())
    return centre - half, centre + half


def _law(right: Sequence[int], sizes: Sequence[int]) -> Numbers:
    """The probabilities of 0, 1, 2… right answers in all."""
    law = np.ones(1)
    for some, size in zip(right, sizes, strict=True):
        law = np.convolve(law, np.diff(scipy.special.bdtr(np.arange(size + 1), size, some / size), prepend=0))
    return law


def _checked(interval: Interval) -> Interval:
    if interval != "percentile" and interval not in ERRORS:
        raise ValueError(f'`interval` must be "percentile", "normal" or "published-text", got {interval!r}.')
    return interval
