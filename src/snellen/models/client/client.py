"""Client: asks one model: within a budget, as fast as its server takes it, and again if that is worth it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from snellen.errors import BusyError, ModelError, OutageError, TransientError, UnusableModelError
from snellen.models import open_model
from snellen.models.base import Model, Response
from snellen.models.client.budget import Account
from snellen.models.client.pacing import LONGEST_WISH, Pacing
from snellen.models.source import name_revision
from snellen.prompts import Request, Settings

ATTEMPTS = 6
REFUSALS = 3
"""So many refusals of a server that is asked too much count as one attempt."""
SERVER_ERROR = 500
"""Some servers answer so to what they cannot do, such as to read an image."""


def open_client(
    model: str | Model,
    *,
    timeout: float | None = None,
    attempts: int = ATTEMPTS,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    system: str = "",
) -> Client:
    """The client of a model by its name, or of one that is there; models behind a server are paced."""
    opened = open_model(model, timeout=timeout) if isinstance(model, str) else name_revision(model)
    pacing = None
    if opened.address or requests_per_minute or tokens_per_minute:
        pacing = Pacing(opened.spec or opened.name, requests_per_minute, tokens_per_minute)
    return Client(opened, attempts=attempts, pacing=pacing, system=system)


class Client(Model):
    """Known as the model that it asks. `system` goes before the system message of every request.

    A request that failed is asked up to `attempts` times, after twice as long a wait each time, up to `longest_wait`.
    While the server is down or refuses to be asked so much, and answers nobody, attempts do not count; while it answers
    others, being refused for that reason counts a third. A server error (500) to a request with an image counts half of
    the attempts until some image was answered: a server that takes no images says so at once. After `patience` seconds
    of failures without any answer nothing is asked again, so that a run gives the model up. A server that was never
    reached is given up after `patience_at_start`: its address is likely wrong. A wait that the server asked for holds
    back every request.
    """

    def __init__(
        self,
        model: Model,
        *,
        attempts: int = ATTEMPTS,
        pacing: Pacing | None = None,
        system: str = "",
        patience: float = 600.0,
        patience_at_start: float = 5.0,
        first_wait: float = 1.0,
        longest_wait: float = 30.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.stand_for(model)
        self._model, self.pacing, self._system = model, pacing, system
        self._attempts = attempts
        self._patience, self._patience_at_start = patience, patience_at_start
        self._first_wait, self._longest_wait = first_wait, longest_wait
        self._sleep, self._clock = sleep, clock
        self._not_before = 0.0
        self._reached = False
        self._answers = 0
        self._takes_images = False
        self._failing_since: float | None = None
        self._waits_for = ""
        self.account: Account | None = None
        """What it may spend; without one, everything."""

    @property
    def host(self) -> str:
        """The machine that the model's requests go to."""
        return self._model.host

    @property
    def trouble(self) -> str:  # type: ignore[override]
        """What it waits for itself, or the model."""
        return self._waits_for or self._model.trouble

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """What the model does not take."""
        return self._model.untaken(settings)

    def as_sent(self, request: Request) -> Request:
        """The request with the system message of this client before its own."""
        if not self._system:
            return request
        return replace(request, system="\n\n".join(filter(None, (self._system, request.system))))

    async def close(self) -> None:
        """Let go of the model's connections."""
        await self._model.close()

    async def answer(self, request: Request) -> Response:
        """The model's response; its last error, or OverBudgetError if it may cost more than is left."""
        if self._system:
            request = self.as_sent(request)
        account, pacing = self.account, self.pacing
        expected = await account.hold(request) if account is not None and account.bills else None
        left, backoff, answers, not_before = self._attempts * REFUSALS, self._first_wait, self._answers, 0.0
        response = None
        try:
            while response is None:
                while (wait := max(not_before, self._not_before) - self._clock()) > 0:
                    await self._sleep(wait)
                slot = None if pacing is None else pacing.enter(request) or await pacing.line_up(request)
                try:
                    response = await self._model.answer(request)
                except BaseException as error:
                    if pacing is not None and slot is not None:
                        pacing.failed(slot, error)
                    if not isinstance(error, TransientError):
                        raise
                    down = isinstance(error, OutageError | BusyError) and self._answers == answers
                    left, answers = left - self._cost(request, error, down=down), self._answers
                    if left <= 0:
                        raise
                    not_before = self._next_try(error, backoff)
                    if self._is_out_of_patience(error, not_before):
                        raise self._last_error(error) from error
                    self._waits_for = str(error) if down or error.retry_after is not None else ""
                    backoff = min(2 * backoff, self._longest_wait)
                else:
                    if pacing is not None and slot is not None:
                        pacing.answered(slot, request, response.usage)
        finally:
            if account is not None:
                account.settle(expected, None if response is None else response.usage)
        self._takes_images = self._takes_images or bool(request.images)
        self._reached, self._failing_since, self._waits_for = True, None, ""
        self._answers += 1
        return response

    def _cost(self, request: Request, error: TransientError, *, down: bool) -> int:
        """What a failure takes from the attempts that a request has."""
        if down or isinstance(error, BusyError):
            return 0 if down else 1
        refused = error.status == SERVER_ERROR and request.images and not self._takes_images
        return REFUSALS * self._attempts // 2 if refused else REFUSALS

    def _next_try(self, error: TransientError, backoff: float) -> float:
        """When the request may be asked again; a wish of the server's is everybody's."""
        if error.retry_after is None:
            return self._clock() + backoff * random.uniform(0.5, 1.0)
        self._not_before = max(self._not_before, self._clock() + min(error.retry_after, LONGEST_WISH))
        return self._not_before

    def _is_out_of_patience(self, error: TransientError, next_try: float) -> bool:
        """Whether the model has answered nobody for so long that the next try would come too late."""
        self._reached = self._reached or not isinstance(error, OutageError) or error.reached
        if self._failing_since is None:
            self._failing_since = self._clock()
        return next_try - self._failing_since > (self._patience if self._reached else self._patience_at_start)

    def _last_error(self, error: TransientError) -> ModelError:
        """The error of a model that has answered nobody for too long."""
        if not self._reached:
            return UnusableModelError(str(error))
        return TransientError(f"{error} It has not answered for {self._patience / 60:g} min.")
