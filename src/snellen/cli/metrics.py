"""The command `snellen metrics`: list the metrics of reports, and score pairs or a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from snellen.cli.options import FILE, UNPACKED, FilePath, complain, option, tell
from snellen.errors import MetricError, StudyError
from snellen.runtime import counted, visible

if TYPE_CHECKING:
    from snellen.reading.reports.metrics import Metric
    from snellen.reading.reports.metrics.radeval import Environment
    from snellen.scoring.report_metrics import ReportRow, ReportScores
    from snellen.stats import Estimate

LONG_JOB = 300
"""Number of pairs from which each metric's progress is printed if there is no progress bar."""


@click.command("metrics")
@click.argument("file", metavar="[PAIRS.jsonl | OUT]", required=False, type=FilePath(exists=True, path_type=Path))
@option(
    "--metric NAME...", "metric", help="Score by this metric; repeat for more [default: all that run without RadEval]."
)
@option("--list", "listed", is_flag=True, help="List the metrics, their sources, and what each needs to run here.")
@option(
    "--radeval PYTHON",
    help="Path of a Python that has the package RadEval, for metrics with weights.",
)
@option("--fetch-weights", is_flag=True, help="Allow RadEval to fetch the weights of a metric over the network.")
@option("--json FILE", "to", type=FILE, help="Write all numbers and the value of every pair to this file, too.")
@UNPACKED
def metrics_command(
    file: Path | None,
    metric: tuple[str, ...],
    listed: bool,
    radeval: str | None,
    fetch_weights: bool,
    to: Path | None,
) -> None:
    """Score generated reports against their references. The 95% CIs are over patients.

    The reports come from a file or a study. A study gives a table for each model and condition. Rows of a file have
    `id`, `reference` and `generated`, and `patient` if patients have several reports. Empty reports, reports in another
    language and reports of over 5,000 words are counted and not scored.

    BLEU, ROUGE and findings F1 run here. BERTScore, CheXbert, RadGraph F1, RadCliQ-v1, GREEN and CRIMSON are computed
    by the package RadEval in an environment of its own, without a network unless --fetch-weights is given.

    \b
    snellen metrics --list
    snellen metrics pairs.jsonl
    snellen metrics pairs.jsonl --metric findings-f1 --metric rouge-l --json scores.json
    snellen metrics pairs.jsonl --metric radgraph-f1 --radeval radeval-env/bin/python
    snellen metrics exam --metric bleu --metric findings-f1
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.reading.reports.metrics.radeval import Environment

    where = Environment(radeval or "", fetch_weights) if radeval or fetch_weights else None
    if listed:
        show_metrics(where)
    elif file is None:
        raise click.UsageError(
            "Which file? snellen metrics PAIRS.jsonl, snellen metrics OUT, or snellen metrics --list."
        )
    else:
        score_file(file, metric, where, to=to)


def metrics_in(names: Sequence[str], where: Environment | None) -> list[Metric]:
    """Return the metrics of these names; by default, all that do not need RadEval.

    Metrics of RadEval are computed in the environment `where`.
    """
    from snellen.reading.reports.metrics import metric_named, metric_names
    from snellen.reading.reports.metrics.radeval import Environment, in_environment

    found = [metric_named(name) for name in dict.fromkeys(names or metric_names())]
    if not names:
        found = [metric for metric in found if in_environment(metric, Environment("")) is metric]
    return [in_environment(metric, where) if where else metric for metric in found]


def show_metrics(where: Environment | None) -> None:
    """Print each metric, its source, whether it runs here, and what it needs."""
    from snellen.reading.reports.metrics import metric_names

    before = ""
    for metric in metrics_in(metric_names(), where):
        missing = metric.missing()
        better = "lower is better" if metric.lower_is_better else "higher is better"
        tell(f"{metric.name}  ({better}; {'does not run here' if missing else 'runs here'})")
        lines = [metric.about, f"Source: {metric.source}."]
        lines += [f"Needs: {metric.needs}"] if metric.needs else []
        told = "the same." if missing == before else missing
        lines += f"Missing: {told}".splitlines() if missing else []
        before = missing
        tell(*(f"  {line}" for line in lines))


def score_file(file: Path, names: Sequence[str], where: Environment | None, *, to: Path | None) -> None:
    """Score a file of pairs, or a study's reports; print and write the results.

    A study has a table for each model, benchmark and condition.
    """
    from orjson import OPT_INDENT_2, dumps

    from snellen.cli.terminal import ProgressBars, out
    from snellen.files import write_whole
    from snellen.scoring.report_metrics import read_pairs, score_reports

    metrics = list(_runnable(metrics_in(names, where), named=bool(names), fetch=bool(where and where.fetch)))
    parts = _read_reports(file) if file.is_dir() else {"": read_pairs(file)}
    scored: dict[str, ReportScores] = {}
    for name, rows in parts.items():
        with ProgressBars(each=len(rows) >= LONG_JOB or any(metric.together for metric in metrics)) as bars:
            scored[name] = score_reports(rows, metrics, watch=lambda metric, *far: bars(metric.title, *far))
        if name:
            out.print(f"\n{visible(name)}", style="bold", soft_wrap=True)
        show_scores(scored[name])
    if to:
        made = {name: each.as_json() for name, each in scored.items()}
        write_whole(to, dumps(made.get("", made), option=OPT_INDENT_2))
        tell(f"Every value: {to.resolve()}")


def _read_reports(folder: Path) -> dict[str, list[ReportRow]]:
    from snellen.scoring.report_metrics import reports_of
    from snellen.scoring.results import score
    from snellen.store import Store

    with Store.open(folder) as store:
        found = reports_of(score(store))
    if not found:
        raise StudyError(f"{folder} holds no report that could be read. Ask for some: snellen exam --tests reports.")
    return found


def _runnable(metrics: Sequence[Metric], *, named: bool, fetch: bool) -> Iterator[Metric]:
    """Yield the metrics that can be computed; MetricError if a named one cannot."""
    for metric in metrics:
        missing = "" if fetch else metric.missing()
        if missing and named:
            raise MetricError(f"{metric.name} cannot be computed here. {missing}")
        if missing:
            complain(f"{metric.name} is left out. {missing}")
        else:
            yield metric


def show_scores(scores: ReportScores) -> None:
    """Print a table of means with intervals, and the number of pairs without a score."""
    from snellen.cli.terminal import print_table

    rows = []
    for each in scores.metrics:
        arrow = " (lower is better)" if each.metric.lower_is_better else ""
        rows.append((f"{each.metric.title}{arrow}", *_cells(each.mean, each.without_value)))
        if each.corpus and each.metric.corpus:
            rows.append((each.metric.corpus.title, *_cells(each.corpus)))
    print_table(("metric", "n", "mean", "95% CI", "no value", "method"), rows, breaking={5})
    tell(*_notes(scores))


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
    unknown = "" if scores.patients is not None else " Rows name no patient, so each counts as a different patient."
    yield f"{counted(pairs, 'pair')}{of}, {pairs - aside:,} scored.{unknown}"
    for reason, count in scores.set_aside.items():
        yield f"Not scored: {count:,} × {reason}."
    if scores.without_impression:
        yield f"{scores.without_impression:,} of the scored references have no impression."
    if any(each.without_value for each in scores.metrics):
        yield "No value: the metric found nothing to compare. Such pairs are left out, not counted as 0."
    zeros = [(each.metric.title, each.empty_as_zero) for each in scores.metrics if each.empty_as_zero]
    if zeros:
        yield "If every empty report counted as 0, the means would be:"
    for title, estimate in zeros:
        yield f"  {title} {_number(estimate.value)} (95% CI {_interval(estimate)}, n = {estimate.n:,})"
