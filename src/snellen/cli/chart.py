"""The command `snellen chart`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from snellen.cli.options import DRY_RUN, TIMEOUT, option
from snellen.commands.arguments import FilePath, Finite, Int64, Int64Range


@click.command("chart")
@option("--model", required=True, metavar="MODEL", help="Whom to examine, such as openai/gpt-5; see `snellen list`.")
@option(
    "--out",
    "folder",
    type=FilePath(),
    default="chart",
    show_default=True,
    help="Folder for the replies, the page and the tables.",
)
@option(
    "--beside",
    multiple=True,
    type=FilePath(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder of another model's chart: its threshold is a line on the page; repeat for more.",
)
@option("--seed", type=Int64(), help="Seed of the letters and their places [default: a fresh one].")
@option("--exhaustive", is_flag=True, help="Ask every size, place, contrast, polarity and ground: 867 requests.")
@option("--max-connections", type=Int64Range(1), default=8, show_default=True, help="Requests in flight.")
@TIMEOUT
@option("--temperature", type=Finite(), help="Sampling temperature [default: the provider's].")
@option("--max-tokens", type=Int64Range(1), help="Longest response, in tokens [default: the provider's].")
@option(
    "--reasoning-effort",
    type=click.Choice(["none", "minimal", "low", "medium", "high"]),
    help="How much the model is to reason [default: the provider's].",
)
@DRY_RUN
def chart_command(
    model: str, temperature: float | None, max_tokens: int | None, reasoning_effort: Any, **options: Any
) -> None:
    """Examine a model with an eye chart of letters. It shows how small, how faint and where it reads them.

    It shows fresh random letters, at most 60 charts, each of the size that tells most after the replies so far. It says
    down to which size in pixels half of the letters are read, with a 95% CI; whether fainter letters, light letters on
    dark or an X-ray-like ground change that; whether it invents letters that it cannot read; whether a part of the
    image is blind; and whether large images seem to be shrunk on their way.

    Sizes are pixels of the image as sent. There is no viewing distance, so that logMAR is log10 of the stroke, a fifth
    of the letter, in pixels: 0.0 is a stroke of 1 px.

    It writes chart.html (the page), chart.json, trials.csv (a row for every letter) and chart.jsonl (every reply).
    Stopped, the same command goes on.

    \b
    snellen chart --model openai/gpt-5
    snellen chart --model organism/grounded --out chart-grounded
    snellen chart --model organism/nearsighted-4 --out chart-nearsighted --beside chart-grounded
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.chart import examine_and_show, failed
    from snellen.prompts import Settings

    settings = Settings(temperature=temperature, max_tokens=max_tokens, reasoning_effort=reasoning_effort)
    result = examine_and_show(model, settings=settings, **options)
    if result is not None and failed(result):
        sys.exit(1)
