"""Constants: what a plan on paper counts with, each with its source; a measured one is told from an assumed one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.errors import StudyError
from snellen.models.request_tokens import Range
from snellen.tools.planner.claims import Assumptions, Quantity

TABLE = Path(__file__).with_name("constants.json")


class Gpu(NamedTuple):
    """How fast an engine reads and writes tokens on a device."""

    name: str
    engine: str
    parameters: float
    device: str
    prefill: float
    """Tokens read a second."""
    decode: float
    """Tokens written a second, all sequences together."""
    measured: bool
    source: str

    def seconds(self, read: Range, written: Range) -> Range:
        """How long so many tokens take."""
        return Range(*(r / self.prefill + w / self.decode for r, w in zip(read, written, strict=True)))

    @property
    def words(self) -> str:
        """Its rates as they are printed."""
        known = "measured" if self.measured else "ASSUMED, not measured"
        rates = f"{self.prefill:,.0f} tokens read and {self.decode:,.0f} written a second"
        return f"{self.name}, {rates} on {self.device} ({known}; {self.source.removeprefix('assumed: ')})"


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = orjson.loads(TABLE.read_bytes())
    return table


def as_of() -> str:
    """The day of the constants."""
    return str(_table()["as_of"])


def constant(group: str, name: str) -> Quantity:
    """One constant that is a number."""
    return Quantity(**_table()[group][name])


def token_range(name: str) -> Range:
    """How many tokens a request has of something."""
    found = _table()["request"][name]
    return Range(found["low"], found["high"])


def source(group: str, name: str) -> str:
    """Where a constant is from."""
    return str(_table()[group][name]["source"])


def usual_assumptions() -> Assumptions:
    """How models are taken to answer where nobody has asked them."""
    return Assumptions(*(constant("assumptions", name) for name in Assumptions._fields))


def given_assumptions(about: Assumptions, given: Mapping[str, float]) -> Assumptions:
    """The same with some of it set by whoever plans."""
    return about._replace(**{name: Quantity(value, "as you set it") for name, value in given.items()})


def gpu_named(name: str) -> Gpu:
    """The rates of an engine by their name."""
    known = {row["name"]: Gpu(**row) for row in _table()["gpu"]}
    if name not in known:
        raise StudyError(f"There are no rates {name!r} of a GPU. There are: {', '.join(known)}.")
    return known[name]


def usual_gpu() -> Gpu:
    """The first rates of the table."""
    return Gpu(**_table()["gpu"][0])
