"""Prices of models' tokens by provider; None if unknown, never zero."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.errors import StudyError
from snellen.files import open_plain

TABLE = Path(__file__).with_name("prices.json")
"""Table of prices that research/prices/make.py made from genai-prices. Prices are never downloaded."""
MILLION = 1_000_000
HALF = ("anthropic", "google", "openai")
"""Vendors that charge half for a batch. The table says so for most of their models, their documentation for all."""
IN_PLACE = ("hf", "llama-cpp-python", "mockllm", "ollama", "sglang", "vllm")
"""Inspect's providers whose models run in this process or on this machine."""
BILLED_BY = {"grok": "x-ai", "xai": "x-ai", "bedrock": "aws", "vertex": "google", "azureai": "azure"}
"""Providers that have another name in the table of prices."""


class Price(NamedTuple):
    """Dollars per million input and output tokens; `tiers` are prices of longer requests."""

    input: float
    output: float
    source: str = ""
    tiers: tuple[tuple[int, float, float], ...] = ()

    def cost_of_tokens(self, read: float, written: float) -> float:
        """Return the cost of a request with these numbers of input and output tokens.

        >>> Price(2.5, 10.0).cost_of_tokens(1_000, 100)
        0.0035
        """
        rates = (self.input, self.output)
        for start, *longer in self.tiers:
            if read > start:
                rates = (longer[0], longer[1])
        return (read * rates[0] + written * rates[1]) / MILLION

    @property
    def words(self) -> str:
        """The price as printed.

        >>> Price(2.5, 10.0, "your own").words
        '$2.5 read and $10 written per million tokens (your own)'
        """
        if not self.input and not self.output:
            return f"no charge ({self.source})"
        return f"${self.input:g} read and ${self.output:g} written per million tokens ({self.source})"


FREE = Price(0.0, 0.0, "it runs on this machine")
LOCAL_SERVER = Price(0.0, 0.0, "its server is on this machine")
"""Price of a model on a server on this machine. The server may run the model or be a paid gateway."""
UNBILLED = (FREE, LOCAL_SERVER)


def price_of(spec: str, host: str = "", *, at: str = "", batch: bool = False, served_by: str = "") -> Price | None:
    """Return the price of a model at a host; None if unknown.

    The host sends the bill. A model on this machine costs nothing; `at` is the address of its server. `served_by` is
    the server's name for the model, used if the table lacks the requested name.

    >>> price_of("organism/blind").words
    'no charge (it runs on this machine)'
    >>> price_of("openai/my-model", "gpu7.hospital.example") is None
    True
    """
    provider, _, name = spec.partition("/")
    if provider == "inspect" and not host:  # Inspect may not know the host of its models
        provider, _, name = name.partition("/")
        biller = BILLED_BY.get(provider, provider)
        if provider in IN_PLACE:
            return FREE
    elif not host:
        return LOCAL_SERVER if at else FREE
    else:
        biller = _biller(host)
    for each in filter(None, (name, served_by)):
        if found := _find_price(biller, each.lower(), batch=batch):
            return found
    return None


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = orjson.loads(TABLE.read_bytes())
    return table


def _biller(host: str) -> str:
    """Return the provider that an address belongs to. Empty if the table does not have it."""
    address = f"https://{host}/"
    matches = (name for name, each in _table()["providers"].items() if re.match(each["api"], address))
    return next(matches, "")


@cache
def _find_price(biller: str, name: str, *, batch: bool) -> Price | None:
    provider = _table()["providers"].get(biller)
    if provider is None:
        return None
    for seller in (biller, *provider["others"]):
        for pattern, model in _models(seller):
            if pattern.search(name):
                return _price(model, batch=batch, half=biller in HALF)
    return None


@cache
def _models(seller: str) -> list[tuple[re.Pattern[str], Mapping[str, Any]]]:
    return [(re.compile(model["match"]), model) for model in _table()["providers"][seller]["models"]]


def _price(model: Mapping[str, Any], *, batch: bool, half: bool) -> Price | None:
    today = datetime.now(UTC).date()
    standard = [each for each in model["rates"] if date.fromisoformat(each.get("from", "2000-01-01")) <= today]
    rates = model.get("batch") if batch else None
    if rates is None and standard and (half or not batch):
        rates = standard[-1]
    if rates is None:
        return None
    table = _table()
    share = 0.5 if batch and "batch" not in model else 1.0
    read, written = (share * each for each in rates["price"])
    tiers = tuple((int(start), share * above, share * out) for start, above, out in rates.get("tiers", ()))
    return Price(read, written, f"{table['from']}, {table['made']}{', batch' if batch else ''}", tiers)


def own_price(given: object, *, of: str) -> Price:
    """Read a price that the user gives, as in {input = 2.5, output = 10}."""
    if isinstance(given, Price):
        return given
    numbers = given if isinstance(given, Mapping) else {}
    values = [numbers.get(name) for name in ("input", "output")]
    right = all(isinstance(each, int | float) and not isinstance(each, bool) and isfinite(each) for each in values)
    if not right or set(numbers) != {"input", "output"} or any(each < 0 for each in values):  # type: ignore[operator]
        raise StudyError(
            f"Expected the price of {of} in dollars per million tokens, such as {{input = 2.5, output = 10}}, got "
            f"{given!r}."
        )
    return Price(float(numbers["input"]), float(numbers["output"]), "your own")


def own_prices(given: object) -> dict[str, Price]:
    """Read the user's prices by model name, from a table or TOML file."""
    if isinstance(given, str | Path):
        try:
            with open_plain(Path(given)) as file:
                given = tomllib.load(file)
        except (OSError, ValueError) as error:
            raise StudyError(f"The prices cannot be read: {error}.") from error
        given = given.get("prices", given)
    if not isinstance(given, Mapping):
        raise StudyError(
            f'Expected prices by model, such as "openai/gpt-5" = {{input = 1.25, output = 10}}, got {given!r}.'
        )
    return {str(name): own_price(price, of=str(name)) for name, price in given.items()}


def unknown_price(name: str) -> str:
    """Say what the user can do about a model with an unknown price."""
    return (
        f"The price of {name} is not known. Give it in dollars per million tokens, in the study's [prices] or in a "
        f'file for --prices: "{name}" = {{input = 2.5, output = 10}}; 0 for a server of your own.'
    )


def dollars(amount: float) -> str:
    """Format dollars; below one cent with the digits that differ from zero.

    >>> dollars(20), dollars(1234.5), dollars(0.0042), dollars(0)
    ('$20.00', '$1,234.50', '$0.0042', '$0.00')
    """
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:.2g}"


def short(count: float) -> str:
    """Format a number of tokens in few characters.

    >>> short(950), short(12_300), short(4_560_000)
    ('950', '12k', '4.6M')
    """
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if count >= size:
            return f"{count / size:.1f}{letter}"
    return f"{count / 1e3:.0f}k" if count >= 10_000 else f"{count:,.0f}"
