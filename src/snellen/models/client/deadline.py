"""Time limit for requests, with one timer for all of them."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any


class Deadline:
    """Raises TimeoutError in a task that takes too long. Shared by many tasks of one event loop."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._running: dict[asyncio.Task[Any], tuple[float, int]] = {}
        """The end time of each task, earliest first, and how often it was cancelled before."""
        self._late: dict[asyncio.Task[Any], int] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        end = self._loop.time() + self._seconds
        self._running[task] = end, task.cancelling()
        if self._timer is None:
            self._timer = self._loop.call_at(end, self._end_late)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        task = asyncio.current_task()
        assert task is not None
        if self._running.pop(task, None) is None:
            before = self._late.pop(task)
            if task.uncancel() <= before and kind is asyncio.CancelledError:
                raise TimeoutError from error

    def _end_late(self) -> None:
        now, self._timer = self._loop.time(), None
        for task, (end, cancelled) in list(self._running.items()):
            if end > now:
                self._timer = self._loop.call_at(end, self._end_late)
                return
            del self._running[task]
            self._late[task] = cancelled
            task.cancel()
