"""Bootstrap intervals for any statistic, over items, clusters or strata."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Numbers, check_count, numbers, open_fraction
from snellen.stats.resampling import ClusteredRows, arrange, resampled_means

Statistic = Callable[..., ArrayLike]
"""Function `statistic(sample, axis=...)`; the items lie along `axis`, as in NumPy's own functions."""


def bootstrap(
    values: ArrayLike,
    statistic: Literal["mean"] | Statistic = "mean",
    *,
    seed: int,
    method: Literal["percentile", "bca"] = "percentile",
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Estimate:
    """Value of a statistic with its percentile or BCa bootstrap interval.

    `values` is one number per item, or one row of numbers per item for a statistic of several. Whole clusters are
    drawn; each stratum keeps its number of clusters. If all items are equal the interval has no width: for accuracies,
    use `proportion` or `paired_difference`.

    >>> print(bootstrap([0, 0, 1, 1, 1, 1, 1, 1, 1, 1], seed=1))
    0.80 [0.50, 1.00] (n=10, bootstrap-percentile)
    """
    sample = arrange(_rows(values), clusters, strata)
    _check(sample, method, check_count(resamples, "resamples"), open_fraction(level, "level"))
    measure = np.mean if statistic == "mean" and sample.rows.ndim == 1 else statistic
    if not callable(measure):
        raise ValueError(f'`statistic` must be "mean" of one number per item, or a function, got {statistic!r}.')
    value = float(np.asarray(measure(sample.rows, axis=0)))
    rng = np.random.default_rng(seed)
    if measure is np.mean:
        replicates = resampled_means(sample, rng, resamples)
    else:
        replicates = _replicates(sample, measure, rng, resamples)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        tails = _bca(tails, value, replicates, _acceleration(sample, measure))
    low, high = np.quantile(replicates, tails)
    name = f"{'stratified-' * (len(sample.strata) > 1)}{'cluster-' * (not sample.single)}bootstrap-{method}"
    return Estimate(value, float(low), float(high), len(sample.rows), name)


def _rows(values: ArrayLike) -> Numbers:
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim not in (1, 2):
        raise ValueError(f"`values` must be one number or one row of numbers per item, got shape {rows.shape}.")
    numbers(rows.ravel(), "values")
    return rows


def _check(sample: ClusteredRows, method: str, resamples: int, level: float) -> None:
    if method not in ("percentile", "bca"):
        raise ValueError(f'`method` must be "percentile" or "bca", got {method!r}.')
    if all(part.stop - part.start < 2 for part in sample.strata):
        raise ValueError("The bootstrap needs a stratum with at least two items or clusters, got none.")
    if resamples * (1 - level) < 2:
        raise ValueError(f"`resamples` = {resamples} are too few for the tails of a {level:.0%} interval.")


def _replicates(sample: ClusteredRows, statistic: Statistic, rng: np.random.Generator, resamples: int) -> Numbers:
    """Statistic of each resample; resamples of equal length are computed together."""
    found: list[Numbers] = []
    for table in sample.draws(rng, resamples):
        if sample.single:
            found.append(np.asarray(statistic(sample.rows[table], axis=1), dtype=np.float64))
        else:
            found.append(np.array([statistic(sample.rows_of(units), axis=0) for units in table], dtype=np.float64))
        if found[-1].shape != (len(table),):
            raise ValueError(f"`statistic` must give one number per sample, got an array of shape {found[-1].shape}.")
    return np.concatenate(found)


def _bca(tails: Numbers, value: float, replicates: Numbers, acceleration: float) -> Numbers:
    """Tail probabilities corrected for bias and acceleration (Efron)."""
    beneath = (np.mean(replicates < value) + np.mean(replicates <= value)) / 2
    edge = 0.5 / replicates.size
    bias = scipy.special.ndtri(min(max(float(beneath), edge), 1 - edge))
    shifted = bias + scipy.special.ndtri(tails)
    return np.asarray(scipy.special.ndtr(bias + shifted / (1 - acceleration * shifted)))


def _acceleration(sample: ClusteredRows, statistic: Statistic) -> float:
    """Skewness of the units' influence divided by 6, within strata."""
    if statistic is np.mean:
        sums, sizes = sample.totals().T
        left_out = (sums.sum() - sums) / (sizes.sum() - sizes)
    else:
        units = np.arange(sample.sizes.size)
        left_out = np.array([statistic(sample.rows_of(np.delete(units, unit)), axis=0) for unit in units], dtype=float)
    influence = np.concatenate([left_out[part].mean() - left_out[part] for part in sample.strata])
    largest = float(np.abs(influence).max())
    if largest == 0:
        return 0.0
    # Scaled first, because the powers of tiny numbers vanish.
    scaled = influence / largest
    return float(np.sum(scaled**3) / (6 * np.sum(scaled**2) ** 1.5))
