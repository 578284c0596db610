"""The command `snellen paper figures`."""

from __future__ import annotations

import click

from snellen.cli.options import STUDY
from snellen.commands.arguments import FilePath, LateChoice


def _papers() -> list[str]:
    from snellen.papers import papers

    return papers()


@click.command("figures")
@click.argument("paper", metavar="[PAPER]", required=False, type=LateChoice(_papers))
@click.argument("folder", metavar="[OUT]", required=False, type=FilePath(exists=True, file_okay=False))
@STUDY
def figures_command(paper: str | None, folder: str | None, study: str | None) -> None:
    """Print a paper's figures, recomputed, and those of OUT beside them. Without a paper, list the papers.

    \b
    snellen import answers.jsonl.gz --from jsonl --out italian
    snellen paper figures italian italian
    snellen paper figures readiness
    snellen paper figures mirage
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.publishing import leave
    from snellen.commands.terminal import say_study, say_unscored, show_papers, show_published
    from snellen.scoring.results import rescore

    if not paper:
        show_papers()
        return
    results = rescore(folder, study=study) if folder else None
    show_published(paper, results)
    if results:
        say_study(results.study["name"], results.others, results.out)
        say_unscored(results)
        leave(results=results)
