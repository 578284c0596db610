"""What the commands print: tables for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from pathlib import Path

import click
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as Grid

from snellen.imports import Imported
from snellen.plan import Count, Plan, total
from snellen.published import PAPERS, printed, sheets
from snellen.qualify import Qualification, judge_rows, judged_as_text, write_rows
from snellen.report.wording import visible
from snellen.results import Results
from snellen.run import Progress
from snellen.stress.words import points

out = Console(highlight=False, markup=False)
IMAGES_NAMED = 10
"""So many items whose image cannot be used are named, the others counted."""


def show_plan(plan: Plan) -> None:
    """Print what a plan asks."""
    counts = list(plan.counts())
    asked = f"{_several(len(plan.models), 'model')} · {_several(plan.epochs, 'epoch')}"
    out.print(f"{asked} · seed {plan.seed} · prompt {plan.prompt.name}")
    for benchmark, of_benchmark in groupby(counts, key=lambda count: count.benchmark):
        grid = Grid(title=visible(benchmark), title_justify="left", box=SIMPLE, pad_edge=False)
        for column in ("test", "items", "requests", "of these shared", "detectable"):
            grid.add_column(column, overflow="fold")
        for count in of_benchmark:
            detectable = _detectable(count.detectable)
            numbers = (str(count.items), str(count.requests), str(count.shared))
            grid.add_row(count.test, *numbers, detectable)
        out.print(grid)
    for line in _not_applicable(counts):
        out.print(line)
    out.print(f"{total(counts):,} requests in all. Detectable: in four of five tries, if one answer in five changes.")


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _detectable(effect: float | None) -> str:
    if effect is None:
        return "–"
    return points(effect) if effect <= 1 else "nothing"


def _not_applicable(counts: Sequence[Count]) -> Iterator[str]:
    """To how many items what does not apply, why, and which tests it concerns."""
    found: dict[tuple[str, str], list[Count]] = {}
    for count in counts:
        for reason in count.inapplicable:
            found.setdefault((count.benchmark, reason), []).append(count)
    for (benchmark, reason), of in found.items():
        most = max(count.inapplicable[reason] for count in of)
        tests = ", ".join(count.test for count in of)
        yield f"Not asked of {most} of {of[0].items} items of {visible(benchmark)}: {reason} ({tests})."


def show_results(results: Results) -> None:
    """Print the headline of every test and where the report lies."""
    found = (*results.findings, *results.over_all)
    for benchmark in dict.fromkeys(finding.benchmark for finding in found):
        grid = Grid(title=visible(benchmark), title_justify="left", box=SIMPLE, pad_edge=False, collapse_padding=True)
        for column in ("model and test", "result", "right", "change or rate [95%]", "n"):
            grid.add_column(column, overflow="fold")
        of_benchmark = (finding for finding in found if finding.benchmark == benchmark)
        for model, findings in groupby(of_benchmark, key=lambda finding: finding.model):
            grid.add_row(visible(model))
            for finding in findings:
                grid.add_row(f"  {finding.test.name}", finding.verdict.status, *finding.headline())
        out.print(grid)
    out.print(f"Report: {(results.folder / 'report.html').resolve()}", soft_wrap=True)


def grading() -> AbstractContextManager[object]:
    """A sign of life while stored replies are read and the report is drawn; nothing where nobody watches."""
    return Console(stderr=True).status("reading the replies and drawing the report")


def say_failures(progress: Progress) -> None:
    """Print, as errors, which images could not be used, which models were given up and what failed."""
    unusable = list(progress.unusable_images.items())
    for item, why in unusable[:IMAGES_NAMED]:
        click.echo(f"snellen: item {item!r} was not asked with its image: {visible(why)}", err=True)
    if more := unusable[IMAGES_NAMED:]:
        click.echo(f"snellen: … and {_several(len(more), 'more item')} with an image that cannot be used.", err=True)
    for model, why in progress.unusable.items():
        click.echo(f"snellen: {model} was given up: {why}", err=True)
    if progress.failed:
        click.echo(f"snellen: {progress.failed} requests failed; the same command asks them again.", err=True)
        for model, error in progress.errors.items():
            if model not in progress.unusable:
                click.echo(f"snellen: the last error of {model}: {error}", err=True)


def say_unread(results: Results) -> None:
    """Say how many answers of a judge could not be read."""
    for (model, benchmark), table in results.tables.items():
        if table.judge_unread:
            click.echo(
                f"snellen: {table.judge_unread} answers of the judge {table.judge} on {model}, {benchmark} could not "
                "be read and count for nothing.",
                err=True,
            )


def hold_judge(done: Qualification, model: str, *, out: Path | None, max_connections: int) -> Progress:
    """Ask a judge about the rows that a reader was held against, print how it compares, write what it says of each."""
    try:
        judged = judge_rows(done, model, max_connections=max_connections)
    except KeyboardInterrupt:
        click.echo("\nStopped. What the judge said is not kept; the same command asks it again.", err=True)
        sys.exit(130)
    if out:
        write_rows(done, out, judged.verdicts)
    click.echo(f"\n{judged_as_text(judged)}")
    say_failures(judged.progress)
    return judged.progress


def show_imported(imported: Imported) -> None:
    """Print what came in, and what to do with it."""
    grid = Grid("model", "benchmark", "arm", "replies", box=SIMPLE, pad_edge=False)
    for (model, benchmark, arm), count in imported.replies.items():
        grid.add_row(visible(model), visible(benchmark), visible(arm), f"{count:,}")
    out.print(grid)
    if imported.failed:
        out.print(f"{imported.failed:,} calls had failed: they are kept as such and not scored.")
    if imported.broken:
        out.print(f"{len(imported.broken):,} broken rows were left out; the report lists them.")
    beside = f", with {', '.join(imported.readers[1:])} beside it" if imported.readers[1:] else ""
    out.print(f"Tests these arms allow: {', '.join(imported.tests)}. Reader: {imported.readers[0]}{beside}.")
    out.print(f"Next: snellen report {imported.folder}", soft_wrap=True)


def show_papers() -> None:
    """Print which papers' figures there are."""
    grid = Grid(show_header=False, box=None, padding=(0, 2), pad_edge=False)
    for paper in PAPERS:
        grid.add_row(paper, printed(paper)["paper"])
    out.print(grid)


def show_published(paper: str, results: Results | None = None) -> None:
    """Print a paper's figures, and what a scored study has to set beside them."""
    for sheet in sheets(paper, results):
        grid = Grid(title=sheet.title, title_justify="left", box=SIMPLE, pad_edge=False, collapse_padding=True)
        for number, column in enumerate(sheet.columns):
            grid.add_column(column, overflow="fold", no_wrap=number >= sheet.words)
        for row in sheet.rows:
            grid.add_row(*map(visible, row))
        out.print(grid)
        for note in sheet.notes:
            out.print(visible(note))
