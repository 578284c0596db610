"""The command `snellen parser qualify`: compare a parser or a judge with human labels."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from snellen.cli.options import FILE, OLD_FILE, OLD_FOLDER, TIMEOUT, UNPACKED, FiniteRange, Int64Range, option
from snellen.judging import THRESHOLD
from snellen.judging.qualify import MEMBERS
from snellen.plugins import names
from snellen.runtime import counted, visible


@click.command("qualify")
@click.argument("parser", metavar="PARSER|judge")
@click.argument("file", metavar="FILE.jsonl", type=OLD_FILE)
@option("--out", type=FILE, help="Write every row to this file, with what the parser read or the judge said.")
@option("--judge PROVIDER/MODEL", help="Judge to qualify, or to compare with the parser.")
@option(
    "--question",
    type=click.Choice(names("questions", MEMBERS)),
    help="Question for the judge, if PARSER is judge [default: open-answer].",
)
@option("--opinions", type=Int64Range(1), help="Opinions of the judge on each row [default: 3; rationale 1].")
@option(
    "--threshold",
    type=FiniteRange(-1, 1),
    help=f"The judge is qualified if the lower 95% bound of κ reaches this [default: {THRESHOLD}].",
)
@option(
    "--study OUT",
    "kept_in",
    envvar="SNELLEN_QUALIFIED_FOR",
    type=OLD_FOLDER,
    help="Store the judge's qualification, and the labels of stored responses, in this folder of an exam.",
)
@option("--max-connections", type=Int64Range(1), default=64, help="Requests in flight.")
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
    """Measure the agreement of a parser or a judge with human labels.

    PARSER: rows have `response` and `label` (an option's letter, `none`, or an outcome such as refused or abstained),
    and `options` (their texts) or `n_options`; `question` and `finish` help where they are known. For missing-image,
    labels are missing, hedges, describes, generic, refuses or empty, and no options are needed. For quality, labels are
    0 or normal, 1 or abnormal, 2 or quality, 3 or refuses, or unsaid; `normal` is the text of the normal option. For
    match, rows have `question` and `references`, and labels are correct, incorrect, unclear, abstained or refused.

    judge: rows have `question`, `references` (a list) or `reference`, `response` and `label` (correct, incorrect or
    unclear). `item_id` groups the rows of an item, and `model` names the model that responded. With `benchmark`, `arm`
    and `replicate` the label is stored with its response (--study). The judge is asked about each row several times,
    and once with response and reference in the other order. It prints κ, agreement, how far the judge agrees with
    itself, and its biases by length, position, own provider and style. It is qualified if the lower 95% bound of κ
    reaches the threshold.

    With --question rationale, rows have `question`, `options`, `answer`, `responses` (texts by condition) and `labels`
    (for each condition a list of tags, or none).

    \b
    snellen parser qualify lenient labelled.jsonl
    snellen parser qualify judge labelled.jsonl --judge openai/gpt-4o --study exam
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.cli.terminal import leave, say_failures
    from snellen.judging.qualify import as_text, judge_rows, judged_as_text, qualify_file, write_rows

    given = {"question": question, "opinions": opinions, "threshold": threshold}
    how = {name: value for name, value in given.items() if value is not None}
    if parser == "judge":
        if judge is None:
            raise click.UsageError("Which judge? snellen parser qualify judge FILE.jsonl --judge PROVIDER/MODEL")
        qualify_judge(file, judge, out=out, kept_in=kept_in, **how, **asking)
        return
    if how or kept_in:
        named = ", ".join(f"--{name}" for name in (*how, *(["study"] if kept_in else [])))
        raise click.UsageError(f"{named} is for judges: snellen parser qualify judge FILE.jsonl --judge PROVIDER/MODEL")
    done = qualify_file(parser, file, out)
    click.echo(visible(as_text(done)))
    if judge:
        with _asked_again():
            judged = judge_rows(done, judge, **asking)
        if out:
            write_rows(done, out, judged.verdicts)
        click.echo(f"\n{visible(judged_as_text(judged))}")
        say_failures(judged.progress)
        leave(judged.progress)


def qualify_judge(file: Path, judge: str, *, out: Path | None, kept_in: str | None, **how: Any) -> None:
    """Ask a judge about labelled rows and print its agreement with people.

    With `kept_in`, also store the qualification and the labels.
    """
    from snellen.cli.terminal import leave, say_failures
    from snellen.judging.qualify import agreement_as_text, keep, qualify_judge_file

    with _asked_again():
        done = qualify_judge_file(file, judge, **how)
    if out:
        done.write(out)
    click.echo(visible(agreement_as_text(done)))
    say_failures(done.progress)
    if kept_in:
        kept = keep(done, kept_in)
        labels = counted(kept.labels, "label")
        click.echo(f"Stored in {visible(kept_in)}: the qualification, and {labels} of stored responses.")
        if kept.unknown:
            click.echo(
                f"{counted(kept.unknown, 'label')} matched no stored response. Check model, benchmark, item_id, arm, "
                "replicate and the text."
            )
    leave(done.progress)


@contextmanager
def _asked_again() -> Iterator[None]:
    """End the command on Ctrl-C; a judge's incomplete answers are not stored."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("\nStopped. The judge's answers were not stored. Run the same command to ask again.", err=True)
        sys.exit(130)
