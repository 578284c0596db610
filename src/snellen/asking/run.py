"""run: ask what is missing, store what comes. With `preparing` the only place with concurrency."""

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
from snellen.asking.requests import Address, Batch, PlanSource, Ready
from snellen.errors import BusyError, ModelError, OverBudgetError, RejectedError, UnusableModelError, raise_first
from snellen.images import PicturesSent
from snellen.models.base import Model, Response, bug, check_sent
from snellen.models.secrets import KnownSecrets, environment_secrets, hide_environment
from snellen.prompts import Request
from snellen.runtime import counted, few_collections, time_left
from snellen.store import Cell, Store, Writer

FAILURES_IN_A_ROW = 25
"""After so many failures with no response between them, a model is given up."""
ALONE = 5.0
"""Seconds that the first request of a model has to itself: a wrong key or name is refused within them, and costs one
request; a response that takes longer does not hold up the others."""
ENOUGH_TO_TELL = 3
"""So many requests with an image and without one must have ended the same way before it is said why."""
REFUSING = (400, 404, 405, 406, 413, 415, 422, 500, 501)
"""The statuses by which servers refuse an image that they cannot take."""


@dataclass
class Progress:
    """How far a run is. `shared` responses were there already for an equal request."""

    awaited: dict[str, int] = field(default_factory=dict)
    """How many responses of each model are still to come; a model that was given up is not in it."""
    done: int = 0
    failed: int = 0
    shared: int = 0
    started: float = field(default_factory=time.monotonic)
    unusable: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    """The last error of each model that had one."""
    unusable_images: dict[str, str] = field(default_factory=dict)
    """What is wrong with the image of each item that was not asked with it."""
    pictures: PicturesSent = field(default_factory=PicturesSent)
    """The pictures of this run: how many were shown by which rule, and which go out nearly black or white."""
    answered: set[str] = field(default_factory=set)
    """The models that gave a response in this run."""
    addresses: dict[str, str] = field(default_factory=dict)
    """Where models are asked and by which key, of those that are not in this process."""
    troubles: dict[str, str] = field(default_factory=dict)
    """Why models do not answer just now, of those that are waited for."""
    checked: set[str] = field(default_factory=set)
    """The models that are just now shown letters, to see whether images reach them."""
    remarks: dict[str, str] = field(default_factory=dict)
    """What is to be borne in mind of models that were asked all the same."""

    @property
    def silent(self) -> dict[str, str]:
        """The models that were given up or only failed, each with the reason."""
        only_failed = {model: error for model, error in self.errors.items() if model not in self.answered}
        return {**only_failed, **self.unusable}

    @property
    def total(self) -> int:
        """How many responses there will be, failures counted, with none of models that were given up."""
        return self.done + self.failed + sum(self.awaited.values())

    def remark(self, model: str, said: str) -> None:
        """Bear something in mind of a model, beside what was said of it before."""
        self.remarks[model] = " ".join(filter(None, (self.remarks.get(model), said)))

    def settle(self, model: str, count: int = 1) -> None:
        """So many responses of a model are not awaited any more."""
        if model in self.awaited:
            self.awaited[model] -= count

    @property
    def rate(self) -> float:
        """Responses per second so far."""
        return self.done / max(1e-9, time.monotonic() - self.started)

    @property
    def left(self) -> float | None:
        """Seconds left at this rate; None while that cannot be told, and where no model is left to wait for."""
        of = self.done + sum(self.awaited.values())
        return time_left(self.done, of, time.monotonic() - self.started) if self.done and self.awaited else None


Watch = Callable[[Progress], None]


class Witness(Protocol):
    """Who watches whether images reach the models; each method says why a model is not asked any more, or nothing."""

    async def before(self, model: Model, number: int) -> str:
        """Called once for each model, before the first request with an image goes out; nothing is sent until then.

        Raises UnusableModelError where it meets one.
        """
        ...

    def heard(self, model: Model, request: Request, response: Response) -> str:
        """Called with every response."""
        ...


class Nobody:
    """The witness of a run that nobody watches."""

    async def before(self, model: Model, number: int) -> str:
        """Nothing speaks against it."""
        return ""

    def heard(self, model: Model, request: Request, response: Response) -> str:
        """Nothing speaks against it."""
        return ""


NOBODY = Nobody()


async def examine(model: Model, number: int, witness: Witness, progress: Progress) -> str:
    """What the witness says of a model before its first image; the progress says that it is examined."""
    progress.checked.add(model.name)
    try:
        return await witness.before(model, number)
    finally:
        progress.checked.discard(model.name)


class Source(Protocol):
    """Where the requests of a run come from."""

    def count(self, addresses: Sequence[Address]) -> Sequence[int]:
        """How many responses of each model are missing, at most; called once, before any is asked for."""
        ...

    def batches(self, addresses: Sequence[Address], writer: Writer) -> AsyncGenerator[Batch, None]:
        """The requests, as they get ready, each once.

        Where some models fall behind, it is closed and called again for these and for the others, at the same time:
        each call goes on with what was not given out to its models before.
        """
        ...


def run(
    plan: Plan,
    store: Store,
    *,
    connections: int = 64,
    watch: Watch = lambda progress: None,
    witness: Witness = NOBODY,
) -> Progress:
    """Ask every model what the store has no response to yet; stopped at any moment, the next run goes on from there."""
    source = PlanSource(plan, store)
    return ask_all(plan.models, source, store, connections=connections, watch=watch, witness=witness)


def ask_all(
    models: Sequence[Model],
    source: Source,
    store: Store,
    *,
    connections: int = 64,
    watch: Watch = lambda progress: None,
    witness: Witness = NOBODY,
) -> Progress:
    """Ask the models what a source wants to know, and store what comes; `witness` may stop a model."""
    everything = Run(models, source, store, connections=connections, watch=watch, witness=witness)
    with few_collections():
        return in_a_loop(everything.all)


def in_a_loop(everything: Callable[[], Coroutine[None, None, Progress]]) -> Progress:
    """Run in an event loop of its own, also where one runs already."""
    return _beside_a_running_loop(everything) if _a_loop_runs() else asyncio.run(everything())


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _beside_a_running_loop(everything: Callable[[], Coroutine[None, None, Progress]]) -> Progress:
    """The same in a thread of its own, for notebooks; an interrupt reaches it there."""
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
    cells: list[Cell]
    stored: int = 0


@dataclass
class Tally:
    """How many requests of a kind were answered, and how many failed with which HTTP status."""

    answered: int = 0
    failed: Counter[int | None] = field(default_factory=Counter)
    images: Counter[int] = field(default_factory=Counter)
    """How many of those that failed had so many images."""


def takes_no_images(with_images: Tally, without: Tally) -> str:
    """What it means where every request with an image was refused and every other one answered; else nothing.

    >>> print(takes_no_images(Tally(failed=Counter({400: 15})), Tally(answered=15)))
    all 15 requests with an image failed with status 400, all 15 without succeeded: this server takes no images.
    >>> print(takes_no_images(Tally(failed=Counter({400: 9}), images=Counter({50: 9})), Tally(answered=9)))
    all 9 requests with images failed with status 400, all 9 without succeeded: this server takes no images, or not 50 in one request.
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
    return f"{failed}, all {without.answered} without succeeded: this server takes no images{many}."


def _instead(model: str, with_images: Tally) -> str:
    """What to do about a server that takes no images, or none so many at once."""
    alone = f"it without images: --text-only {model}."
    if min(with_images.images, default=1) < 2:
        return f"Ask {alone}"
    return (
        "Send fewer images an item (of a video, #frames=8), or raise the server's limit (vLLM has "
        f"--limit-mm-per-prompt). Or ask {alone}"
    )


class Lane:
    """One model's line of requests; at most `room` wait in it. The first goes alone, until something came of it."""

    def __init__(self, model: Model, number: int, *, room: int) -> None:
        self.model = model
        self.number = number
        self.failures = 0
        self.closed = False
        self.blind = False
        """Whether no more images are sent: many were refused in a row, and nothing without one."""
        self.to_come = 0
        """How many requests are still to line up, at most."""
        self.handed_in: frozenset[bytes] = frozenset()
        """Requests that its provider holds in a batch."""
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
        """Set when somebody leaves the line; the feed that fills it listens."""

    @property
    def full(self) -> bool:
        """Whether nobody should line up just now."""
        return len(self._jobs) >= self.room

    @property
    def starving(self) -> bool:
        """Whether its model could be asked something that is still to come."""
        return not (self._jobs or self._held or self.closed) and self.to_come > 0

    @property
    def only_images_fail(self) -> bool:
        """Whether every request with an image failed, and no other one."""
        return not self.with_images.answered and not self.without.failed

    def put(self, job: Job) -> None:
        """Line up."""
        self._jobs.append(job)
        self._wake(1)

    def hold(self) -> bool:
        """Let nobody go until `release`; False where that was done before."""
        if self._held is not None:
            return False
        self._held = True
        return True

    def release(self) -> None:
        """Let them go."""
        self._held = False
        self._wake(len(self._waiting))

    async def take(self) -> Job | None:
        """The next in line, once there is one; None at the end."""
        while not self._jobs or self._held or (self._alone and not self._tried):
            if self._ended and not self._jobs:
                return None
            await self._wait()
        if self._alone is None:
            self._alone = asyncio.get_running_loop().call_later(ALONE, self.tried)
        self.went.set()
        return self._jobs.popleft()

    async def _wait(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter

    def _wake(self, most: int) -> None:
        """Wake no more than there is work for: each of the others would look and wait again."""
        while self._waiting and most > 0:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                most -= 1

    async def first_back(self) -> None:
        """Wait for the first request, where one is under way."""
        while self._alone and not self._tried:
            await self._wait()

    def tried(self) -> None:
        """The first request has been answered, or has failed, or takes its time: the others may go."""
        if not self._tried and self._alone:
            self._alone.cancel()
            self._tried = True
            self._wake(len(self._waiting))

    def end(self) -> None:
        """Nobody comes any more."""
        self._ended = True
        self._wake(len(self._waiting))


class Run:
    """One run: a source prepares, lanes ask, the writer stores."""

    def __init__(
        self,
        models: Sequence[Model],
        source: Source,
        store: Store,
        *,
        connections: int,
        watch: Watch,
        witness: Witness = NOBODY,
    ) -> None:
        self._models = models
        self._source = source
        self._store = store
        self._connections = connections
        self._watch = watch
        self._witness = witness
        self._in_flight: dict[bytes, Job] = {}
        self._newly_stored: list[set[bytes]] = []
        """The keys that were stored while requests wait for room, one set for each feed."""
        self._secrets = KnownSecrets.of(environment_secrets())
        self.progress = Progress()

    async def all(self) -> Progress:
        """Everything that is missing."""
        loop = asyncio.get_running_loop()
        lanes = [
            Lane(
                model,
                self._store.studies.add_model(model.name, model.revision),
                room=model.connections or self._connections,
            )
            for model in self._models
        ]
        for lane in lanes:
            if lane.model.at:
                self._store.studies.add_address(lane.number, lane.model.at)
            lane.handed_in = self._store.batches.handed_in(lane.number)
        addresses = [Address(lane.number, lane.model.name, lane.model.revision, lane.model.text_only) for lane in lanes]
        missing = self._source.count(addresses)
        for lane, count in zip(lanes, missing, strict=True):
            lane.to_come = self.progress.awaited[lane.model.name] = count
        self.progress.addresses = {lane.model.name: lane.model.address for lane in lanes if lane.model.address}
        self._writer = Writer(self._store, lambda keys: loop.call_soon_threadsafe(self._committed, keys))
        ticker = asyncio.create_task(self._tick(lanes))
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                for lane in lanes:
                    for _ in range(lane.room):
                        tasks.create_task(self._work(lane))
                for some in [[lane] for lane in lanes] if getattr(self._source, "apart", False) else [lanes]:
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
                for model in self._models:
                    await self._close(model)
            self.progress.troubles = {}
            self._watch(self.progress)
        return self.progress

    async def _close(self, model: Model) -> None:
        """What cannot be closed is said, and takes nothing away from what was answered."""
        try:
            await model.close()
        except Exception as error:
            self.progress.errors[model.name] = str(bug(model, error))

    async def _feed(self, lanes: Sequence[Lane], left: Mapping[Lane, deque[Ready]]) -> None:
        """Hand each request to its model's lane as it gets ready, first those that are `left` from before.

        Where a lane has nothing left while others are full, the full ones are fed apart from then on: what they were
        not given is prepared once more, and they hold up nobody.
        """
        while lanes:
            went = asyncio.Event()
            for lane in lanes:
                lane.went = went
            behind = await self._fed(lanes, left, went)
            if behind:
                self._tasks.create_task(self._feed(list(behind), behind))
            else:
                for lane in lanes:
                    lane.end()
            lanes, left = [lane for lane in lanes if lane not in behind] if behind else [], {}

    async def _fed(
        self, lanes: Sequence[Lane], left: Mapping[Lane, deque[Ready]], went: asyncio.Event
    ) -> dict[Lane, deque[Ready]]:
        """Feed lanes to the end, or until some fall behind: these, each with the requests that it had no room for."""
        if behind := await self._dispatch(left, went):
            return behind
        addresses = [Address(lane.number, lane.model.name, lane.model.revision, lane.model.text_only) for lane in lanes]
        by_number = {lane.number: lane for lane in lanes}
        async with aclosing(self._source.batches(addresses, self._writer)) as batches:
            async for batch in batches:
                for number, count in batch.inapplicable.items():
                    by_number[number].to_come -= count
                    self.progress.settle(by_number[number].model.name, count)
                self.progress.unusable_images.update(batch.unusable)
                self.progress.pictures += batch.pictures
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
        """Line up requests where there is room for them, until all have; those of full lanes if another is starving."""
        stored: set[bytes] = set()
        self._newly_stored.append(stored)
        try:
            known = self._store.responses.known([each.request.key for waiting in ready.values() for each in waiting])
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
        self, lane: Lane, cell: Cell, request: Request, *, known: dict[bytes, int], stored: set[bytes]
    ) -> None:
        """One request to its lane, unless an equal one is answered or under way."""
        lane.to_come -= 1
        if request.key in stored and request.key not in known:
            known.update(self._store.responses.known([request.key]))
        if (response := known.get(request.key)) is not None:
            self._writer.linked(response, cell)
            self._count_shared(lane)
        elif (job := self._in_flight.get(request.key)) is not None:
            job.cells.append(cell)
            self._count_shared(lane)
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
        """Let the lane go once the witness has seen its model; a model that it speaks against is given up."""
        try:
            await lane.first_back()
            why = "" if lane.closed else await examine(lane.model, lane.number, self._witness, self.progress)
        except UnusableModelError as error:
            why = str(error)
        if why:
            self._give_up(lane, why)
        lane.release()

    def _count_shared(self, lane: Lane) -> None:
        self.progress.shared += 1
        self.progress.settle(lane.model.name)

    async def _work(self, lane: Lane) -> None:
        """Ask one request after another until the lane ends."""
        while (job := await lane.take()) is not None:
            if lane.closed or (lane.blind and job.request.every_image):
                del self._in_flight[job.request.key]
                self.progress.settle(lane.model.name)
                lane.tried()
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
                self._failed(lane, job, error)
            else:
                response = response.without(self._secrets)
                tally.answered += 1
                lane.failures = 0
                job.stored = len(job.cells)
                self._writer.answered(job.request.key, response, job.cells[:])
                self.progress.settle(lane.model.name)
                self.progress.done += 1
                self.progress.answered.add(lane.model.name)
                if why := self._witness.heard(lane.model, job.request, response):
                    self._give_up(lane, why)
            lane.tried()

    def _failed(self, lane: Lane, job: Job, error: ModelError) -> None:
        del self._in_flight[job.request.key]
        if isinstance(error, OverBudgetError):  # it was not sent
            self._give_up(lane, str(error))
            return
        self._writer.failed(job.cells, error)
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
        self.progress.awaited.pop(lane.model.name, None)
        self.progress.unusable.setdefault(lane.model.name, why)

    def _diagnose(self, lanes: Sequence[Lane]) -> None:
        """Say of which models the server takes no images, as what was answered shows, and what a batch holds."""
        for lane in lanes:
            name = lane.model.name
            if lane.left_to_batch:
                held = f"{counted(lane.left_to_batch, 'response')} of it will come from a batch that is handed in"
                self.progress.remark(name, f"{held}, and would be paid twice: fetch them with --batch.")
            if sentence := takes_no_images(lane.with_images, lane.without):
                unsent = " The rest were not sent." if lane.blind else ""
                self.progress.remark(name, f"{sentence}{unsent} {_instead(name, lane.with_images)}")
            elif lane.blind:
                last = self.progress.errors[name]
                self._give_up(lane, f"{lane.failures} requests in a row failed; the last one: {last}")

    def _committed(self, keys: list[bytes]) -> None:
        """The responses are safe; cells that joined while they were on their way to the store are linked now."""
        for stored in self._newly_stored:
            stored.update(keys)
        for key in keys:
            job = self._in_flight.pop(key)
            if late := job.cells[job.stored :]:
                response = self._store.responses.known([key])[key]
                for cell in late:
                    self._writer.linked(response, cell)

    async def _all_safe(self, lanes: Sequence[Lane]) -> None:
        """Wait until every response of these lanes is committed and every cell linked."""
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
            self._watch(self.progress)
            await asyncio.sleep(0.1)


def _understand(model: Model, error: BaseException) -> ModelError:
    """What a model raised as its error; whatever is none is a bug of that model, unless the run itself is cancelled."""
    if isinstance(error, ModelError):
        error.args = (hide_environment(str(error)), *error.args[1:])
        return error
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise error
    return bug(model, error)
