"""Profiles: what benchmarks demand, by clinicians' ratings of their questions on ten axes.

As in "The Illusion of Readiness": the median per benchmark and axis, Fleiss' κ, and the benchmark's position by
reasoning and visual complexity. Each complexity is the mean over items, raters and five axes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite
from statistics import fmean, median, stdev
from typing import Any

from snellen.stats import Estimate, fleiss_kappa, mean_score
from snellen.tools.review.case import Subject, cluster
from snellen.tools.review.task import Field, Value
from snellen.tools.review.tasks.profile import REASONING, VISUAL

Rated = Sequence[tuple[Subject, Mapping[str, Value]]]
"""The questions with their votes, by rater."""
LOWEST, HIGHEST = 1.0, 3.0
GROUPS = {"reasoning": REASONING, "visual": VISUAL}


def axes_of(rated: Rated) -> list[dict[str, Any]]:
    """Summarise each benchmark on each axis: median, mean and agreement."""
    rows = []
    for benchmark, cases in _by_benchmark(rated).items():
        for group, axes in GROUPS.items():
            for axis in axes:
                by_item = [[_level(value, axis) for value in said.values()] for _, said in cases]
                levels = [level for each in by_item for level in each]
                rows.append({
                    "benchmark": benchmark, "axis": axis.name, "group": group, "asks": axis.asks,
                    "median": median(levels), "mean": fmean(levels), "items": len(by_item), "raters": _raters(cases),
                    "kappa": _kappa(by_item, [cluster(subject) for subject, _ in cases]),
                })  # fmt: skip
    return rows


def landscape_of(rated: Rated) -> list[dict[str, Any]]:
    """Compute each benchmark's mean reasoning and visual complexity, with the spread of raters."""
    rows = []
    for benchmark, cases in _by_benchmark(rated).items():
        row: dict[str, Any] = {"benchmark": benchmark, "items": len(cases), "raters": _raters(cases)}
        for group, axes in GROUPS.items():
            row[group] = estimate_record(complexity(cases, axes))
            row[f"{group}_spread"] = spread(cases, axes)
        rows.append(row)
    return rows


def ratings_of(rated: Rated) -> list[dict[str, Any]]:
    """Return the raters' median for each item and axis."""
    return [
        {
            "benchmark": subject.benchmark, "item_id": subject.item_id, "raters": len(said),
            "axes": {axis.name: median(_level(value, axis) for value in said.values())
                     for axis in (*REASONING, *VISUAL)},
        }
        for subject, said in rated
    ]  # fmt: skip


def complexity(cases: Rated, axes: Sequence[Field]) -> Estimate:
    """Estimate the mean rating over items, raters and the given axes, with an interval."""
    span = HIGHEST - LOWEST
    groups = [cluster(subject) for subject, _ in cases]
    shares = mean_score([(level - LOWEST) / span for level in complexities(cases, axes)], groups)
    value, low, high = (LOWEST + span * each for each in (shares.value, shares.low, shares.high))
    return Estimate(value, low, high, shares.n, shares.method)


def complexities(cases: Rated, axes: Sequence[Field]) -> list[float]:
    """Return each item's mean rating over raters and the given axes."""
    return [fmean(_level(value, axis) for value in said.values() for axis in axes) for _, said in cases]


def spread(cases: Rated, axes: Sequence[Field]) -> float | None:
    """Return the standard deviation between raters' own means; None for one rater."""
    by_rater: dict[str, list[float]] = {}
    for _, said in cases:
        for rater, value in said.items():
            by_rater.setdefault(rater, []).extend(_level(value, axis) for axis in axes)
    means = [fmean(levels) for levels in by_rater.values()]
    return stdev(means) if len(means) > 1 else None


def _by_benchmark(rated: Rated) -> dict[str, list[tuple[Subject, Mapping[str, Value]]]]:
    grouped: dict[str, list[tuple[Subject, Mapping[str, Value]]]] = {}
    for subject, said in rated:
        grouped.setdefault(subject.benchmark, []).append((subject, said))
    return grouped


def _raters(cases: Rated) -> int:
    return len({rater for _, said in cases for rater in said})


def _level(value: Value, axis: Field) -> float:
    return float(value[axis.name])


def _kappa(by_item: Sequence[Sequence[float]], clusters: Sequence[str]) -> dict[str, Any] | None:
    """Compute Fleiss' κ on the items with the usual number of votes; None without pairs."""
    sizes = Counter(len(levels) for levels in by_item if len(levels) > 1)
    if not sizes:
        return None
    usual = max(sizes, key=lambda size: (sizes[size], size))
    equal = [(levels, group) for levels, group in zip(by_item, clusters, strict=True) if len(levels) == usual]
    rows = [[int(level) for level in levels] for levels, _ in equal]
    return estimate_record(fleiss_kappa(rows, [group for _, group in equal]))


def estimate_record(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as JSON; infinite or undefined numbers are null.

    >>> estimate_record(Estimate(0.5, 0.25, float("inf"), 7, "example"))
    {'value': 0.5, 'low': 0.25, 'high': None, 'n': 7, 'method': 'example'}
    """
    numbers = {name: getattr(estimate, name) for name in ("value", "low", "high")}
    known = {name: float(value) if isfinite(value) else None for name, value in numbers.items()}
    return {**known, "n": estimate.n, "method": estimate.method}
