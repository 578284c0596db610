"""Panels as inline SVG: accuracy under one condition after another, for one model or for a few side by side.

Models differ by the shape of their marks; with an image they are filled, without one hollow. Positions across are
percentages, so that a panel fits any width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.figures.marks import svg
from snellen.report.words.numbers import figure, interval
from snellen.stats import Estimate

TOP, PLOT = 17, 84
"""Pixels above the plot for the values, and of the plot; the ticks are below it."""
LEFT = 9.0
"""Percent of the width kept for the labels of the axis."""
APART = 3.0
"""Percent of the width between the marks of two models."""
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4.2 -4.2H4.2V4.2H-4.2Z",
    "M0 -5.5L5.2 4H-5.2Z",
    "M0 -5.6L5.6 0L0 5.6L-5.6 0Z",
)
"""The marks of the models, in their order; a panel holds at most as many models."""


class Series(NamedTuple):
    """One model: its name and its accuracy at every tick, None where there is none.

    `before` is the accuracy that the same items had as asked, where that is known.
    """

    name: str
    points: tuple[Estimate | None, ...]
    before: tuple[Estimate | None, ...] = ()


class Tick(NamedTuple):
    """A condition, how many items it was asked of, and what luck alone would score on them."""

    words: str
    n: str
    chance: float | None


def panel(ticks: Sequence[Tick], series: Sequence[Series], *, seen: bool) -> Markup:
    """Accuracy at every tick with its interval; dashes are luck. Values are written beside the marks of one model."""
    parts = [*_frame(ticks)]
    for place, each in enumerate(series):
        shift = (place - (len(series) - 1) / 2) * APART
        across = [_across(number, len(ticks)) + shift for number in range(len(ticks))]
        parts += _drawn(each, across, SHAPES[place], "seen" if seen else "blind", written=len(series) == 1)
    label = "; ".join(_in_words(each, ticks) for each in series)
    return svg("panel", label, parts)


def mark(place: int) -> Markup:
    """The mark of a model, for a legend."""
    return svg("swatch", "", [_shape("9", "7", SHAPES[place], "seen")])


def _across(number: int, of: int) -> float:
    return LEFT + (number + 0.5) / of * (100 - LEFT)


def _down(share: float) -> float:
    return TOP + (1 - min(1.0, max(0.0, share))) * PLOT


def _frame(ticks: Sequence[Tick]) -> Iterator[Markup]:
    line = Markup('<line class="{}" x1="{:.2f}%" x2="{:.2f}%" y1="{:.1f}" y2="{:.1f}"/>')
    text = Markup('<text class="{}" x="{:.2f}%" y="{}" text-anchor="{}">{}</text>')
    for share in (0.0, 0.5, 1.0):
        yield line.format("grid", 0, 100, _down(share), _down(share))
        yield text.format("scale", 0, round(_down(share)) - 2, "start", figure(share, "share"))
    half = (100 - LEFT) / len(ticks) / 2
    for number, tick in enumerate(ticks):
        across = _across(number, len(ticks))
        if tick.chance is not None:
            yield line.format("reference", across - half, across + half, _down(tick.chance), _down(tick.chance))
        yield text.format("tick", across, TOP + PLOT + 18, "middle", tick.words)
        yield text.format("scale", across, TOP + PLOT + 31, "middle", tick.n)


def _drawn(series: Series, across: Sequence[float], shape: str, look: str, *, written: bool) -> Iterator[Markup]:
    there = [(at, point) for at, point in zip(across, series.points, strict=True) if point is not None]
    line = Markup('<line class="{}" x1="{:.2f}%" x2="{:.2f}%" y1="{:.1f}" y2="{:.1f}"/>')
    for (one, before), (two, after) in pairwise(there):
        yield line.format("path", one, two, _down(before.value), _down(after.value))
    for at, point in zip(across, series.before, strict=False):
        if point is not None:
            yield line.format("before", at - APART, at + APART, _down(point.value), _down(point.value))
    for at, point in there:
        yield line.format("whisker", at, at, _down(point.low), _down(point.high))
        yield _shape(f"{at:.2f}%", f"{_down(point.value):.1f}", shape, look)
        if written:
            yield Markup('<text class="value" x="{:.2f}%" y="{:.1f}" text-anchor="middle">{}</text>').format(
                at, _down(point.high) - 5, figure(point.value, "share")
            )


def _shape(x: str, y: str, shape: str, look: str) -> Markup:
    return Markup('<svg x="{}" y="{}" overflow="visible"><path class="shape {}" d="{}"/></svg>').format(
        x, y, look, shape
    )


def _in_words(series: Series, ticks: Sequence[Tick]) -> str:
    said = (
        f"{tick.words} {figure(point.value, 'share')}, 95% CI {interval(point, 'share')}"
        for tick, point in zip(ticks, series.points, strict=True)
        if point is not None
    )
    return f"{series.name}: {', '.join(said)}"
