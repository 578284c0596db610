"""The command `snellen benchmark degrade`: write degraded copies of a folder of images."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.options import FOLDER, FilePath, Int64Range, complain, option, tell
from snellen.runtime import counted, on_one_line

if TYPE_CHECKING:
    from snellen.tools.degrade import Degraded, Progress, Task

DEVICE = "cpu"
"""Device on which all copies are made."""
REASONS_NAMED = 10
"""Number of reasons for leaving files out that are printed; the manifest has every file."""


@click.command("degrade")
@click.argument("folder", type=FilePath(path_type=Path))
@option(
    "--artefacts NAME[,STRENGTH]...",
    required=True,
    help="Artefact, written as in the condition `degraded:…`: noise; motion,strong; crop,0.3; or noise/motion,weak "
    "(one after the other). Each gets a folder of copies.",
)
@option("--out", required=True, type=FOLDER, help="Folder for the copies.")
@option("--modality", default="", help="Modality of the images; MRI and OCT have their own settings [default: X-ray].")
@option("--seed", default=0, help="Seed of every random draw.")
@option("--workers", type=Int64Range(1), help="Processes on this machine [default: one for each core].")
@option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    help="Has no effect: copies are always made on the processor.",
)
@option(
    "--on ray[://ADDRESS]",
    help="Run on a Ray cluster (extra `ray`): ray starts one on this machine, ray://HOST:PORT and ray://auto join "
    "one whose machines share both folders.",
)
def degrade_command(folder: Path, artefacts: tuple[str, ...], out: Path, **settings: Any) -> None:
    """Write degraded copies of the images below FOLDER. A manifest says what was done to each.

    Copies are PNG files named after their originals (a.jpg.png), in OUT/ARTEFACT-STRENGTH/; a table of questions that
    names the originals also works with them. OUT/manifest.jsonl has what was drawn for each copy, its SSIM and PSNR,
    and the sha256 of both files. After a stop, run the same command to continue. The same seed makes the same copies.
    """
    from snellen.cli.terminal import ProgressBars
    from snellen.tools.degrade import Task, artefact_named, degrade_folder

    workers, on = settings.pop("workers"), settings.pop("on")
    if on and workers:
        raise click.UsageError("Choose --workers or --on, not both: on a cluster, Ray decides the number.")
    task = Task(folder, out, tuple(map(artefact_named, artefacts)), **settings)
    if task.device != DEVICE:
        complain(f"--device {task.device} has no effect: the copies are made on the processor, on all its cores.")
    with ProgressBars() as bars:
        done = degrade_folder(
            task,
            workers=workers or 0,
            on=on or "",
            watch=lambda progress: bars("degrading", progress.done, progress.total, describe_progress(progress)),
        )
    show_degraded(done, task)


def show_degraded(done: Degraded, task: Task) -> None:
    """Print how many copies were written, and how many files were left out and why."""
    from snellen.asking.progress import duration

    copies = f"{done.copies:,} {'copy' if done.copies == 1 else 'copies'}"
    written = f"{copies} of {done.written:,} of {counted(done.images, 'image')} written in {duration(done.seconds)}"
    settings = f"{counted(len(task.artefacts), 'artefact')}, settings for {task.kind}, seed {task.seed}, {DEVICE}"
    before = f"; the copies of {done.there:,} were there already" if done.there else ""
    left_out = f"; {counted(done.left_out.total(), 'file')} left out" if done.left_out else ""
    tell(f"{written} ({settings}){before}{left_out}.")
    named = done.left_out.most_common(REASONS_NAMED)
    for reason, count in named:
        complain(f"left out: {counted(count, 'file')}: {on_one_line(reason)} ({on_one_line(done.examples[reason])})")
    if others := done.left_out.total() - sum(count for _, count in named):
        complain(f"left out: {counted(others, 'file')} for other reasons; see the manifest.")
    tell(f"Manifest: {done.manifest}")


def describe_progress(progress: Progress) -> str:
    """Describe the rate, the time left, and the number of files left out.

    >>> from snellen.tools.degrade import Progress
    >>> describe_progress(Progress(done=30, total=90, left_out=1, seconds=3.0))
    '10/s · 6 s left · 1 left out'
    """
    from snellen.asking.progress import duration

    rate = progress.done / progress.seconds if progress.seconds else 0.0
    parts = [f"{rate:,.{0 if rate >= 10 else 1}f}/s"] if rate else []
    parts += [f"{duration(progress.left)} left"] if progress.left is not None else []
    parts += [f"{progress.left_out:,} left out"] if progress.left_out else []
    return " · ".join(parts)
