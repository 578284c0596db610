"""The command `snellen benchmark degrade`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli.options import option
from snellen.commands.arguments import FilePath, Int64, Int64Range


@click.command("degrade")
@click.argument("folder", type=FilePath(path_type=Path))
@option(
    "--artefacts",
    multiple=True,
    required=True,
    metavar="NAME[,STRENGTH]",
    help="Artefact as the condition `degraded:…` has it, such as noise, motion,strong, crop,0.3 or noise/motion,weak "
    "(one after the other); a folder of copies for each; repeat for more.",
)
@option("--out", required=True, type=FilePath(file_okay=False, path_type=Path), help="Folder for the copies.")
@option("--modality", default="", help="What the images are: MRI and OCT have settings of their own [default: X-ray].")
@option("--seed", type=Int64(), default=0, show_default=True, help="Seed of every random draw.")
@option("--workers", type=Int64Range(1), help="Processes on this machine [default: one for each core].")
@option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    help="Accepted, and without effect: both make the same copies on the processor.",
)
@option(
    "--on",
    metavar="ray[://ADDRESS]",
    help="Do it on a Ray cluster (extra `ray`): ray starts one on this machine, ray://HOST:PORT and ray://auto join "
    "one whose machines share both folders.",
)
def degrade_command(folder: Path, artefacts: tuple[str, ...], out: Path, **settings: Any) -> None:
    """Write degraded copies of the images below FOLDER. A manifest says what was done to each.

    Copies are PNG files named after their originals (a.jpg.png), in OUT/ARTEFACT-STRENGTH/; a table of questions that
    names the originals serves them too. OUT/manifest.jsonl has what was drawn for each copy, its SSIM and PSNR,
    and the sha256 of both files. The same command goes on where it was stopped; the same seed makes the same copies.
    """
    from snellen.commands.degrade import degrade_and_show

    if settings["on"] and settings["workers"]:
        raise click.UsageError("--workers counts processes on this machine; on a cluster Ray decides: leave one out.")
    degrade_and_show(folder, artefacts, out, **settings)
