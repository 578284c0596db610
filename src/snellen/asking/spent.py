"""Spending: the cost of a stored study's responses, at the prices when they were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from snellen.asking.stored import shares
from snellen.models.prices import UNBILLED, Price, dollars
from snellen.store import Store
from snellen.store.shapes import PRICE, check_record
from snellen.store.viewing import Counted, WantedResponses, count_tokens


@dataclass(frozen=True)
class Spent:
    """Token counts of a model's stored responses, and their cost."""

    model: str
    counts: Sequence[Counted]
    price: Price | None
    in_batch: Price | None = None
    """The price for responses from batches; None if there are none."""

    @property
    def responses(self) -> int:
        """Number of distinct stored responses. A response that several conditions share counts once."""
        return sum(each.responses for each in self.counts)

    @property
    def uncounted(self) -> int:
        """Number of responses whose tokens the server did not count."""
        return sum(each.responses for each in self.counts if each.read is None or each.written is None)

    @property
    def read(self) -> int:
        """Input tokens of the responses with counts."""
        return sum(each.responses * (each.read or 0) for each in self.counts)

    @property
    def written(self) -> int:
        """Output tokens of the responses with counts."""
        return sum(each.responses * (each.written or 0) for each in self.counts)

    @property
    def cost(self) -> float | None:
        """Cost in dollars of the responses with token counts.

        None if the price is unknown, or if a billed model's responses have no token counts.
        """
        if self.price is None or (self.responses and self.uncounted == self.responses and self.price not in UNBILLED):
            return None
        return sum(
            each.responses
            * (self.in_batch if each.in_batch and self.in_batch else self.price).cost_of_tokens(
                each.read or 0, each.written or 0
            )
            for each in self.counts
        )

    @property
    def told(self) -> bool:
        """True if there is something to report: token counts or a cost."""
        return bool(self.read or self.written or (self.price not in UNBILLED and self.price and self.responses))

    @property
    def words(self) -> str:
        """Cost and tokens as part of a sentence."""
        counts = f"{self.read:,} tokens read and {self.written:,} written for {self.responses:,} responses"
        if self.uncounted:
            counts += f" (the server did not count {self.uncounted:,} of them)"
        if self.price in UNBILLED:
            return f"no charge: {self.price.source}; {counts}"
        if self.cost is None:
            return f"{counts}; {'the cost is not known' if self.price is None else 'so the cost is not known'}"
        return f"{dollars(self.cost)}; {counts}, at {self.price.words if self.price else ''}"

    def record(self) -> dict[str, Any]:
        """Return the values for results.json."""
        return {
            "model": self.model,
            "responses": self.responses,
            "not_counted": self.uncounted,
            "input_tokens": self.read,
            "output_tokens": self.written,
            "cost_usd": None if self.cost is None else round(self.cost, 6),
            "price": self.price and _as_json(self.price),
        }


def find_spending(store: Store, study: Mapping[str, Any]) -> list[Spent]:
    """Return the cost of a study's responses by model, at the prices when asked."""
    cells: dict[str, list[WantedResponses]] = {}
    for share in shares(store, study):
        cells.setdefault(share.model, []).append(share.cells)
    prices, in_batch = study.get("prices", {}), study.get("batch_prices", {})
    return [
        Spent(model, count_tokens(store, of), as_price(prices.get(model)), as_price(in_batch.get(model)))
        for model, of in cells.items()
    ]


def _as_json(price: Price) -> dict[str, Any]:
    return {name: value for name, value in price._asdict().items() if value or name in ("input", "output")}


def prices_as_json(prices: Mapping[str, Price | None]) -> dict[str, Any]:
    """Convert prices to the form in a study's record."""
    return {name: price and _as_json(price) for name, price in prices.items()}


def as_price(given: Mapping[str, Any] | None) -> Price | None:
    """Read a price from a study's record."""
    if given is None:
        return None
    found = {name: check_record(given, PRICE, "a price").get(name) for name in Price._fields if name in given}
    return Price(**{**found, "tiers": tuple(map(tuple, given.get("tiers", ())))})
