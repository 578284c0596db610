"""run: ask what is missing, store what comes. With `preparing` the only place with concurrency."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from typing import Protocol

from snellen.errors import ModelError, UnusableModelError
from snellen.garbage import few_collections
from snellen.models.base import Model, check_delivery
from snellen.plan import Plan
from snellen.preparing import Address, Batch, PlanSource, Ready
from snellen.prompts import Request
from snellen.store import Cell, Store, Writer

FAILURES_IN_A_ROW = 25
"""After so many failures with no reply between them, a model is given up."""


@dataclass
class Progress:
    """How far a run is. `shared` replies were there already for an equal request."""

    total: int = 0
    done: int = 0
    failed: int = 0
    shared: int = 0
    started: float = field(default_factory=time.monotonic)
    unusable: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    """The last error of each model that had one."""
    unusable_images: dict[str, str] = field(default_factory=dict)
    """What is wrong with the image of each item that was not asked with it."""
    answered: set[str] = field(default_factory=set)
    """The models that gave a reply in this run."""

    @property
    def rate(self) -> float:
        """Replies per second so far."""
        return self.done / max(1e-9, time.monotonic() - self.started)

    @property
    def left(self) -> float | None:
        """Seconds left at this rate; None before the first reply."""
        return (self.total - self.done - self.failed) / self.rate if self.done else None


Watch = Callable[[Progress], None]


class Source(Protocol):
    """Where the requests of a run come from."""

    def count(self, addresses: Sequence[Address]) -> int:
        """How many replies are missing, at most; called once, before any is asked for."""
        ...

    def batches(self, addresses: Sequence[Address], writer: Writer) -> AsyncGenerator[Batch, None]:
        """The requests, as they get ready."""
        ...


def run(plan: Plan, store: Store, *, connections: int = 64, watch: Watch = lambda progress: None) -> Progress:
    """Ask every model what the store has no reply to yet; stopped at any moment, the next run goes on from there."""
    return ask_all(plan.models, PlanSource(plan, store), store, connections=connections, watch=watch)


def ask_all(
    models: Sequence[Model],
    source: Source,
    store: Store,
    *,
    connections: int = 64,
    watch: Watch = lambda progress: None,
) -> Progress:
    """Ask the models what a source wants to know, and store what comes."""
    everything = Run(models, source, store, connections=connections, watch=watch)
    with few_collections():
        return _beside_a_running_loop(everything) if _a_loop_runs() else asyncio.run(everything.all())


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _beside_a_running_loop(everything: Run) -> Progress:
    """The same in a thread of its own, for notebooks; an interrupt reaches it there."""
    loop = asyncio.new_event_loop()
    with ThreadPoolExecutor(1) as thread, closing(loop):
        task = loop.create_task(everything.all())
        done = thread.submit(loop.run_until_complete, task)
        try:
            return done.result()
        except KeyboardInterrupt:
            loop.call_soon_threadsafe(task.cancel)
            wait([done])
            raise


@dataclass
class Job:
    """A request in flight and every cell that waits for it."""

    request: Request
    cells: list[Cell]
    stored: int = 0


class Lane:
    """One model's line of requests; at most `room` wait in it."""

    def __init__(self, model: Model, number: int, *, room: int) -> None:
        self.model = model
        self.number = number
        self.failures = 0
        self.closed = False
        self._room = room
        self._ended = False
        self._jobs: deque[Job] = deque()
        self._came, self._went = asyncio.Event(), asyncio.Event()

    @property
    def full(self) -> bool:
        """Whether nobody should line up just now."""
        return len(self._jobs) >= self._room

    async def room_again(self) -> None:
        """Wait until somebody has left the line."""
        while self.full:
            self._went.clear()
            await self._went.wait()

    def put(self, job: Job) -> None:
        """Line up."""
        self._jobs.append(job)
        self._came.set()

    async def take(self) -> Job | None:
        """The next in line, once there is one; None at the end."""
        while not self._jobs:
            if self._ended:
                return None
            self._came.clear()
            await self._came.wait()
        self._went.set()
        return self._jobs.popleft()

    def end(self) -> None:
        """Nobody comes any more."""
        self._ended = True
        self._came.set()


class Run:
    """One run: a source prepares, lanes ask, the writer stores."""

    def __init__(
        self, models: Sequence[Model], source: Source, store: Store, *, connections: int, watch: Watch
    ) -> None:
        self._models = models
        self._source = source
        self._store = store
        self._connections = connections
        self._watch = watch
        self._in_flight: dict[bytes, Job] = {}
        self.progress = Progress()

    async def all(self) -> Progress:
        """Everything that is missing."""
        loop = asyncio.get_running_loop()
        lanes = [
            Lane(model, self._store.add_model(model.name, model.revision), room=self._connections)
            for model in self._models
        ]
        addresses = [Address(lane.number, lane.model.name, lane.model.revision) for lane in lanes]
        self.progress.total = self._source.count(addresses)
        self._writer = Writer(self._store, lambda keys: loop.call_soon_threadsafe(self._committed, keys))
        ticker = asyncio.create_task(self._tick())
        try:
            async with asyncio.TaskGroup() as tasks:
                for lane in lanes:
                    for _ in range(self._connections):
                        tasks.create_task(self._work(lane))
                tasks.create_task(self._feed(addresses, lanes))
            await self._all_safe()
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            ticker.cancel()
            try:
                self._writer.close()
            finally:
                for model in self._models:
                    await model.close()
            self._watch(self.progress)
        return self.progress

    async def _feed(self, addresses: Sequence[Address], lanes: Sequence[Lane]) -> None:
        """Hand each request to its model's lane as it gets ready."""
        async with aclosing(self._source.batches(addresses, self._writer)) as batches:
            async for batch in batches:
                self.progress.total -= batch.inapplicable
                self.progress.unusable_images.update(batch.unusable)
                await self._dispatch(batch.ready, lanes)
                if all(lane.closed for lane in lanes):
                    break
        for lane in lanes:
            lane.end()

    async def _dispatch(self, batch: Sequence[Ready], lanes: Sequence[Lane]) -> None:
        """Each request to its lane, unless an equal one is answered or under way."""
        by_number = {lane.number: lane for lane in lanes}
        known = self._store.known([request.key for _, request in batch])
        waited = False
        for cell, request in batch:
            lane = by_number[cell.model]
            if lane.full:
                await lane.room_again()
                waited = True
            if waited and request.key not in known:
                known.update(self._store.known([request.key]))  # it may have been answered in the meantime
            if (response := known.get(request.key)) is not None:
                self._writer.linked(response, cell)
                self._count_shared()
            elif (job := self._in_flight.get(request.key)) is not None:
                job.cells.append(cell)
                self._count_shared()
            elif not lane.closed:
                job = Job(request, [cell])
                self._in_flight[request.key] = job
                lane.put(job)

    def _count_shared(self) -> None:
        self.progress.shared += 1
        self.progress.total -= 1

    async def _work(self, lane: Lane) -> None:
        """Ask one request after another until the lane ends."""
        while (job := await lane.take()) is not None:
            if lane.closed:
                del self._in_flight[job.request.key]
                continue
            try:
                response = await lane.model.answer(job.request)
                check_delivery(job.request, response)
            except ModelError as error:
                self._failed(lane, job, error)
            except Exception as error:
                raise ModelError(f"The model {lane.model.name} has a bug: {error!r}") from error
            else:
                lane.failures = 0
                job.stored = len(job.cells)
                self._writer.answered(job.request.key, response, job.cells[:])
                self.progress.done += 1
                self.progress.answered.add(lane.model.name)

    def _failed(self, lane: Lane, job: Job, error: ModelError) -> None:
        del self._in_flight[job.request.key]
        self._writer.failed(job.cells, error)
        self.progress.failed += 1
        self.progress.errors[lane.model.name] = str(error)
        lane.failures += 1
        if isinstance(error, UnusableModelError):
            self._give_up(lane, str(error))
        elif lane.failures >= FAILURES_IN_A_ROW:
            self._give_up(lane, f"{lane.failures} requests in a row failed; the last one: {error}")

    def _give_up(self, lane: Lane, why: str) -> None:
        lane.closed = True
        self.progress.unusable.setdefault(lane.model.name, why)

    def _committed(self, keys: list[bytes]) -> None:
        """The replies are safe; cells that joined while they were on their way to the store are linked now."""
        for key in keys:
            job = self._in_flight.pop(key)
            if late := job.cells[job.stored :]:
                response = self._store.known([key])[key]
                for cell in late:
                    self._writer.linked(response, cell)

    async def _all_safe(self) -> None:
        """Wait until every reply is committed and every cell linked."""
        while self._in_flight:
            self._writer.check()
            await asyncio.sleep(0.002)

    async def _tick(self) -> None:
        while True:
            self._watch(self.progress)
            await asyncio.sleep(0.1)
