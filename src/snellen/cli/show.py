"""The command `snellen benchmark show`."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli.options import MAP, UNPACKED, option
from snellen.commands.arguments import FilePath, Int64, Int64Range


@click.command("show")
@click.argument("benchmark", metavar="BENCHMARK")
@MAP
@option("--items", type=Int64Range(1, 100), default=5, show_default=True, help="Items on the page.")
@option("--out", "file", type=FilePath(), default="show.html", show_default=True, help="The page to write.")
@option("--seed", type=Int64(), default=0, show_default=True, help="Seed of which items, including the phantoms.")
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
    from snellen.commands.show import show_benchmark

    show_benchmark(benchmark, **how)
