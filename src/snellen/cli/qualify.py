"""The command `snellen parser qualify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli.options import TIMEOUT, UNPACKED, option
from snellen.commands.arguments import FilePath, FiniteRange, Int64Range
from snellen.judging import THRESHOLD
from snellen.judging.qualify import MEMBERS
from snellen.plugins import names


@click.command("qualify")
@click.argument("parser", metavar="PARSER|judge")
@click.argument("file", metavar="FILE.jsonl", type=FilePath(exists=True, dir_okay=False, path_type=Path))
@option(
    "--out",
    type=FilePath(dir_okay=False, path_type=Path),
    help="Write every row to this file, with what the parser read or the judge said.",
)
@option("--judge", metavar="PROVIDER/MODEL", help="The judge; beside a parser, for comparison.")
@option(
    "--question",
    type=click.Choice(names("questions", MEMBERS)),
    help="What the judge is asked, for PARSER judge [default: open-answer].",
)
@option(
    "--opinions",
    type=Int64Range(1),
    help="How often the judge is asked about each row [default: 3; rationale 1].",
)
@option(
    "--threshold",
    type=FiniteRange(-1, 1),
    help=f"The κ that its lower 95% bound must reach for the judge to be qualified [default: {THRESHOLD}].",
)
@option(
    "--study",
    "kept_in",
    envvar="SNELLEN_QUALIFIED_FOR",
    metavar="OUT",
    type=FilePath(exists=True, file_okay=False),
    help="Keep the judge's qualification, and the labels of stored responses, in this folder of an exam.",
)
@option("--max-connections", type=Int64Range(1), default=64, show_default=True, help="Requests in flight.")
@TIMEOUT
@UNPACKED
def qualify_command(
    parser: str,
    file: Path,
    out: Path | None,
    judge: str | None,
    question: str | None,
    opinions: int | None,
    threshold: float | None,
    kept_in: str | None,
    **asking: Any,
) -> None:
    """Measure how far a parser, or a judge, agrees with human labels.

    PARSER: rows have `response` and `label` (an option's letter, `none`, or an outcome such as refused or abstained),
    and `options` (their texts) or `n_options`; `question` and `finish` help where they are known. For missing-image,
    labels are missing, hedges, describes, generic, refuses or empty, and no options are needed. For quality, labels are
    0 or normal, 1 or abnormal, 2 or quality, 3 or refuses, or unsaid; `normal` is the text of the normal option. For
    match, rows have `question` and `references`, and labels are correct, incorrect, unclear, abstained or refused.

    judge: rows have `question`, `references` (a list) or `reference`, `response` and `label` (correct, incorrect or
    unclear). `item_id` says which rows belong together, `model` who gave the response; with `benchmark`, `arm` and
    `replicate` the label is kept beside the stored response (--study). The judge is asked about each row several times,
    and once with reply and reference in the other order. It prints κ, agreement, how far the judge agrees with itself,
    and its biases by length, position, own provider and style. It is qualified if the lower 95% bound of κ reaches the
    threshold.

    With --question rationale, rows have `question`, `options`, `answer`, `responses` (texts by condition) and `labels`
    (for each condition a list of tags, or none).

    \b
    snellen parser qualify lenient labelled.jsonl
    snellen parser qualify judge labelled.jsonl --judge openai/gpt-4o --study exam
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.publishing import leave
    from snellen.commands.terminal import hold_against_people, hold_judge
    from snellen.judging.qualify import as_text, qualify_file
    from snellen.runtime import visible

    given = {"question": question, "opinions": opinions, "threshold": threshold}
    how = {name: value for name, value in given.items() if value is not None}
    if parser == "judge":
        if judge is None:
            raise click.UsageError("Which judge? snellen parser qualify judge FILE.jsonl --judge PROVIDER/MODEL")
        leave(hold_against_people(file, judge, out=out, kept_in=kept_in, **how, **asking))
        return
    if how or kept_in:
        named = ", ".join(f"--{name}" for name in (*how, *(["study"] if kept_in else [])))
        raise click.UsageError(f"{named} is for judges: snellen parser qualify judge FILE.jsonl --judge PROVIDER/MODEL")
    done = qualify_file(parser, file, out)
    click.echo(visible(as_text(done)))
    if judge:
        leave(hold_judge(done, judge, out=out, **asking))
