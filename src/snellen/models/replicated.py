"""Replicated: a model that runs on a cluster in several processes, called replicas."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from snellen.cluster import Actor, Cluster, Need, RunPlace, stand_in, unsendable
from snellen.errors import (
    BusyError,
    FullError,
    LostError,
    ModelError,
    RejectedError,
    SnellenError,
    StudyError,
    UnusableModelError,
)
from snellen.models import open_model
from snellen.models.base import Model, Response, bug
from snellen.models.client.client import Client, open_client
from snellen.models.entry import ModelEntry, name_entry
from snellen.models.fake import name_revision
from snellen.prompts import Request, Settings

Answered = Response | ModelError
"""Result of one of several requests."""
TOGETHER = 16
"""Largest number of requests sent to a replica in one call."""
LOST_AT_MOST = 3
"""Lost replicas after which a request is given up: it may be the cause."""
DEATHS_IN_A_ROW = 8
"""Successive losses, beyond the number of replicas, after which the model is given up."""
PATIENCE = 1800.0
"""Seconds that a model without running replicas waits for a node with room. A node may have to be started."""


class Replica:
    """A model in its own process on a node of a cluster."""

    def __init__(self, itself: Callable[[], Model], folder: str) -> None:
        self._itself = itself
        self._folder = folder
        self._model: Model | None = None

    async def ping(self) -> None:
        """Return as soon as the process runs."""

    async def open(self) -> str | SnellenError:
        """Open the model; return its revision, or the error if it cannot be opened."""
        stand_in(self._folder)
        try:
            self._model = self._itself()
        except SnellenError as error:
            return error
        except Exception as error:
            return UnusableModelError(f"it cannot be opened: {type(error).__name__}: {error}")
        return self._model.revision

    async def answers(self, requests: Sequence[Request]) -> list[Answered]:
        """Return the response to each request, or its error."""
        return list(await asyncio.gather(*map(self._answer, requests)))

    async def _answer(self, request: Request) -> Answered:
        assert self._model is not None
        try:
            return await self._model.answer(request)
        except ModelError as error:
            return error
        except Exception as error:
            return bug(self._model, error)


@dataclass(eq=False)
class ReplicaRequest:
    """A waiting request, and the number of replicas that were lost while answering it."""

    request: Request
    asked: asyncio.Future[Response]
    losses: int = 0


@dataclass(eq=False)
class ReplicaSlot:
    """The place of one replica; empty while it is being started."""

    actor: Actor | None = None
    load: int = 0
    lost: asyncio.Event = field(default_factory=asyncio.Event)


class Replicated(Model):
    """A model with replicas; waiting requests go to the replica with the fewest.

    Requests that a lost replica has not answered go to another one. A request that lost several replicas is sent alone,
    and finally given up.
    """

    def __init__(
        self, model: Model, itself: Callable[[], Model], place: RunPlace, need: Need, *, connections: int
    ) -> None:
        self.stand_for(model)
        self._model = model
        self.connections = connections * need.replicas
        """The most requests in flight, in proportion to the replicas."""
        self._itself, self._place, self._need = itself, place, need
        self._revision = model.revision
        self._window = connections
        self._slots: list[ReplicaSlot] = []
        self._waiting: deque[ReplicaRequest] = deque()
        self._unanswered: set[ReplicaRequest] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._deaths = 0
        self._given_up: ModelError | None = None

    @property
    def _alive(self) -> int:
        return sum(slot.actor is not None for slot in self._slots)

    @property
    def host(self) -> str:
        """The host that the model's requests go to."""
        return self._model.host

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the requested settings that the model does not support."""
        return self._model.untaken(settings)

    @property
    def trouble(self) -> str:  # type: ignore[override]
        """Reason for the wait while no replica runs; empty otherwise."""
        return f"a replica of {self.name} on the cluster" if self._slots and not self._alive else ""

    async def answer(self, request: Request) -> Response:
        """Return the response of a replica; raise ModelError on failure."""
        if self._given_up is not None:
            raise self._given_up
        if not self._slots:
            self._start()
        each = ReplicaRequest(request, asyncio.get_running_loop().create_future())
        self._waiting.append(each)
        self._unanswered.add(each)
        try:
            await asyncio.sleep(0)  # lets requests made at the same moment join the batch
            self._hand_out()
            return await each.asked
        finally:
            self._unanswered.discard(each)

    async def close(self) -> None:
        """End the replicas; waiting requests get an error, and a later question starts new replicas."""
        tasks, slots = self._tasks, self._slots
        self._tasks, self._slots, self._given_up, self._deaths = set(), [], None, 0
        self._place.alive.pop(self.name, None)
        self._waiting.clear()
        for each in self._unanswered:
            _settle(each, UnusableModelError(f"{self.name} was closed before it answered."))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for slot in slots:
            if slot.actor is not None:
                slot.actor.end()
        await self._model.close()

    def _start(self) -> None:
        cluster = self._place.cluster
        if cluster is None:
            raise UnusableModelError(f"{self.name} runs on a cluster, and none is connected.")
        self._slots = [ReplicaSlot() for _ in range(self._need.replicas)]
        for slot in self._slots:
            self._begin(self._keep(cluster, slot))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _keep(self, cluster: Cluster, slot: ReplicaSlot) -> None:
        """Start a replica, and another one in its place whenever it is lost."""
        while self._given_up is None:
            try:
                actor = cluster.start(Replica, self._itself, str(Path.cwd()), need=self._need)
            except Exception as error:  # of Ray, or of pickle for what a user's model contains
                self._give_up(UnusableModelError(f"it cannot be sent to a replica: {_first_said(error)}"))
                return
            try:
                opened = await self._await_opening(actor)
            except LostError as error:
                self._on_lost(error)
                continue
            except asyncio.CancelledError:
                actor.end()
                raise
            if opened != self._revision:
                actor.end()
                if not isinstance(opened, SnellenError):
                    opened = UnusableModelError(
                        f"the cluster has another revision of the model ({opened}) than this machine "
                        f"({self._revision}). Install the same files and packages; a replica without num_gpus sees no "
                        "GPU. If only replicas have a GPU, name the precision in the model's line (dtype=bfloat16)."
                    )
                self._give_up(opened)
                return
            slot.actor, slot.load = actor, 0
            slot.lost.clear()
            self._place.alive[self.name] = self._alive
            self._hand_out()
            await slot.lost.wait()

    async def _await_opening(self, actor: Actor) -> str | SnellenError:
        """Wait for a node with room and for the model to open. Return its revision or the error."""
        running = asyncio.ensure_future(actor.call("ping"))
        try:
            while not (await asyncio.wait([running], timeout=PATIENCE))[0]:
                if not self._alive:
                    minutes = f"{PATIENCE / 60:g} min"
                    return UnusableModelError(f"no node of the cluster had room for a replica in {minutes}.")
            await running
        finally:
            running.cancel()
        opened: str | SnellenError = await actor.call("open")
        return opened

    def _hand_out(self) -> None:
        """Give waiting requests to the replicas with room, the one with the fewest requests first."""
        while self._waiting:
            there = [slot for slot in self._slots if slot.actor is not None and slot.load < self._window]
            if not there:
                return
            slot = min(there, key=lambda each: each.load)
            if self._waiting[0].asked.done():
                self._waiting.popleft()
                continue
            if self._waiting[0].losses > 1:
                if slot.load:
                    return
                batch = [self._waiting.popleft()]
                slot.load = self._window
            else:
                share = ceil(len(self._waiting) / len(there))
                batch = list(self._take_waiting(min(TOGETHER, share, self._window - slot.load)))
                slot.load += len(batch)
            assert slot.actor is not None
            self._begin(self._ask(slot, slot.actor, batch))

    def _take_waiting(self, count: int) -> list[ReplicaRequest]:
        """Take the first waiting requests, except those that must be sent alone."""
        taken: list[ReplicaRequest] = []
        while self._waiting and len(taken) < count and self._waiting[0].losses < 2:
            taken.append(self._waiting.popleft())
        return taken

    async def _ask(self, slot: ReplicaSlot, actor: Actor, batch: Sequence[ReplicaRequest]) -> None:
        """Send requests to a replica; if it is lost, put them back into the queue."""
        try:
            answers: Sequence[Answered] = await actor.call("answers", [each.request for each in batch])
        except FullError as error:
            answers = [BusyError(f"{self.name}: the object store of the cluster is full ({error})")] * len(batch)
        except LostError as error:
            if slot.actor is actor:
                slot.actor = None
                slot.lost.set()
                self._place.alive[self.name] = self._alive
                self._on_lost(error)
            self._requeue(batch)
            self._hand_out()
            return
        except Exception as error:
            answers = [bug(self, error)] * len(batch)
        if slot.actor is actor:
            slot.load -= self._window if batch[0].losses > 1 else len(batch)
        self._deaths = 0
        for each, answer in zip(batch, answers, strict=True):
            _settle(each, answer)
        self._hand_out()

    def _requeue(self, batch: Sequence[ReplicaRequest]) -> None:
        """Put the requests of a lost replica back at the beginning of the queue."""
        for each in reversed(batch):
            each.losses += 1
            if each.losses < LOST_AT_MOST and self._given_up is None:
                self._waiting.appendleft(each)
            else:
                lost = f"{self.name}: {each.losses} replicas were lost while they answered this request"
                _settle(each, self._given_up or RejectedError(f"{lost}; it may be too large for their memory."))

    def _on_lost(self, error: LostError) -> None:
        self._deaths += 1
        if self._deaths > DEATHS_IN_A_ROW + self._need.replicas:
            self._give_up(UnusableModelError(f"{self._deaths} replicas in a row were lost: {error}"))

    def _give_up(self, error: SnellenError) -> None:
        said = str(error) if str(error).startswith(self.name) else f"{self.name}: {error}"
        self._given_up = UnusableModelError(said)
        while self._waiting:
            _settle(self._waiting.popleft(), self._given_up)


def _first_said(error: BaseException) -> str:
    """Return the first cause of an error in one line, without Ray's wrapping."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    return str(error).strip().partition("\n")[0] or type(error).__name__


def itself(model: Model) -> Model:
    """Return the model itself, for a model that is sent to replicas as an object."""
    return model


def open_entry(given: Any, *, timeout: float | None, place: RunPlace | None, most: int) -> Client:
    """Open a study's model as a client, with replicas if `place` is a cluster.

    Each replica has as many connections as the model allows, or else `most`.
    """
    if isinstance(given, ModelEntry):
        return given.client_of(_replicate(partial(given.itself, timeout=timeout), given, place, most))
    opens = partial(open_model, given, timeout=timeout) if isinstance(given, str) else partial(itself, given)
    return open_client(_replicate(opens, ModelEntry(name=name_entry(given)), place, most))


def _replicate(opens: Callable[[], Model], entry: ModelEntry, place: RunPlace | None, most: int) -> Model:
    """Return the model, or its replicas on a cluster. Remote models are not replicated by default."""
    model = name_revision(opens())
    if place is None or (model.address and not entry.placed):
        return model
    need = Need(model.name, entry.replicas or 1, entry.num_cpus or 0, entry.num_gpus or 0)
    place.needs.append(need)
    return Replicated(model, opens, place, need, connections=model.connections or most)


def check_sendable(entries: Sequence[Any]) -> None:
    """Raise StudyError if a user's model cannot be sent to replicas."""
    for model in entries:
        if isinstance(model, Model) and not model.address and (why := unsendable(model)):
            raise StudyError(
                f"{model.name} cannot be sent to its replicas on the cluster: {why.rstrip('.')}. Create it in "
                "`answer`, at the first use, or leave out `on`."
            )


def _settle(each: ReplicaRequest, answer: Answered) -> None:
    with suppress(asyncio.InvalidStateError):  # the request may have been cancelled
        if isinstance(answer, Response):
            each.asked.set_result(answer)
        else:
            each.asked.set_exception(answer)
