"""Scores of the best models, measured on patients that were not used to choose them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import ArrayLike

from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers, check_count, group_codes, open_fraction

Measured = Callable[[Numbers], Numbers]
"""Function from means to scores; it changes only the length of the last axis.

The axes of the means are split, model and column.
"""


GROUPS = 20
"""Number of groups of patients; the jackknife leaves each out once."""
METHOD = "other-half-of-patients"


def chosen_on_one_half(
    ranked_by: ArrayLike,
    columns: ArrayLike,
    measured: Measured,
    *,
    count: int,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    splits: int = 400,
    level: float = 0.95,
) -> list[Estimate]:
    """The scores of the `count` best models, chosen and measured on different halves.

    Models that are best on some patients were partly lucky and score less on others (regression to the mean).
    `ranked_by` has one row per item and one column per model. `columns` has further columns as a third axis; `measured`
    turns their means into scores. NaN is a missing value. The value is the mean over random halves of the patients; it
    describes a choice by half as many patients. The interval is a jackknife over groups of patients, widened by two
    hypothetical patients. Fewer than two patients have no value (NaN), fewer than four no bounds.

    >>> rng = np.random.default_rng(1)
    >>> equal = (rng.random((60, 8)) < 0.7).astype(float)  # eight models that are all right 70% of the time
    >>> best = np.sort(equal.mean(axis=0))[-3:].mean()
    >>> [fair] = chosen_on_one_half(equal, equal[:, :, None], lambda means: means, count=3)
    >>> print(round(float(best), 2), fair)
    0.78 0.73 [0.64, 0.82] (n=60, other-half-of-patients)
    """
    ranking, table = np.asarray(ranked_by, dtype=np.float64), np.asarray(columns, dtype=np.float64)
    if ranking.ndim != 2 or table.ndim != 3 or table.shape[:2] != ranking.shape:
        raise ValueError(
            f"`columns` must have as many items and models as `ranked_by`, {ranking.shape}, got {table.shape}."
        )
    check_count(count, "count")
    both = np.concatenate((ranking[:, :, None], table), axis=2)
    sums, counts = _by_patient(both, group_codes(clusters, len(ranking)))

    def scored(sums: Numbers, counts: Numbers) -> Numbers:
        return _score_best(sums, counts, measured, count=count, seed=seed, splits=check_count(splits, "splits"))

    values = scored(sums, counts)
    lows, highs = (np.full(values.shape, np.nan),) * 2
    if len(sums) >= 4:
        share = (1 + open_fraction(level, "level")) / 2
        seen, more = (
            _jackknife_limits(scored, each, seed, share) for each in ((sums, counts), _with_unseen(sums, counts))
        )
        lows, highs = np.fmin(seen[0], more[0]), np.fmax(seen[1], more[1])
    return [
        Estimate(float(value), float(min(low, value)), float(max(high, value)), len(ranking), METHOD)
        for value, low, high in zip(values, lows, highs, strict=True)
    ]


def _jackknife_limits(
    scored: Callable[[Numbers, Numbers], Numbers], patients: tuple[Numbers, Numbers], seed: int, share: float
) -> tuple[Numbers, Numbers]:
    """Lower and upper limit of each score, from a jackknife over groups of patients."""
    count = len(patients[0])
    groups = min(GROUPS, count)
    group = np.random.default_rng(seed).permutation(count) % groups
    without = np.stack([scored(*(each[group != at] for each in patients)) for at in range(groups)])
    errors = np.sqrt((groups - 1) / groups * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    margins = float(scipy.special.stdtrit(groups - 1, share)) * errors
    values = scored(*patients)
    return values - margins, values + margins


def _with_unseen(sums: Numbers, counts: Numbers) -> tuple[Numbers, Numbers]:
    """Add two hypothetical patients with alternating 0 and 1 (see `chosen_on_one_half`)."""
    _, models, columns = sums.shape
    size = counts.sum() / np.count_nonzero(counts) if counts.any() else 1.0
    first = np.append(1.0, np.arange(1, columns) % 2)  # the ranking column equals the first further column
    unseen = np.stack([np.broadcast_to(each * size, (models, columns)) for each in (first, 1 - first)])
    return np.concatenate((sums, unseen)), np.concatenate((counts, np.full_like(unseen, size)))


def _score_best(sums: Numbers, counts: Numbers, measured: Measured, *, count: int, seed: int, splits: int) -> Numbers:
    """Mean scores of the best models over random halves of the patients."""
    if len(sums) < 2:
        models, columns = sums.shape[1], sums.shape[2] - 1
        return np.full(measured(np.zeros((1, models, columns))).shape[-1], np.nan)
    # Random halves, one per row; odd rows complement even ones.
    places = np.argsort(np.random.default_rng(seed).random((splits // 2 + splits % 2, len(sums))), axis=1)
    half = (places < len(sums) // 2).astype(np.float64)
    half = np.stack((half, 1 - half), axis=1).reshape(-1, len(sums))[:splits]
    with np.errstate(invalid="ignore", divide="ignore"):
        by, on = (np.tensordot(part, sums, 1) / np.tensordot(part, counts, 1) for part in (half, 1.0 - half))
        scores = measured(on[:, :, 1:])
    best = np.argsort(-by[:, :, 0], axis=1, kind="stable")[:, :count]
    return np.asarray(np.nanmean(np.take_along_axis(scores, best[:, :, None], axis=1), axis=(0, 1)))


def _by_patient(values: Numbers, codes: Codes | None) -> tuple[Numbers, Numbers]:
    """Sums and counts per patient, independent of the order of items."""
    groups = np.arange(len(values)) if codes is None else codes
    sums, counts = (np.zeros((int(groups.max()) + 1, *values.shape[1:])) for _ in range(2))
    np.add.at(sums, groups, np.nan_to_num(values))
    np.add.at(counts, groups, np.isfinite(values))
    order = np.lexsort(sums.reshape(len(sums), -1).round(12).T)
    return sums[order], counts[order]
