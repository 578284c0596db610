"""How far a run is, shown where it was started: a bar in a terminal or notebook, a line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from snellen.asking.run import Progress
from snellen.runtime import visible

LINE_EVERY = 10.0


class Bar:
    """Shows done and total, rate, time left and failures."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._live = self._console.is_terminal or self._console.is_jupyter
        self._next_line = time.monotonic() + LINE_EVERY
        self._begun = False
        self._bar = RichProgress(
            TextColumn("[bold]asking"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}", markup=False),
            console=self._console,
        )
        self._task = self._bar.add_task("asking", total=None, state="")

    def __enter__(self) -> Bar:
        if self._live:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show this state; before anything is asked, where it is sent."""
        if progress.total and not self._begun:
            self._begun = True
            for model, address in progress.addresses.items():
                self._print(f"{model} at {address}")
        if self._live:
            done = progress.done + progress.failed
            self._bar.update(self._task, total=max(progress.total, 1), completed=done, state=state(progress))
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINE_EVERY
            self._print(f"asked {progress.done} of {progress.total} · {state(progress)}")

    def _print(self, line: str) -> None:
        self._console.print(visible(line), highlight=False, markup=False, emoji=False, soft_wrap=True)


def state(progress: Progress) -> str:
    """Rate, time left, failures and whom we wait for, in words.

    >>> state(Progress(awaited={"openai/a": 10}))
    'starting'
    >>> state(Progress(failed=3, troubles={"openai/a": "openai/a: cannot reach http://localhost:8000/v1"}))
    '3 failed · waiting: openai/a: cannot reach http://localhost:8000/v1'
    """
    parts = [f"{progress.rate:,.0f}/s"] if progress.done else ["starting"] if progress.awaited else []
    if progress.left is not None and not progress.troubles:
        parts.append(f"{duration(progress.left)} left")
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    parts += [f"waiting: {' '.join(visible(trouble).split())}" for trouble in progress.troubles.values()]
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """A time span in words.

    >>> duration(42), duration(150), duration(7300)
    ('42 s', '2 min 30 s', '2 h 1 min')
    """
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Count:
    """Shows how many answers an import has come to: read first, then stored, with the time left."""

    def __init__(self, console: Console | None = None) -> None:
        self._bar = RichProgress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console or Console(stderr=True),
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self._counts: dict[str, int] = {}

    def __enter__(self) -> Count:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, doing: str, count: int) -> None:
        """So many more; what is done second is as much as what was done first."""
        if doing not in self._tasks:
            self._tasks[doing] = self._bar.add_task(doing, total=max(self._counts.values(), default=None))
        self._counts[doing] = self._counts.get(doing, 0) + count
        self._bar.advance(self._tasks[doing], count)
