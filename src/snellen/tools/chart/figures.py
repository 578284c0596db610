"""Figures of an eye chart as inline SVG.

A sign below each letter shows without colour whether it was read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.images import Pixels, encode
from snellen.report.figures.graph import Graph, draw_svg, draw_text
from snellen.report.figures.layout import SMALL, wrap_text
from snellen.report.figures.marks import Scale, axis_words, grid_lines, svg
from snellen.report.words.numbers import shorten_text, with_interval
from snellen.stats import wilson
from snellen.tools.chart.charts import chart_of
from snellen.tools.chart.result import STROKES, Acuity, Letter, Mark, Point, Trial

SIGNS: dict[Mark, str] = {"right": "✓", "wrong": "✗", "declined": "?", "missing": "–"}
"""Sign below a letter; the cross is followed by the letter that the model named."""
TICKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Letter sizes in pixels that an axis may show, about 0.15 logMAR apart."""
MOST_TICKS = 8
"""Maximum number of ticks that do not overlap on the narrowest figure."""
SHEET, LETTERS, ENLARGED, TALLY = 430.0, (58.0, 240.0), (248.0, 374.0), 424.0
"""Figure width, x range of letters, x range of enlarged letters, and right end of the last column, in pixels."""
IN_A_LINE, WIDTH_OF_FIVE = 5, 180.0
"""Enlarged letters per line, and the width of their own figure."""
SIGN, BETWEEN, LINE = 13.0, 5.0, 19.0
"""Heights of the sign below a letter, the gap between rows, and a threshold line with its label."""
AROUND = 0.25
"""Margin shown around a letter, as a share of its size."""


class ChartRow(NamedTuple):
    """A row of the chart's figure: the first trial of a size, and the counts of all its letters."""

    trial: Trial
    point: Point

    @property
    def size(self) -> float:
        """Letter size in pixels."""
        return self.trial.size


class ReadingLine(NamedTuple):
    """A line across the chart at a threshold in pixels, with its label.

    `own` marks the examined model's threshold.
    """

    size: float
    words: str
    own: bool = False


def logmar(size: float) -> float:
    """Return the logMAR of a letter size: log10 of its stroke in pixels.

    >>> logmar(5), round(logmar(50), 2)
    (0.0, 1.0)
    """
    return math.log10(size / STROKES)


def draw_chart(rows: Sequence[ChartRow], lines: Sequence[ReadingLine]) -> Markup:
    """Draw a printed chart: rows at one scale, with lines at thresholds.

    Next to each row, its letters are enlarged to show the pixels as sent, with what the model read.
    """
    most = max((len(_cut(row.trial)) * _room(row.trial) for row in rows), default=1.0)
    times = (LETTERS[1] - LETTERS[0]) / most
    heads = ((8.0, "start", "size"), (sum(LETTERS) / 2, "middle", "true to scale"),
             (sum(ENLARGED) / 2, "middle", "enlarged"), (TALLY, "end", "all charts"))  # fmt: skip
    parts = [draw_text(x, 16, words, side, "small") for x, side, words in heads]
    y = 26.0
    steps: list[ChartRow | ReadingLine] = [*rows, *lines]
    for step in sorted(steps, key=lambda step: (-step.size, isinstance(step, ReadingLine))):
        drawn, y = _draw_line(step, y) if isinstance(step, ReadingLine) else _draw_row(step, y, times)
        parts += drawn
    spoken = "; ".join([*(_in_words(row.trial) for row in rows), *(line.words for line in lines)])
    return draw_svg("eye-chart", (SHEET, y + BETWEEN), spoken, parts)


def _draw_line(line: ReadingLine, y: float) -> tuple[list[Markup], float]:
    [words] = wrap_text(line.words, SHEET - 16, SMALL, 1)
    across = Markup('<line class="{}" x1="0" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
        "whisker" if line.own else "reference", SHEET, y + LINE - 3, y + LINE - 3
    )
    return [draw_text(8, y + 12, words, "start", "heading" if line.own else "small"), across], y + LINE + BETWEEN


def _draw_row(row: ChartRow, y: float, times: float) -> tuple[list[Markup], float]:
    trial, cuts = row.trial, _cut(row.trial)
    _, high = _draw_enlarged(trial, ENLARGED, 0.0)
    tall = max(_room(trial) * times, high)
    enlarged, _ = _draw_enlarged(trial, ENLARGED, y + (tall - high) / 2)
    side, left = _room(trial) * times, sum(LETTERS) / 2 - len(cuts) * _room(trial) * times / 2
    letters = [_image(cut, left + at * side, y + (tall - side) / 2, side, "print") for at, cut in enumerate(cuts)]
    middle = y + tall / 2 + 4
    tally = draw_text(TALLY, middle, f"{row.point.right} of {row.point.n}", "end", "small")
    return [draw_text(8, middle, f"{trial.size} px", "start", "label"), *letters, *enlarged, tally], y + tall + BETWEEN


def draw_letters(trial: Trial) -> Markup:
    """Draw the letters of a chart enlarged, with what the model read."""
    parts, below = _draw_enlarged(trial, (0.0, WIDTH_OF_FIVE), BETWEEN)
    return draw_svg("eye-chart letters", (WIDTH_OF_FIVE, below + BETWEEN), _in_words(trial), parts)


def _draw_enlarged(trial: Trial, between: tuple[float, float], y: float) -> tuple[list[Markup], float]:
    """Draw enlarged letters with a sign below each; return also the y where they end."""
    step = (between[1] - between[0]) / IN_A_LINE
    side, left = 0.75 * step, sum(between) / 2 - step * min(len(trial.letters), IN_A_LINE) / 2
    parts = []
    for at, (letter, cut) in enumerate(zip(trial.letters, _cut(trial), strict=True)):
        x, top = left + step * (at % IN_A_LINE + 0.5), y + (side + SIGN) * (at // IN_A_LINE)
        parts += [_image(cut, x - side / 2, top, side), _sign(letter, x, top + side + SIGN - 4)]
    return parts, y + (side + SIGN) * math.ceil(len(trial.letters) / IN_A_LINE)


def _room(trial: Trial) -> int:
    """Return the width of a letter with its margin, in pixels."""
    return trial.size + 2 * max(1, round(trial.size * AROUND))


def _cut(trial: Trial) -> list[Pixels]:
    """Cut each letter out of the chart's image as sent."""
    room = _room(trial)
    padded = np.pad(as_sent(trial), (room - trial.size) // 2, mode="edge")
    return [padded[each.y : each.y + room, each.x : each.x + room] for each in trial.letters]


def draw_whole(trial: Trial, width: float = 300.0) -> Markup:
    """Draw a whole chart as sent, with a sign below each letter."""
    times = width / trial.series.side
    signs = [_sign(each, (each.x + each.size / 2) * times, (each.y + each.size) * times + 14) for each in trial.letters]
    return draw_svg("eye-chart whole", (width, width), _in_words(trial), [_image(as_sent(trial), 0, 0, width), *signs])


def as_sent(trial: Trial) -> Pixels:
    """Return the pixels of a chart, drawn again from its record."""
    return chart_of(trial).draw()


def _image(pixels: Pixels, x: float, y: float, side: float, look: str = "pixels") -> Markup:
    return Markup(
        '<image class="{4}" x="{0:.1f}" y="{1:.1f}" width="{2:.1f}" height="{2:.1f}" href="data:image/png;base64,{3}"/>'
    ).format(x, y, side, encode(pixels).base64.decode("ascii"), look)


def _sign(letter: Letter, x: float, y: float) -> Markup:
    sign = SIGNS[letter.mark] + (letter.said if letter.mark == "wrong" else "")
    return draw_text(x, y, shorten_text(sign, 3), "middle", f"sign {letter.mark}")


def _in_words(trial: Trial) -> str:
    read = {"right": "right", "wrong": "read as {}", "declined": "reported as unreadable", "missing": "left out"}
    letters = (f"{each.letter} {read[each.mark].format(each.said or 'another')}" for each in trial.letters)
    return f"{trial.size} px: {', '.join(letters)}"


def find_scale(acuities: Iterable[Acuity]) -> Scale:
    """Return the logMAR axis that all figures of a page share."""
    sizes = [point.size for each in acuities for point in each.points] or [4, 64]
    low, high = max(1.0, min(sizes) / 1.15), max(max(sizes) * 1.15, min(sizes) * 2)
    ticks = [logmar(tick) for tick in TICKS if low <= tick <= high]
    return Scale(logmar(low), logmar(high), tuple(ticks[:: math.ceil(len(ticks) / MOST_TICKS) or 1]), "number")


def _name_tick(tick: float) -> str:
    """Name a tick of a logMAR axis in pixels."""
    return f"{STROKES * 10**tick:.0f}"


def draw_axis(span: Scale) -> Markup:
    """Draw the axis of thresholds, with ticks in pixels."""
    text = Markup('<text x="{}" y="19" text-anchor="middle">{}</text>')
    names = (text.format(span.format_place(tick), _name_tick(tick)) for tick in span.ticks)
    axis = svg("forest-axis", "", [grid_lines(span, "6"), *names])
    return axis + axis_words("Letter size at the threshold (pixels, logarithmic)")


def _share(size: float, span: Scale) -> float:
    """Return a size's position on the axis, from 0 to 1, clipped."""
    inside = min(max(logmar(size), span.low), span.high) if size > 0 else span.low
    return (inside - span.low) / (span.high - span.low)


HEIGHT = 240.0
"""Height of a curve's figure in pixels."""
RADIUS = (2.6, 7.0)
"""Smallest and largest radius of a size's dot; its area grows with the number of letters."""


def draw_reading(acuity: Acuity, span: Scale) -> Markup:
    """Draw the share of letters read at each size, the fitted curve, and the threshold."""
    ticks = tuple((_share(STROKES * 10**tick, span), _name_tick(tick)) for tick in span.ticks)
    graph = Graph(HEIGHT, ticks, "Letter size (pixels, logarithmic)")
    parts = [*_draw_fit(graph, acuity, span), *_dots(graph, acuity.points, span), *_threshold(graph, acuity, span)]
    counts = "; ".join(f"{point.size} px: {point.right} of {point.n}" for point in acuity.points)
    return graph.draw(f"Letters read right. {counts}", parts, " model-0")


def _draw_fit(graph: Graph, acuity: Acuity, span: Scale) -> Iterator[Markup]:
    inside = [(_share(each.size, span), each) for each in acuity.drawn if span.low <= logmar(each.size) <= span.high]
    if inside:
        lower = [(place, each.low) for place, each in reversed(inside)]
        yield graph.path("band", [*((place, each.high) for place, each in inside), *lower])
        yield graph.path("fall", [(place, each.value) for place, each in inside])


def _dots(graph: Graph, points: Sequence[Point], span: Scale) -> Iterator[Markup]:
    most = max((point.n for point in points), default=1)
    for point in points:
        share, place = wilson(point.right, point.n), _share(point.size, span)
        radius = RADIUS[0] + (RADIUS[1] - RADIUS[0]) * math.sqrt(point.n / most)
        title = f"{point.size} px: {point.right} of {point.n} right, {with_interval(share, 'share')}"
        yield graph.line("whisker", (place, share.low), (place, share.high))
        yield Markup('<circle class="point" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"><title>{}</title></circle>').format(
            graph.across(place), graph.scale_share(share.value), radius, title
        )


def _threshold(graph: Graph, acuity: Acuity, span: Scale) -> Iterator[Markup]:
    """Draw a dashed line at the threshold, with its interval and size.

    The label is placed where the curve leaves space: left of the line at the top, or right of it at the bottom.
    """
    if acuity.size is not None:
        place, low, high = (_share(each, span) for each in (acuity.size.value, acuity.size.low, acuity.size.high))
        yield graph.line("reference", (place, 0), (place, 1))
        yield graph.line("handle", (low, 0), (high, 0))
        side, shift, down = ("end", -7, 0.9) if place > 0.3 else ("start", 7, 0.06)
        words = f"{acuity.size.value:.1f} px"
        yield draw_text(graph.across(place) + shift, graph.scale_share(down), words, side, "heading")
