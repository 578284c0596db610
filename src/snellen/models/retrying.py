"""Retrying: a model that asks another one again when that is worth it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

from snellen.errors import TransientError
from snellen.models.base import Model, Response
from snellen.prompts import Request, Settings


class Retrying(Model):
    """Asks up to `attempts` times, waiting as long as the server wishes, or else twice as long each time.

    A wait the server asked for holds back every request of this model, not only the one that met it.
    """

    def __init__(
        self,
        model: Model,
        *,
        attempts: int = 6,
        first_wait: float = 1.0,
        longest_wait: float = 120.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name, self.revision = model.name, model.revision
        self._model = model
        self._attempts = attempts
        self._first_wait, self._longest_wait = first_wait, longest_wait
        self._sleep = sleep
        self._not_before = 0.0

    async def answer(self, request: Request) -> Response:
        """The held model's reply, or its last error."""
        clock = time.monotonic
        for attempt in range(1, self._attempts + 1):
            if self._not_before and (wait := self._not_before - clock()) > 0:
                await self._sleep(wait)
            try:
                return await self._model.answer(request)
            except TransientError as error:
                if attempt == self._attempts:
                    raise
                if error.retry_after is not None:
                    self._not_before = max(self._not_before, clock() + min(error.retry_after, self._longest_wait))
                else:
                    backoff = min(self._first_wait * 2 ** (attempt - 1), self._longest_wait)
                    await self._sleep(backoff * random.uniform(0.5, 1.0))
        raise AssertionError("unreachable: the last attempt returns or raises")

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """What the held model does not take."""
        return self._model.untaken(settings)

    async def close(self) -> None:
        """Let go of the held model's connections."""
        await self._model.close()
