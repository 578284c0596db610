"""Run: ask missing questions and store the responses. All concurrency is here and in `requests`.

A "lane" is the queue of one model.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from typing import Protocol

from snellen.asking.plan import Plan
from snellen.asking.requests import Batch, NumberedModel, PlanSource, Ready
from snellen.errors import BusyError, ModelError, OverBudgetError, RejectedError, UnusableModelError, raise_first
from snellen.images import PicturesSent
from snellen.models.base import Model, Response, bug, check_sent
from snellen.models.secrets import KnownSecrets, environment_secrets, hide_environment
from snellen.prompts import Request
from snellen.runtime import counted, few_collections, time_left
from snellen.store import ResponseCell, Store, Writer

FAILURES_IN_A_ROW = 25
"""A model is given up after this many failures without a response between them."""
ALONE = 5.0
"""Seconds for which a model's first request is alone. A wrong key or name then costs one request.

If its response takes longer, the other requests are sent as well.
"""
ENOUGH_TO_TELL = 3
"""Requests needed, both with and without image, before a server is said to refuse images."""
REFUSING = (400, 404, 405, 406, 413, 415, 422, 500, 501)
"""HTTP statuses by which servers refuse images that they do not accept."""


@dataclass
class RunProgress:
    """Progress of a run. `shared` counts responses that an equal request already had."""

    awaited: dict[str, int] = field(default_factory=dict)
    """Responses still to come, by model; models that were given up are left out."""
    done: int = 0
    failed: int = 0
    shared: int = 0
    started: float = field(default_factory=time.monotonic)
    unusable: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    """The last error of each model that had one."""
    unusable_images: dict[str, str] = field(default_factory=dict)
    """The problem of each image that was not sent, by item."""
    pictures: PicturesSent = field(default_factory=PicturesSent)
    """Images of this run: counts by rule, and those that are nearly black or white."""
    answered: set[str] = field(default_factory=set)
    """Models that gave a response in this run."""
    addresses: dict[str, str] = field(default_factory=dict)
    """Address and key variable of each model that is not run in this process."""
    troubles: dict[str, str] = field(default_factory=dict)
    """Why models are not answering at the moment, by model."""
    checked: set[str] = field(default_factory=set)
    """Models that are being shown letters, to see whether images reach them."""
    remarks: dict[str, str] = field(default_factory=dict)
    """Warnings about models that were asked, by model."""

    @property
    def silent(self) -> dict[str, str]:
        """Models that were given up or whose requests all failed, with the reason."""
        only_failed = {model: error for model, error in self.errors.items() if model not in self.answered}
        return {**only_failed, **self.unusable}

    @property
    def total(self) -> int:
        """Number of expected responses, including failures but not models that were given up."""
        return self.done + self.failed + sum(self.awaited.values())

    def remark(self, model: str, said: str) -> None:
        """Add a warning about a model to its earlier ones."""
        self.remarks[model] = " ".join(filter(None, (self.remarks.get(model), said)))

    def settle(self, model: str, count: int = 1) -> None:
        """Stop waiting for `count` responses of a model."""
        if model in self.awaited:
            self.awaited[model] -= count

    def count_shared(self, model: str) -> None:
        """Count a response that an equal request already had."""
        self.shared += 1
        self.settle(model)

    def note_images(self, batch: Batch) -> None:
        """Note the images of a batch, and those that cannot be used."""
        self.unusable_images.update(batch.unusable)
        self.pictures += batch.pictures

    def give_up(self, model: str, why: str) -> None:
        """Stop waiting for a model that is no longer asked."""
        self.awaited.pop(model, None)
        self.unusable.setdefault(model, why)

    @property
    def rate(self) -> float:
        """Responses per second so far."""
        return self.done / max(1e-9, time.monotonic() - self.started)

    @property
    def left(self) -> float | None:
        """Seconds left at this rate; None if unknown or if no model is left."""
        of = self.done + sum(self.awaited.values())
        return time_left(self.done, of, time.monotonic() - self.started) if self.done and self.awaited else None


Watch = Callable[[RunProgress], None]


class Witness(Protocol):
    """Watches whether images reach the models; each method returns a reason to stop, or ""."""

    async def check_model(self, model: Model, number: int) -> str:
        """Check a model before its first request with an image is sent; may raise UnusableModelError."""
        ...

    def on_response(self, model: Model, request: Request, response: Response) -> str:
        """Check every response."""
        ...


class Nobody:
    """A witness that never stops a model."""

    async def check_model(self, model: Model, number: int) -> str:
        """Return "", so that the model is asked."""
        return ""

    def on_response(self, model: Model, request: Request, response: Response) -> str:
        """Return "", so that the model is asked."""
        return ""


NOBODY = Nobody()


async def examine(model: Model, number: int, witness: Witness, progress: RunProgress) -> str:
    """Check that images reach a model before its first image, and show this as progress."""
    progress.checked.add(model.name)
    try:
        return await witness.check_model(model, number)
    finally:
        progress.checked.discard(model.name)


class RequestSource(Protocol):
    """Source of the requests of a run."""

    def count(self, addresses: Sequence[NumberedModel]) -> Sequence[int]:
        """Return the most responses that each model may miss; called once before the first request."""
        ...

    def batches(self, addresses: Sequence[NumberedModel], writer: Writer) -> AsyncGenerator[Batch, None]:
        """Yield the requests as they are ready, each once.

        If some models fall behind, this is closed and called twice at the same time: once for these models and once for
        the others. Each call yields what its models have not received yet.
        """
        ...


def run(
    plan: Plan,
    store: Store,
    *,
    connections: int = 64,
    watch: Watch = lambda progress: None,
    witness: Witness = NOBODY,
) -> RunProgress:
    """Ask every model what is missing in the store; a stopped run can be continued."""
    source = PlanSource(plan, store)
    return ask_all(plan.models, source, store, connections=connections, watch=watch, witness=witness)


def ask_all(
    models: Sequence[Model],
    source: RequestSource,
    store: Store,
    *,
    connections: int = 64,
    watch: Watch = lambda progress: None,
    witness: Witness = NOBODY,
) -> RunProgress:
    """Ask the models all missing requests of a source and store the responses."""
    everything = StudyRun(models, source, store, connections, watch, witness)
    with few_collections():
        return in_a_loop(everything.ask_all)


def in_a_loop(everything: Callable[[], Coroutine[None, None, RunProgress]]) -> RunProgress:
    """Run in a new event loop, even if one is running already."""
    return _beside_a_running_loop(everything) if _a_loop_runs() else asyncio.run(everything())


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _beside_a_running_loop(everything: Callable[[], Coroutine[None, None, RunProgress]]) -> RunProgress:
    """Run in a separate thread, for notebooks. An interrupt cancels the run."""
    loop = asyncio.new_event_loop()
    with ThreadPoolExecutor(1) as thread, closing(loop):
        task = loop.create_task(everything())
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
    cells: list[ResponseCell]
    stored: int = 0


@dataclass
class Tally:
    """Number of answered requests of one kind, and of failed ones by HTTP status."""

    answered: int = 0
    failed: Counter[int | None] = field(default_factory=Counter)
    images: Counter[int] = field(default_factory=Counter)
    """Failed requests by their number of images."""


def takes_no_images(with_images: Tally, without: Tally) -> str:
    """The message if every request with an image was refused and all others were answered.

    >>> print(takes_no_images(Tally(failed=Counter({400: 15})), Tally(answered=15)))
    all 15 requests with an image failed with status 400, all 15 without an image succeeded: this server accepts no images.
    >>> print(takes_no_images(Tally(failed=Counter({400: 9}), images=Counter({50: 9})), Tally(answered=9)))
    all 9 requests with images failed with status 400, all 9 without an image succeeded: this server accepts no images, or not 50 in one request.
    """  # noqa: E501 - what it says
    refused = [status for status in with_images.failed if status in REFUSING]
    one_reason = len(with_images.failed) == len(refused) == 1
    if not one_reason or with_images.answered or without.failed:
        return ""
    count = with_images.failed.total()
    if min(count, without.answered) < ENOUGH_TO_TELL:
        return ""
    fewest = min(with_images.images, default=1)
    shown, many = ("an image", "") if fewest < 2 else ("images", f", or not {fewest} in one request")
    failed = f"all {count} requests with {shown} failed with status {refused[0]}"
    return f"{failed}, all {without.answered} without an image succeeded: this server accepts no images{many}."


def _suggest_fewer_images(model: str, with_images: Tally) -> str:
    """Advise what to do about a server that accepts no images, or fewer at once."""
    alone = f"it without images: --text-only {model}."
    if min(with_images.images, default=1) < 2:
        return f"Ask {alone}"
    return (
        "Send fewer images per item (for a video, #frames=8), or raise the server's limit (vLLM has "
        f"--limit-mm-per-prompt). Or ask {alone}"
    )


class Lane:
    """Queue of one model's requests with at most `room` waiting; the first request goes alone."""

    def __init__(self, model: Model, number: int, *, room: int) -> None:
        self.model = model
        self.number = number
        self.failures = 0
        self.closed = False
        self.blind = False
        """True if no more images are sent: many requests with images were refused in a row, and none without."""
        self.to_come = 0
        """The most requests that are still to be queued."""
        self.handed_in: frozenset[bytes] = frozenset()
        """Keys of requests that the provider holds in a batch."""
        self.left_to_batch = 0
        self.room = room
        self.with_images, self.without = Tally(), Tally()
        self._ended = False
        self._held: bool | None = None
        self._alone: asyncio.TimerHandle | None = None
        self._tried = False
        self._jobs: deque[Job] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.went = asyncio.Event()
        """Event that is set when a request leaves the queue. The feed that fills the queue waits for it."""

    @property
    def full(self) -> bool:
        """True if the queue has no room now."""
        return len(self._jobs) >= self.room

    @property
    def starving(self) -> bool:
        """True if the queue is empty although requests of its model are still to come."""
        return not (self._jobs or self._held or self.closed) and self.to_come > 0

    @property
    def only_images_fail(self) -> bool:
        """True if every request with an image failed, and no other."""
        return not self.with_images.answered and not self.without.failed

    def put(self, job: Job) -> None:
        """Add a job to the queue."""
        self._jobs.append(job)
        self._wake(1)

    def hold(self) -> bool:
        """Hold all requests until `release`; return False if that was done before."""
        if self._held is not None:
            return False
        self._held = True
        return True

    def release(self) -> None:
        """Release the held requests."""
        self._held = False
        self._wake(len(self._waiting))

    async def take(self) -> Job | None:
        """Return the next job, once there is one; None at the end."""
        while not self._jobs or self._held or (self._alone and not self._tried):
            if self._ended and not self._jobs:
                return None
            await self._wait()
        if self._alone is None:
            self._alone = asyncio.get_running_loop().call_later(ALONE, self.release_waiting)
        self.went.set()
        return self._jobs.popleft()

    async def _wait(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter

    def _wake(self, most: int) -> None:
        """Wake only as many tasks as there is work for."""
        while self._waiting and most > 0:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                most -= 1

    async def first_back(self) -> None:
        """Wait until the first request has ended, if it has been sent."""
        while self._alone and not self._tried:
            await self._wait()

    def release_waiting(self) -> None:
        """Let the other requests go, because the first was answered, failed, or is slow."""
        if not self._tried and self._alone:
            self._alone.cancel()
            self._tried = True
            self._wake(len(self._waiting))

    def end(self) -> None:
        """Close the queue: no more requests come."""
        self._ended = True
        self._wake(len(self._waiting))


@dataclass
class StudyRun:
    """One run: a source prepares requests, lanes send them, and the writer stores the responses."""

    models: Sequence[Model]
    source: RequestSource
    store: Store
    connections: int
    watch: Watch
    witness: Witness = NOBODY
    progress: RunProgress = field(default_factory=RunProgress)
    _in_flight: dict[bytes, Job] = field(default_factory=dict)
    _newly_stored: list[set[bytes]] = field(default_factory=list)
    """Keys of responses stored while a feed waits for room, one set per feed."""
    _secrets: KnownSecrets = field(default_factory=lambda: KnownSecrets.from_texts(environment_secrets()))

    async def ask_all(self) -> RunProgress:
        """Ask everything that is missing."""
        loop = asyncio.get_running_loop()
        lanes = []
        for model in self.models:
            number = self.store.studies.add_model(model.name, model.revision)
            lanes.append(Lane(model, number, room=model.connections or self.connections))
        for lane in lanes:
            if lane.model.at:
                self.store.studies.add_address(lane.number, lane.model.at)
            lane.handed_in = self.store.batches.handed_in(lane.number)
        addresses = [NumberedModel.from_model(lane.number, lane.model) for lane in lanes]
        missing = self.source.count(addresses)
        for lane, count in zip(lanes, missing, strict=True):
            lane.to_come = self.progress.awaited[lane.model.name] = count
        self.progress.addresses = {lane.model.name: lane.model.address for lane in lanes if lane.model.address}
        self._writer = Writer(self.store, lambda keys: loop.call_soon_threadsafe(self._on_committed, keys))
        ticker = asyncio.create_task(self._tick(lanes))
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                for lane in lanes:
                    for _ in range(lane.room):
                        tasks.create_task(self._work(lane))
                for some in [[lane] for lane in lanes] if getattr(self.source, "apart", False) else [lanes]:
                    tasks.create_task(self._feed(some, {}))
            await self._all_safe(lanes)
            self._diagnose(lanes)
        except ExceptionGroup as group:
            raise_first(group)
        finally:
            ticker.cancel()
            try:
                self._writer.close()
            finally:
                for model in self.models:
                    try:
                        await model.close()
                    except Exception as error:  # its responses are kept
                        self.progress.errors[model.name] = str(bug(model, error))
            self.progress.troubles = {}
            self.watch(self.progress)
        return self.progress

    async def _feed(self, lanes: Sequence[Lane], left: Mapping[Lane, deque[Ready]]) -> None:
        """Put each request into its model's lane when ready, first those `left` from before.

        If a lane is empty while others are full, the full lanes get a feed of their own. Their requests are prepared a
        second time, but they no longer delay other lanes.
        """
        while lanes:
            went = asyncio.Event()
            for lane in lanes:
                lane.went = went
            behind = await self._feed_lanes(lanes, left, went)
            if behind:
                self._tasks.create_task(self._feed(list(behind), behind))
            else:
                for lane in lanes:
                    lane.end()
            lanes, left = [lane for lane in lanes if lane not in behind] if behind else [], {}

    async def _feed_lanes(
        self, lanes: Sequence[Lane], left: Mapping[Lane, deque[Ready]], went: asyncio.Event
    ) -> dict[Lane, deque[Ready]]:
        """Feed lanes until they end or some fall behind; return those with their waiting requests."""
        if behind := await self._dispatch(left, went):
            return behind
        addresses = [NumberedModel.from_model(lane.number, lane.model) for lane in lanes]
        by_number = {lane.number: lane for lane in lanes}
        async with aclosing(self.source.batches(addresses, self._writer)) as batches:
            async for batch in batches:
                for number, count in batch.inapplicable.items():
                    by_number[number].to_come -= count
                    self.progress.settle(by_number[number].model.name, count)
                self.progress.note_images(batch)
                ready: dict[Lane, deque[Ready]] = {lane: deque() for lane in lanes}
                for each in batch.ready:
                    ready[by_number[each.cell.model]].append(each)
                if behind := await self._dispatch(ready, went):
                    return behind
                if batch.wait:
                    await self._all_safe(lanes)
                if all(lane.closed for lane in lanes):
                    break
        return {}

    async def _dispatch(self, ready: Mapping[Lane, deque[Ready]], went: asyncio.Event) -> dict[Lane, deque[Ready]]:
        """Queue requests where there is room. Return those of full lanes if another lane is idle."""
        stored: set[bytes] = set()
        self._newly_stored.append(stored)
        try:
            known = self.store.responses.find_known(
                [each.request.key for waiting in ready.values() for each in waiting]
            )
            while True:
                went.clear()
                for lane, waiting in ready.items():
                    while waiting and not lane.full:
                        self._line_up(lane, *waiting.popleft(), known=known, stored=stored)
                full = {lane: waiting for lane, waiting in ready.items() if waiting}
                if not full or any(lane.starving for lane in ready):
                    return full
                await went.wait()
        finally:
            self._newly_stored = [each for each in self._newly_stored if each is not stored]

    def _line_up(
        self, lane: Lane, cell: ResponseCell, request: Request, *, known: dict[bytes, int], stored: set[bytes]
    ) -> None:
        """Queue a request, unless an equal one is answered, in flight or in a batch."""
        lane.to_come -= 1
        if request.key in stored and request.key not in known:
            known.update(self.store.responses.find_known([request.key]))
        if (response := known.get(request.key)) is not None:
            self._writer.link_cell(response, cell)
            self.progress.count_shared(lane.model.name)
        elif (job := self._in_flight.get(request.key)) is not None:
            job.cells.append(cell)
            self.progress.count_shared(lane.model.name)
        elif request.key in lane.handed_in:
            lane.left_to_batch += 1
            self.progress.settle(lane.model.name)
        elif not lane.closed:
            if request.images and lane.hold():
                self._tasks.create_task(self._examine(lane))
            job = Job(request, [cell])
            self._in_flight[request.key] = job
            lane.put(job)

    async def _examine(self, lane: Lane) -> None:
        """Release the lane after the witness has checked its model; otherwise give the model up."""
        try:
            await lane.first_back()
            why = "" if lane.closed else await examine(lane.model, lane.number, self.witness, self.progress)
        except UnusableModelError as error:
            why = str(error)
        if why:
            self._give_up(lane, why)
        lane.release()

    async def _work(self, lane: Lane) -> None:
        while (job := await lane.take()) is not None:
            if lane.closed or (lane.blind and job.request.every_image):
                del self._in_flight[job.request.key]
                self.progress.settle(lane.model.name)
                lane.release_waiting()
                continue
            images = job.request.every_image
            tally = lane.with_images if images else lane.without
            try:
                response = await lane.model.answer(job.request)
                check_sent(job.request, response)
            except (Exception, asyncio.CancelledError) as caught:
                error = _understand(lane.model, caught)
                tally.failed[error.status] += 1
                tally.images[len(images)] += 1
                self._on_failed(lane, job, error)
            else:
                response = response.mask_secrets(self._secrets)
                tally.answered += 1
                lane.failures = 0
                job.stored = len(job.cells)
                self._writer.store_response(job.request.key, response, job.cells[:])
                self.progress.settle(lane.model.name)
                self.progress.done += 1
                self.progress.answered.add(lane.model.name)
                if why := self.witness.on_response(lane.model, job.request, response):
                    self._give_up(lane, why)
            lane.release_waiting()

    def _on_failed(self, lane: Lane, job: Job, error: ModelError) -> None:
        del self._in_flight[job.request.key]
        if isinstance(error, OverBudgetError):  # the request was not sent
            self._give_up(lane, str(error))
            return
        self._writer.store_failure(job.cells, error)
        self.progress.settle(lane.model.name)
        self.progress.failed += 1
        self.progress.errors[lane.model.name] = str(error)
        lane.failures += not isinstance(error, BusyError)
        if isinstance(error, UnusableModelError):
            self._give_up(lane, str(error))
        elif lane.failures >= FAILURES_IN_A_ROW:
            lane.blind = isinstance(error, RejectedError) and lane.only_images_fail
            if not lane.blind:
                self._give_up(lane, f"{lane.failures} requests in a row failed; the last one: {error}")

    def _give_up(self, lane: Lane, why: str) -> None:
        lane.closed = True
        self.progress.give_up(lane.model.name, why)

    def _diagnose(self, lanes: Sequence[Lane]) -> None:
        """Report models whose servers accept no images, and responses that a batch will bring."""
        for lane in lanes:
            name = lane.model.name
            if lane.left_to_batch:
                held = f"An earlier batch will return {counted(lane.left_to_batch, 'response')}"
                self.progress.remark(name, f"{held}. Use --batch to fetch them without paying twice.")
            if sentence := takes_no_images(lane.with_images, lane.without):
                unsent = " The rest were not sent." if lane.blind else ""
                self.progress.remark(name, f"{sentence}{unsent} {_suggest_fewer_images(name, lane.with_images)}")
            elif lane.blind:
                last = self.progress.errors[name]
                self._give_up(lane, f"{lane.failures} requests in a row failed; the last one: {last}")

    def _on_committed(self, keys: list[bytes]) -> None:
        """Link cells that were added while their response was being written."""
        for stored in self._newly_stored:
            stored.update(keys)
        for key in keys:
            job = self._in_flight.pop(key)
            if late := job.cells[job.stored :]:
                response = self.store.responses.find_known([key])[key]
                for cell in late:
                    self._writer.link_cell(response, cell)

    async def _all_safe(self, lanes: Sequence[Lane]) -> None:
        """Wait until every response of these lanes is committed and linked to its cells."""
        numbers = {lane.number for lane in lanes}
        while any(cell.model in numbers for job in self._in_flight.values() for cell in job.cells):
            self._writer.check()
            await asyncio.sleep(0.002)
        written = self._writer.caught_up()
        while not written.is_set():
            self._writer.check()
            await asyncio.sleep(0.002)

    async def _tick(self, lanes: Sequence[Lane]) -> None:
        while True:
            waited_for = [lane.model for lane in lanes if not lane.closed and lane.model.trouble]
            self.progress.troubles = {model.name: model.trouble for model in waited_for}
            self.watch(self.progress)
            await asyncio.sleep(0.1)


def _understand(model: Model, error: BaseException) -> ModelError:
    """Turn any exception of a model into a ModelError."""
    if isinstance(error, ModelError):
        error.args = (hide_environment(str(error)), *error.args[1:])
        return error
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise error
    return bug(model, error)
