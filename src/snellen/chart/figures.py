"""Figures of an eye chart as inline SVG: charts as they were sent with what was read, and how reading grows with size.

Right, wrong, declined and left out differ by the frame around a letter and the sign below it, not by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from snellen.chart.charts import chart_of
from snellen.chart.result import Acuity, Letter, Mark, Point, Trial
from snellen.images import Pixels, encode
from snellen.report.figures.marks import Scale, axis_words, svg
from snellen.report.words.numbers import figure, interval, shortened
from snellen.stats import wilson

SIGNS: dict[Mark, str] = {"right": "✓", "wrong": "✗", "declined": "?", "missing": "–"}
"""What stands below a letter; behind the cross stands the letter that was said."""
BELOW = 20.0
"""Pixels below a chart for the signs of its last row."""
FRAME = 0.14
"""How far the frame is from its letter, as a share of the letter's size."""
TICKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Sizes in pixels that an axis may name; each is a step of about 0.15 in logMAR."""
STROKES = 5
"""A letter is as high as so many strokes; logMAR is log10 of the stroke in pixels."""


def logmar(size: float) -> float:
    """log10 of the stroke of a letter of that size in pixels.

    >>> logmar(5), round(logmar(50), 2)
    (0.0, 1.0)
    """
    return math.log10(size / STROKES)


def row_of_letters(trial: Trial, *, enlarged: float) -> Markup:
    """The letters of a chart, cut out of the image as it was sent and enlarged until they are so many pixels high.

    Letters that stood in several rows are laid side by side, each with the ground around it.
    """
    pixels, letters = _row_cut(trial) if len(trial.rows) == 1 else _laid_side_by_side(trial)
    return _marked(trial, pixels, letters, enlarged / trial.size, inside=False)


def whole_chart(trial: Trial, *, width: float) -> Markup:
    """A chart as it was sent, so many pixels wide; the signs stand in it."""
    return _marked(trial, as_sent(trial), trial.letters, width / trial.series.side, inside=True)


def _row_cut(trial: Trial) -> tuple[Pixels, Sequence[Letter]]:
    side, letters, margin = trial.series.side, trial.letters, max(1, trial.size // 3)
    left, top = max(0, min(each.x for each in letters) - margin), max(0, min(each.y for each in letters) - margin)
    right = min(side, max(each.x + each.size for each in letters) + margin)
    bottom = min(side, max(each.y + each.size for each in letters) + margin)
    moved = [each._replace(x=each.x - left, y=each.y - top) for each in letters]
    return as_sent(trial)[top:bottom, left:right].copy(), moved


def _laid_side_by_side(trial: Trial) -> tuple[Pixels, Sequence[Letter]]:
    margin = max(1, trial.size // 3)
    around = np.pad(as_sent(trial), margin, mode="edge")
    whole = trial.size + 2 * margin
    cuts = [around[each.y : each.y + whole, each.x : each.x + whole] for each in trial.letters]
    moved = [each._replace(x=place * whole + margin, y=margin) for place, each in enumerate(trial.letters)]
    return np.hstack(cuts), moved


def _marked(trial: Trial, pixels: Pixels, letters: Sequence[Letter], times: float, *, inside: bool) -> Markup:
    """Letters with a frame around each and its sign below it: in the image, or under it on the page's own ground."""
    height, width = (side * times for side in pixels.shape)
    marks = []
    for each in letters:
        x, y, size = each.x * times, each.y * times, each.size * times
        marks.append(_mark(each, x, y, size, (y + size * (1 + FRAME) if inside else height) + 14))
    looks = f"{'inside' if inside else 'below'}{' on-dark' if trial.series.light_on_dark else ''}"
    data = encode(pixels).base64.decode("ascii")
    return Markup(
        '<svg class="shown {0}" viewBox="0 0 {1:.1f} {2:.1f}" width="{1:.0f}" role="img" aria-label="{3}">'
        '<image width="{1:.1f}" height="{4:.1f}" image-rendering="pixelated" href="data:image/png;base64,{5}"/>'
        "{6}</svg>"
    ).format(looks, width, height + BELOW * (not inside), _in_words(trial), height, data, Markup("").join(marks))


def as_sent(trial: Trial) -> Pixels:
    """The pixels of a chart, drawn again from its record."""
    return chart_of(trial).draw()


def _mark(letter: Letter, x: float, y: float, size: float, below: float) -> Markup:
    room = size * FRAME
    sign = SIGNS[letter.mark] + (letter.said if letter.mark == "wrong" else "")
    return Markup(
        '<rect class="around {0}" x="{1:.1f}" y="{2:.1f}" width="{3:.1f}" height="{3:.1f}"/>'
        '<text class="sign {0}" x="{4:.1f}" y="{5:.1f}" text-anchor="middle">{6}</text>'
    ).format(letter.mark, x - room, y - room, size + 2 * room, x + size / 2, below, shortened(sign, 3))


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


WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT = 640.0, 270.0, 56.0, 16.0, 14.0, 46.0
"""Pixels of a curve's drawing, and of the room around its plot."""
RADIUS = (2.6, 7.0)
"""Of the dot of a size, by how many letters were shown."""


def reading_curve(acuity: Acuity, sizes: Sizes) -> Markup:
    """The share of letters read right at each size, the fitted curve with its band, and the threshold."""
    parts = [*_frame(sizes), *_fitted(acuity, sizes), *_dots(acuity.points, sizes), *_threshold(acuity, sizes)]
    said = "; ".join(f"{point.size} px: {point.right} of {point.n}" for point in acuity.points)
    return Markup(
        '<svg class="reading" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="Letters read right. {}">{}</svg>'
    ).format(WIDTH, HEIGHT, said, Markup("").join(parts)) + axis_words("Letter size in pixels; below it, logMAR")


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
        yield _text(x, _down(0) + 22, f"{tick}", "middle")
        yield _text(x, _down(0) + 39, f"{logmar(tick):.2f}".replace("-", "−"), "middle", "scale minor")


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
        title = f"{point.size} px: {point.right} of {point.n} right (95% CI {interval(share, 'share')}%)"
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
    yield Markup('<line class="ends" x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/>').format(low, high, _down(0))
    side, shift = ("end", -7) if x > WIDTH * 0.7 else ("start", 7)
    yield _text(x + shift, _down(0.5) - 6, f"{pixels(acuity.size.value)} px", side, "name")


def _text(x: float, y: float, words: str, side: str, look: str = "scale") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(look, x, y, side, words)


def pixels(size: float) -> str:
    """A size as people say it.

    >>> pixels(8.237), pixels(31.6), pixels(math.inf), pixels(0)
    ('8.2', '32', '∞', '0')
    """
    if not math.isfinite(size):
        return "∞"
    return f"{size:.0f}" if size >= 20 or size == 0 else f"{size:.1f}"
