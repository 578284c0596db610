"""Generated reports scored by metrics: means with intervals over patients, and what was not scored, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.rows import Row, read
from snellen.errors import BrokenRow, BrokenRowsError, DataError, MetricError
from snellen.reading.reports.columns import Reports
from snellen.reading.reports.metrics import Floats, Metric, Pair
from snellen.reading.reports.sections import sections_of
from snellen.reading.reports.unusable import EMPTY, REASONS, unusable
from snellen.scoring.results import Results
from snellen.scoring.writing import estimate_as_json, finite
from snellen.stats import Estimate, bootstrap, mean_score

BLOCK = 100
SEED, RESAMPLES = 19, 2000
ROUNDING = 1e-6
"""A value may lie so far outside what is possible."""

Watch = Callable[[Metric, int, int], None]
"""Told of each metric how many pairs are done, and of how many."""


class ReportRow(NamedTuple):
    """A pair of reports with its id and its patient, where that is known."""

    id: str
    pair: Pair
    patient: str = ""


def read_pairs(path: Path) -> list[ReportRow]:
    """The rows of a file, each with `id`, `reference`, `generated` and perhaps `patient`; BrokenRowsError else."""
    rows: list[ReportRow] = []
    broken: list[BrokenRow] = []
    known: set[str] = set()
    for row in read(path):
        try:
            found = _row(row)
            if found.id in known:
                raise DataError("its id is that of an earlier row; give each pair an id of its own")
        except DataError as error:
            broken.append(BrokenRow(row.where, str(row.fields.get("id", f"row-{row.number}")), str(error)))
            continue
        known.add(found.id)
        rows.append(found)
    if broken:
        raise BrokenRowsError(path.name, broken, len(rows), "Mend them.")
    if not rows:
        raise DataError(
            f'{path.name} holds no rows. Expected {{"id": …, "reference": …, "generated": …}} in each line.'
        )
    return rows


def reports_of(results: Results) -> dict[str, list[ReportRow]]:
    """The reports that a study holds, by model, benchmark and condition; responses that are no report are not here."""
    found: dict[str, list[ReportRow]] = {}
    for (model, benchmark), table in results.tables.items():
        for arm, grades in table.arms.items():
            said = grades.of(Reports)
            if said is None:
                continue
            rows = [
                ReportRow(
                    f"{table.items[ordinal].id} run {replicate + 1}",
                    Pair(said.generated[at], said.reference[at]),
                    str(table.clusters[ordinal]),
                )
                for at, (ordinal, replicate) in enumerate(grades.runs())
                if said.compared[at] is not None
            ]
            if rows:
                found[f"{model} on {benchmark}, {arm}"] = rows
    return found


def _row(row: Row) -> ReportRow:
    if row.reason is not None:
        raise DataError(row.reason)
    texts = {}
    for name in ("id", "reference", "generated"):
        if row.fields.get(name) is None:
            raise DataError(f"it has no {name!r}; its fields are {sorted(row.fields)}")
        texts[name] = as_text(row.fields[name], f"its {name}")
    patient = row.fields.get("patient")
    named = "" if patient is None else as_text(patient, "its patient")
    return ReportRow(texts["id"], Pair(texts["generated"], texts["reference"]), named)


@dataclass(frozen=True)
class MetricScores:
    """What one metric says of the pairs: a value each, NaN where it has none, and their mean and corpus value."""

    metric: Metric
    values: Floats
    mean: Estimate | None
    """None where no pair has a value."""
    corpus: Estimate | None
    """The value of all pairs at once, where the metric has one."""
    without_value: int
    """Pairs that were scored and have no value, since the metric found nothing to compare."""
    empty_as_zero: Estimate | None
    """The mean with 0 for every empty report, where there are any and 0 is the worst value."""


@dataclass(frozen=True)
class ReportScores:
    """All metrics of all pairs, and which pairs were set aside before any metric saw them."""

    rows: Sequence[ReportRow]
    reasons: Sequence[str]
    """Why each pair was set aside, empty where it was scored."""
    metrics: Sequence[MetricScores]

    @cached_property
    def set_aside(self) -> Mapping[str, int]:
        """How many pairs were set aside for each reason."""
        counted = Counter(filter(None, self.reasons))
        return {reason: counted[reason] for reason in REASONS if counted[reason]}

    @cached_property
    def without_impression(self) -> int:
        """How many scored pairs have a reference without an impression."""
        scored = [row.pair.reference for row, why in zip(self.rows, self.reasons, strict=True) if not why]
        return sum(not sections_of(text).impression for text in scored)

    @property
    def patients(self) -> int | None:
        """How many patients the rows are of; None where they do not say."""
        return len({row.patient for row in self.rows}) if all(row.patient for row in self.rows) else None

    def as_json(self) -> dict[str, Any]:
        """Everything, with the value of each pair; null where there is none."""
        return {
            "pairs": len(self.rows),
            "patients": self.patients,
            "set_aside": dict(self.set_aside),
            "reference_without_impression": self.without_impression,
            "metrics": [_metric_as_json(each, self.rows, self.reasons) for each in self.metrics],
        }


def score_reports(
    rows: Sequence[ReportRow], metrics: Sequence[Metric], *, watch: Watch = lambda metric, done, of: None
) -> ReportScores:
    """Each metric of each pair that can be compared, with 95% CIs over patients."""
    reasons = [unusable(row.pair) for row in rows]
    usable = np.array([not why for why in reasons], dtype=bool)
    patients = _patients(rows)
    pairs = [row.pair for row, why in zip(rows, reasons, strict=True) if not why]
    empty = np.array([why == EMPTY for why in reasons], dtype=bool)
    found = []
    for metric in metrics:
        values = np.full(len(rows), np.nan)
        values[usable] = _values(metric, pairs, watch)
        found.append(
            MetricScores(
                metric,
                values,
                mean=_mean(metric, values, patients),
                corpus=_corpus(metric, pairs, values[usable], patients[usable]),
                without_value=int(np.isnan(values[usable]).sum()),
                empty_as_zero=_with_zeros(metric, values, empty, patients),
            )
        )
    return ReportScores(rows, reasons, found)


def _patients(rows: Sequence[ReportRow]) -> np.ndarray[Any, np.dtype[np.intp]]:
    """A number for each patient; rows that do not name one are patients of their own."""
    numbers: dict[str | int, int] = {}
    return np.array([numbers.setdefault(row.patient or at, len(numbers)) for at, row in enumerate(rows)], dtype=np.intp)


def _values(metric: Metric, pairs: Sequence[Pair], watch: Watch) -> Floats:
    block = len(pairs) if metric.together else BLOCK
    parts = []
    watch(metric, 0, len(pairs))
    for start in range(0, len(pairs), max(block, 1)):
        parts.append(metric.score(pairs[start : start + block]))
        watch(metric, min(start + block, len(pairs)), len(pairs))
    values, (low, high) = np.concatenate([np.zeros(0), *parts]), metric.bounds
    strange = values[(values < low - ROUNDING) | (values > high + ROUNDING)]
    if len(strange):
        raise MetricError(
            f"{metric.name} gave {strange[0]:g} for a pair, expected {low:g} to {high:g}. Nothing is scored by it: "
            "check the version of the package that computes it."
        )
    return np.asarray(np.clip(values, low, high))


def _mean(metric: Metric, values: Floats, patients: np.ndarray[Any, np.dtype[np.intp]]) -> Estimate | None:
    there = np.isfinite(values)
    return mean_score(values[there], patients[there], metric.bounds) if there.any() else None


def _with_zeros(
    metric: Metric, values: Floats, empty: np.ndarray[Any, np.dtype[np.bool_]], patients: Any
) -> Estimate | None:
    if metric.bounds[0] != 0 or metric.lower_is_better or not empty.any() or np.isnan(values).all():
        return None
    return _mean(metric, np.where(empty, 0.0, values), patients)


def _corpus(metric: Metric, pairs: Sequence[Pair], values: Floats, patients: Any) -> Estimate | None:
    """The value of all pairs at once; its interval is a bootstrap of whole patients, whose counts are added up."""
    if metric.corpus is None or not pairs:
        return None
    corpus = metric.corpus
    counts = corpus.counts(pairs, values)
    _, code = np.unique(patients, return_inverse=True)
    by_patient = np.zeros((code.max() + 1, counts.shape[1]))
    np.add.at(by_patient, code, counts)
    n = int(np.isfinite(values).sum())
    value = float(corpus.value(counts.sum(axis=0)))
    if len(by_patient) < 2 or not np.isfinite(value):
        return Estimate(value, np.nan, np.nan, n, "no interval")
    drawn = bootstrap(by_patient, lambda rows, axis: corpus.value(rows.sum(axis=axis)), seed=SEED, resamples=RESAMPLES)
    clustered = len(by_patient) < len(pairs)
    return Estimate(value, drawn.low, drawn.high, n, "cluster-bootstrap-percentile" if clustered else drawn.method)


def _metric_as_json(scored: MetricScores, rows: Sequence[ReportRow], reasons: Sequence[str]) -> dict[str, Any]:
    metric = scored.metric
    return {
        "metric": metric.name,
        "title": metric.title,
        "source": metric.source,
        "about": metric.about,
        "lower_is_better": metric.lower_is_better,
        "mean": _estimate_as_json(scored.mean),
        "corpus": _estimate_as_json(scored.corpus)
        and {
            "title": metric.corpus.title if metric.corpus else "",
            **(_estimate_as_json(scored.corpus) or {}),
        },
        "mean_with_empty_reports_as_0": _estimate_as_json(scored.empty_as_zero),
        "without_value": scored.without_value,
        "values": [
            {"id": row.id, "value": finite(value), **({"set_aside": why} if why else {})}
            for row, value, why in zip(rows, scored.values.tolist(), reasons, strict=True)
        ],
    }


def _estimate_as_json(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate_as_json(estimate)
