"""Spent: what the stored responses of a study have cost, at the prices at which it was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from snellen.asking.stored import shares
from snellen.models.prices import UNBILLED, Price, dollars
from snellen.store import Store
from snellen.store.shapes import PRICE, check_record
from snellen.store.viewing import Counted, Wanted, counted


@dataclass(frozen=True)
class Spent:
    """What the stored responses of a study by one model were counted as, and what they cost at its price."""

    model: str
    counts: Sequence[Counted]
    price: Price | None
    in_batch: Price | None = None
    """Its price in a batch, where any response came out of one."""

    @property
    def responses(self) -> int:
        """How many responses there are, each once."""
        return sum(each.responses for each in self.counts)

    @property
    def uncounted(self) -> int:
        """How many of them the server did not count the tokens of."""
        return sum(each.responses for each in self.counts if each.read is None or each.written is None)

    @property
    def read(self) -> int:
        """Tokens read, of those that were counted."""
        return sum(each.responses * (each.read or 0) for each in self.counts)

    @property
    def written(self) -> int:
        """Tokens written, of those that were counted."""
        return sum(each.responses * (each.written or 0) for each in self.counts)

    @property
    def cost(self) -> float | None:
        """In dollars, of those that were counted; None where the price is not known or nothing was counted."""
        if self.price is None or (self.responses and self.uncounted == self.responses and self.price not in UNBILLED):
            return None
        return sum(
            each.responses
            * (self.in_batch if each.in_batch and self.in_batch else self.price).of(each.read or 0, each.written or 0)
            for each in self.counts
        )

    @property
    def told(self) -> bool:
        """Whether there is anything to say: tokens were counted, or money was due."""
        return bool(self.read or self.written or (self.price not in UNBILLED and self.price and self.responses))

    @property
    def words(self) -> str:
        """Money and tokens as a sentence has them."""
        counts = f"{self.read:,} tokens read and {self.written:,} written for {self.responses:,} responses"
        if self.uncounted:
            counts += f", of which the server did not count {self.uncounted:,}"
        if self.price in UNBILLED:
            return f"no charge: {self.price.source}; {counts}"
        if self.cost is None:
            return (
                f"{counts}; {'what they cost is not known' if self.price is None else 'so what they cost is not known'}"
            )
        return f"{dollars(self.cost)}; {counts}, at {self.price.words if self.price else ''}"

    def record(self) -> dict[str, Any]:
        """As results.json has it."""
        return {
            "model": self.model,
            "responses": self.responses,
            "not_counted": self.uncounted,
            "input_tokens": self.read,
            "output_tokens": self.written,
            "cost_usd": None if self.cost is None else round(self.cost, 6),
            "price": self.price and _as_json(self.price),
        }


def spent(store: Store, study: Mapping[str, Any]) -> list[Spent]:
    """What the responses of a stored study have cost, by model: at the prices at which it was asked."""
    cells: dict[str, list[Wanted]] = {}
    for share in shares(store, study):
        cells.setdefault(share.model, []).append(share.cells)
    prices, in_batch = study.get("prices", {}), study.get("batch_prices", {})
    return [
        Spent(model, counted(store, of), as_price(prices.get(model)), as_price(in_batch.get(model)))
        for model, of in cells.items()
    ]


def _as_json(price: Price) -> dict[str, Any]:
    return {name: value for name, value in price._asdict().items() if value or name in ("input", "output")}


def prices_as_json(prices: Mapping[str, Price | None]) -> dict[str, Any]:
    """Prices as a study's record keeps them."""
    return {name: price and _as_json(price) for name, price in prices.items()}


def as_price(given: Mapping[str, Any] | None) -> Price | None:
    """A price as a study's record has it."""
    if given is None:
        return None
    found = {name: check_record(given, PRICE, "a price").get(name) for name in Price._fields if name in given}
    return Price(**{**found, "tiers": tuple(map(tuple, given.get("tiers", ())))})
