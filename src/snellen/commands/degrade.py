"""What `snellen benchmark degrade` does: writes degraded copies of a folder of images, and shows how far it is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as RichProgress

from snellen.asking.progress import LINE_EVERY, duration
from snellen.commands.complaining import complain
from snellen.commands.console import Terminal, out
from snellen.runtime import counted, on_one_line
from snellen.tools.degrade import Degraded, Progress, Task, artefact_named, degrade_folder
from snellen.tools.degrade.folder import Watch

DEVICE = "cpu"
"""Where all copies are made."""
REASONS_NAMED = 10
"""Reasons for leaving files out that are printed; the manifest has every file."""


def degrade_and_show(
    folder: Path, artefacts: Sequence[str], into: Path, *, workers: int | None, on: str | None, **settings: Any
) -> Degraded:
    """Write the copies, and print what was made and what was left out."""
    task = Task(folder, into, tuple(map(artefact_named, artefacts)), **settings)
    if task.device != DEVICE:
        complain(f"--device {task.device} has no effect: the copies are made on the processor, on all its cores.")
    with _watched() as watch:
        done = degrade_folder(task, workers=workers or 0, on=on or "", watch=watch)
    show_degraded(done, task)
    return done


def show_degraded(done: Degraded, task: Task) -> None:
    """Print how many copies were written of how many images, how many files were left out, and why."""
    copies = f"{done.copies:,} {'copy' if done.copies == 1 else 'copies'}"
    written = f"{copies} of {done.written:,} of {counted(done.images, 'image')} written in {duration(done.seconds)}"
    settings = f"{counted(len(task.artefacts), 'artefact')}, settings for {task.kind}, seed {task.seed}, {DEVICE}"
    before = f"; the copies of {done.there:,} were there already" if done.there else ""
    left_out = f"; {counted(done.left_out.total(), 'file')} left out" if done.left_out else ""
    out.print(f"{written} ({settings}){before}{left_out}.", soft_wrap=True)
    named = done.left_out.most_common(REASONS_NAMED)
    for reason, count in named:
        complain(f"left out: {counted(count, 'file')}: {on_one_line(reason)} ({on_one_line(done.examples[reason])})")
    if others := done.left_out.total() - sum(count for _, count in named):
        complain(f"left out: {counted(others, 'file')} for other reasons, which the manifest has.")
    out.print(f"Manifest: {done.manifest}", soft_wrap=True)


@contextmanager
def _watched() -> Iterator[Watch]:
    """Images done, of how many, and the time left: a bar in a terminal, a line now and then elsewhere."""
    console = Terminal(stderr=True)
    columns = (TextColumn("[bold]degrading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[state]}"))
    bar = RichProgress(*columns, console=console)
    shown = bar.add_task("degrading", total=None, state="")
    next_line = time.monotonic() + LINE_EVERY

    def watch(progress: Progress) -> None:
        nonlocal next_line
        words = _state(progress)
        if console.is_terminal:
            bar.update(shown, total=progress.total, completed=progress.done, state=words)
        elif time.monotonic() >= next_line:
            next_line = time.monotonic() + LINE_EVERY
            console.print(f"degraded {progress.done:,} of {progress.total:,} images · {words}", soft_wrap=True)

    if console.is_terminal:
        with bar:
            yield watch
    else:
        yield watch


def _state(progress: Progress) -> str:
    """Rate, time left, and what was left out, in words.

    >>> _state(Progress(done=30, total=90, left_out=1, seconds=3.0))
    '10/s · 6 s left · 1 left out'
    """
    rate = progress.done / progress.seconds if progress.seconds else 0.0
    parts = [f"{rate:,.{0 if rate >= 10 else 1}f}/s"] if rate else []
    parts += [f"{duration(progress.left)} left"] if progress.left is not None else []
    parts += [f"{progress.left_out:,} left out"] if progress.left_out else []
    return " · ".join(parts)
