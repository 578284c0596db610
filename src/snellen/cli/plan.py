"""The command `snellen plan`."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli.options import FilePath, FiniteRange, Int64Range, option, study_options
from snellen.judging import THRESHOLD


@click.command("plan")
@click.argument("study", metavar="[STUDY.toml]", required=False, type=FilePath(exists=True, dir_okay=False))
@option("--labels", is_flag=True, help="Instead, show how many human labels are needed to qualify a judge.")
@option(
    "--kappa",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    help="Cohen's κ that you expect between judge and people  [default: 0.8].",
)
@option(
    "--agreement",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    help="Instead of --kappa, the share of responses on which judge and people agree.",
)
@option(
    "--correct",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.5,
    help="The share of responses that people call correct.",
)
@option(
    "--threshold",
    type=FiniteRange(0, 1, max_open=True),
    default=THRESHOLD,
    help="κ that the judge must be shown to exceed.",
)
@option(
    "--width",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    help="Wanted precision of κ and accuracy, as ±.",
)
@option("--responses", type=Int64Range(2), help="Responses that the judge grades  [default: the study's, else 1000].")
@option(
    "--frontier [NAME=VALUE,...]",
    is_flag=False,
    flag_value="",
    help="Instead, show what a large study costs, and what to drop first without losing power.",
)
@option(
    "--out", type=FilePath(), help="Folder whose stored responses are not asked for again [default: the study's own]."
)
@study_options
def plan_command(study: str | None, labels: bool, responses: int | None, frontier: str | None, **options: Any) -> None:
    """Show how many requests a study takes, and what it costs. Sends nothing.

    Requests are counted per test; requests that tests share count once.

    With --labels, show how many human labels are needed to qualify a judge of open answers. A study file is optional;
    it gives the number of responses of a model to each benchmark.

    With --frontier, show requests, tokens, GPU hours, money and storage of a study, the items and repeats that each
    verdict needs, what to drop first, and the minimum cost of finding smaller and larger changes. Stored responses in
    --out serve as a pilot. Without a study file, give its size (models, benchmarks, conditions, items, epochs), its
    tests (tests=readiness+artefacts), the accuracy of guessing (chance) and the cost of a model (gpu=NAME, or
    price=openai/gpt-5, or price=1.25/10 in dollars per million tokens read and written). With or without a file: power
    (0.8), change=0.05 (the change of accuracy to find), by=requests, money or gpu (what to minimise), family (the
    number of comparisons corrected together), and accuracy, within, rerun and moved (how models answer).

    \b
    snellen plan study.toml
    snellen plan study.toml --frontier power=0.9,by=money
    snellen plan --frontier models=100,benchmarks=20,conditions=30,items=1000,epochs=3
    snellen plan --labels --agreement 0.9 --correct 0.7 --responses 2000
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.cli.asking import conduct, count_graded, show_labels, study_fields
    from snellen.cli.frontier import frontier_of, show_frontier
    from snellen.study import Study

    expected = {name: options.pop(name) for name in ("kappa", "agreement", "correct", "threshold", "width")}
    if frontier and study is None and "=" not in frontier:  # snellen plan --frontier study.toml
        study, frontier = frontier, ""
    planned = Study.from_toml(study, **study_fields(options)) if study else None
    if frontier is not None:
        show_frontier(frontier_of(frontier, planned))
        return
    if labels:
        show_labels(count_graded(planned, responses), **expected)
        return
    if planned is None:
        raise click.UsageError(
            "Which study? snellen plan STUDY.toml, snellen plan --frontier, or snellen plan --labels."
        )
    conduct(planned, dry_run=True)
