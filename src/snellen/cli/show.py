"""The command `snellen benchmark show`: a benchmark in numbers, with example items on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli.options import MAP, UNPACKED, FilePath, Int64Range, option, tell
from snellen.errors import DataError, PluginError, StudyError
from snellen.runtime import counted, visible

NAMED = 3
"""Number of unusable rows that are printed; the page has more."""


@click.command("show")
@click.argument("benchmark", metavar="BENCHMARK")
@MAP
@option("--items", type=Int64Range(1, 100), default=5, help="Items on the page.")
@option("--out", "file", type=FilePath(), default="show.html", help="The page to write.")
@option("--seed", default=0, help="Seed for choosing the items and drawing phantoms.")
@UNPACKED
def show_command(benchmark: str, **how: Any) -> None:
    """Show what a benchmark holds, and five items with their images. Asks no model.

    It prints counts, options and modalities, and writes a page.

    BENCHMARK is what `snellen exam --benchmark` takes. The bare name of a published benchmark (`snellen list
    benchmarks`) shows what it is, its licence, and how to get it. It fails if a row or an image cannot be used.

    \b
    snellen benchmark show slake
    snellen benchmark show vqa-rad:DIR,split=train
    snellen benchmark show my-benchmark/ --items 20 --out sheet.html
    snellen benchmark show questions.csv --map question=Q,images=image_path
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.asking.sampling import draw_sample
    from snellen.benchmarks import load, look_up_published, takes_map
    from snellen.cli.terminal import out, show_how_read
    from snellen.files import write_whole
    from snellen.images import Unreadable
    from snellen.report.components import Facts
    from snellen.report.contact_sheet import contact_sheet, facts_of, facts_published
    from snellen.report.text import draw_text

    try:
        told = look_up_published(benchmark.partition(":")[0])
    except PluginError:
        told = None
    if told is not None:
        out.print(f"{told.title} ({told.name})", style="bold")
        tell(draw_text([Facts(tuple(facts_published(told)))], out.width))
        if ":" not in benchmark:
            of_hub = f" or {benchmark}:hf" if told.hub else ""
            where = f"snellen benchmark show {benchmark}:DIR{of_hub}"
            tell(f"\nTo show its items, name the folder with its files: {where}.")
            return
    map_, file, seed = how["map"], Path(how["file"]), how["seed"]
    if map_ and not takes_map(benchmark):
        raise StudyError(f"--map works only with your own table; {benchmark!r} is not one.")
    columns: dict[str, Any] = {"map": map_} if map_ else {}
    loaded = load(benchmark, seed=seed, allow_broken=True, keep_unreadable=True, **columns)
    out.print(visible(loaded.name), style="bold")
    tell(draw_text([Facts(tuple(facts_of(loaded)))], out.width))
    unread = [
        f"item {item.id!r}: {image.source.reason}"
        for item in loaded.items
        for image in item.images
        if isinstance(image.source, Unreadable)
    ]
    unanswered = [f"item {item.id!r}: {reason}" for item in loaded if (reason := item.problem())]
    tell(*(f"  {problem!s}" for problem in [*loaded.broken[:NAMED], *unread[:NAMED], *unanswered[:NAMED]]))
    show_how_read([loaded])
    chosen = draw_sample(loaded, how["items"], seed=seed).items
    write_whole(file, contact_sheet(loaded, chosen, told).encode())
    tell(f"\n{counted(len(chosen), 'item')} on {file.resolve()}")
    unusable = {"image": len(unread), "row": len(loaded.broken), "item": len(unanswered)}
    if problems := [counted(number, noun) for noun, number in unusable.items() if number]:
        raise DataError(f"{' and '.join(problems)} cannot be used. Fix or remove them: an exam would stop at them.")
