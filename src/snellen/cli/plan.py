"""The command `snellen plan`."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli.options import FilePath, FiniteRange, Int64Range, option, study_options
from snellen.judging import THRESHOLD


@click.command("plan")
@click.argument("study", metavar="[STUDY.toml]", required=False, type=FilePath(exists=True, dir_okay=False))
@option("--labels", is_flag=True, help="Show how many labels by people are enough to rely on a judge, instead.")
@option(
    "--kappa",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    help="Cohen's κ that you expect between judge and people  [default: 0.8].",
)
@option(
    "--agreement",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    help="The share of responses on which they agree, instead of --kappa.",
)
@option(
    "--correct",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.5,
    help="The share of responses that people call correct.",
)
@option("--threshold", type=FiniteRange(0, 1, max_open=True), default=THRESHOLD, help="What κ must be shown to exceed.")
@option(
    "--width",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    help="How precisely κ and accuracy are to be known: ± so much.",
)
@option("--responses", type=Int64Range(2), help="Responses that the judge grades  [default: the study's, else 1000].")
@option(
    "--frontier [NAME=VALUE,...]",
    is_flag=False,
    flag_value="",
    help="Show what a large study costs and what to drop first with no verdict losing its power, instead.",
)
@option(
    "--out", type=FilePath(), help="Folder whose stored responses are not asked for again [default: the study's own]."
)
@study_options
def plan_command(study: str | None, labels: bool, responses: int | None, frontier: str | None, **options: Any) -> None:
    """Show how many requests a study takes, and what it costs. Sends nothing.

    Requests are counted per test; what tests share counts once.

    With --labels, show how many labels by people are enough to rely on a judge of answers in words. No study is needed
    for that; with one, the number of responses of a model to each benchmark is taken from it.

    With --frontier, show requests, tokens, GPU hours, money and storage of a study, the items and repeats that each
    verdict needs, what to drop first, and the least cost of finding smaller and larger changes. Responses in --out are
    taken for a pilot. No study file is needed: models, benchmarks, conditions, items and epochs say how large it is,
    tests=readiness+artefacts which tests it has, chance what a guess scores, price=openai/gpt-5 or price=1.25/10
    (dollars for a million tokens read and written) and gpu=NAME what a model costs. With or without a file: power
    (0.8), change=0.05 (the change of accuracy to find), by=requests, money or gpu (what is to be small), family (the
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
