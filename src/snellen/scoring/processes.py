"""Processes: the portions of a large study graded side by side, each process with the store open to read.

What is sent back are columns, never texts. A process is this very Python, started anew: nothing of the program that
asked for it is run again, and an interrupt ends all of them.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from typing import Any, BinaryIO, NamedTuple, Protocol, cast

from snellen.errors import SnellenError, StoreError

FROM = 200_000
"""Responses from which it is worth starting processes."""
MOST = 16
"""Processes at most: each holds the items of a benchmark."""
_LINES = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from snellen.scoring.processes import serve; serve()"

Tell = Callable[[int], object]
"""Hears how many more responses are done."""


class Work(Protocol):
    """What is to be done with each portion; it can be sent to another process."""

    def begun(self, tell: Tell) -> AbstractContextManager[Callable[[Any], Any]]:
        """What does it, with the store open."""
        ...


class Done(NamedTuple):
    """What a process made of a portion."""

    made: Any


class Failed(NamedTuple):
    """A portion failed; the error as it was raised where it can be sent, and in words."""

    error: SnellenError | None
    words: str


def side_by_side(work: Work, portions: Sequence[Any], *, tell: Tell, processes: int) -> Iterator[Any]:
    """What is made of each portion, in their order, by so many processes; the first error ends all."""
    workers: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    started = [_Worker(work, tell) for _ in range(min(processes, len(portions)))]
    for each in started:
        workers.put(each)

    def done(portion: Any) -> Any:
        worker = workers.get()
        try:
            return worker.do(portion)
        finally:
            workers.put(worker)

    pool = ThreadPoolExecutor(len(started), thread_name_prefix="snellen-portion")
    try:
        coming: list[Future[Any]] = [pool.submit(done, portion) for portion in portions]
        while coming:
            yield coming.pop(0).result()
    finally:
        for each in started:
            each.end()
        pool.shutdown(cancel_futures=True)


def every_done(work: Work, portions: Sequence[Any], *, tell: Tell, processes: int) -> Iterator[Any]:
    """What is made of each portion, in their order: by so many processes, or in this one if it is one."""
    if processes > 1:
        yield from side_by_side(work, portions, tell=tell, processes=processes)
    else:
        with work.begun(tell) as do:
            yield from map(do, portions)


def processes_for(responses: int, portions: int) -> int:
    """How many processes are worth starting; 1 means none but this one."""
    if responses < FROM or portions < 2:
        return 1
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(there, portions, MOST)


class _Worker:
    """One of the processes, as seen from here."""

    def __init__(self, work: Work, tell: Tell) -> None:
        self._tell = tell
        # -P: no module of the working folder takes the place of one of Python's
        command = [sys.executable, "-P", "-c", _LINES, json.dumps(sys.path)]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this very Python and our own lines
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise StoreError(f"A process for grading cannot be started: {error.strerror}.") from error
        self._asked = cast("BinaryIO", self._process.stdin)
        self._answers = cast("BinaryIO", self._process.stdout)
        self._lock = threading.Lock()
        self._say(work)

    def do(self, portion: Any) -> Any:
        """What the process makes of a portion; SnellenError where it fails or ends."""
        with self._lock:
            self._say(portion)
            while isinstance(found := self._heard(), int):
                self._tell(found)
        if isinstance(found, Failed):
            raise found.error or StoreError(f"Responses cannot be graded: {found.words}.")
        return found.made

    def _say(self, each: Any) -> None:
        with suppress(OSError):  # that it has ended is seen where it is listened to
            pickle.dump(each, self._asked, pickle.HIGHEST_PROTOCOL)
            self._asked.flush()

    def _heard(self) -> int | Done | Failed:
        try:
            found: int | Done | Failed = pickle.load(self._answers)  # noqa: S301 - our own process
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise StoreError(
                f"A process that graded responses has ended (exit status {self._process.wait()}), perhaps for want of "
                "memory. Nothing is lost: run the command again, with more memory or fewer processors."
            ) from error
        return found

    def end(self) -> None:
        """End the process."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._asked, self._answers):
            with suppress(OSError):
                stream.close()


def serve() -> None:
    """Do what is asked for, portion after portion, until nothing more comes; runs in the process itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a parser prints is no answer
    asked = sys.stdin.buffer

    def say(each: int | Done | Failed) -> None:
        pickle.dump(each, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()

    work: Work = pickle.load(asked)  # noqa: S301 - from the process that started this one
    portion = None
    try:
        portion = pickle.load(asked)  # noqa: S301
        with work.begun(say) as do:
            while True:
                say(Done(do(portion)))
                portion = pickle.load(asked)  # noqa: S301
    except EOFError:
        return
    except Exception as error:
        say(Failed(_sendable(error), f"{type(error).__name__}: {error}"))


def _sendable(error: Exception) -> SnellenError | None:
    """The error, if it is ours and is the same once it was sent."""
    if not isinstance(error, SnellenError):
        return None
    try:
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:
        return None
    return again if type(again) is type(error) and str(again) == str(error) else None
