"""Falling curves as inline SVG: accuracy against how bad the images are, for a few models at once.

Models differ by hue, the shape of their marks and the dashes of their lines, and each line is named where it ends.
Below the plot every model has a lane: a band where the dose lies at which half is lost. Positions across are
percentages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.report.figures.layout import wrapped
from snellen.report.figures.marks import at_point, line_at, text_at
from snellen.report.figures.palette import SHAPES, hue, shape
from snellen.report.words.numbers import figure, spoken
from snellen.stats import DoseResponse

TOP, PLOT, GAP, LANE, FOOT = 26, 118, 7, 13, 42
"""Pixels above the plot, of the plot, below it, of a lane there, and of the labels and the title of the axis."""
LEFT, RIGHT = 13.0, 28.0
"""Percent of the width kept for the labels of the axis and for the names of the lines."""
APART = 1.1
"""Percent of the width between the marks of two models."""
POINTS = 41
"""A curve is drawn through so many points."""
NAME, LETTERS = 74.0, 11.9
"""Pixels that a name at the end of a line may have, and of its letters."""
LINE_HEIGHT = 14.0


class FittedLine(NamedTuple):
    """One model: its name, its curve, and its place in the study, which decides its hue, shape and dashes.

    `limits` are doses with the accuracy at which a verdict divides there.
    """

    name: str
    fitted: DoseResponse
    place: int
    limits: tuple[tuple[float, float], ...] = ()


class Axis(NamedTuple):
    """The largest dose that is drawn, and the ticks: where they stand and what they are called; what a dose is."""

    last: float
    ticks: tuple[tuple[float, str], ...]
    title: str = "Severity"

    def across(self, dose: float) -> float:
        """Where a dose stands, in percent of the width; what lies beyond stands at the edge."""
        return LEFT + min(1.0, max(0.0, dose / self.last)) * (100 - LEFT - RIGHT)


def height(lines: Sequence[FittedLine]) -> int:
    """How high the panel of some models is."""
    return TOP + PLOT + GAP + LANE * len(lines) + FOOT


def curve_panel(lines: Sequence[FittedLine], axis: Axis, chance: float) -> Markup:
    """The curves of some models; dashes across are luck."""
    parts = [*_frame(axis, chance, len(lines))]
    ends = apart([_down(float(line.fitted.at(line.fitted.doses[-1]))) for line in lines])
    for number, (line, end) in enumerate(zip(lines, ends, strict=True)):
        shift = (number - (len(lines) - 1) / 2) * APART
        [short] = wrapped(line.name.rpartition("/")[2], NAME, LETTERS, 1)
        name = text_at("name", 100 - RIGHT + 3.2, end + 3.5, "start", short)
        drawn = [*_curve(line, axis), *_points(line, axis, shift), name, *_lane(line, axis, number)]
        parts.append(Markup('<g class="series{}">{}</g>').format(hue(line.place), Markup("").join(drawn)))
    label = "; ".join(_in_words(line) for line in lines)
    return Markup('<svg class="curves" height="{}" role="img" aria-label="{}">{}</svg>').format(
        height(lines), label, Markup("").join(parts)
    )


def line_mark(place: int) -> Markup:
    """The mark and the line of a model, for a list."""
    stroke = Markup('<line class="fall{}" x1="0" x2="26" y1="7" y2="7"/>').format(_dashes(place))
    return Markup('<svg class="line-mark{}" width="26" height="14" aria-hidden="true">{}{}</svg>').format(
        hue(place), stroke, _shape("13", "7", place)
    )


def _dashes(place: int) -> str:
    return f" dashes-{place % len(SHAPES)}"


def _down(share: float) -> float:
    return TOP + (1 - min(1.0, max(0.0, share))) * PLOT


def _frame(axis: Axis, chance: float, lanes: int) -> Iterator[Markup]:
    bottom = TOP + PLOT + GAP + LANE * lanes
    strip = Markup('<rect class="frame" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"/>')
    yield strip.format(LEFT, TOP + PLOT + GAP, 100 - LEFT - RIGHT, LANE * lanes)
    yield text_at("scale", 0, 10, "start", "Accuracy (%)")
    yield text_at("scale", LEFT + (100 - LEFT - RIGHT) / 2, bottom + 34, "middle", axis.title)
    for share in (0.0, 0.5, 1.0):
        yield line_at("grid", LEFT, 100 - RIGHT, _down(share), _down(share))
        yield text_at("scale", LEFT - 3.2, _down(share) + 3.5, "end", figure(share, "share"))
    yield line_at("reference", LEFT, 100 - RIGHT, _down(chance), _down(chance))
    for dose, words in axis.ticks:
        yield line_at("grid", axis.across(dose), axis.across(dose), TOP, bottom + 5)
        yield text_at("scale", axis.across(dose), bottom + 18, "middle", words)


def _curve(line: FittedLine, axis: Axis) -> Iterator[Markup]:
    doses = np.linspace(line.fitted.doses[0], line.fitted.doses[-1], POINTS)
    heights = np.clip(line.fitted.at(doses), 0.0, 1.0)
    steps = zip(100 * doses / axis.last, 100 - 100 * heights, strict=True)
    path = "L".join(f"{across:.1f} {down:.1f}" for across, down in steps)
    inner = Markup('<path class="fall{}" d="M{}"/>').format(_dashes(line.place), path)
    yield Markup(
        '<svg x="{:.2f}%" y="{}" width="{:.2f}%" height="{}" viewBox="0 0 100 100" preserveAspectRatio="none" '
        'overflow="visible">{}</svg>'
    ).format(LEFT, TOP, 100 - LEFT - RIGHT, PLOT, inner)


def _points(line: FittedLine, axis: Axis, shift: float) -> Iterator[Markup]:
    for dose, point in zip(line.fitted.doses, line.fitted.accuracies, strict=True):
        at = axis.across(dose) + shift
        yield line_at("whisker", at, at, _down(point.low), _down(point.high))
        yield _shape(f"{at:.2f}%", f"{_down(point.value):.1f}", line.place)
    for dose, limit in line.limits:
        at = axis.across(dose) + shift
        yield line_at("limit", at - APART, at + APART, _down(limit), _down(limit))


def _lane(line: FittedLine, axis: Axis, number: int) -> Iterator[Markup]:
    """The band of the threshold; one that may lie beyond what was asked runs to the edge and ends in an arrow."""
    found, middle = line.fitted.threshold, TOP + PLOT + GAP + LANE * (number + 0.5)
    if found is None:
        return
    low, high = axis.across(found.low), axis.across(found.high)
    yield Markup('<rect class="band" x="{:.2f}%" y="{:.1f}" width="{:.2f}%" height="{}"/>').format(
        low, middle - 3.5, max(0.4, high - low), 7
    )
    if math.isinf(found.high):
        yield at_point(f"{high:.2f}%", f"{middle:.1f}", "M0 -4L5 0L0 4", "tip")
    yield _shape(f"{axis.across(found.value):.2f}%", f"{middle:.1f}", line.place)


def apart(heights: Sequence[float]) -> list[float]:
    """The heights of names, moved as little as keeps them from standing on one another.

    >>> apart([50.0, 50.0, 90.0])
    [43.0, 57.0, 90.0]
    """
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    groups: list[list[int]] = []
    middles: list[float] = []
    for at in order:
        groups.append([at])
        middles.append(heights[at])
        while len(groups) > 1 and middles[-1] - middles[-2] < LINE_HEIGHT * (len(groups[-1]) + len(groups[-2])) / 2:
            joined = groups[-2] + groups[-1]
            groups[-2:] = [joined]
            middles[-2:] = [sum(heights[each] for each in joined) / len(joined)]
    placed = [0.0] * len(heights)
    for group, middle in zip(groups, middles, strict=True):
        for number, at in enumerate(group):
            placed[at] = middle + (number - (len(group) - 1) / 2) * LINE_HEIGHT
    return placed


def _shape(x: str, y: str, place: int) -> Markup:
    outline = Markup('<path class="point" transform="scale(0.82)" d="{}"/>').format(shape(place))
    return Markup('<svg x="{}" y="{}" overflow="visible">{}</svg>').format(x, y, outline)


def _in_words(line: FittedLine) -> str:
    points = zip(line.fitted.doses, line.fitted.accuracies, strict=True)
    said = (f"{figure(dose, 'score')}: {spoken(each, 'share')}" for dose, each in points)
    return f"{line.name}: {', '.join(said)}"
