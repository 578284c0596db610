"""What `snellen report`, `report` and `judge` end with: the results of stored responses, printed and written."""

from __future__ import annotations

import sys
from typing import Any

import click

from snellen.asking.run import Progress
from snellen.cli.options import VERBOSE
from snellen.commands.terminal import grading, say_held_back, say_study, say_unanswered, say_unscored, show_results
from snellen.report.publishing import publish
from snellen.scoring.human_reference import human_reference
from snellen.scoring.results import Results


def publish_stored(
    folder: str,
    study: str | None,
    parsers: tuple[str, ...],
    human: str | None,
    figures: str = "svg",
    *,
    unqualified: bool = False,
) -> Results:
    """Grade the stored responses of a study, write results and report, and print them."""
    people = human_reference(human) if human else None
    how: dict[str, Any] = {"study": study, "parsers": parsers, "human": people, "unqualified": unqualified}
    with grading() as watch:
        results = publish(folder, figures=figures, watch=watch, **how)
    show_all(results)
    return results


def show_all(results: Results) -> None:
    """Print results, and everything that a reader must know about them."""
    context = click.get_current_context(silent=True)
    show_results(results, verbose=bool(context and context.meta.get(VERBOSE)))
    say_study(results.study["name"], results.others, results.out)
    say_unanswered(results)
    say_unscored(results)
    say_held_back(results.held_back)


def leave(progress: Progress | None = None, results: Results | None = None) -> None:
    """Exit with 1 where a model gave no response at all, or none with an image, or a test was left out."""
    blind = progress is not None and results is not None and any(each.none_answered for each in results.delivery)
    if (progress and progress.silent) or blind or (results and results.unscored):
        sys.exit(1)
