"""What `snellen chart` does: examines a model's sight with letters, prints and writes what was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snellen.asking.progress import Bar
from snellen.commands.console import out
from snellen.prompts import Settings
from snellen.runtime import counted, visible
from snellen.tools.chart.charts import exhaustive_series
from snellen.tools.chart.exam import EXHAUSTIVE_SIZES, MOST_REQUESTS, REPEATS, Exam
from snellen.tools.chart.files import read_sight, write
from snellen.tools.chart.result import ChartResult


def examine_and_show(
    model: str, *, folder: str, dry_run: bool, settings: Settings, beside: Sequence[Path] = (), **how: Any
) -> ChartResult | None:
    """Examine a model, print what was found, and write the files; `beside` are folders of other models' charts."""
    if dry_run:
        requests = len(exhaustive_series()) * len(EXHAUSTIVE_SIZES) * REPEATS if how["exhaustive"] else MOST_REQUESTS
        out.print(f"At most {counted(requests, 'request')} with an image each. Nothing was sent.")
        return None
    known = [read_sight(each) for each in beside]
    with Bar() as bar:
        result = Exam(model, folder, settings=settings, watch=bar, **how).run()
    page = write(result, folder, known)
    show_chart(result, page)
    return result


def show_chart(result: ChartResult, page: Path) -> None:
    """Print the sentences of a result, and what it took."""
    for sentence in (result.sentence, *result.sentences):
        out.print(visible(sentence), soft_wrap=True)
    spent = [counted(result.asked, "request")]
    if result.input_tokens is not None:
        spent.append(f"{result.input_tokens:,} input and {result.output_tokens or 0:,} output tokens")
    out.print(f"\n{', '.join(spent)}; seed {result.seed}.", soft_wrap=True)
    out.print(f"Page: {page.resolve()}", soft_wrap=True)


def failed(result: ChartResult) -> bool:
    """Whether there is no number because nothing was answered but errors."""
    return bool(result.trials) and all(trial.outcome == "failed" for trial in result.trials)
