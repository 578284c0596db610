"""Batches: send a study's requests through the batch APIs of the providers.

A row is stored before a batch is submitted, and gets the provider's id afterwards. If a run is interrupted, the next
one searches the provider for a batch without an id by its tag, so nothing is submitted twice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from uuid import uuid4

from snellen.asking.requests import NumberedModel, Ready
from snellen.asking.run import NOBODY, RequestSource, RunProgress, Watch, Witness, examine, in_a_loop
from snellen.errors import ModelError, OverBudgetError, RejectedError, StudyError, TransientError, UnusableModelError
from snellen.models.base import Model, Receipt, Response, receipt
from snellen.models.batching import Batching, BatchLine, BatchResult
from snellen.models.client.budget import Expected
from snellen.models.client.client import Client
from snellen.prompts import Request
from snellen.runtime import counted, few_collections
from snellen.store import ResponseCell, Store, StoredBatch, Writer

NO_SUCH_THING = 404
FIRST_LOOK, LONGEST_BETWEEN = 5.0, 60.0
"""Seconds before a batch is first checked, and the longest time between two checks."""


@dataclass
class WaitingCells:
    """Missing responses of the study (cells) that one request of a batch will fill."""

    cells: list[ResponseCell]
    sent: tuple[Receipt, ...]
    asked: Request
    """The request, without the bytes of its images."""
    expected: Expected | None = None
    """Budget reserved for the request; None without a budget."""


@dataclass
class BatchLane:
    """Requests to one model: those to be submitted, and those in open batches."""

    model: Model
    number: int
    batching: Batching
    examined: bool = False
    closed: bool = False
    lines: list[Ready] = field(default_factory=list)
    size: int = 0
    open: list[StoredBatch] = field(default_factory=list)
    handed_in: frozenset[bytes] = frozenset()


def _place(custom_id: str, tag: str) -> int:
    """Return the number of a request in its batch; -1 if the tag differs.

    >>> _place("snellen-1a-7", "snellen-1a"), _place("snellen-2b-7", "snellen-1a"), _place("None", "snellen-1a")
    (7, -1, -1)
    """
    given, _, number = custom_id.rpartition("-")
    return int(number) if given == tag and number.isascii() and number.isdigit() and len(number) < 9 else -1


def check_batching(models: Sequence[Model]) -> None:
    """Raise StudyError if a model has no batch API, before anything is sent."""
    if without := [model.name for model in models if model.batching is None]:
        raise StudyError(
            f"There is no batch API for {', '.join(without)}. Ask {'it' if len(without) == 1 else 'them'} in a study "
            "of its own without --batch."
        )


def ask_in_batches(
    models: Sequence[Model],
    source: RequestSource,
    store: Store,
    *,
    watch: Watch = lambda progress: None,
    witness: Witness = NOBODY,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> RunProgress:
    """Submit all missing requests as batches, wait, and store the responses."""
    check_batching(models)
    everything = BatchRun(models, source, store, watch=watch, witness=witness, sleep=sleep)
    with few_collections():
        return in_a_loop(everything.ask_all)


@dataclass
class BatchRun:
    """One run: prepare requests, submit full batches, fetch finished ones, store the responses."""

    models: Sequence[Model]
    source: RequestSource
    store: Store
    watch: Watch
    witness: Witness
    sleep: Callable[[float], Awaitable[None]]
    progress: RunProgress = field(default_factory=RunProgress)
    _waiting: dict[bytes, WaitingCells] = field(default_factory=dict)
    _unsafe: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._lanes = [
            BatchLane(model, self.store.studies.add_model(model.name, model.revision), model.batching)
            for model in self.models
            if model.batching
        ]

    async def ask_all(self) -> RunProgress:
        """Ask everything that is missing."""
        loop = asyncio.get_running_loop()
        addresses = [NumberedModel.from_model(lane.number, lane.model) for lane in self._lanes]
        missing = self.source.count(addresses)
        self.progress.awaited = {lane.model.name: n for lane, n in zip(self._lanes, missing, strict=True)}
        self.progress.addresses = {lane.model.name: lane.model.address for lane in self._lanes if lane.model.address}
        self._writer = Writer(self.store, lambda keys: loop.call_soon_threadsafe(self._unsafe.difference_update, keys))
        try:
            for lane in self._lanes:
                await self._find(lane)
            await self._feed(addresses)
            await self._fetch_all()
        finally:
            try:
                self._writer.close()
            finally:
                for lane in self._lanes:
                    await lane.model.close()
            self.progress.troubles = {}
            self.watch(self.progress)
        return self.progress

    async def _find(self, lane: BatchLane) -> None:
        """Find a model's open batches; search the provider for batches whose submission was interrupted."""
        if lane.model.at:
            self.store.studies.add_address(lane.number, lane.model.at)
        for batch in self.store.batches.find_open(lane.number):
            try:
                if batch.provider_id or (batch := await self._find_batch(lane, batch)).provider_id:
                    lane.open.append(batch)
            except (ModelError, ValueError) as error:
                self._give_up(
                    lane, f"cannot check whether a batch was submitted before, so nothing is submitted now: {error}"
                )
        lane.handed_in = self.store.batches.handed_in(lane.number)

    async def _find_batch(self, lane: BatchLane, batch: StoredBatch) -> StoredBatch:
        """Search the provider for a batch; its id is empty if it is not found."""
        keys, others = self.store.batches.keys(batch.number), self.store.batches.provider_ids()
        found = await lane.batching.find(batch.tag, since=batch.created, requests=len(keys), others=others)
        if found in others:
            found = ""
        if found:
            self.store.batches.note(batch.number, provider_id=found, state="open")
        else:
            self.store.batches.forget(batch.number, "never submitted")
        return batch._replace(provider_id=found)

    async def _feed(self, addresses: Sequence[NumberedModel]) -> None:
        """Add unanswered requests to their models' next batches, each only once."""
        by_number = {lane.number: lane for lane in self._lanes}
        async with aclosing(self.source.batches(addresses, self._writer)) as batches:
            async for batch in batches:
                for lane in self._lanes:
                    self.progress.settle(lane.model.name, batch.inapplicable.get(lane.number, 0))
                self.progress.note_images(batch)
                known = self.store.responses.find_known([request.key for _, request in batch.ready])
                for ready in batch.ready:
                    await self._sort(by_number[ready.cell.model], ready, known)
                self.watch(self.progress)
        for lane in self._lanes:
            await self._hand_in(lane)

    async def _sort(self, lane: BatchLane, ready: Ready, known: Mapping[bytes, int]) -> None:
        cell, request = ready
        if (response := known.get(request.key)) is not None:
            self._writer.link_cell(response, cell)
            self.progress.count_shared(lane.model.name)
            return
        if (waiting := self._waiting.get(request.key)) is not None:
            waiting.cells.append(cell)
            self.progress.count_shared(lane.model.name)
            return
        handed_in = request.key in lane.handed_in
        if lane.closed and not handed_in:
            return
        if request.images and not lane.examined and not handed_in:
            lane.examined = True
            try:
                why = await examine(lane.model, lane.number, self.witness, self.progress)
            except UnusableModelError as error:
                why = str(error)
            if why:
                self._give_up(lane, why)
                return
        sent = tuple(map(receipt, request.every_image))
        light = replace(request, images=tuple(replace(image, data=b"") for image in request.images), examples=())
        try:
            expected = self._reserve(lane, request, anyway=handed_in)
        except OverBudgetError as error:
            await self._hand_in(lane)
            self._give_up(lane, str(error))
            return
        self._waiting[request.key] = WaitingCells([cell], sent, light, expected)
        if handed_in:
            return
        try:
            size = lane.batching.size(lane.model.as_sent(request))
        except RejectedError as error:
            self._take(lane, request.key, error)
            return
        if lane.size + size > lane.batching.most_bytes or len(lane.lines) == lane.batching.most_requests:
            await self._hand_in(lane)
        lane.lines.append(ready)
        lane.size += size

    def _reserve(self, lane: BatchLane, request: Request, *, anyway: bool) -> Expected | None:
        if not isinstance(lane.model, Client) or lane.model.account is None:
            return None
        return lane.model.account.reserve(lane.model.as_sent(request), anyway=anyway)

    async def _hand_in(self, lane: BatchLane) -> None:
        """Submit the gathered requests: store the row first, then submit the batch, then store its id."""
        lines, lane.lines, lane.size = lane.lines, [], 0
        if not lines or lane.closed:
            return
        tag = f"snellen-{uuid4().hex[:16]}"
        number = self.store.batches.add(lane.number, tag, [request.key for _, request in lines])
        asked = [BatchLine(f"{tag}-{n}", lane.model.as_sent(request)) for n, (_, request) in enumerate(lines)]
        try:
            provider_id = await lane.batching.submit(tag, asked)
        except (ModelError, ValueError) as error:
            # it may have arrived nevertheless: the row stays, and the next run searches for it
            if not isinstance(error, TransientError | ValueError):
                self.store.batches.forget(number, "refused")
            self._give_up(lane, f"{counted(len(lines), 'request')} could not be submitted: {error}")
            return
        self.store.batches.note(number, provider_id=provider_id, state="open")
        lane.open.append(StoredBatch(number, tag, provider_id, time.time()))

    async def _fetch_all(self) -> None:
        """Check the open batches until all have ended, and fetch each one that has."""
        for lane in self._lanes:
            lane.open = [batch for batch in lane.open if self._is_awaited(batch)]
        pause = FIRST_LOOK
        while any(lane.open for lane in self._lanes):
            for lane in self._lanes:
                said = []
                for batch in tuple(lane.open):
                    try:
                        state = await lane.batching.state(batch.provider_id)
                        if state.ended:
                            await self._fetch(lane, batch, state.failure)
                            lane.open.remove(batch)
                        else:
                            said.append(f"batch {batch.provider_id}: {state.done:,} of {state.total:,} done")
                    except UnusableModelError as error:
                        if await self._is_gone(lane, batch, error):
                            await self._fetch(lane, batch, f"the provider no longer has the batch {batch.provider_id}")
                            lane.open.remove(batch)
                            continue
                        self._give_up(lane, str(error))
                        lane.open.clear()
                        break
                    except (ModelError, ValueError) as error:
                        said.append(f"batch {batch.provider_id}: {error}")
                self.progress.troubles[lane.model.name] = ", ".join(said)
            self.progress.troubles = {name: said for name, said in self.progress.troubles.items() if said}
            self.watch(self.progress)
            if any(lane.open for lane in self._lanes):
                await self.sleep(pause)
                pause = min(2 * pause, LONGEST_BETWEEN)

    def _is_awaited(self, batch: StoredBatch) -> bool:
        keys = self.store.batches.keys(batch.number).values()
        if any(key in self._waiting for key in keys):
            return True
        if len(self.store.responses.find_known(list(keys))) == len(set(keys)):
            self.store.batches.note(batch.number, provider_id=batch.provider_id, state="fetched")
        return False

    async def _is_gone(self, lane: BatchLane, batch: StoredBatch, error: UnusableModelError) -> bool:
        """Return whether the provider no longer keeps this batch or its responses."""
        if error.status != NO_SUCH_THING:
            return False
        try:
            await lane.batching.find(batch.tag, since=batch.created, requests=0)
        except (ModelError, ValueError):
            return False
        return True

    async def _fetch(self, lane: BatchLane, batch: StoredBatch, failure: str) -> None:
        """Store the responses of a batch, and mark it as fetched once all are committed."""
        left = self.store.batches.keys(batch.number)
        nothing_came, unclaimed, count = [], [], len(left)
        async for custom_id, came in self._results(lane, batch, failure):
            place = _place(custom_id, batch.tag)
            if (key := left.pop(place, None)) is None:
                continue
            if isinstance(came, ModelError):
                nothing_came.append(place)
            elif key not in self._waiting:
                unclaimed.append(key)
            self._take(lane, key, came)
        if not failure and len(left) == count and (found := (await self._find_batch(lane, batch)).provider_id):
            lane.open.append(batch._replace(provider_id=found))  # the batch with this id is another of the same size
            return
        for key in left.values():
            why = failure or "its batch ended without a response to this request"
            self._take(lane, key, TransientError(f"{lane.model.name}: not answered: {why}."))
        while self._unsafe:
            self._writer.check()
            await asyncio.sleep(0.002)
        # responses that this study does not ask for are left for the study that does
        waits = len(self.store.responses.find_known(unclaimed)) < len(unclaimed)
        ended = "failed" if failure else "fetched"
        state = "open" if waits else ended
        with self.store.transaction():
            self.store.batches.drop(batch.number, [*nothing_came, *left])
            self.store.batches.note(batch.number, provider_id=batch.provider_id, state=state)

    async def _results(self, lane: BatchLane, batch: StoredBatch, failure: str) -> AsyncIterator[BatchResult]:
        """Yield the results of a batch; nothing if the whole batch failed."""
        if not failure:
            async for result in lane.batching.results(batch.provider_id):
                yield result

    def _take(self, lane: BatchLane, key: bytes, came: Response | ModelError) -> None:
        waiting = self._waiting.pop(key, None)
        if waiting is None:
            return  # an earlier run stored it, or the study does not ask for it
        self.progress.settle(lane.model.name)
        if isinstance(lane.model, Client) and lane.model.account is not None:
            usage = came.usage if isinstance(came, Response) else None
            lane.model.account.settle(waiting.expected, usage, in_batch=True)
        if isinstance(came, Response):
            response = replace(came, sent=waiting.sent)
            self._unsafe.add(key)
            self._writer.store_response(key, response, waiting.cells)
            self.progress.done += 1
            self.progress.answered.add(lane.model.name)
            if why := self.witness.on_response(lane.model, waiting.asked, response):
                self._give_up(lane, why)
        else:
            self._writer.store_failure(waiting.cells, came)
            self.progress.failed += 1
            self.progress.errors[lane.model.name] = str(came)

    def _give_up(self, lane: BatchLane, why: str) -> None:
        lane.closed = True
        lane.lines.clear()
        self.progress.give_up(lane.model.name, why)
