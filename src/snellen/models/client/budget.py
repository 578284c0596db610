"""Budget: the limit on a run's cost, shared by its models."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from snellen.errors import OverBudgetError
from snellen.models.base import Usage
from snellen.models.image_tokens import rule_of
from snellen.models.prices import Price, dollars, short
from snellen.models.request_tokens import NOTHING, TokenRange, input_tokens, output_tokens
from snellen.prompts import Request


class Budget:
    """The limit in dollars and the money spent; without a limit, it only counts.

    Each request in flight reserves the most that it may cost, so that money spent and reserved never exceed the limit.
    `before` was spent in earlier runs of the same study.
    """

    def __init__(self, limit: float | None = None, *, before: float = 0.0) -> None:
        self.limit = limit
        self.before = before
        self.spent = 0.0
        self.read = self.written = 0
        """Input and output tokens of this run, as the servers count them."""
        self.unpriced = False
        """True if a model with an unknown price answers. More was then spent than is counted."""
        self._held = 0.0
        self._in_flight = 0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def total(self) -> float:
        """Money spent on the study so far, as far as it is known."""
        return self.before + self.spent

    async def hold(self, most: float) -> None:
        """Reserve the largest cost of a request; wait until there is room, or raise OverBudgetError."""
        while most and self.limit is not None and self.total + self._held + most > self.limit:
            if not self._in_flight:
                raise OverBudgetError(self.limit, self.total, most)
            self._waiting.append(asyncio.get_running_loop().create_future())
            await self._waiting[-1]
        self._held += most
        self._in_flight += 1

    def reserve(self, most: float, *, anyway: bool = False) -> None:
        """Reserve the largest cost of a batch request, or raise OverBudgetError at once."""
        if most and not anyway and self.limit is not None and self.total + self._held + most > self.limit:
            raise OverBudgetError(self.limit, self.total + self._held, most)
        self._held += most

    def settle(self, most: float, cost: float = 0.0, *, in_flight: bool = True) -> None:
        """Release the reservation of a request and add its cost."""
        self._held = max(0.0, self._held - most)
        self._in_flight -= in_flight
        self.spent += cost
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    @property
    def words(self) -> str:
        """Money and tokens spent, for a progress line; empty if there are none.

        >>> budget = Budget(20)
        >>> budget.spent, budget.read = 3.5, 1_200_000
        >>> budget.words
        '$3.50 of $20.00 · 1.2M tokens'
        """
        parts = []
        if self.total or self.limit is not None:
            more = " or more" if self.unpriced else ""
            parts.append(f"{dollars(self.total)}{more}" + (f" of {dollars(self.limit)}" if self.limit else ""))
        if self.read or self.written:
            parts.append(f"{short(self.read + self.written)} tokens")
        return " · ".join(parts)


class Account:
    """One model's spending, at its price and its batch price (None: unknown)."""

    def __init__(self, model: str, budget: Budget, price: Price | None, *, in_batch: Price | None = None) -> None:
        self._spec, self._budget, self._price, self._in_batch = model, budget, price, in_batch
        self._rule = rule_of(model)
        self._longest = 0
        self.bills = _costs(price)
        """True if requests need a reservation; free models and models of unknown price need none."""

    async def hold(self, request: Request) -> Expected:
        """Reserve a request's largest cost once the budget has room; OverBudgetError if it never will."""
        expected = self._expect(request, self._price)
        await self._budget.hold(expected.most)
        return expected

    def reserve(self, request: Request, *, anyway: bool = False) -> Expected | None:
        """Reserve a batch request's largest cost; OverBudgetError if too little is left.

        With `anyway` it is reserved in any case, because the request is already submitted.
        """
        expected = self._expect(request, self._in_batch) if _costs(self._in_batch) else None
        if expected is not None:
            self._budget.reserve(expected.most, anyway=anyway)
        return expected

    def settle(self, expected: Expected | None, usage: Usage | None, *, in_batch: bool = False) -> None:
        """Release the reservation and add the cost of the response. `usage` is None without a response."""
        if usage is not None:
            written = usage.output_tokens or 0
            self._budget.read += usage.input_tokens or 0
            self._budget.written += written
            self._longest = max(self._longest, written)
            self._budget.unpriced |= (self._in_batch if in_batch else self._price) is None
        if expected is not None:
            self._budget.settle(expected.most, expected.cost(usage) if usage else 0.0, in_flight=not in_batch)

    def _expect(self, request: Request, price: Price | None) -> Expected:
        written = output_tokens(self._spec, request.settings)
        if request.settings.max_tokens is None:
            written = TokenRange(written.low, max(written.high, self._longest))
        return Expected(price, input_tokens(request, self._rule), written)


def _costs(price: Price | None) -> bool:
    return price is not None and any(price[:2])


@dataclass(frozen=True)
class Expected:
    """Expected tokens of a request and its response, and their price."""

    price: Price | None
    read: TokenRange = NOTHING
    written: TokenRange = NOTHING

    @property
    def most(self) -> float:
        """The most that the request may cost; 0 if the price is unknown."""
        return 0.0 if self.price is None else self.price.cost_of_tokens(self.read.high, self.written.high)

    def cost(self, usage: Usage) -> float:
        """Return the cost of the response; without token counts, the largest expected cost."""
        if self.price is None:
            return 0.0
        read = self.read.high if usage.input_tokens is None else usage.input_tokens
        return self.price.cost_of_tokens(
            read, self.written.high if usage.output_tokens is None else usage.output_tokens
        )
