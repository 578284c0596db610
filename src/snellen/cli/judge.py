"""The command `snellen judge`: let other models judge the stored responses."""

from __future__ import annotations

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
@option("--model PROVIDER/MODEL...", "models", required=True, help="Model that judges; repeat for a panel.")
@option("--limit", type=Int64Range(1), help="Judge only the first N items of each benchmark.")
@option(
    "--epochs",
    type=Int64Range(1),
    help="Judge N repeats of each item.  [default: 1; all for open answers, --unsure and --question]",
)
@option(
    "--opinions",
    type=Int64Range(1),
    help=f"Independent opinions of each judge on each open answer.  [default: {OPINIONS}; --question has its own]",
)
@option(
    "--unsure",
    is_flag=True,
    help="Ask only about responses that the parser could not read reliably: which option does each state? The judge's "
    "reading then counts.",
)
@option(
    "--question NAME",
    help="Ask a question that a plug-in defines about each response; write the opinions to judged-NAME.jsonl.",
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
    and whether the answer follows. It never learns the right answer. The report shows its verdicts as its opinion. If
    a question was sent without an image, the judge is asked whether the response says so, in the Mirage paper's words.

    Open answers are graded: the judge sees the reference and says correct, incorrect or unclear. The examined
    models are not asked again. A question of a plug-in (--question) changes no number of the report.
    """
    from snellen.cli.terminal import leave, publish_stored, say_failures
    from snellen.judging.asking import judge
    from snellen.judging.qualify import judge_responses, judged_responses_as_text

    options["yes"] = bool(options["yes"])
    if question:
        if options.pop("unsure"):
            raise click.UsageError("Choose --unsure or --question, not both: --unsure has its own question.")
        done = judge_responses(folder, models, question, study=study, opinions=opinions, **options)
        say_failures(done.progress)
        click.echo(visible(judged_responses_as_text(done)))
        leave(done.progress)
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
