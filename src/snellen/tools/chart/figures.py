"""Figures of an eye chart as inline SVG: the chart to one scale, letters as they were sent, the share read by size.

Right, wrong, declined and left out differ by the sign below a letter, not by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.images import Pixels, encode
from snellen.report.figures.graph import Graph, draw_svg, draw_text
from snellen.report.figures.layout import SMALL, wrapped
from snellen.report.figures.marks import Scale, axis_words, grid_lines, svg
from snellen.report.words.numbers import shortened, with_interval
from snellen.stats import wilson
from snellen.tools.chart.charts import chart_of
from snellen.tools.chart.result import Acuity, Letter, Mark, Point, Trial

SIGNS: dict[Mark, str] = {"right": "✓", "wrong": "✗", "declined": "?", "missing": "–"}
"""What stands below a letter; behind the cross stands the letter that was said."""
TICKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Sizes in pixels that an axis may name; each is a step of about 0.15 in logMAR."""
MOST_TICKS = 8
"""More names than this would overlap on the narrowest drawing."""
STROKES = 5
"""A letter is as high as so many strokes; logMAR is log10 of the stroke in pixels."""
SHEET, LETTERS, ENLARGED, TALLY = 430.0, (58.0, 240.0), (248.0, 374.0), 424.0
"""Width of the drawing of a chart; where its letters stand, the same enlarged, and where its last column ends."""
IN_A_LINE, WIDTH_OF_FIVE = 5, 180.0
"""Enlarged letters that stand side by side, and how wide they are in a drawing of their own."""
SIGN, BETWEEN, LINE = 13.0, 5.0, 19.0
"""Height of a sign below a letter, of the gap between rows, and of a line across with its words."""
AROUND = 0.25
"""How much of the ground around a letter is shown with it, as a share of its size."""


class ChartRow(NamedTuple):
    """A row of a chart: the first chart of a size, and what was read of all letters of that size."""

    trial: Trial
    point: Point


class ReadingLine(NamedTuple):
    """A line across a chart: a threshold in pixels, and its words; that of the examined model is bold."""

    size: float
    words: str
    own: bool = False


def logmar(size: float) -> float:
    """log10 of the stroke of a letter of that size in pixels.

    >>> logmar(5), round(logmar(50), 2)
    (0.0, 1.0)
    """
    return math.log10(size / STROKES)


def draw_chart(rows: Sequence[ChartRow], lines: Sequence[ReadingLine]) -> Markup:
    """A chart as it is printed: every row to one scale, largest first, with lines across at thresholds.

    Beside a row stand its letters enlarged, so that the pixels that were sent can be seen, with what was read.
    """
    most = max((len(_cut(row.trial)) * _room(row.trial) for row in rows), default=1.0)
    times = (LETTERS[1] - LETTERS[0]) / most
    heads = ((8.0, "start", "size"), (sum(LETTERS) / 2, "middle", "to one scale"),
             (sum(ENLARGED) / 2, "middle", "enlarged, as read"), (TALLY, "end", "right"))  # fmt: skip
    parts = [draw_text(x, 16, words, side, "small") for x, side, words in heads]
    y = 26.0
    steps: list[ChartRow | ReadingLine] = [*rows, *lines]
    for step in sorted(steps, key=lambda step: (-_size(step), isinstance(step, ReadingLine))):
        drawn, y = _draw_line(step, y) if isinstance(step, ReadingLine) else _draw_row(step, y, times)
        parts += drawn
    spoken = "; ".join([*(_in_words(row.trial) for row in rows), *(line.words for line in lines)])
    return draw_svg("eye-chart", (SHEET, y + BETWEEN), spoken, parts)


def _size(step: ChartRow | ReadingLine) -> float:
    return step.size if isinstance(step, ReadingLine) else step.trial.size


def _draw_line(line: ReadingLine, y: float) -> tuple[list[Markup], float]:
    [words] = wrapped(line.words, SHEET - 16, SMALL, 1)
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
    """The letters of a chart, enlarged, with what was read."""
    parts, below = _draw_enlarged(trial, (0.0, WIDTH_OF_FIVE), BETWEEN)
    return draw_svg("eye-chart letters", (WIDTH_OF_FIVE, below + BETWEEN), _in_words(trial), parts)


def _draw_enlarged(trial: Trial, between: tuple[float, float], y: float) -> tuple[list[Markup], float]:
    """Letters of one height, a few to a line, with a sign below each; also where they end."""
    step = (between[1] - between[0]) / IN_A_LINE
    side, left = 0.75 * step, sum(between) / 2 - step * min(len(trial.letters), IN_A_LINE) / 2
    parts = []
    for at, (letter, cut) in enumerate(zip(trial.letters, _cut(trial), strict=True)):
        x, top = left + step * (at % IN_A_LINE + 0.5), y + (side + SIGN) * (at // IN_A_LINE)
        parts += [_image(cut, x - side / 2, top, side), _sign(letter, x, top + side + SIGN - 4)]
    return parts, y + (side + SIGN) * math.ceil(len(trial.letters) / IN_A_LINE)


def _room(trial: Trial) -> int:
    """Pixels of a letter with the ground that is shown around it."""
    return trial.size + 2 * max(1, round(trial.size * AROUND))


def _cut(trial: Trial) -> list[Pixels]:
    """The letters of a chart, each cut out of the image as it was sent, with the ground around it."""
    room = _room(trial)
    padded = np.pad(as_sent(trial), (room - trial.size) // 2, mode="edge")
    return [padded[each.y : each.y + room, each.x : each.x + room] for each in trial.letters]


def draw_whole(trial: Trial, width: float = 300.0) -> Markup:
    """A chart as it was sent, with a sign below each letter."""
    times = width / trial.series.side
    signs = [_sign(each, (each.x + each.size / 2) * times, (each.y + each.size) * times + 14) for each in trial.letters]
    return draw_svg("eye-chart whole", (width, width), _in_words(trial), [_image(as_sent(trial), 0, 0, width), *signs])


def as_sent(trial: Trial) -> Pixels:
    """The pixels of a chart, drawn again from its record."""
    return chart_of(trial).draw()


def _image(pixels: Pixels, x: float, y: float, side: float, look: str = "pixels") -> Markup:
    return Markup(
        '<image class="{4}" x="{0:.1f}" y="{1:.1f}" width="{2:.1f}" height="{2:.1f}" href="data:image/png;base64,{3}"/>'
    ).format(x, y, side, encode(pixels).base64.decode("ascii"), look)


def _sign(letter: Letter, x: float, y: float) -> Markup:
    sign = SIGNS[letter.mark] + (letter.said if letter.mark == "wrong" else "")
    return draw_text(x, y, shortened(sign, 3), "middle", f"sign {letter.mark}")


def _in_words(trial: Trial) -> str:
    read = {"right": "right", "wrong": "read as {}", "declined": "said to be unreadable", "missing": "left out"}
    said = (f"{each.letter} {read[each.mark].format(each.said or 'another')}" for each in trial.letters)
    return f"{trial.size} px: {', '.join(said)}"


def find_scale(acuities: Iterable[Acuity]) -> Scale:
    """The logMAR scale of all figures of a page, from below the smallest size asked to above the largest."""
    sizes = [point.size for each in acuities for point in each.points] or [4, 64]
    low, high = max(1.0, min(sizes) / 1.15), max(max(sizes) * 1.15, min(sizes) * 2)
    ticks = [logmar(tick) for tick in TICKS if low <= tick <= high]
    return Scale(logmar(low), logmar(high), tuple(ticks[:: math.ceil(len(ticks) / MOST_TICKS) or 1]), "number")


def name_ticks(span: Scale) -> tuple[str, ...]:
    """The ticks of such a scale in pixels."""
    return tuple(f"{STROKES * 10**tick:.0f}" for tick in span.ticks)


def draw_axis(span: Scale) -> Markup:
    """The axis of thresholds, its ticks named in pixels."""
    parts = [grid_lines(span, "6")]
    for tick, words in zip(span.ticks, name_ticks(span), strict=True):
        parts.append(Markup('<text x="{}" y="19" text-anchor="middle">{}</text>').format(span.at(tick), words))
    return svg("forest-axis", "", parts) + axis_words("Letter size at the threshold (pixels, logarithmic)")


def _share(size: float, span: Scale) -> float:
    """Where a size stands, from 0 to 1; a size outside stands at the edge."""
    inside = min(max(logmar(size), span.low), span.high) if size > 0 else span.low
    return (inside - span.low) / (span.high - span.low)


HEIGHT = 240.0
"""Pixels of the drawing of a curve."""
RADIUS = (2.6, 7.0)
"""Of the dot of a size, by how many letters were shown."""


def draw_reading(acuity: Acuity, span: Scale) -> Markup:
    """The share of letters read right at each size, the fitted curve with its band, and the threshold."""
    ticks = tuple(
        (_share(STROKES * 10**tick, span), words) for tick, words in zip(span.ticks, name_ticks(span), strict=True)
    )
    graph = Graph(HEIGHT, ticks, "Letter size (pixels, logarithmic)")
    parts = [*_fitted(graph, acuity, span), *_dots(graph, acuity.points, span), *_threshold(graph, acuity, span)]
    said = "; ".join(f"{point.size} px: {point.right} of {point.n}" for point in acuity.points)
    return graph.draw(f"Letters read right. {said}", parts, " model-0")


def _fitted(graph: Graph, acuity: Acuity, span: Scale) -> Iterator[Markup]:
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
            graph.across(place), graph.down(share.value), radius, title
        )


def _threshold(graph: Graph, acuity: Acuity, span: Scale) -> Iterator[Markup]:
    """A dashed line at the threshold, its interval on the axis, and its size where no dot can stand.

    Few letters are read left of the threshold, so that the space above is empty there, and right of it the space below.
    """
    if acuity.size is not None:
        place, low, high = (_share(each, span) for each in (acuity.size.value, acuity.size.low, acuity.size.high))
        yield graph.line("reference", (place, 0), (place, 1))
        yield graph.line("handle", (low, 0), (high, 0))
        side, shift, down = ("end", -7, 0.9) if place > 0.3 else ("start", 7, 0.06)
        words = f"{acuity.size.value:.1f} px"
        yield draw_text(graph.across(place) + shift, graph.down(down), words, side, "heading")
