"""What `snellen benchmark show` does: a benchmark in numbers on the terminal, and some of its items on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snellen.asking.sampling import sampled
from snellen.benchmarks import about, load, takes_map
from snellen.benchmarks.published import Published
from snellen.commands.console import out
from snellen.commands.terminal import show_how_read
from snellen.errors import DataError, PluginError, StudyError
from snellen.files import write_whole
from snellen.images import Unreadable
from snellen.items import Benchmark
from snellen.report.components import Facts
from snellen.report.contact_sheet import contact_sheet, facts_of, facts_published
from snellen.report.text import draw_text
from snellen.runtime import counted, visible

NAMED = 3
"""Rows that cannot be used which are printed; the page has more."""


def show_benchmark(
    line: str,
    *,
    items: int,
    file: str,
    seed: int,
    map: str | None = None,  # noqa: A002 - the option's own name
) -> None:
    """Print what a benchmark holds and write its contact sheet; of a bare name, print what it is and how to get it."""
    told = _published(line)
    if told is not None:
        out.print(f"{told.title} ({told.name})", style="bold", highlight=False)
        out.print(draw_text([Facts(tuple(facts_published(told)))], out.width), soft_wrap=True, highlight=False)
        if ":" not in line:
            out.print(
                f"\nIt has files of its own: snellen benchmark show {line}:DIR"
                f"{' or ' + line + ':hf' if told.hub else ''}.",
                soft_wrap=True,
                highlight=False,
            )
            return
    if map and not takes_map(line):
        raise StudyError(f"A map says how the columns of your own table are read, and {line!r} is none.")
    columns: dict[str, Any] = {"map": map} if map else {}
    benchmark = load(line, seed=seed, allow_broken=True, keep_unreadable=True, **columns)
    out.print(visible(benchmark.name), style="bold", highlight=False)
    out.print(draw_text([Facts(tuple(facts_of(benchmark)))], out.width), soft_wrap=True, highlight=False)
    unread = list_unreadable_images(benchmark)
    unanswered = [f"item {item.id!r}: {reason}" for item in benchmark if (reason := item.problem())]
    for problem in [*benchmark.broken[:NAMED], *unread[:NAMED], *unanswered[:NAMED]]:
        out.print(f"  {visible(str(problem))}", soft_wrap=True, highlight=False)
    show_how_read([benchmark])
    chosen = sampled(benchmark, items, seed=seed).items
    page = contact_sheet(benchmark, chosen, told)
    write_whole(Path(file), page.encode())
    out.print(f"\n{counted(len(chosen), 'item')} on {Path(file).resolve()}", soft_wrap=True, highlight=False)
    unusable = {"image": len(unread), "row": len(benchmark.broken), "item": len(unanswered)}
    if problems := [counted(number, noun) for noun, number in unusable.items() if number]:
        raise DataError(f"{' and '.join(problems)} cannot be used. Fix or remove them: an exam would stop there.")


def list_unreadable_images(benchmark: Benchmark) -> list[str]:
    """Each item with an image that is missing, damaged or elsewhere, and why."""
    return [
        f"item {item.id!r}: {image.source.reason}"
        for item in benchmark.items
        for image in item.images
        if isinstance(image.source, Unreadable)
    ]


def _published(line: str) -> Published | None:
    try:
        return about(line.partition(":")[0])
    except PluginError:
        return None
