"""Relative change of an accuracy between two conditions, (arm − base) / base."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan, sqrt
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, check_count, paired_fractions
from snellen.stats.paired import paired_difference
from snellen.stats.ratios import ratio_of_accuracies
from snellen.stats.resampling import drawn_totals
from snellen.stats.stratified import TAILS, drawable, stratified_means, stratified_sample

Method = Literal["fieller", "bootstrap-stratified", "as-published"]
RESAMPLES = 1000


def percent_change(
    base: ArrayLike,
    arm: ArrayLike,
    *,
    method: Method = "fieller",
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    seed: int = 0,
) -> Estimate:
    """Relative change of the mean from `base` to `arm`: −0.25 is a decrease by a quarter.

    `fieller` is `ratio_of_accuracies` minus 1; its interval also holds if few answers change, unlike the bootstrap's.
    `bootstrap-stratified` resamples items or whole clusters within strata, both answers together. `as-published` is
    that of the artefacts paper: bootstrap means, and no interval. p is that of `paired_difference`, and for
    `as-published` that of `t_test_as_published`. If `base` has no right answer the change is nan in [−1, inf].

    >>> print(percent_change([1] * 140 + [0] * 60, [1] * 100 + [0] * 100))
    -0.29 [-0.36, -0.21] (n=200, fieller)
    """
    before, after = paired_fractions(base, arm, ("base", "arm"))
    if method == "as-published":
        return _as_published(before, after, strata, seed)
    if method == "fieller":
        ratio = ratio_of_accuracies(after, before, clusters)
    elif method == "bootstrap-stratified":
        ratio = _bootstrap_ratio(before, after, (clusters, strata), seed)
    else:
        raise ValueError(f'`method` must be "fieller", "bootstrap-stratified" or "as-published", got {method!r}.')
    paired = paired_difference(before, after, clusters, seed=seed)
    change = replace(ratio, value=ratio.value - 1, low=ratio.low - 1, high=ratio.high - 1)
    return replace(change, p=paired.p, least_p=paired.least_p)


def t_test_as_published(
    base: ArrayLike,
    arm: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Difference of bootstrap means, with the p of the artefacts paper's t-test.

    This p is meaningless, because its "observations" are the resamples, whose number one may choose, and not items. If
    one in eight of 200 answers changes at random, p is below 0.05 more than nine times in ten.

    >>> t_test_as_published([1] * 100 + [0] * 100, [1] * 102 + [0] * 98).p < 0.001
    True
    """
    before, after = paired_fractions(base, arm, ("base", "arm"))
    first, second = _both_means(before, after, strata, seed, check_count(resamples, "resamples"))
    method = f"t-test-as-published; resamples={resamples}"
    difference = float(second.mean() - first.mean())
    return Estimate(difference, nan, nan, before.size, method, p=_t_test(first, second))


def _as_published(base: Numbers, arm: Numbers, strata: ArrayLike | None, seed: int) -> Estimate:
    first, second = _both_means(base, arm, strata, seed, RESAMPLES)
    before = float(first.mean())
    value = (float(second.mean()) - before) / before if before > 0 else nan
    method = f"percent-change-as-published; resamples={RESAMPLES}"
    return Estimate(value, nan, nan, base.size, method, p=_t_test(first, second))


def _both_means(
    base: Numbers, arm: Numbers, strata: ArrayLike | None, seed: int, resamples: int
) -> tuple[Numbers, Numbers]:
    """Bootstrap means of both arms, resampled separately."""
    ways = zip((base, arm), np.random.SeedSequence(seed).generate_state(2).tolist(), strict=True)
    first, second = (stratified_means(some, strata, seed=own, resamples=resamples) for some, own in ways)
    return first, second


def _t_test(first: Numbers, second: Numbers) -> float:
    """Two-sided p of Student's t-test of two independent samples of equal size."""
    if first.size < 2:
        return 1.0
    error = sqrt((first.var(ddof=1) + second.var(ddof=1)) / first.size)
    difference = abs(float(second.mean() - first.mean()))
    if error == 0:
        return 1.0 if difference == 0 else 0.0
    return float(2 * scipy.special.stdtr(2 * first.size - 2, -difference / error))


def _bootstrap_ratio(
    base: Numbers, arm: Numbers, groups: tuple[ArrayLike | None, ArrayLike | None], seed: int
) -> Estimate:
    """Ratio of means with bootstrap percentiles; nan in [0, inf] if the base is 0."""
    sample = stratified_sample(np.column_stack((arm, base)), *groups)
    together = "" if sample.single else "cluster-"
    method = f"paired-stratified-{together}bootstrap-percentile; resamples={RESAMPLES}"
    if not base.any():
        return Estimate(nan, 0.0, inf, base.size, method)
    value = float(arm.sum() / base.sum())
    if not drawable(sample):
        return Estimate(value, 0.0, inf, base.size, method)
    rng = np.random.default_rng(seed)
    totals = sample.totals()
    above, below, _ = np.sum([drawn_totals(totals[part], rng, RESAMPLES) for part in sample.strata], axis=0).T
    drawn = np.divide(above, below, out=np.full_like(above, inf), where=below > 0)
    low, high = np.quantile(drawn, TAILS, method="inverted_cdf").tolist()
    return Estimate(value, low, high, base.size, method)
