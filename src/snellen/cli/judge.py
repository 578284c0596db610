"""The command `snellen judge`: other models judge the stored responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from snellen.cli.options import (
    HUMAN,
    OUT,
    PARSER,
    STUDY,
    TIMEOUT,
    UNQUALIFIED,
    VERBOSELY,
    YES,
    Int64Range,
    complain,
    option,
)
from snellen.judging import OPINIONS
from snellen.runtime import visible


@click.command("judge")
@OUT
@STUDY
@option("--model PROVIDER/MODEL...", "models", required=True, help="The model that judges; repeat for a panel.")
@option("--limit", type=Int64Range(1), help="Judge only the first N items of each benchmark.")
@option(
    "--epochs",
    type=Int64Range(1),
    help="Judge N runs of each item.  [default: 1; of open answers, with --unsure and --question all]",
)
@option(
    "--opinions",
    type=Int64Range(1),
    help=f"Independent opinions of each judge on each open answer.  [default: {OPINIONS}; with --question, as it says]",
)
@option(
    "--unsure",
    is_flag=True,
    help="Ask only which option each response states whose reading is unsure. What the judge reads then counts.",
)
@option(
    "--question NAME",
    help="Ask the judge's question of a plug-in about each response, and write its opinions to judged-NAME.jsonl.",
)
@option("--max-connections", type=Int64Range(1), default=64, help="Requests in flight.")
@TIMEOUT
@YES
@PARSER
@HUMAN
@UNQUALIFIED
@VERBOSELY
def judge_command(
    folder: str,
    models: tuple[str, ...],
    study: str | None,
    parsers: tuple[str, ...],
    human: str | None,
    opinions: int | None,
    question: str | None,
    *,
    unqualified: bool,
    **options: Any,
) -> None:
    """Let another model judge the stored responses. Then the report is written again.

    The judge reads the responses to a question side by side: what each claims to see, whether the image supports it,
    and whether the answer follows. It never learns the right answer. The report shows its verdicts as its opinion. For
    questions that were sent without an image, it is asked whether the response says so, in the Mirage paper's words.

    Open answers are graded: the judge sees the reference and says correct, incorrect or unclear. The models are asked
    nothing again, whoever judges. A question of a plug-in (--question) changes no number of the report.
    """
    from snellen.cli.terminal import leave, publish_stored, say_failures
    from snellen.judging.asking import judge

    options["yes"] = bool(options["yes"])
    if question:
        if options.pop("unsure"):
            raise click.UsageError("--unsure asks which option a response states; it does not go with --question.")
        ask_question(folder, models, question, study=study, opinions=opinions, **options)
        return
    progress = judge(folder, models, study=study, opinions=opinions or OPINIONS, **options)
    say_failures(progress)
    results = publish_stored(folder, study, parsers, human, unqualified=unqualified)
    for (model, benchmark), table in results.tables.items():
        if table.judge_unread:
            complain(
                f"{table.judge_unread} answers of the judge {table.judge} on {model}, {benchmark} could not "
                "be read and are not counted."
            )
    leave(progress)
    leave(results=results)


def ask_question(folder: str, models: Sequence[str], question: str, **how: Any) -> None:
    """Ask judges a plug-in's question about stored responses, and print how often they give each label."""
    from snellen.cli.terminal import leave, say_failures
    from snellen.judging.qualify import judge_responses, judged_responses_as_text

    done = judge_responses(folder, models, question, **how)
    say_failures(done.progress)
    click.echo(visible(judged_responses_as_text(done)))
    leave(done.progress)
