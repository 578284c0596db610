"""Figures of an eye chart as inline SVG: the chart to one scale, letters as they were sent, the share read by size.

Right, wrong, declined and left out differ by the sign below a letter, not by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.chart.charts import chart_of
from snellen.chart.result import Acuity, Letter, Mark, Point, Trial
from snellen.images import Pixels, encode
from snellen.report.figures.layout import SMALL, wrapped
from snellen.report.figures.marks import Scale, axis_words, svg
from snellen.report.words.numbers import figure, interval, shortened
from snellen.stats import wilson

SIGNS: dict[Mark, str] = {"right": "✓", "wrong": "✗", "declined": "?", "missing": "–"}
"""What stands below a letter; behind the cross stands the letter that was said."""
TICKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Sizes in pixels that an axis may name; each is a step of about 0.15 in logMAR."""
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
    parts = [_text(x, 16, words, side, "small") for x, side, words in heads]
    y = 26.0
    steps: list[ChartRow | ReadingLine] = [*rows, *lines]
    for step in sorted(steps, key=lambda step: (-_size(step), isinstance(step, ReadingLine))):
        drawn, y = _draw_line(step, y) if isinstance(step, ReadingLine) else _draw_row(step, y, times)
        parts += drawn
    spoken = "; ".join([*(_in_words(row.trial) for row in rows), *(line.words for line in lines)])
    return _svg("eye-chart", SHEET, y + BETWEEN, spoken, parts)


def _size(step: ChartRow | ReadingLine) -> float:
    return step.size if isinstance(step, ReadingLine) else step.trial.size


def _draw_line(line: ReadingLine, y: float) -> tuple[list[Markup], float]:
    [words] = wrapped(line.words, SHEET - 16, SMALL, 1)
    across = Markup('<line class="{}" x1="0" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
        "whisker" if line.own else "reference", SHEET, y + LINE - 3, y + LINE - 3
    )
    return [_text(8, y + 12, words, "start", "heading" if line.own else "small"), across], y + LINE + BETWEEN


def _draw_row(row: ChartRow, y: float, times: float) -> tuple[list[Markup], float]:
    trial, cuts = row.trial, _cut(row.trial)
    _, high = _draw_enlarged(trial, ENLARGED, 0.0)
    tall = max(_room(trial) * times, high)
    enlarged, _ = _draw_enlarged(trial, ENLARGED, y + (tall - high) / 2)
    side, left = _room(trial) * times, sum(LETTERS) / 2 - len(cuts) * _room(trial) * times / 2
    letters = [_image(cut, left + at * side, y + (tall - side) / 2, side, "print") for at, cut in enumerate(cuts)]
    middle = y + tall / 2 + 4
    tally = _text(TALLY, middle, f"{row.point.right} of {row.point.n}", "end", "small")
    return [_text(8, middle, f"{trial.size} px", "start", "label"), *letters, *enlarged, tally], y + tall + BETWEEN


def draw_letters(trial: Trial) -> Markup:
    """The letters of a chart, enlarged, with what was read."""
    parts, below = _draw_enlarged(trial, (0.0, WIDTH_OF_FIVE), BETWEEN)
    return _svg("eye-chart letters", WIDTH_OF_FIVE, below + BETWEEN, _in_words(trial), parts)


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
    return _svg("eye-chart whole", width, width, _in_words(trial), [_image(as_sent(trial), 0, 0, width), *signs])


def as_sent(trial: Trial) -> Pixels:
    """The pixels of a chart, drawn again from its record."""
    return chart_of(trial).draw()


def _image(pixels: Pixels, x: float, y: float, side: float, look: str = "pixels") -> Markup:
    return Markup(
        '<image class="{4}" x="{0:.1f}" y="{1:.1f}" width="{2:.1f}" height="{2:.1f}" href="data:image/png;base64,{3}"/>'
    ).format(x, y, side, encode(pixels).base64.decode("ascii"), look)


def _sign(letter: Letter, x: float, y: float) -> Markup:
    sign = SIGNS[letter.mark] + (letter.said if letter.mark == "wrong" else "")
    return _text(x, y, shortened(sign, 3), "middle", f"sign {letter.mark}")


def _svg(look: str, width: float, height: float, spoken: str, parts: Iterable[Markup]) -> Markup:
    return Markup('<svg class="{}" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">{}</svg>').format(
        look, width, height, spoken, Markup("").join(parts)
    )


def _in_words(trial: Trial) -> str:
    read = {"right": "right", "wrong": "read as {}", "declined": "said to be unreadable", "missing": "left out"}
    said = (f"{each.letter} {read[each.mark].format(each.said or 'another')}" for each in trial.letters)
    return f"{trial.size} px: {', '.join(said)}"


@dataclass(frozen=True)
class Sizes:
    """The sizes in pixels that all figures of a page have in common, on a logarithmic axis."""

    low: float
    high: float

    @property
    def ticks(self) -> tuple[int, ...]:
        """The sizes that the axis names."""
        return tuple(tick for tick in TICKS if self.low <= tick <= self.high)

    def share(self, size: float) -> float:
        """Where a size stands, from 0 to 1; what lies outside stands at the edge."""
        inside = min(max(size, self.low), self.high)
        return math.log(inside / self.low) / math.log(self.high / self.low)


def common_sizes(acuities: Iterable[Acuity]) -> Sizes:
    """From just below the smallest size asked to just above the largest."""
    sizes = [point.size for each in acuities for point in each.points] or [4, 64]
    return Sizes(max(1.0, min(sizes) / 1.15), max(max(sizes) * 1.15, min(sizes) * 2))


def threshold_scale(sizes: Sizes) -> Scale:
    """The same axis for marks of thresholds, in logMAR."""
    return Scale(logmar(sizes.low), logmar(sizes.high), tuple(map(logmar, sizes.ticks)), "number")


def threshold_axis(sizes: Sizes) -> Markup:
    """Its ticks, named in pixels."""
    across = threshold_scale(sizes)
    parts = []
    for tick in sizes.ticks:
        x = across.at(logmar(tick))
        parts.append(Markup('<line class="grid" x1="{0}" x2="{0}" y1="0" y2="6"/>').format(x))
        parts.append(Markup('<text x="{}" y="19" text-anchor="middle">{}</text>').format(x, tick))
    return svg("forest-axis", "", parts) + axis_words("Letter size at the threshold (pixels, logarithmic)")


WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT = 430.0, 246.0, 44.0, 10.0, 12.0, 58.0
"""Pixels of a curve's drawing, and of the room around its plot."""
RADIUS = (2.6, 7.0)
"""Of the dot of a size, by how many letters were shown."""


def draw_reading(acuity: Acuity, sizes: Sizes) -> Markup:
    """The share of letters read right at each size, the fitted curve with its band, and the threshold."""
    parts = [*_frame(sizes), *_fitted(acuity, sizes), *_dots(acuity.points, sizes), *_threshold(acuity, sizes)]
    said = "; ".join(f"{point.size} px: {point.right} of {point.n}" for point in acuity.points)
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "Letter size in pixels; below it, logMAR", "middle"))
    return _svg("curves graph model-0", WIDTH, HEIGHT, f"Letters read right. {said}", parts)


def _across(size: float, sizes: Sizes) -> float:
    return LEFT + sizes.share(size) * (WIDTH - LEFT - RIGHT)


def _down(share: float) -> float:
    return TOP + (1 - min(max(share, 0.0), 1.0)) * (HEIGHT - TOP - FOOT)


def _frame(sizes: Sizes) -> Iterator[Markup]:
    line = Markup('<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>')
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield line.format(LEFT, WIDTH - RIGHT, _down(share), _down(share))
        yield _text(LEFT - 8, _down(share) + 4, figure(share, "share"), "end")
    for tick in sizes.ticks:
        x = _across(tick, sizes)
        yield line.format(x, x, _down(0), _down(0) + 5)
        yield _text(x, _down(0) + 18, f"{tick}", "middle")
        yield _text(x, _down(0) + 33, f"{logmar(tick):.2f}".replace("-", "−"), "middle")


def _fitted(acuity: Acuity, sizes: Sizes) -> Iterator[Markup]:
    if not acuity.drawn:
        return
    inside = [each for each in acuity.drawn if sizes.low <= each.size <= sizes.high]
    upper = [(_across(each.size, sizes), _down(each.high)) for each in inside]
    lower = [(_across(each.size, sizes), _down(each.low)) for each in reversed(inside)]
    line = [(_across(each.size, sizes), _down(each.value)) for each in inside]
    yield Markup('<path class="band" d="M{}Z"/><path class="fall" d="M{}"/>').format(_path(upper + lower), _path(line))


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _dots(points: Sequence[Point], sizes: Sizes) -> Iterator[Markup]:
    most = max((point.n for point in points), default=1)
    for point in points:
        share = wilson(point.right, point.n)
        x = _across(point.size, sizes)
        radius = RADIUS[0] + (RADIUS[1] - RADIUS[0]) * math.sqrt(point.n / most)
        title = f"{point.size} px: {point.right} of {point.n} right ({interval(share, 'share')}%)"
        yield Markup(
            '<line class="whisker" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>'
            '<circle class="point" cx="{0:.1f}" cy="{3:.1f}" r="{4:.1f}"><title>{5}</title></circle>'
        ).format(x, _down(share.low), _down(share.high), _down(share.value), radius, title)


def _threshold(acuity: Acuity, sizes: Sizes) -> Iterator[Markup]:
    """A dashed line at the threshold, and its interval on the axis."""
    if acuity.size is None:
        return
    x, low, high = (_across(each, sizes) for each in (acuity.size.value, acuity.size.low, acuity.size.high))
    yield Markup('<line class="reference" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>').format(
        x, _down(1), _down(0)
    )
    yield Markup('<line class="handle" x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/>').format(
        low, high, _down(0)
    )
    side, shift = ("end", -7) if x > WIDTH * 0.7 else ("start", 7)
    yield _text(x + shift, _down(0.5) - 6, f"{acuity.size.value:.1f} px", side, "heading")


def _text(x: float, y: float, words: str, side: str, look: str = "scale") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(look, x, y, side, words)
