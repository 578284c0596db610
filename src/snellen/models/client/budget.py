"""Budget: what a run may spend, shared by its models; a request that may cost more than is left is not sent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from snellen.errors import OverBudgetError
from snellen.models.base import Usage
from snellen.models.image_tokens import rule_of
from snellen.models.prices import Price, dollars, short
from snellen.models.request_tokens import NOTHING, Range, input_tokens, output_tokens
from snellen.prompts import Request


class Budget:
    """What may be spent, in dollars, and what has been; `limit` None lets everything through and counts.

    Each request in flight holds back the most that it may cost, so that what is spent and what is held back together
    never exceed the limit. `before` was spent on earlier runs of the same study.
    """

    def __init__(self, limit: float | None = None, *, before: float = 0.0) -> None:
        self.limit = limit
        self.before = before
        self.spent = 0.0
        self.read = self.written = 0
        """Tokens of this run, as the servers count them."""
        self.unpriced = False
        """Whether a model answers whose price is not known, so that more was spent than is known."""
        self._held = 0.0
        self._in_flight = 0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def total(self) -> float:
        """All that was spent on the study, as far as it is known."""
        return self.before + self.spent

    async def hold(self, most: float) -> None:
        """Hold back what a request may cost; waits for others to be counted, and raises OverBudgetError at the end."""
        while most and self.limit is not None and self.total + self._held + most > self.limit:
            if not self._in_flight:
                raise OverBudgetError(self.limit, self.total, most)
            self._waiting.append(asyncio.get_running_loop().create_future())
            await self._waiting[-1]
        self._held += most
        self._in_flight += 1

    def reserve(self, most: float, *, anyway: bool = False) -> None:
        """Hold back what a request of a batch may cost, or raise OverBudgetError; nobody waits for it to be counted."""
        if most and not anyway and self.limit is not None and self.total + self._held + most > self.limit:
            raise OverBudgetError(self.limit, self.total + self._held, most)
        self._held += most

    def settle(self, most: float, cost: float = 0.0, *, in_flight: bool = True) -> None:
        """Let go of what was held back for a request, and count what it has cost."""
        self._held = max(0.0, self._held - most)
        self._in_flight -= in_flight
        self.spent += cost
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    @property
    def words(self) -> str:
        """Money and tokens of the run for a line of progress; empty while nothing is counted.

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
    """What one model spends of a budget, at its price and at that in a batch (None: nobody knows it)."""

    def __init__(self, model: str, budget: Budget, price: Price | None, *, in_batch: Price | None = None) -> None:
        self._spec, self._budget, self._price, self._in_batch = model, budget, price, in_batch
        self._rule = rule_of(model)
        self._longest = 0
        self.bills = _costs(price)
        """Whether a request has to be held back for; nothing is for a model that is free or of unknown price."""

    async def hold(self, request: Request) -> Expected:
        """Hold back what a request may cost, once the budget has room; OverBudgetError if it never will."""
        expected = self._expect(request, self._price)
        await self._budget.hold(expected.most)
        return expected

    def reserve(self, request: Request, *, anyway: bool = False) -> Expected | None:
        """Hold back what a request of a batch may cost; OverBudgetError if that is more than is left.

        With `anyway` it is held back all the same: the request is handed in already.
        """
        expected = self._expect(request, self._in_batch) if _costs(self._in_batch) else None
        if expected is not None:
            self._budget.reserve(expected.most, anyway=anyway)
        return expected

    def settle(self, expected: Expected | None, usage: Usage | None, *, in_batch: bool = False) -> None:
        """Let go of what was held back, and count what the response has cost; None if there is none."""
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
            written = Range(written.low, max(written.high, self._longest))
        return Expected(price, input_tokens(request, self._rule), written)


def _costs(price: Price | None) -> bool:
    return price is not None and any(price[:2])


@dataclass(frozen=True)
class Expected:
    """The tokens that a request is likely to be read as, those that its response may have, and their price."""

    price: Price | None
    read: Range = NOTHING
    written: Range = NOTHING

    @property
    def most(self) -> float:
        """The most that it may cost; nothing where nobody knows the price."""
        return 0.0 if self.price is None else self.price.of(self.read.high, self.written.high)

    def cost(self, usage: Usage) -> float:
        """What its response has cost; where the server counted nothing, the most that was expected."""
        if self.price is None:
            return 0.0
        read = self.read.high if usage.input_tokens is None else usage.input_tokens
        return self.price.of(read, self.written.high if usage.output_tokens is None else usage.output_tokens)
