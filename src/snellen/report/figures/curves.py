"""Falling curves as SVG: accuracy against image degradation.

Models differ by hue, marker shape and line dashes, and each line is named at its end. Below the plot every model has a
*lane*: a band for the interval of the dose at which half is lost. Horizontal positions are percentages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.report.figures.layout import wrap_text
from snellen.report.figures.marks import at_point, line_at, text_at
from snellen.report.figures.palette import SHAPES, hue, shape
from snellen.report.words.numbers import figure, format_aloud
from snellen.stats import DoseResponse

TOP, PLOT, GAP, LANE, FOOT = 26, 118, 7, 13, 42
"""Heights in pixels: above the plot, plot, gap, one lane, and the axis labels and title."""
LEFT, RIGHT = 13.0, 28.0
"""Percent of the width for the axis labels (left) and for the names of the lines (right)."""
APART = 1.1
"""Percent of the width between the marks of two models."""
POINTS = 41
"""Number of points through which a curve is drawn."""
NAME, LETTERS = 74.0, 11.9
"""Width in pixels of a name at the end of a line, and its font size."""
LINE_HEIGHT = 14.0


class FittedLine(NamedTuple):
    """A model's name, fitted curve and place in the study.

    `limits` are pairs of a dose and the accuracy that is the limit of a verdict there.
    """

    name: str
    fitted: DoseResponse
    place: int
    limits: tuple[tuple[float, float], ...] = ()


class Axis(NamedTuple):
    """Axis of doses: the largest dose, the ticks and the title."""

    last: float
    ticks: tuple[tuple[float, str], ...]
    title: str = "Severity"

    def across(self, dose: float) -> float:
        """Return the horizontal position of a dose in percent, limited to the plot."""
        return LEFT + min(1.0, max(0.0, dose / self.last)) * (100 - LEFT - RIGHT)


def height(lines: Sequence[FittedLine]) -> int:
    """Return the height of the panel in pixels."""
    return TOP + PLOT + GAP + LANE * len(lines) + FOOT


def curve_panel(lines: Sequence[FittedLine], axis: Axis, chance: float) -> Markup:
    """Draw the curves of some models. The dashed line is chance."""
    parts = [*_frame(axis, chance, len(lines))]
    ends = spread_heights([_scale_share(float(line.fitted.predict_accuracy(line.fitted.doses[-1]))) for line in lines])
    for number, (line, end) in enumerate(zip(lines, ends, strict=True)):
        shift = (number - (len(lines) - 1) / 2) * APART
        [short] = wrap_text(line.name.rpartition("/")[2], NAME, LETTERS, 1)
        name = text_at("name", 100 - RIGHT + 3.2, end + 3.5, "start", short)
        drawn = [*_curve(line, axis), *_points(line, axis, shift), name, *_lane(line, axis, number)]
        parts.append(Markup('<g class="series{}">{}</g>').format(hue(line.place), Markup("").join(drawn)))
    told = []
    for line in lines:
        points = zip(line.fitted.doses, line.fitted.accuracies, strict=True)
        said = (f"{figure(dose, 'score')}: {format_aloud(each, 'share')}" for dose, each in points)
        told.append(f"{line.name}: {', '.join(said)}")
    label = "; ".join(told)
    return Markup('<svg class="curves" height="{}" role="img" aria-label="{}">{}</svg>').format(
        height(lines), label, Markup("").join(parts)
    )


def line_mark(place: int) -> Markup:
    """Draw a model's marker and line for a legend."""
    stroke = Markup('<line class="fall dashes-{}" x1="0" x2="26" y1="7" y2="7"/>').format(place % len(SHAPES))
    return Markup('<svg class="line-mark{}" width="26" height="14" aria-hidden="true">{}{}</svg>').format(
        hue(place), stroke, _shape("13", "7", place)
    )


def _scale_share(share: float) -> float:
    return TOP + (1 - min(1.0, max(0.0, share))) * PLOT


def _frame(axis: Axis, chance: float, lanes: int) -> Iterator[Markup]:
    bottom = TOP + PLOT + GAP + LANE * lanes
    strip = Markup('<rect class="frame" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"/>')
    yield strip.format(LEFT, TOP + PLOT + GAP, 100 - LEFT - RIGHT, LANE * lanes)
    yield text_at("scale", 0, 10, "start", "Accuracy (%)")
    yield text_at("scale", LEFT + (100 - LEFT - RIGHT) / 2, bottom + 34, "middle", axis.title)
    for share in (0.0, 0.5, 1.0):
        yield line_at("grid", LEFT, 100 - RIGHT, _scale_share(share), _scale_share(share))
        yield text_at("scale", LEFT - 3.2, _scale_share(share) + 3.5, "end", figure(share, "share"))
    yield line_at("reference", LEFT, 100 - RIGHT, _scale_share(chance), _scale_share(chance))
    for dose, words in axis.ticks:
        yield line_at("grid", axis.across(dose), axis.across(dose), TOP, bottom + 5)
        yield text_at("scale", axis.across(dose), bottom + 18, "middle", words)


def _curve(line: FittedLine, axis: Axis) -> Iterator[Markup]:
    doses = np.linspace(line.fitted.doses[0], line.fitted.doses[-1], POINTS)
    heights = np.clip(line.fitted.predict_accuracy(doses), 0.0, 1.0)
    steps = zip(100 * doses / axis.last, 100 - 100 * heights, strict=True)
    path = "L".join(f"{across:.1f} {down:.1f}" for across, down in steps)
    inner = Markup('<path class="fall dashes-{}" d="M{}"/>').format(line.place % len(SHAPES), path)
    yield Markup(
        '<svg x="{:.2f}%" y="{}" width="{:.2f}%" height="{}" viewBox="0 0 100 100" preserveAspectRatio="none" '
        'overflow="visible">{}</svg>'
    ).format(LEFT, TOP, 100 - LEFT - RIGHT, PLOT, inner)


def _points(line: FittedLine, axis: Axis, shift: float) -> Iterator[Markup]:
    for dose, point in zip(line.fitted.doses, line.fitted.accuracies, strict=True):
        at = axis.across(dose) + shift
        yield line_at("whisker", at, at, _scale_share(point.low), _scale_share(point.high))
        yield _shape(f"{at:.2f}%", f"{_scale_share(point.value):.1f}", line.place)
    for dose, limit in line.limits:
        at = axis.across(dose) + shift
        yield line_at("limit", at - APART, at + APART, _scale_share(limit), _scale_share(limit))


def _lane(line: FittedLine, axis: Axis, number: int) -> Iterator[Markup]:
    """Draw the interval of a threshold as a band. Unbounded ends become arrows."""
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


def spread_heights(heights: Sequence[float]) -> list[float]:
    """Move the heights of names as little as needed to avoid overlaps.

    >>> spread_heights([50.0, 50.0, 90.0])
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
