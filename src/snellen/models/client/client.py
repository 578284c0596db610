"""Client: ask one model within a budget, at its server's pace, with retries."""

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
from snellen.models.fake import name_revision
from snellen.prompts import Request, Settings

ATTEMPTS = 6
REFUSALS = 3
"""Number of refusals by an overloaded server that together count as one attempt."""
SERVER_ERROR = 500
"""Status that some servers return for what they do not support, such as images."""


def open_client(
    model: str | Model,
    *,
    timeout: float | None = None,
    attempts: int = ATTEMPTS,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    system: str = "",
) -> Client:
    """Open the client of a model, by name or object. Models behind a server are paced."""
    opened = open_model(model, timeout=timeout) if isinstance(model, str) else name_revision(model)
    pacing = None
    if opened.address or requests_per_minute or tokens_per_minute:
        pacing = Pacing(opened.spec or opened.name, requests_per_minute, tokens_per_minute)
    return Client(opened, attempts=attempts, pacing=pacing, system=system)


class Client(Model):
    """Asks a model with retries; it has the model's name. `system` goes before each request's system message.

    A failed request is asked up to `attempts` times. Each wait is twice as long, up to `longest_wait`. While the server
    is down or overloaded and answers no request, attempts do not count; while it answers others, an overload counts a
    third. A server error (500) to a request with an image counts as half of the attempts until some image was answered,
    because the server may accept no images. After `patience` seconds of failures without any answer, nothing is asked
    again, so the run gives the model up. A server that was never reached is given up after `patience_at_start`, because
    its address is probably wrong. If the server asks for a wait, all requests wait.
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
        """The budget that its requests are charged to; None for no limit."""

    @property
    def host(self) -> str:
        """The host that the model's requests go to."""
        return self._model.host

    @property
    def trouble(self) -> str:  # type: ignore[override]
        """Why the client or the model is waiting; empty if it is not."""
        return self._waits_for or self._model.trouble

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the requested settings that the model does not support."""
        return self._model.untaken(settings)

    def as_sent(self, request: Request) -> Request:
        """Return the request with this client's system message before its own."""
        if not self._system:
            return request
        return replace(request, system="\n\n".join(filter(None, (self._system, request.system))))

    async def close(self) -> None:
        """Close the model's connections."""
        await self._model.close()

    async def answer(self, request: Request) -> Response:
        """Return the model's response; otherwise raise its last error, or OverBudgetError."""
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
                        pacing.on_failed(slot, error)
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
                        pacing.on_answered(slot, request, response.usage)
        finally:
            if account is not None:
                account.settle(expected, None if response is None else response.usage)
        self._takes_images = self._takes_images or bool(request.images)
        self._reached, self._failing_since, self._waits_for = True, None, ""
        self._answers += 1
        return response

    def _cost(self, request: Request, error: TransientError, *, down: bool) -> int:
        """Return how many thirds of an attempt a failure costs."""
        if down or isinstance(error, BusyError):
            return 0 if down else 1
        refused = error.status == SERVER_ERROR and request.images and not self._takes_images
        return REFUSALS * self._attempts // 2 if refused else REFUSALS

    def _next_try(self, error: TransientError, backoff: float) -> float:
        """Return when the request may be asked again. A wait that the server asked for holds for all requests."""
        if error.retry_after is None:
            return self._clock() + backoff * random.uniform(0.5, 1.0)
        self._not_before = max(self._not_before, self._clock() + min(error.retry_after, LONGEST_WISH))
        return self._not_before

    def _is_out_of_patience(self, error: TransientError, next_try: float) -> bool:
        """Return whether the last answer is too long ago for another try."""
        self._reached = self._reached or not isinstance(error, OutageError) or error.reached
        if self._failing_since is None:
            self._failing_since = self._clock()
        return next_try - self._failing_since > (self._patience if self._reached else self._patience_at_start)

    def _last_error(self, error: TransientError) -> ModelError:
        if not self._reached:
            return UnusableModelError(str(error))
        return TransientError(f"{error} It has not answered for {self._patience / 60:g} min.")
