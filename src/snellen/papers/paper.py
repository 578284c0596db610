"""What every paper has: the figures that it prints, shipped with the package, and sheets that show them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from math import inf, isnan, nan
from typing import Any, NamedTuple

import orjson

from snellen.stress.base import how_made


class Sheet(NamedTuple):
    """A table to print, with notes under it; its first columns, as many as `words`, hold words and may be folded."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    words: int = 1


class Line(NamedTuple):
    """One printed figure with its interval, in percent, and ours beside it, rounded as printed."""

    model: str
    arm: str
    printed: tuple[float, float, float]
    ours: tuple[float, float, float] | None

    @property
    def agrees(self) -> bool | None:
        """Whether ours is the printed one to the printed digit; None where there is nothing to compare."""
        return None if self.ours is None else self.ours == self.printed


def figures(paper: str) -> dict[str, Any]:
    """The printed figures of a paper, from `figures.json` in its folder of `protocols`."""
    record: dict[str, Any] = orjson.loads(files("snellen.papers").joinpath(paper, "figures.json").read_bytes())
    return record


def how(row: Mapping[str, Any]) -> str:
    """How a number of results.csv was made, in words."""
    return how_made(row["method"], row["parser"], row["subset"], row["judge"])


def percent(value: float, low: float = nan, high: float = nan) -> str:
    """A share in percent with its interval, where there is one; a dash where there is nothing.

    >>> percent(0.5, 0.4, 0.625), percent(0.5), percent(nan, 0.0, 1.0)
    ('50.0 [40.0, 62.5]', '50.0', '–')
    """
    if isnan(value):
        return "–"
    if isnan(low) or isnan(high):
        return f"{100 * value:.1f}"
    top = "∞" if high == inf else f"{100 * high:.1f}"
    return f"{100 * value:.1f} [{100 * low:.1f}, {top}]"
