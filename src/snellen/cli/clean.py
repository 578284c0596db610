"""The command `snellen benchmark clean`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli.options import OUT, PARSER, STUDY, UNPACKED, option
from snellen.commands.arguments import FilePath, FiniteRange, Int64, Int64Range


@click.command("clean")
@OUT
@option(
    "--benchmark",
    "specs",
    multiple=True,
    help="The benchmark that was asked, for the text and images of what is kept; repeat for more.",
)
@option(
    "--to",
    type=FilePath(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write a folder for each benchmark in this one [default: OUT/bclean].",
)
@option(
    "--threshold",
    type=FiniteRange(0, 1, min_open=True),
    help="Remove the items whose posterior of being compromised reaches this, instead of the paper's rule.",
)
@option(
    "--train-on-compromised",
    "teach",
    is_flag=True,
    help="Also remove what a text-only model answers that learnt from the compromised items (the paper's Step 3).",
)
@option("--train", metavar="BENCHMARK", help="Training split of the benchmark, for --train-on-compromised.")
@option(
    "--superguesser",
    type=FilePath(exists=True, path_type=Path),
    metavar="DIR",
    help="The --out of `snellen benchmark guess`, whose scores are that model's, instead of --train-on-compromised.",
)
@option("--resamples", type=Int64Range(40), default=200, show_default=True, help="Resamples behind each 95% CI.")
@option("--seed", type=Int64(), default=0, show_default=True, help="Seed of the resamples.")
@STUDY
@PARSER
@UNPACKED
def clean_command(folder: str, **how: Any) -> None:
    """Clean a benchmark of what models answer right without the image. This is B-Clean. It sends nothing.

    The study has responses with the image and without it (snellen exam --tests image-needed; several with --epochs 5).
    The Mirage paper's rule removes every item that any model answers right without the image. Guesses are right now and
    then: it also prints how many items guesses alone would remove, how many items are compromised after correcting for
    luck, and each model's accuracy on the others, with ranks and 95% CIs.

    \b
    snellen benchmark clean exam
    snellen benchmark clean exam --benchmark my-benchmark/ --to cleaned
    snellen benchmark clean exam --threshold 0.9
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if how["train"] and not how["teach"]:
        raise click.UsageError("--train is what the text-only model learns from, too: add --train-on-compromised.")
    if how["superguesser"] and how["teach"]:
        raise click.UsageError("Either --superguesser or --train-on-compromised: each is the paper's Step 3.")
    from snellen.commands.bclean import clean_study

    clean_study(folder, **how)
