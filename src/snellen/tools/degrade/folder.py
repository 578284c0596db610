"""A folder of images as degraded copies: on the cores of this machine, or on a cluster; stopped and gone on with."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
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
from snellen.cluster import Cluster, Need, address_of, connected
from snellen.conditions import ImageDegraded
from snellen.errors import DataError, LostError, StudyError
from snellen.runtime import time_left
from snellen.tools.degrade.copies import (
    CPU,
    Copied,
    Task,
    copied,
    folder_of,
    left_out_line,
    on_worker,
    one_thread,
)
from snellen.tools.degrade.manifest import FILE, Manifest
from snellen.tools.degrade.sources import LeftOut, Source, sources_in

TOGETHER = 4
"""Images that a process is handed at a time: few, so that Ctrl-C need not wait long."""
WAITING = 2
"""Batches in flight for each process."""


class Progress(NamedTuple):
    """How far it is: images done now, of how many to do, those left out, and seconds since it began."""

    done: int
    total: int
    left_out: int
    seconds: float

    @property
    def left(self) -> float | None:
        """Seconds that the rest takes at the rate so far; None while that cannot be told."""
        return time_left(self.done, self.total, self.seconds)


@dataclass(frozen=True)
class Degraded:
    """What was made: copies, how many images they are of, and what was left out for which reason."""

    manifest: Path
    images: int
    """All that the folder holds, those among them that were left out."""
    written: int
    """Those whose copies were made now; those of `there` images were there before."""
    copies: int
    there: int
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    """For each reason the first file that was left out for it."""
    seconds: float = 0.0


Watch = Callable[[Progress], None]


def degrade_folder(task: Task, *, workers: int = 0, on: str = "", watch: Watch | None = None) -> Degraded:
    """Write degraded copies of all images below a folder, and the manifest; what is there already stays.

    `workers` is the number of processes, by default one for each core; `on` names a cluster (`ray`). Whoever does it,
    the copies are the same.
    """
    task = _checked(task)
    if on:
        address_of(on)  # one that cannot be is told before anything is written
    listed = list(sources_in(task.folder))
    sources = {each.image: each for each in listed if isinstance(each, Source)}
    if not sources:
        raise DataError(f"{task.folder} holds no image: {_reasons(listed)}.")
    _check_names(sources)
    with ExitStack() as held:
        # a cluster that cannot be had is told before anything is made; where all may be done already, it can wait
        ahead = on and not (task.out / FILE).exists()
        cluster = held.enter_context(_cluster(task, on)) if ahead else None
        manifest = held.enter_context(Manifest(task.out, _settings(task)))
        settled = manifest.settle(partial(_size, task.folder, sources))
        manifest.add(b"".join(left_out_line(each) for each in listed if isinstance(each, LeftOut)))
        todo = [each for each in sources.values() if each.image not in settled]
        run = _Run(manifest, len(todo), watch)
        run.leave_out(each for each in listed if isinstance(each, LeftOut))
        batches = _batches(todo, TOGETHER)
        if on and batches:
            cluster = cluster or held.enter_context(_cluster(task, on))
            coming: Iterator[Copied] = held.enter_context(closing(_on_cluster(task, batches, cluster)))
        else:
            coming = _here(task, batches, workers=min(workers or _cores(), len(batches)))
        for each in coming:
            run.add(each)
        return replace(run.result, images=len(sources), there=len(sources) - len(todo))


def _check_names(images: Collection[str]) -> None:
    """Raise DataError if two copies would have one name."""
    if twice := [image for image in images if (name := name_as_png(image)) != image and name in images]:
        raise DataError(f"The copies of {twice[0]} and {twice[0]}.png would have one name. Rename one of the two.")


class _Run:
    """Takes in what workers have done: writes it down, counts it, shows it."""

    def __init__(self, manifest: Manifest, total: int, watch: Watch | None) -> None:
        self._manifest, self._total, self._watch = manifest, total, watch
        self._began = time.monotonic()
        self._done = 0
        self.result = Degraded(manifest.path, images=0, written=0, copies=0, there=0)

    def add(self, done: Copied) -> None:
        self._manifest.add(done.lines)
        self._done += done.sources
        seconds = time.monotonic() - self._began
        written = self.result.written + done.sources - len(done.left_out)
        self.result = replace(self.result, written=written, copies=self.result.copies + done.copies, seconds=seconds)
        self.leave_out(done.left_out)
        if self._watch is not None:
            self._watch(Progress(self._done, self._total, self.result.left_out.total(), seconds))

    def leave_out(self, files: Iterable[LeftOut]) -> None:
        for each in files:
            self.result.left_out[each.reason] += 1
            self.result.examples.setdefault(each.reason, each.image)


def _checked(task: Task) -> Task:
    """The task with its folders in full; StudyError where it cannot be done."""
    folder, out = task.folder.expanduser().resolve(), task.out.expanduser().resolve()
    if not folder.is_dir():
        raise DataError(f"There is no folder {task.folder}. Give the one that holds the images.")
    if out.is_relative_to(folder) or folder.is_relative_to(out):
        raise StudyError(f"The copies in {task.out} would lie among the images of {task.folder}. Choose another --out.")
    if not task.artefacts:
        raise StudyError("No artefact is named: --artefacts noise,weak; `snellen list conditions` has them all.")
    if chosen := [each.label for each in task.artefacts if each.which != ImageDegraded.which]:
        raise StudyError(f"{chosen[0]}: `which` chooses among the images of a question; in a folder all are degraded.")
    twice = [name for name, count in Counter(map(folder_of, task.artefacts)).items() if count > 1]
    if twice:
        raise StudyError(f"{twice[0]} is named twice.")
    return replace(task, folder=folder, out=out)


def _settings(task: Task) -> dict[str, object]:
    return {
        "seed": task.seed,
        "modality": task.kind,
        "artefacts": [each.label for each in task.artefacts],
        "device": CPU,
        "of": hashlib.sha256(os.fsencode(task.folder)).hexdigest()[:32],
    }


def _reasons(listed: Sequence[Source | LeftOut]) -> str:
    reasons = Counter(each.reason for each in listed if isinstance(each, LeftOut))
    return "; ".join(f"{count:,} × {reason}" for reason, count in reasons.most_common(5)) or "it is empty"


def _size(folder: Path, sources: dict[str, Source], image: str) -> int | None:
    with suppress(OSError, KeyError):
        return (folder / sources[image].path).stat().st_size
    return None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batches(sources: Sequence[Source], together: int) -> list[list[Source]]:
    """Pictures a few at a time; a scan, which may hold many, by itself."""
    pictures = [each for each in sources if not each.several]
    some = [pictures[start : start + together] for start in range(0, len(pictures), together)]
    return [*some, *([each] for each in sources if each.several)]


def _here(task: Task, batches: Sequence[list[Source]], *, workers: int) -> Iterator[Copied]:
    if workers <= 1:
        return map(partial(copied, task), batches)
    return _in_processes(task, batches, workers)


def _cluster(task: Task, on: str) -> AbstractContextManager[Cluster]:
    return connected(on, needs=[Need(CPU, num_cpus=1)])


def _on_cluster(task: Task, batches: Iterable[list[Source]], cluster: Cluster) -> Generator[Copied]:
    """What each batch came to on a cluster, in any order; a file that ends its worker again and again is left out."""
    waiting = deque(batches)
    while waiting:
        given: dict[int, list[Source]] = {}
        try:
            for number, done in cluster.map(on_worker, _handed_out(task, waiting, given)):
                del given[number]
                yield done
        except LostError:
            for source in chain.from_iterable(given.values()):
                try:
                    [(_, done)] = cluster.map(on_worker, [(task, [source])])
                except LostError:
                    done = _without(source, "loses its worker on the cluster whenever it is tried")
                yield done


def _handed_out(
    task: Task, waiting: deque[list[Source]], given: dict[int, list[Source]]
) -> Iterator[tuple[Task, list[Source]]]:
    """Batches as they are asked for, each noted under its number until it is done."""
    for number in count():
        if not waiting:
            return
        given[number] = waiting.popleft()
        yield task, given[number]


def _in_processes(task: Task, batches: Iterable[list[Source]], workers: int) -> Iterator[Copied]:
    """What each batch came to, in any order; a bounded number of them waits.

    A process that a file breaks off (a codec may) costs that file alone: what was in flight is done again, each image
    in a process of its own. At Ctrl-C what has been started is finished and given back first. Futures come by a queue:
    an interrupt within `wait` would leave their locks held, and the shutdown would wait for ever.
    """
    waiting = deque(batches)
    with _one_thread_each():
        pool = _pool(workers)
        flying: dict[Future[Copied], list[Source]] = {}
        ended: SimpleQueue[Future[Copied]] = SimpleQueue()
        try:
            while True:
                try:
                    while waiting and len(flying) < WAITING * workers:
                        with _interrupt_held():
                            future = pool.submit(copied, task, waiting[0])
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
                        yield _alone(task, source)
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
    """Hold Ctrl-C back for a moment, and let it come afterwards."""
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


def _alone(task: Task, source: Source) -> Copied:
    """One source in a process that has nothing else to lose."""
    with _pool(1) as pool:
        try:
            return pool.submit(copied, task, [source]).result()
        except BrokenProcessPool:
            _check_processes_begin()
            return _without(source, "breaks off the process that reads or degrades it")


def _check_processes_begin() -> None:
    """StudyError where no process can even begin: then no file is to blame."""
    with _pool(1) as pool:
        try:
            pool.submit(os.getpid).result()
        except BrokenProcessPool as error:
            raise StudyError(
                "Processes cannot be started from this program. In a script, call it under "
                '`if __name__ == "__main__":`; or give workers=1.'
            ) from error


def _without(source: Source, reason: str) -> Copied:
    left_out = LeftOut(source.image, reason)
    return Copied(1, left_out_line(left_out), 0, (left_out,))


def _pool(workers: int) -> ProcessPoolExecutor:
    # Forked from a process that has loaded what is needed and has no threads, as codecs and CUDA would have.
    context = get_context("forkserver")
    context.set_forkserver_preload([copied.__module__])
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)


def _begin() -> None:
    """Begin a process: one thread for it, and Ctrl-C is its parent's to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    one_thread()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes that start in here have one thread for matrices, and take no module from the working folder."""
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
