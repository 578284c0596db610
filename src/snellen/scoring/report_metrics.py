"""Metrics of generated reports, with intervals over patients and counts of unscored reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.rows import FileRow, read
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
"""How far a value may exceed the metric's bounds because of rounding."""

Watch = Callable[[Metric, int, int], None]
"""Callback for progress: the metric, the pairs done, and their total."""


class ReportRow(NamedTuple):
    """A generated report and its reference, with an id and the patient ("" if unknown)."""

    id: str
    pair: Pair
    patient: str = ""


def read_pairs(path: Path) -> list[ReportRow]:
    """Read pairs from a file with the fields `id`, `reference`, `generated` and optionally `patient`.

    BrokenRowsError if a row cannot be used.
    """
    rows: list[ReportRow] = []
    broken: list[BrokenRow] = []
    known: set[str] = set()
    for row in read(path):
        try:
            found = _read_row(row)
            if found.id in known:
                raise DataError("an earlier row has the same id; give each pair its own id")
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
    """Return a study's reports by model, benchmark and condition; other responses are left out."""
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


def _read_row(row: FileRow) -> ReportRow:
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
    """One metric's values (NaN if undefined), their mean and the corpus value."""

    metric: Metric
    values: Floats
    mean: Estimate | None
    """None if no pair has a value."""
    corpus: Estimate | None
    """Value over all pairs together, if the metric has one."""
    without_value: int
    """Number of scored pairs without a value, because the metric found nothing to compare."""
    empty_as_zero: Estimate | None
    """Mean with 0 for every empty report; None if no report is empty or 0 is not the worst value."""


@dataclass(frozen=True)
class ReportScores:
    """Scores of all metrics, with the pairs that were not scored."""

    rows: Sequence[ReportRow]
    reasons: Sequence[str]
    """Reason why each pair was not scored; "" if it was."""
    metrics: Sequence[MetricScores]

    @cached_property
    def set_aside(self) -> Mapping[str, int]:
        """Number of pairs not scored, by reason."""
        counted = Counter(filter(None, self.reasons))
        return {reason: counted[reason] for reason in REASONS if counted[reason]}

    @cached_property
    def without_impression(self) -> int:
        """Number of scored pairs whose reference has no impression."""
        scored = [row.pair.reference for row, why in zip(self.rows, self.reasons, strict=True) if not why]
        return sum(not sections_of(text).impression for text in scored)

    @property
    def patients(self) -> int | None:
        """Number of patients; None if a row has no patient."""
        return len({row.patient for row in self.rows}) if all(row.patient for row in self.rows) else None

    def as_json(self) -> dict[str, Any]:
        """Return all scores with the value of each pair; null if undefined."""
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
    """Score each usable pair with each metric, with 95% CIs over patients."""
    reasons = [unusable(row.pair) for row in rows]
    usable = np.array([not why for why in reasons], dtype=bool)
    numbers: dict[str | int, int] = {}  # a row without a patient counts as a patient of its own
    patients = np.array(
        [numbers.setdefault(row.patient or at, len(numbers)) for at, row in enumerate(rows)], dtype=np.intp
    )
    pairs = [row.pair for row, why in zip(rows, reasons, strict=True) if not why]
    empty = np.array([why == EMPTY for why in reasons], dtype=bool)
    found = []
    for metric in metrics:
        values = np.full(len(rows), np.nan)
        values[usable] = _score_pairs(metric, pairs, watch)
        zero_is_worst = metric.bounds[0] == 0 and not metric.lower_is_better
        as_zero = zero_is_worst and empty.any() and not np.isnan(values).all()
        found.append(
            MetricScores(
                metric,
                values,
                mean=_estimate_mean(metric, values, patients),
                corpus=_score_corpus(metric, pairs, values[usable], patients[usable]),
                without_value=int(np.isnan(values[usable]).sum()),
                empty_as_zero=_estimate_mean(metric, np.where(empty, 0.0, values), patients) if as_zero else None,
            )
        )
    return ReportScores(rows, reasons, found)


def _score_pairs(metric: Metric, pairs: Sequence[Pair], watch: Watch) -> Floats:
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
            f"{metric.name} gave {strange[0]:g} for a pair, expected {low:g} to {high:g}. No pair was scored by this "
            "metric: check the version of the package that computes it."
        )
    return np.asarray(np.clip(values, low, high))


def _estimate_mean(metric: Metric, values: Floats, patients: np.ndarray[Any, np.dtype[np.intp]]) -> Estimate | None:
    there = np.isfinite(values)
    return mean_score(values[there], patients[there], metric.bounds) if there.any() else None


def _score_corpus(metric: Metric, pairs: Sequence[Pair], values: Floats, patients: Any) -> Estimate | None:
    """Value over all pairs together, with a bootstrap interval over patients."""
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
    metric, estimates = scored.metric, (scored.mean, scored.corpus, scored.empty_as_zero)
    mean, corpus, empty_as_zero = (None if each is None else estimate_as_json(each) for each in estimates)
    return {
        "metric": metric.name,
        "title": metric.title,
        "source": metric.source,
        "about": metric.about,
        "lower_is_better": metric.lower_is_better,
        "mean": mean,
        "corpus": corpus and {"title": metric.corpus.title if metric.corpus else "", **corpus},
        "mean_with_empty_reports_as_0": empty_as_zero,
        "without_value": scored.without_value,
        "values": [
            {"id": row.id, "value": finite(value), **({"set_aside": why} if why else {})}
            for row, value, why in zip(rows, scored.values.tolist(), reasons, strict=True)
        ],
    }
