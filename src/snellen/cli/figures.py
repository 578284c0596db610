"""The command `snellen paper figures`: recompute a paper's numbers, next to those of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from snellen.cli.options import OLD_FOLDER, STUDY, LateChoice, tell

if TYPE_CHECKING:
    from snellen.scoring.results import Results


@click.command("figures")
@click.argument("paper", metavar="[PAPER]", required=False, type=LateChoice("snellen.papers:papers"))
@click.argument("folder", metavar="[OUT]", required=False, type=OLD_FOLDER)
@STUDY
def figures_command(paper: str | None, folder: str | None, study: str | None) -> None:
    """Recompute a paper's numbers and print them beside those of OUT. Without a paper, list the papers.

    \b
    snellen import answers.jsonl.gz --from jsonl --out italian
    snellen paper figures italian italian
    snellen paper figures readiness
    snellen paper figures mirage
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from rich.table import Table

    from snellen.cli.terminal import leave, out, say_study, say_unscored
    from snellen.papers import papers, printed
    from snellen.scoring.results import rescore

    if not paper:
        grid = Table(show_header=False, box=None, padding=(0, 2), pad_edge=False)
        for each in papers():
            grid.add_row(each, printed(each)["paper"])
        out.print(grid)
        return
    results = rescore(folder, study=study) if folder else None
    show_published(paper, results)
    if results:
        say_study(results.study["name"], results.others, results.out)
        say_unscored(results)
        leave(results=results)


def show_published(paper: str, results: Results | None = None) -> None:
    """Print a paper's figures, next to the results of a scored study."""
    from snellen.cli.terminal import print_table
    from snellen.papers import sheets

    for sheet in sheets(paper, results):
        print_table(sheet.columns, sheet.rows, title=sheet.title, breaking=range(sheet.words), close=True)
        tell(*sheet.notes)
