"""Planning: number of human labels needed to validate a judge or to correct its accuracy."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
import scipy

from snellen.stats.agreement import kappa_variance
from snellen.stats.item_contrast import fewest
from snellen.stats.observations import Codes, Numbers, check_count, open_fraction

STUDIES = 10_000
"""Number of simulated studies for each number of labels that is tried."""
LEAST_MARGIN = 0.01
"""Smallest distance of κ from a threshold; anything smaller takes tens of thousands of labels."""


class KappaPlan(NamedTuple):
    """Number of labels, with the assumed agreement of judge and people.

    `kappa` follows from the agreement and both shares of correct responses. Labels are a random sample of independent
    responses.
    """

    labels: int
    kappa: float
    agreement: float
    share: float
    judge_share: float


class AccuracyPlan(NamedTuple):
    """Number of labels with and without a judge, and the assumptions.

    `weight` is the expected λ. `labels` is None if labels of all responses are not enough; `labels_alone` may then
    exceed the number of responses. More responses are needed in that case.
    """

    labels: int | None
    labels_alone: int
    weight: float
    responses: int
    agreement: float
    share: float
    judge_share: float


def labels_for_kappa_width(
    half_width: float, *, agreement: float, share: float, judge_share: float | None = None, level: float = 0.95
) -> KappaPlan:
    """Number of labels for a mean interval of κ ± `half_width`.

    `share` is the share of responses that people call correct, `judge_share` that of the judge (default: the same). The
    search starts from the large-sample variance of κ and uses simulated studies, because rare errors need more labels.
    Below some 50 labels the interval of `cohens_kappa` contains the true κ less than 95% of the time.

    >>> labels_for_kappa_width(0.1, agreement=0.9, share=0.5).labels
    139
    """
    table = _cross_table(agreement, share, judge_share)
    open_fraction(half_width, "half_width")
    quantile = float(scipy.special.ndtri((1 + open_fraction(level, "level")) / 2))
    start = quantile**2 * float(kappa_variance(table)) / half_width**2

    def is_precise(n: int) -> bool:
        low, high = _simulated_bounds(table, n, quantile)
        return float(np.mean(high - low)) / 2 <= half_width

    return _kappa_plan(table, _find_enough(start, is_precise))


def labels_for_kappa_above(
    threshold: float,
    *,
    agreement: float,
    share: float,
    judge_share: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
) -> KappaPlan:
    """Number of labels to show κ above `threshold` with this power.

    The expected κ must exceed the threshold by at least 0.01. The search starts from the large-sample variance of κ and
    uses simulated studies: the starting number alone has a power of 0.43 to 0.78 instead of 0.8.

    >>> 75 < labels_for_kappa_above(0.6, agreement=0.9, share=0.5).labels < 85
    True
    """
    table = _cross_table(agreement, share, judge_share)
    if not -1 < threshold <= _kappa(table) - LEAST_MARGIN:
        raise ValueError(
            f"`threshold` must lie at least {LEAST_MARGIN} below the expected κ, {_kappa(table):.3f}, got {threshold}."
        )
    quantile = float(scipy.special.ndtri((1 + open_fraction(level, "level")) / 2))
    both = quantile + float(scipy.special.ndtri(open_fraction(power, "power")))
    start = both**2 * float(kappa_variance(table)) / (_kappa(table) - threshold) ** 2

    def clears_threshold(n: int) -> bool:
        return float(np.mean(_simulated_bounds(table, n, quantile)[0] > threshold)) >= power

    return _kappa_plan(table, _find_enough(start, clears_threshold))


def labels_for_accuracy(
    half_width: float,
    *,
    agreement: float,
    share: float,
    responses: int,
    judge_share: float | None = None,
    level: float = 0.95,
) -> AccuracyPlan:
    """Number of labels to know a judge-graded accuracy to ± `half_width`.

    The interval is that of `prediction_powered_mean`, and Wilson's for labels alone. Responses are independent.

    >>> plan = labels_for_accuracy(0.05, agreement=0.95, share=0.7, responses=2000)
    >>> plan.labels, plan.labels_alone, round(plan.weight, 2)
    (109, 320, 0.8)
    """
    table = _cross_table(agreement, share, judge_share)
    open_fraction(half_width, "half_width")
    check_count(responses, "responses")
    quantile = float(scipy.special.ndtri((1 + open_fraction(level, "level")) / 2))
    alone = int(fewest(lambda n: _wilson_half_width(share, n, quantile) <= half_width, most=2**62))
    counts = np.arange(1.0, responses)
    weights, widths = _expect_precision(table, counts, responses, level)
    enough = np.flatnonzero(widths <= half_width)
    labels = [int(counts[enough[0]])] if enough.size else []
    least = min([*labels, *([alone] if alone <= responses else [])], default=None)
    weight = 0.0 if least is None or least == responses else float(weights[least - 1])
    return AccuracyPlan(least, alone, weight, responses, agreement, share, _marginal(table))


def _cross_table(agreement: float, share: float, judge_share: float | None) -> Numbers:
    """Shares of people's labels (rows) and the judge's grades (columns), correct first."""
    people = open_fraction(share, "share")
    judge = people if judge_share is None else open_fraction(judge_share, "judge_share")
    right = (people + judge - 1 + open_fraction(agreement, "agreement")) / 2
    table = np.array([[right, people - right], [judge - right, agreement - right]])
    if table.min() < -1e-12:
        raise ValueError(
            f"An agreement of {agreement} is impossible if people call {people:g} correct and the judge {judge:g}: "
            f"it lies between {abs(people + judge - 1):g} and {1 - abs(people - judge):g}."
        )
    return np.asarray(np.maximum(table, 0.0))


def _marginal(table: Numbers) -> float:
    return float(table[:, 0].sum())


def _chance(table: Numbers) -> float:
    return float(table.sum(axis=1) @ table.sum(axis=0))


def _kappa(table: Numbers) -> float:
    return (float(np.trace(table)) - _chance(table)) / (1 - _chance(table))


def _kappa_plan(table: Numbers, labels: int) -> KappaPlan:
    return KappaPlan(labels, _kappa(table), float(np.trace(table)), float(table[0].sum()), _marginal(table))


def _find_enough(start: float, enough: Callable[[int], bool]) -> int:
    """Find the first sufficient count, from `start` in steps of 2%."""
    count = max(2, ceil(start))
    while not enough(count):
        count += max(1, count // 50)
    return count


def _simulated_bounds(table: Numbers, n: int, quantile: float) -> tuple[Numbers, Numbers]:
    """Bounds of `cohens_kappa` in many simulated studies of n labels."""
    cells = np.random.default_rng(0).multinomial(n, table.ravel(), size=STUDIES)
    kinds, times = np.unique(cells, axis=0, return_counts=True)
    low, high = kappa_bounds(kinds.reshape(-1, 2, 2), quantile)
    return np.repeat(low, times), np.repeat(high, times)


def kappa_bounds(tables: Codes, quantile: float) -> tuple[Numbers, Numbers]:
    """Bounds of `cohens_kappa` for many cross tables with the same number of items.

    >>> [each.round(2).tolist() for each in kappa_bounds(np.array([[[40, 10], [10, 40]], [[50, 0], [0, 50]]]), 1.96)]
    [[0.44, 0.93], [0.76, 1.0]]
    """
    n = int(tables[0].sum())
    shares = tables / n
    rows, columns = shares.sum(axis=2), shares.sum(axis=1)
    agreement, chance = np.trace(tables, axis1=1, axis2=2) / n, (rows * columns).sum(axis=1)
    both = (tables.sum(axis=2).max(axis=1) < n) & (tables.sum(axis=1).max(axis=1) < n)
    defined = np.where(both[:, None, None], shares, 0.25)
    half = quantile * np.sqrt(np.maximum(kappa_variance(defined), 0.0) / n)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (agreement - chance) / (1 - chance)
        if_alike = (n / (n + quantile**2) - chance) / (1 - chance)
    low = np.where(agreement == 1, if_alike, value - half)
    high = np.where(agreement == 1, 1.0, value + half)
    return np.where(both, np.maximum(low, -1.0), -1.0), np.where(both, np.minimum(high, 1.0), 1.0)


def _wilson_half_width(share: float, n: int, quantile: float) -> float:
    square = quantile**2
    return quantile / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))


def _expect_precision(table: Numbers, labels: Numbers, responses: int, level: float) -> tuple[Numbers, Numbers]:
    """Expected λ and half width of `prediction_powered_mean`, for each number of labels.

    One hypothetical error of each kind is added to the labels, as in that function.
    """
    cells = table.ravel()[None, :] * labels[:, None] + np.array([0.0, 1.0, 1.0, 0.0])
    shares = cells / cells.sum(axis=1, keepdims=True)
    people, judge = shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]
    covariance, spread = shares[:, 0] - people * judge, judge * (1 - judge)
    weights = np.clip(covariance / spread, 0, 1) * (responses - labels) / responses
    left = people * (1 - people) - 2 * weights * covariance + weights**2 * spread
    graded = _marginal(table) * (1 - _marginal(table)) / (responses - labels)
    errors = np.sqrt(left / (labels + 1) + weights**2 * graded)
    return weights, np.asarray(scipy.special.stdtrit(labels + 1, (1 + level) / 2) * errors)
