"""Progress of a run: a bar in a terminal or notebook, otherwise a line every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from html import escape
from importlib import import_module
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TaskID, TextColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from snellen.asking.run import RunProgress
from snellen.runtime import time_left, visible

LINE_EVERY = 10.0


class ProgressBar:
    """Shows done and total, rate, time left, failures, and the money and tokens spent."""

    def __init__(self, console: Console | None = None, *, spent: Callable[[], str] = str) -> None:
        self._spent = spent
        self._console = console or Console(stderr=True)
        self._notebook = NotebookBar() if self._console.is_jupyter else None
        self._live = self._console.is_terminal and self._notebook is None
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

    def __enter__(self) -> ProgressBar:
        if self._live:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._bar.stop()

    def __call__(self, progress: RunProgress) -> None:
        """Show this state; the first time, also show the addresses that requests are sent to."""
        if progress.total and not self._begun:
            self._begun = True
            for model, address in progress.addresses.items():
                self._print(f"{model} at {address}")
        done = progress.done + progress.failed
        words = " · ".join(filter(None, (state(progress), self._spent())))
        if self._notebook is not None:
            self._notebook.show(done, progress.total, words)
        elif self._live:
            self._bar.update(self._task, total=max(progress.total, 1), completed=done, state=words)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINE_EVERY
            self._print(f"asked {progress.done} of {progress.total} · {words}")

    def _print(self, line: str) -> None:
        if self._notebook is not None:
            self._notebook.say(visible(line))
        else:
            self._console.print(visible(line), highlight=False, markup=False, emoji=False, soft_wrap=True)


class NotebookBar:
    """A bar in the output of a notebook cell, with messages above it.

    Rich would use ipywidgets, and warn at every step if they are not installed.
    """

    def __init__(self) -> None:
        self._said: list[str] = []
        self._handle: Any = None
        self._shown: dict[str, str] = {}

    def say(self, line: str) -> None:
        """Add a line that stays."""
        self._said.append(line)

    def show(self, done: int, total: int, words: str) -> None:
        """Draw this state, unless it is already shown."""
        plain = f"asked {done:,} of {total:,} · {words}".removesuffix(" · ")
        lines = "".join(f"<div>{escape(line)}</div>" for line in self._said)
        bar = f'<progress value="{done}" max="{max(total, 1)}"></progress>'
        data = {"text/plain": "\n".join([*self._said, plain]), "text/html": f"{lines}<div>{bar} {escape(plain)}</div>"}
        if data == self._shown:
            return
        self._shown = data
        if self._handle is None:
            self._handle = import_module("IPython.display").display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)


def state(progress: RunProgress) -> str:
    """Describe the rate, time left, failures and unreachable servers.

    >>> state(RunProgress(awaited={"openai/a": 10}))
    'starting'
    >>> state(RunProgress(failed=3, troubles={"openai/a": "openai/a: cannot reach http://localhost:8000/v1"}))
    '3 failed · waiting: openai/a: cannot reach http://localhost:8000/v1'
    >>> state(RunProgress(awaited={"openai/a": 10}, checked={"openai/a"}))
    'first, openai/a is shown letters to check that images arrive'
    """
    begins = progress.awaited and not progress.checked
    parts = [f"{progress.rate:,.0f}/s"] if progress.done else ["starting"] if begins else []
    parts += [f"first, {model} is shown letters to check that images arrive" for model in sorted(progress.checked)]
    if progress.left is not None and not progress.troubles:
        parts.append(f"{duration(progress.left)} left")
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    parts += [f"waiting: {' '.join(visible(trouble).split())}" for trouble in progress.troubles.values()]
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """Describe a time span.

    >>> duration(42), duration(150), duration(7300)
    ('42 s', '2 min 30 s', '2 h 1 min')
    """
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class TimeLeft(ProgressColumn):
    """Column with the time left; empty while too little is known."""

    def render(self, task: Task) -> Text:
        """Return the text for a task."""
        known = task.total is not None and task.elapsed is not None
        left = time_left(int(task.completed), int(task.total or 0), task.elapsed or 0.0) if known else None
        return Text(f"{duration(left)} left" if left is not None else "")


class ImportProgress:
    """Progress of an import: answers read, then stored, with the time left."""

    def __init__(self, console: Console | None = None) -> None:
        self._bar = RichProgress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeLeft(),
            console=console or Console(stderr=True),
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self._counts: dict[str, int] = {}

    def __enter__(self) -> ImportProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, doing: str, count: int) -> None:
        """Add `count` answers to the step `doing`. Each answer is counted once when read and once when stored."""
        if doing not in self._tasks:
            self._tasks[doing] = self._bar.add_task(doing, total=max(self._counts.values(), default=None))
        self._counts[doing] = self._counts.get(doing, 0) + count
        self._bar.advance(self._tasks[doing], count)
