"""Chosen models: what the best of several score on patients whom the choice did not rest on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from snellen.stats.observations import Codes, Numbers, group_codes, whole

Measured = Callable[[Numbers], Numbers]
"""From means, a split and a model to each row of columns, to scores: the last axis alone changes its length."""


def chosen_on_one_half(
    ranked_by: ArrayLike,
    columns: ArrayLike,
    measured: Measured,
    *,
    count: int,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    splits: int = 400,
) -> Numbers:
    """The scores of the `count` best models, chosen on half of the patients and measured on the other half.

    The best of several on some patients were lucky on these patients; on others they fall back (regression to the
    mean). `ranked_by` has a row for each item and a column for each model, `columns` the same with a number of further
    columns each, of whose means `measured` makes scores; NaN where there is no value. The mean over random halves is
    free of the luck of the choice, but speaks of a choice by half as many patients. It has no interval: halves of one
    sample are not independent. NaN where there are fewer than two patients.

    >>> rng = np.random.default_rng(1)
    >>> equal = (rng.random((60, 8)) < 0.7).astype(float)  # eight models that are all right 70% of the time
    >>> best = np.sort(equal.mean(axis=0))[-3:].mean()
    >>> fair = chosen_on_one_half(equal, equal[:, :, None], lambda means: means, count=3)
    >>> round(float(best), 2), round(float(fair[0]), 2)
    (0.78, 0.73)
    """
    ranking, table = np.asarray(ranked_by, dtype=np.float64), np.asarray(columns, dtype=np.float64)
    if ranking.ndim != 2 or table.ndim != 3 or table.shape[:2] != ranking.shape:
        raise ValueError(f"`columns` must have the items and models of {ranking.shape}, got {table.shape}.")
    whole(count, "count")
    both = np.concatenate((ranking[:, :, None], table), axis=2)
    sums, counts = _by_patient(both, group_codes(clusters, len(ranking)))
    if len(sums) < 2:
        return np.full(measured(np.zeros((1, *table.shape[1:]))).shape[-1], np.nan)
    half = _halves(len(sums), np.random.default_rng(seed), whole(splits, "splits"))
    with np.errstate(invalid="ignore", divide="ignore"):
        by, on = (np.tensordot(part, sums, 1) / np.tensordot(part, counts, 1) for part in (half, 1.0 - half))
        scores = measured(on[:, :, 1:])
    best = np.argsort(-by[:, :, 0], axis=1, kind="stable")[:, :count]
    return np.asarray(np.nanmean(np.take_along_axis(scores, best[:, :, None], axis=1), axis=(0, 1)))


def _by_patient(values: Numbers, codes: Codes | None) -> tuple[Numbers, Numbers]:
    """Sums and counts of every patient, in an order that does not depend on that of the items."""
    groups = np.arange(len(values)) if codes is None else codes
    sums, counts = (np.zeros((int(groups.max()) + 1, *values.shape[1:])) for _ in range(2))
    np.add.at(sums, groups, np.nan_to_num(values))
    np.add.at(counts, groups, np.isfinite(values))
    order = np.lexsort(sums.reshape(len(sums), -1).round(12).T)
    return sums[order], counts[order]


def _halves(units: int, rng: np.random.Generator, splits: int) -> Numbers:
    """A random half of the units in each row; every second row is what the row before it left."""
    places = np.argsort(rng.random((splits // 2 + splits % 2, units)), axis=1)
    half = (places < units // 2).astype(np.float64)
    return np.stack((half, 1 - half), axis=1).reshape(-1, units)[:splits]
