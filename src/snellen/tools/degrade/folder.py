"""Degradation of a folder of images, on this computer or a cluster.

A stopped run can be continued.
"""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count
from multiprocessing import get_context
from pathlib import Path
from queue import SimpleQueue
from threading import current_thread, main_thread
from types import FrameType
from typing import NamedTuple

from snellen.benchmarks.files_beside import name_as_png
from snellen.cluster import Cluster, Need, address_of, connect
from snellen.conditions import ImageDegraded
from snellen.errors import DataError, LostError, StudyError
from snellen.runtime import time_left
from snellen.tools.degrade.copies import (
    CPU,
    Copied,
    LeftOut,
    SourceFile,
    Task,
    copy_sources,
    folder_of,
    left_out_line,
    on_worker,
    one_thread,
    sources_in,
)
from snellen.tools.degrade.manifest import FILE, Manifest

TOGETHER = 4
"""Images per batch: few, so that Ctrl-C does not wait long."""
WAITING = 2
"""Batches submitted at a time, per process."""


class Progress(NamedTuple):
    """Progress: images done, all images, images left out, and seconds so far."""

    done: int
    total: int
    left_out: int
    seconds: float

    @property
    def left(self) -> float | None:
        """Estimated seconds left; None if unknown."""
        return time_left(self.done, self.total, self.seconds)


@dataclass(frozen=True)
class Degraded:
    """The result: number of images and copies, and files left out by reason."""

    manifest: Path
    images: int
    """All images in the folder, including those left out."""
    written: int
    """Images copied in this run; `there` counts images whose copies existed already."""
    copies: int
    there: int
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    """The first file left out, for each reason."""
    seconds: float = 0.0


Watch = Callable[[Progress], None]


def degrade_folder(task: Task, *, workers: int = 0, on: str = "", watch: Watch | None = None) -> Degraded:
    """Write degraded copies of all images below a folder, and the manifest.

    `workers` is the number of processes (0: one per core); `on` names a cluster (`ray`). The copies do not depend on
    either.
    """
    task = _check_task(task)
    if on:
        address_of(on)  # one that cannot be is told before anything is written
    sources, left_out = _list_sources(task)
    with ExitStack() as held:
        # Connect before anything is written; if copies exist, the cluster may not be needed.
        ahead = on and not (task.out / FILE).exists()
        cluster = held.enter_context(_connect(on)) if ahead else None
        manifest = held.enter_context(Manifest(task.out, _settings(task)))

        def size_of(image: str) -> int | None:
            with suppress(OSError, KeyError):
                return (task.folder / sources[image].path).stat().st_size
            return None

        settled = manifest.settle(size_of)
        manifest.add(b"".join(map(left_out_line, left_out)))
        todo = [each for each in sources.values() if each.image not in settled]
        run = _Run(manifest, len(todo), left_out, watch)
        batches = _batches(todo)
        coming: Iterator[Copied] = map(partial(copy_sources, task), batches)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if on and batches:
            cluster = cluster or held.enter_context(_connect(on))
            coming = held.enter_context(closing(_on_cluster(task, batches, cluster)))
        elif (processes := min(workers or cores, len(batches))) > 1:
            coming = _in_processes(task, batches, processes)
        for each in coming:
            run.add(each)
        return replace(run.result, images=len(sources), there=len(sources) - len(todo))


def _list_sources(task: Task) -> tuple[dict[str, SourceFile], list[LeftOut]]:
    """List the images by name, and the files left out. Raise DataError without images, or if copies share a name."""
    listed = list(sources_in(task.folder))
    sources = {each.image: each for each in listed if isinstance(each, SourceFile)}
    left_out = [each for each in listed if isinstance(each, LeftOut)]
    if not sources:
        reasons = Counter(each.reason for each in left_out).most_common(5)
        why = "; ".join(f"{count:,} × {reason}" for reason, count in reasons) or "it is empty"
        raise DataError(f"{task.folder} holds no image: {why}.")
    if twice := [image for image in sources if (name := name_as_png(image)) != image and name in sources]:
        raise DataError(f"The copies of {twice[0]} and {twice[0]}.png would have the same name. Rename one of the two.")
    return sources, left_out


class _Run:
    """Collector of the workers' results: writes the manifest, counts, and reports progress."""

    def __init__(self, manifest: Manifest, total: int, left_out: Iterable[LeftOut], watch: Watch | None) -> None:
        self._manifest, self._total, self._watch = manifest, total, watch
        self._began = time.monotonic()
        self._done = 0
        self.result = Degraded(manifest.path, images=0, written=0, copies=0, there=0)
        self._leave_out(left_out)

    def add(self, done: Copied) -> None:
        self._manifest.add(done.lines)
        self._done += done.sources
        seconds = time.monotonic() - self._began
        written = self.result.written + done.sources - len(done.left_out)
        self.result = replace(self.result, written=written, copies=self.result.copies + done.copies, seconds=seconds)
        self._leave_out(done.left_out)
        if self._watch is not None:
            self._watch(Progress(self._done, self._total, self.result.left_out.total(), seconds))

    def _leave_out(self, files: Iterable[LeftOut]) -> None:
        for each in files:
            self.result.left_out[each.reason] += 1
            self.result.examples.setdefault(each.reason, each.image)


def _check_task(task: Task) -> Task:
    """Return the task with absolute paths; raise an error if it is impossible."""
    folder, out = task.folder.expanduser().resolve(), task.out.expanduser().resolve()
    if not folder.is_dir():
        raise DataError(f"There is no folder {task.folder}. Give the one that holds the images.")
    if out.is_relative_to(folder) or folder.is_relative_to(out):
        raise StudyError(f"The copies in {task.out} would lie among the images of {task.folder}. Choose another --out.")
    if not task.artefacts:
        raise StudyError("Name an artefact, such as --artefacts noise,weak. `snellen list conditions` lists them all.")
    if chosen := [each.label for each in task.artefacts if each.which != ImageDegraded.which]:
        raise StudyError(f"{chosen[0]}: `which` selects images of a question and has no use here. Remove it.")
    twice = [name for name, count in Counter(map(folder_of, task.artefacts)).items() if count > 1]
    if twice:
        raise StudyError(f"The artefact {twice[0]} is named twice. Remove one.")
    return replace(task, folder=folder, out=out)


def _settings(task: Task) -> dict[str, object]:
    return {
        "seed": task.seed,
        "modality": task.kind,
        "artefacts": [each.label for each in task.artefacts],
        "device": CPU,
        "of": hashlib.sha256(os.fsencode(task.folder)).hexdigest()[:32],
    }


def _batches(sources: Sequence[SourceFile]) -> list[list[SourceFile]]:
    """Group images into batches; each scan is a batch of its own."""
    pictures = [each for each in sources if not each.several]
    some = [pictures[start : start + TOGETHER] for start in range(0, len(pictures), TOGETHER)]
    return [*some, *([each] for each in sources if each.several)]


def _connect(on: str) -> AbstractContextManager[Cluster]:
    return connect(on, needs=[Need(CPU, num_cpus=1)])


def _on_cluster(task: Task, batches: Iterable[list[SourceFile]], cluster: Cluster) -> Generator[Copied]:
    """Yield the results of all batches; leave out files that crash their worker.

    After a crash, each image of the unfinished batches is tried alone.
    """
    waiting = deque(batches)
    while waiting:
        given: dict[int, list[SourceFile]] = {}
        try:
            for number, done in cluster.map(on_worker, _take_batches(task, waiting, given)):
                del given[number]
                yield done
        except LostError:
            for source in chain.from_iterable(given.values()):
                try:
                    [(_, done)] = cluster.map(on_worker, [(task, [source])])
                except LostError:
                    done = _leave_out(source, "crashes its worker on the cluster every time")
                yield done


def _take_batches(
    task: Task, waiting: deque[list[SourceFile]], given: dict[int, list[SourceFile]]
) -> Iterator[tuple[Task, list[SourceFile]]]:
    """Yield batches as the cluster requests them; `given` holds those not yet finished."""
    for number in count():
        if not waiting:
            return
        given[number] = waiting.popleft()
        yield task, given[number]


def _in_processes(task: Task, batches: Iterable[list[SourceFile]], workers: int) -> Iterator[Copied]:
    """Yield the results of all batches, in any order, from a limited number of processes.

    If a file crashes its process, all unfinished images are repeated, each in its own process; only the file that
    crashes again is left out. At Ctrl-C, started batches are finished and returned first. Futures arrive by a queue: an
    interrupt inside `wait` would keep their locks, and the shutdown would never end.
    """
    waiting = deque(batches)
    with _one_thread_each():
        pool = _pool(workers)
        flying: dict[Future[Copied], list[SourceFile]] = {}
        ended: SimpleQueue[Future[Copied]] = SimpleQueue()
        try:
            while True:
                try:
                    while waiting and len(flying) < WAITING * workers:
                        with _interrupt_held():
                            future = pool.submit(copy_sources, task, waiting[0])
                            flying[future] = waiting.popleft()
                            future.add_done_callback(ended.put)
                    if not flying:
                        return
                    future = ended.get()
                    result = future.result()
                    del flying[future]
                    yield result
                except BrokenProcessPool:
                    pool.shutdown(wait=True, cancel_futures=True)
                    lost, flying, pool, ended = list(flying.values()), {}, _pool(workers), SimpleQueue()
                    for source in (source for batch in lost for source in batch):
                        yield _copy_alone(task, source)
        except KeyboardInterrupt:
            pool.shutdown(wait=True, cancel_futures=True)
            for future in flying:
                if not future.cancelled() and future.exception() is None:
                    yield future.result()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupt_held() -> Iterator[None]:
    """Delay Ctrl-C until the block has ended."""
    if current_thread() is not main_thread():
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held and callable(before):
            before(*held[0])


def _copy_alone(task: Task, source: SourceFile) -> Copied:
    """Copy one source in a process of its own. Raise StudyError if no process can start at all."""
    with _pool(1) as pool, suppress(BrokenProcessPool):
        return pool.submit(copy_sources, task, [source]).result()
    with _pool(1) as pool:
        try:
            pool.submit(os.getpid).result()
        except BrokenProcessPool as error:
            raise StudyError(
                "Processes cannot be started from this program. In a script, call it under "
                '`if __name__ == "__main__":`; or give workers=1.'
            ) from error
    return _leave_out(source, "crashes the process that reads or degrades it")


def _leave_out(source: SourceFile, reason: str) -> Copied:
    left_out = LeftOut(source.image, reason)
    return Copied(1, left_out_line(left_out), 0, (left_out,))


def _pool(workers: int) -> ProcessPoolExecutor:
    # Forked from a server process that has the modules loaded but no threads, as codecs and CUDA would start.
    context = get_context("forkserver")
    context.set_forkserver_preload([copy_sources.__module__])
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)


def _begin() -> None:
    """Prepare a worker process: one thread, and Ctrl-C is left to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    one_thread()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Limit new processes to one thread; they import no modules of the current folder."""
    before = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONSAFEPATH")}
    os.environ.update(dict.fromkeys(before, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
