"""What `snellen metrics` prints: the metrics of reports that there are, and what they say of a file of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path

import orjson
from rich.box import SIMPLE
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

from snellen.commands.complaining import complain
from snellen.commands.console import Terminal, out
from snellen.errors import MetricError, StudyError
from snellen.files import write_whole
from snellen.reading.reports.metrics import Metric, metric_named, metric_names
from snellen.reading.reports.metrics.radeval import Environment, in_environment
from snellen.runtime import counted, visible
from snellen.scoring.report_metrics import ReportRow, ReportScores, Watch, read_pairs, reports_of, score_reports
from snellen.scoring.results import score
from snellen.stats import Estimate
from snellen.store import Store

_LONG_JOB = 300
"""A line for each metric is printed where nobody watches a bar, if there are so many pairs."""


def metrics_in(names: Sequence[str], where: Environment | None) -> list[Metric]:
    """The metrics of these names; without any, all that need no RadEval. RadEval's are computed in `where`."""
    found = [metric_named(name) for name in dict.fromkeys(names or metric_names())]
    if not names:
        found = [metric for metric in found if in_environment(metric, Environment("")) is metric]
    return [in_environment(metric, where) if where else metric for metric in found]


def show_metrics(where: Environment | None) -> None:
    """Print each metric, its source, whether it runs here, and what it needs."""
    before = ""
    for metric in metrics_in(metric_names(), where):
        missing = metric.missing()
        better = "lower is better" if metric.lower_is_better else "higher is better"
        out.print(f"{metric.name}  ({better}; {'does not run here' if missing else 'runs here'})", soft_wrap=True)
        lines = [metric.about, f"Source: {metric.source}."]
        lines += [f"Needs: {metric.needs}"] if metric.needs else []
        told = "the same." if missing == before else missing
        lines += f"Missing: {told}".splitlines() if missing else []
        before = missing
        for line in lines:
            out.print(f"  {visible(line)}", soft_wrap=True)


def score_file(file: Path, names: Sequence[str], where: Environment | None, *, to: Path | None) -> None:
    """Score a file of pairs, or the reports of a study, print the tables, and write everything where a file is named.

    A study has a table for each model, benchmark and condition.
    """
    metrics = list(_runnable(metrics_in(names, where), named=bool(names), fetch=bool(where and where.fetch)))
    parts = _stored(file) if file.is_dir() else {"": read_pairs(file)}
    scored: dict[str, ReportScores] = {}
    for name, rows in parts.items():
        with _watched(len(rows)) as watch:
            scored[name] = score_reports(rows, metrics, watch=watch)
        if name:
            out.print(f"\n{visible(name)}", style="bold", markup=False, soft_wrap=True)
        show_scores(scored[name])
    if to:
        made = {name: each.as_json() for name, each in scored.items()}
        write_whole(to, orjson.dumps(made.get("", made), option=orjson.OPT_INDENT_2))
        out.print(f"Every value: {to.resolve()}", soft_wrap=True)


def _stored(folder: Path) -> dict[str, list[ReportRow]]:
    """The reports of the latest study of a folder."""
    with Store.open(folder) as store:
        found = reports_of(score(store))
    if not found:
        raise StudyError(f"{folder} holds no report that could be read. Ask for some: snellen exam --tests reports.")
    return found


def _runnable(metrics: Sequence[Metric], *, named: bool, fetch: bool) -> Iterator[Metric]:
    """The metrics that can be computed; one that was asked for by name and cannot is an error, others are told of."""
    for metric in metrics:
        missing = "" if fetch else metric.missing()
        if missing and named:
            raise MetricError(f"{metric.name} cannot be computed here. {missing}")
        if missing:
            complain(f"{metric.name} is left out. {missing}")
        else:
            yield metric


@contextmanager
def _watched(pairs: int) -> Iterator[Watch]:
    """A bar for each metric in a terminal; elsewhere a line for each, where there are many pairs."""
    console = Terminal(stderr=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    tasks: dict[str, object] = {}

    def watch(metric: Metric, done: int, of: int) -> None:
        if metric.name not in tasks:
            tasks[metric.name] = bar.add_task(metric.title, total=max(of, 1))
            if not console.is_terminal and (pairs >= _LONG_JOB or metric.together):
                console.print(f"{metric.title}: {counted(of, 'pair')}", markup=False, soft_wrap=True)
        bar.update(tasks[metric.name], completed=done)  # type: ignore[arg-type]

    with bar:
        yield watch


def show_scores(scores: ReportScores) -> None:
    """Print a table of means with intervals, and what was not scored."""
    grid = Grid(box=SIMPLE, pad_edge=False)
    for column in ("metric", "n", "mean", "95% CI", "no value", "method"):
        grid.add_column(column, overflow="fold", no_wrap=column != "method")
    for each in scores.metrics:
        arrow = " (lower is better)" if each.metric.lower_is_better else ""
        grid.add_row(f"{each.metric.title}{arrow}", *_cells(each.mean, each.without_value))
        if each.corpus and each.metric.corpus:
            grid.add_row(each.metric.corpus.title, *_cells(each.corpus))
    out.print(grid)
    for line in _notes(scores):
        out.print(line, soft_wrap=True)


def _cells(estimate: Estimate | None, without: int | None = None) -> tuple[str, str, str, str, str]:
    none = "" if without is None else f"{without:,}"
    if estimate is None:
        return "0", "–", "–", none, "–"
    return f"{estimate.n:,}", _number(estimate.value), _interval(estimate), none, estimate.method


def _interval(estimate: Estimate) -> str:
    bounds = (estimate.low, estimate.high)
    return f"{estimate.low:.3f} to {estimate.high:.3f}" if all(map(isfinite, bounds)) else "–"


def _number(value: float) -> str:
    return f"{value:.3f}" if isfinite(value) else "–"


def _notes(scores: ReportScores) -> Iterator[str]:
    pairs, aside = len(scores.rows), sum(scores.set_aside.values())
    of = f" of {counted(scores.patients, 'patient')}" if scores.patients is not None else ""
    unknown = "" if scores.patients is not None else " Rows name no patient: each counts as one of its own."
    yield f"{counted(pairs, 'pair')}{of}, {pairs - aside:,} scored.{unknown}"
    for reason, count in scores.set_aside.items():
        yield f"Not scored: {count:,} × {reason}."
    if scores.without_impression:
        yield f"{scores.without_impression:,} of the scored references have no impression."
    if any(each.without_value for each in scores.metrics):
        yield "No value: the metric found nothing to compare. None of these counts as 0."
    zeros = [(each.metric.title, each.empty_as_zero) for each in scores.metrics if each.empty_as_zero]
    if zeros:
        yield "Were every empty report worth 0, the means would be:"
    for title, estimate in zeros:
        yield f"  {title} {_number(estimate.value)} (95% CI {_interval(estimate)}, n = {estimate.n:,})"
