"""The command `snellen chart`: examine a model's sight with letters; print and write the results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.options import DRY_RUN, EFFORT, FOLDER, TIMEOUT, FilePath, Finite, Int64, Int64Range, option, tell
from snellen.runtime import counted

if TYPE_CHECKING:
    from snellen.tools.chart.result import ChartResult


@click.command("chart")
@option("--model MODEL", required=True, help="Model to examine, such as openai/gpt-5; see `snellen list`.")
@option("--out", "folder", type=FilePath(), default="chart", help="Folder for the responses, the page and the tables.")
@option(
    "--beside DIR...",
    type=FOLDER,
    help="Folder of another model's chart; its threshold is drawn as a line on the page.",
)
@option("--seed", type=Int64(), help="Seed of the letters and their places [default: a fresh one].")
@option("--exhaustive", is_flag=True, help="Ask every size, place, contrast, polarity and background: 867 requests.")
@option("--max-connections", type=Int64Range(1), default=8, help="Requests in flight.")
@TIMEOUT
@option("--temperature", type=Finite(), help="Sampling temperature [default: the provider's].")
@option("--max-tokens", type=Int64Range(1), help="Longest response, in tokens [default: the provider's].")
@option("--reasoning-effort", type=EFFORT, help="Reasoning effort of the model [default: the provider's].")
@DRY_RUN
def chart_command(model: str, folder: str, beside: tuple[Path, ...], *, dry_run: bool, **how: Any) -> None:
    """Examine a model with an eye chart of letters. It shows how small, how faint and where it reads them.

    It shows at most 60 charts of random letters. The size of each is chosen from the responses so far. The result is
    the size in pixels at which half of the letters are read, with a 95% CI. It also shows whether this changes for
    faint letters, light letters on dark or an X-ray-like background; whether the model invents letters that it cannot
    read; whether it misses a part of the image; and whether large images seem to be shrunk on the way.

    Sizes are pixels of the image as sent. There is no viewing distance, so logMAR is log10 of the stroke width in
    pixels, a fifth of the letter: 0.0 is a stroke of 1 px.

    It writes chart.html (the page), chart.json, trials.csv (a row for every letter) and chart.jsonl (every response).
    After a stop, run the same command to continue.

    \b
    snellen chart --model openai/gpt-5
    snellen chart --model organism/grounded --out chart-grounded
    snellen chart --model organism/nearsighted-4 --out chart-nearsighted --beside chart-grounded
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.asking.progress import ProgressBar
    from snellen.prompts import Settings
    from snellen.tools.chart.charts import exhaustive_series
    from snellen.tools.chart.exam import EXHAUSTIVE_SIZES, MOST_REQUESTS, REPEATS, Exam
    from snellen.tools.chart.files import read_sight, write

    if dry_run:
        requests = len(exhaustive_series()) * len(EXHAUSTIVE_SIZES) * REPEATS if how["exhaustive"] else MOST_REQUESTS
        tell(f"At most {counted(requests, 'request')} with an image each. Nothing was sent.")
        return
    settings = Settings(**{name: how.pop(name) for name in ("temperature", "max_tokens", "reasoning_effort")})
    known = [read_sight(each) for each in beside]
    with ProgressBar() as bar:
        result: ChartResult = Exam(model, folder, settings=settings, watch=bar, **how).run()
    page = write(result, folder, known)
    tell(result.sentence, *result.sentences)
    spent = [counted(result.asked, "request")]
    if result.input_tokens is not None:
        spent.append(f"{result.input_tokens:,} input and {result.output_tokens or 0:,} output tokens")
    tell(f"\n{', '.join(spent)}; seed {result.seed}.\nPage: {page.resolve()}")
    if result.trials and all(trial.outcome == "failed" for trial in result.trials):
        sys.exit(1)  # there is no result because every request failed
