"""Panels as SVG: accuracy by condition, for one or several models.

Models differ by hue and marker shape. Markers with an image are filled, and without one hollow. Horizontal positions
are percentages, so that a panel fits any width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.figures.marks import at_point, line_at, svg, text_at
from snellen.report.figures.palette import hue, shape
from snellen.report.words.numbers import figure, format_aloud
from snellen.stats import Estimate

TOP, PLOT, FOOT = 33, 84, 48
"""Heights in pixels: above the plot for title and values, plot, and below it for ticks and title."""
HEIGHT = TOP + PLOT + FOOT
LEFT = 9.0
"""Percent of the width for the labels of the axis."""
APART = 3.0
"""Percent of the width between the marks of two models."""


class ModelSeries(NamedTuple):
    """One model's name, place and accuracy at every tick. None if missing.

    `before` is the accuracy on the same items with the original image. `limits` are the accuracies that are limits of a
    verdict.
    """

    name: str
    points: tuple[Estimate | None, ...]
    before: tuple[Estimate | None, ...] = ()
    place: int = 0
    limits: tuple[tuple[float, ...], ...] = ()


class Tick(NamedTuple):
    """A condition, its number of items and their accuracy by chance."""

    words: str
    n: str
    chance: float | None


def panel(ticks: Sequence[Tick], series: Sequence[ModelSeries], *, seen: bool, across: str = "Condition") -> Markup:
    """Draw accuracies at every tick with intervals. The dashed lines are chance.

    Values are written next to the markers if there is only one model.
    """
    parts = [*_frame(ticks, across)]
    for number, each in enumerate(series):
        shift = (number - (len(series) - 1) / 2) * APART
        stands = [_across(at, len(ticks)) + shift for at in range(len(ticks))]
        drawn = _draw_series(each, stands, "seen" if seen else "blind", written=len(series) == 1)
        parts.append(Markup('<g class="series{}">{}</g>').format(hue(each.place), Markup("").join(drawn)))
    told = []
    for each in series:
        points = zip(ticks, each.points, strict=True)
        said = (f"{tick.words} {format_aloud(point, 'share')}" for tick, point in points if point is not None)
        told.append(f"{each.name}: {', '.join(said)}")
    label = "; ".join(told)
    return svg("panel", label, parts)


def _across(number: int, of: int) -> float:
    return LEFT + (number + 0.5) / of * (100 - LEFT)


def _scale_share(share: float) -> float:
    return TOP + (1 - min(1.0, max(0.0, share))) * PLOT


def _frame(ticks: Sequence[Tick], across_title: str) -> Iterator[Markup]:
    yield text_at("axis-name", 0, 10, "start", "Accuracy (%)")
    yield text_at("axis-name", _across(0, 1), HEIGHT - 3, "middle", across_title)
    for share in (0.0, 0.5, 1.0):
        yield line_at("grid", 0, 100, _scale_share(share), _scale_share(share))
        yield text_at("scale", 0, round(_scale_share(share)) - 2, "start", figure(share, "share"))
    half = (100 - LEFT) / len(ticks) / 2
    for number, tick in enumerate(ticks):
        across = _across(number, len(ticks))
        if tick.chance is not None:
            yield line_at(
                "reference", across - half, across + half, _scale_share(tick.chance), _scale_share(tick.chance)
            )
        yield text_at("tick", across, TOP + PLOT + 18, "middle", tick.words)
        yield text_at("scale", across, TOP + PLOT + 31, "middle", tick.n)


def _draw_series(series: ModelSeries, across: Sequence[float], look: str, *, written: bool) -> Iterator[Markup]:
    there = [(at, point) for at, point in zip(across, series.points, strict=True) if point is not None]
    for (one, before), (two, after) in pairwise(there):
        yield line_at("path", one, two, _scale_share(before.value), _scale_share(after.value))
    for at, point in zip(across, series.before, strict=False):
        if point is not None:
            yield line_at("before", at - APART, at + APART, _scale_share(point.value), _scale_share(point.value))
    for at, limits in zip(across, series.limits, strict=False):
        yield from (line_at("limit", at - APART, at + APART, _scale_share(each), _scale_share(each)) for each in limits)
    for at, point in there:
        yield line_at("whisker", at, at, _scale_share(point.low), _scale_share(point.high))
        yield at_point(f"{at:.2f}%", f"{_scale_share(point.value):.1f}", shape(series.place), f"shape {look}")
        if written:
            yield text_at("value", at, _scale_share(point.high) - 5, "middle", figure(point.value, "share"))
