"""Scores that are computed from several means, with bootstrap intervals over items."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers, check_count, group_codes

Formula = Callable[[Numbers], ArrayLike]
"""Function from means (resamples × columns) to scores (scores × resamples)."""

UNSEEN = 4
"""Hypothetical units added to the resampled ones; their values are random zeros and ones, except in known columns."""
TAILS = (0.025, 0.975)
_CELLS = 2_000_000


def bootstrap_of_means(
    values: ArrayLike,
    formula: Formula,
    *,
    seed: int,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    known: Sequence[int] = (),
    resamples: int = 2000,
) -> list[Estimate]:
    """Compute scores from the column means, with bootstrap intervals; one row per item.

    Whole clusters are drawn within their strata, together with four hypothetical units, each worth one independent
    item. These have the mean in `known` columns, and random zeros and ones in others. A score with a floor, such as
    max(0, a − b), is biased, and its resamples twice as much. So each interval spans both the percentiles and their
    mirror images around the value.

    >>> [print(each) for each in bootstrap_of_means([[1, 0], [1, 1], [0, 0], [1, 1]], lambda m: [m[:, 0] - m[:, 1]],
    ...                                             seed=0)]
    0.25 [-0.50, 1.00] (n=4, bootstrap-both-ways)
    [None]
    """
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"`values` must be a table with one row per item, got shape {rows.shape}.")
    if np.nanmin(rows, initial=0) < 0 or np.nanmax(rows, initial=1) > 1:
        raise ValueError("`values` must lie in [0, 1], or be NaN.")
    unit = group_codes(clusters, len(rows))
    layer = group_codes(strata, len(rows), "strata")
    free = ~np.isin(np.arange(rows.shape[1]), known)
    check_count(resamples, "resamples")
    there = np.isfinite(rows).any(axis=1)
    if there.any():
        rows = rows[there]
        unit, layer = (None if each is None else each[there] for each in (unit, layer))
    means = _resampled_means(rows, (unit, layer), free, np.random.default_rng(seed), resamples)
    with np.errstate(invalid="ignore"):
        found = np.asarray(formula(_means(np.nansum(rows, axis=0)[None], np.isfinite(rows).sum(axis=0)[None])))[:, 0]
        drawn = np.asarray(formula(means))
    apart = unit is None or len(np.unique(unit)) == len(rows)
    method = f"{'' if apart else 'cluster-'}bootstrap-both-ways"
    return [_estimate(value, each, len(rows), method) for value, each in zip(found, drawn, strict=True)]


def _estimate(value: float, drawn: Numbers, n: int, method: str) -> Estimate:
    there = drawn[np.isfinite(drawn)]
    if not np.isfinite(value) or not there.size:
        return Estimate(float("nan"), float("nan"), float("nan"), n, method)
    low, high = np.quantile(there, TAILS)
    low, high = min(low, 2 * value - high, value), max(high, 2 * value - low, value)
    return Estimate(float(value), float(low), float(high), n, method)


def _means(sums: Numbers, counts: NDArray[np.float64]) -> Numbers:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums / counts)


def _resampled_means(
    rows: Numbers,
    groups: tuple[Codes | None, Codes | None],
    free: NDArray[np.bool_],
    rng: np.random.Generator,
    resamples: int,
) -> Numbers:
    unit, layer = groups
    units = np.arange(len(rows)) if unit is None else unit
    layers = np.zeros(len(rows), dtype=np.intp) if layer is None else layer
    sums, counts = np.zeros((resamples, rows.shape[1])), np.zeros((resamples, rows.shape[1]))
    for each in np.unique(layers):
        inside = layers == each
        more_sums, more_counts = _of_stratum(rows[inside], units[inside], free, rng, resamples)
        sums += more_sums
        counts += more_counts
    return _means(sums, counts)


def _of_stratum(
    rows: Numbers, unit: NDArray[np.intp], free: NDArray[np.bool_], rng: np.random.Generator, resamples: int
) -> tuple[Numbers, Numbers]:
    """Resampled sums and counts of one stratum; equal units are drawn together."""
    _, code = np.unique(unit, return_inverse=True)
    columns, number = rows.shape[1], code.max() + 1
    totals = np.zeros((number, 2 * columns))
    np.add.at(totals, code, np.hstack((np.nan_to_num(rows), np.isfinite(rows))))
    kinds, of_kind = np.unique(totals, axis=0, return_counts=True)
    share = np.append(of_kind, np.ones(UNSEEN)) / (number + UNSEEN)
    sums, counts = totals.sum(axis=0)[:columns], totals.sum(axis=0)[columns:]
    weight = np.where(counts > 0, _independent(rows[:, free], code, number), 0.0)
    mean = sums / np.maximum(counts, 1)
    drawn = np.empty((resamples, 2 * columns))
    step = max(1, _CELLS // len(share))
    for start in range(0, resamples, step):
        times = rng.multinomial(number, share, size=min(step, resamples - start))
        unseen, size = times[:, len(kinds) :], len(times)
        told = np.where(free, rng.random((size, UNSEEN, columns)) < 0.5, mean)
        some = times[:, : len(kinds)] @ kinds
        some[:, :columns] += np.einsum("ru,ruc->rc", unseen, told) * weight
        some[:, columns:] += unseen.sum(axis=1, keepdims=True) * weight
        drawn[start : start + size] = some
    return drawn[:, :columns], drawn[:, columns:]


def _independent(rows: Numbers, code: NDArray[np.intp], number: int) -> float:
    """Number of items worth one independent item, between 1 and the mean cluster size."""
    size = len(rows) / number
    there = np.isfinite(rows)
    means = np.nan_to_num(rows).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    centred = np.where(there, rows - means, 0.0)
    together = np.zeros((number, rows.shape[1]))
    np.add.at(together, code, centred)
    alone = (centred**2).sum(axis=0)
    varies = alone > 0
    if not varies.any():
        return size
    return float(np.clip(np.mean((together**2).sum(axis=0)[varies] / alone[varies]), 1.0, size))
