"""The landscape as inline SVG: how much reasoning and how much looking benchmarks ask for, with rings of spread.

A mark is the mean over cases and raters, its whiskers the 95% CIs, its ring the raters' spread: the standard deviation
of their means, in the units of the scale down the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.figures.curves import apart
from snellen.report.figures.layout import wrapped
from snellen.report.figures.marks import at_point, line_at, text_at
from snellen.report.figures.palette import hue, shape
from snellen.report.words.numbers import spoken
from snellen.stats import Estimate

TOP, PLOT, FOOT = 14, 260, 44
LEFT, RIGHT = 11.0, 3.0
"""Percent of the width kept for the labels of the axis and free at the other end."""
LOW, HIGH = 1.0, 3.0
"""The ends of the scale that raters use."""
NAME, LETTERS = 150.0, 11.9
HEIGHT = TOP + PLOT + FOOT


class Plotted(NamedTuple):
    """One benchmark: its two coordinates, and how far its raters lie apart on each."""

    name: str
    reasoning: Estimate
    visual: Estimate
    spread: tuple[float, float]
    place: int


def landscape(points: Sequence[Plotted]) -> Markup:
    """The benchmarks on reasoning across and visual complexity up."""
    parts = [*_frame()]
    names = apart([_down(point.visual.value) for point in points])
    for point, at in zip(points, names, strict=True):
        parts.append(Markup('<g class="series{}">{}</g>').format(hue(point.place), Markup("").join(_point(point, at))))
    label = "; ".join(
        f"{each.name}: reasoning {spoken(each.reasoning, 'score')}, visual {spoken(each.visual, 'score')}"
        for each in points
    )
    return Markup('<svg class="landscape" height="{}" role="img" aria-label="{}">{}</svg>').format(
        HEIGHT, label, Markup("").join(parts)
    )


def _across(value: float) -> float:
    return LEFT + (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW) * (100 - LEFT - RIGHT)


def _down(value: float) -> float:
    return TOP + (HIGH - min(max(value, LOW), HIGH)) / (HIGH - LOW) * PLOT


def _frame() -> Iterator[Markup]:
    for level, words in ((1, "1 low"), (2, "2"), (3, "3 high")):
        yield line_at("grid", LEFT, 100 - RIGHT, _down(level), _down(level))
        yield line_at("grid", _across(level), _across(level), TOP, TOP + PLOT)
        yield text_at("scale", LEFT - 1.6, _down(level) + 4, "end", words.partition(" ")[0])
        yield text_at("scale", _across(level), TOP + PLOT + 16, {1: "start", 2: "middle", 3: "end"}[level], words)
    yield text_at("scale", (LEFT + 100 - RIGHT) / 2, TOP + PLOT + 36, "middle", "Reasoning complexity")
    yield text_at("scale", LEFT + 0.8, TOP + 12, "start", "Visual complexity, 3 high")


def _point(point: Plotted, name_at: float) -> Iterator[Markup]:
    x, y = _across(point.reasoning.value), _down(point.visual.value)
    ring = Markup('<ellipse class="ring" cx="{:.2f}%" cy="{:.1f}" rx="{:.2f}%" ry="{:.1f}"/>')
    wide = point.spread[0] / (HIGH - LOW) * (100 - LEFT - RIGHT)
    tall = max(point.spread[1] / (HIGH - LOW) * PLOT, 6.0)
    yield ring.format(x, y, max(wide, 0.9), tall)
    yield line_at("whisker", _across(point.reasoning.low), _across(point.reasoning.high), y, y)
    yield line_at("whisker", x, x, _down(point.visual.low), _down(point.visual.high))
    yield at_point(f"{x:.2f}%", f"{y:.1f}", shape(point.place), "point")
    [short] = wrapped(point.name, NAME, LETTERS, 1)
    right = point.reasoning.value < 2.2
    yield text_at("name", x, name_at - tall - 5, "start" if right else "end", short)
