"""Panels as inline SVG: accuracy under one condition after another, for one model or for a few side by side.

Models differ by the hue and the shape of their marks; with an image they are filled, without one hollow. Positions
across are percentages, so that a panel fits any width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.figures.marks import at_point, line_at, svg, text_at
from snellen.report.figures.palette import hue, shape
from snellen.report.words.numbers import figure, spoken
from snellen.stats import Estimate

TOP, PLOT, FOOT = 33, 84, 48
"""Pixels above the plot for the title of the axis and the values, of the plot, and below it for ticks and title."""
HEIGHT = TOP + PLOT + FOOT
LEFT = 9.0
"""Percent of the width kept for the labels of the axis."""
APART = 3.0
"""Percent of the width between the marks of two models."""


class Series(NamedTuple):
    """One model: its name and its accuracy at every tick, None where there is none; `place` is its place in the study.

    `before` is the accuracy that the same items had as asked, where that is known; `limits` are the accuracies at which
    a verdict divides.
    """

    name: str
    points: tuple[Estimate | None, ...]
    before: tuple[Estimate | None, ...] = ()
    place: int = 0
    limits: tuple[tuple[float, ...], ...] = ()


class Tick(NamedTuple):
    """A condition, how many items it was asked of, and what luck alone would score on them."""

    words: str
    n: str
    chance: float | None


def panel(ticks: Sequence[Tick], series: Sequence[Series], *, seen: bool, across: str = "Condition") -> Markup:
    """Accuracy at every tick with its interval; dashes are luck. Values are written beside the marks of one model."""
    parts = [*_frame(ticks, across)]
    for number, each in enumerate(series):
        shift = (number - (len(series) - 1) / 2) * APART
        stands = [_across(at, len(ticks)) + shift for at in range(len(ticks))]
        drawn = _drawn(each, stands, "seen" if seen else "blind", written=len(series) == 1)
        parts.append(Markup('<g class="series{}">{}</g>').format(hue(each.place), Markup("").join(drawn)))
    label = "; ".join(_in_words(each, ticks) for each in series)
    return svg("panel", label, parts)


def _across(number: int, of: int) -> float:
    return LEFT + (number + 0.5) / of * (100 - LEFT)


def _down(share: float) -> float:
    return TOP + (1 - min(1.0, max(0.0, share))) * PLOT


def _frame(ticks: Sequence[Tick], across_title: str) -> Iterator[Markup]:
    yield text_at("axis-name", 0, 10, "start", "Accuracy (%)")
    yield text_at("axis-name", _across(0, 1), HEIGHT - 3, "middle", across_title)
    for share in (0.0, 0.5, 1.0):
        yield line_at("grid", 0, 100, _down(share), _down(share))
        yield text_at("scale", 0, round(_down(share)) - 2, "start", figure(share, "share"))
    half = (100 - LEFT) / len(ticks) / 2
    for number, tick in enumerate(ticks):
        across = _across(number, len(ticks))
        if tick.chance is not None:
            yield line_at("reference", across - half, across + half, _down(tick.chance), _down(tick.chance))
        yield text_at("tick", across, TOP + PLOT + 18, "middle", tick.words)
        yield text_at("scale", across, TOP + PLOT + 31, "middle", tick.n)


def _drawn(series: Series, across: Sequence[float], look: str, *, written: bool) -> Iterator[Markup]:
    there = [(at, point) for at, point in zip(across, series.points, strict=True) if point is not None]
    for (one, before), (two, after) in pairwise(there):
        yield line_at("path", one, two, _down(before.value), _down(after.value))
    for at, point in zip(across, series.before, strict=False):
        if point is not None:
            yield line_at("before", at - APART, at + APART, _down(point.value), _down(point.value))
    for at, limits in zip(across, series.limits, strict=False):
        yield from (line_at("limit", at - APART, at + APART, _down(each), _down(each)) for each in limits)
    for at, point in there:
        yield line_at("whisker", at, at, _down(point.low), _down(point.high))
        yield at_point(f"{at:.2f}%", f"{_down(point.value):.1f}", shape(series.place), f"shape {look}")
        if written:
            yield text_at("value", at, _down(point.high) - 5, "middle", figure(point.value, "share"))


def _in_words(series: Series, ticks: Sequence[Tick]) -> str:
    points = zip(ticks, series.points, strict=True)
    said = (f"{tick.words} {spoken(point, 'share')}" for tick, point in points if point is not None)
    return f"{series.name}: {', '.join(said)}"
