"""Printed figures of papers and the tables that show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from math import inf, isnan, nan
from typing import Any, NamedTuple

import orjson

from snellen.stress.base import how_made


class PaperTable(NamedTuple):
    """A table with notes; the first `words` columns hold text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    words: int = 1


class ComparedFigure(NamedTuple):
    """A printed figure and ours: value and interval in percent, rounded as printed."""

    model: str
    arm: str
    printed: tuple[float, float, float]
    ours: tuple[float, float, float] | None

    @property
    def agrees(self) -> bool | None:
        """Whether our figure equals the printed one after rounding. None without our figure."""
        return None if self.ours is None else self.ours == self.printed


def figures(paper: str) -> dict[str, Any]:
    """Load the printed figures of a paper from `figures.json` in its folder."""
    record: dict[str, Any] = orjson.loads(files("snellen.papers").joinpath(paper, "figures.json").read_bytes())
    return record


Row = Mapping[str, Any]
"""A row of results.csv."""


def describe_method(row: Row) -> str:
    """Describe how a number of results.csv was computed."""
    return how_made(row["method"], row["parser"], row["subset"], row["judge"])


def describe_methods(rows: Iterable[Row]) -> str:
    """Describe how the numbers of results.csv were computed, each method once."""
    return " · ".join(dict.fromkeys(map(describe_method, rows)))


def select_own(rows: Sequence[Row]) -> list[Row]:
    """Select the rows of the study's own parser, which comes first."""
    return [row for row in rows if row["parser"] == rows[0]["parser"]]


def format_row(row: Row | None) -> str:
    """Format a number of results.csv in percent with its interval. A missing one becomes a dash."""
    return "–" if row is None else percent(*(float(row[end]) for end in ("value", "low", "high")))


def percent(value: float, low: float = nan, high: float = nan) -> str:
    """Format a share in percent with its interval if it has one. NaN becomes a dash.

    >>> percent(0.5, 0.4, 0.625), percent(0.5), percent(nan, 0.0, 1.0)
    ('50.0 [40.0, 62.5]', '50.0', '–')
    """
    if isnan(value):
        return "–"
    if isnan(low) or isnan(high):
        return f"{100 * value:.1f}"
    top = "∞" if high == inf else f"{100 * high:.1f}"
    return f"{100 * value:.1f} [{100 * low:.1f}, {top}]"
