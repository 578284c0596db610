"""The page of an eye chart: the sentence, the chart with what was read, the curve, contrast, corners, every reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.chart.figures import (
    SIGNS,
    Sizes,
    common_sizes,
    logmar,
    reading_curve,
    row_of_letters,
    threshold_axis,
    threshold_scale,
    whole_chart,
)
from snellen.chart.result import Acuity, ChartResult, Invention, Mark, Point, Shrinking, Trial
from snellen.chart.sentences import in_logmar, pixels, times
from snellen.report.evidence.reply_kinds import ReplyKind
from snellen.report.figures.marks import PATTERNS, forest_mark, kind_bar, kinds_in_words, scale, swatch, titled_axis
from snellen.report.sheet import policy, styles, templates
from snellen.report.words.numbers import begun, p_value, shortened
from snellen.runtime import counted
from snellen.stats import Estimate

STYLES = ("tokens", "page", "figures", "marks", "chart", "narrow", "print")
MEANT: dict[Mark, str] = {
    "right": "read right",
    "wrong": "another letter was said: the one behind the cross",
    "declined": "said to be unreadable",
    "missing": "left out of the reply",
}
KINDS: dict[Mark, ReplyKind] = {
    "right": ReplyKind("correct", "right"),
    "wrong": ReplyKind("wrong", "another letter said"),
    "declined": ReplyKind("abstained", "said to be unreadable"),
    "missing": ReplyKind("unparsed", "left out"),
}
OUTCOMES = ("answered", "refused", "no image", "cut off", "failed")
LARGEST, SMALLEST, EXAMPLE = 46.0, 24.0, 30.0
"""Pixels on the page of the letters in the first and in the last row of the chart, and in an example."""
CORNERS = 300.0
"""Pixels on the page of a chart of the corners."""
MOST_ROWS = 14
LONGEST_REPLY = 160


class ChartRow(NamedTuple):
    """The first chart of a size, and what was read of all letters of that size."""

    size: int
    logmar: float
    picture: Markup
    point: Point


class Measured(NamedTuple):
    """A series: its threshold on the axis of all, in words, its curve, and a chart near its threshold."""

    acuity: Acuity
    mark: Markup | None
    curve: Markup
    example: Markup | None


class ReadAtSize(NamedTuple):
    """What became of all letters of one size, as a bar and in words."""

    size: int
    bar: Markup
    said: str
    n: int


class ShrinkingMark(NamedTuple):
    """The ratio of two thresholds, against 1."""

    mark: Markup
    axis: Markup


def render(result: ChartResult) -> str:
    """The whole page."""
    style = styles(STYLES)
    environment = templates()
    environment.filters.update(shortened=shortened, begun=begun, p=p_value, px=pixels, times=times, logmar=in_logmar)
    acuities = () if result.acuity is None else (result.acuity, *result.others)
    sizes = common_sizes(acuities)
    corner_trial = next((each for each in result.trials if _answered(each, "corners")), None)
    return environment.get_template("snellen.chart:page.html.jinja").render(
        style=style,
        policy=policy(style, ""),
        patterns=tuple(PATTERNS.values()),
        result=result,
        counted=counted,
        chart=tuple(_chart(result)),
        signs=SIGNS,
        meant=MEANT,
        measured=[_measured(each, sizes, result.trials) for each in acuities],
        axis=threshold_axis(sizes),
        corners=[result.corners[start : start + 3] for start in range(0, len(result.corners), 3)],
        corner_picture=whole_chart(corner_trial, width=CORNERS) if corner_trial and result.corners else None,
        at_sizes=() if result.invention is None else tuple(_at_sizes(result.invention)),
        kinds=[(kind.words, swatch(f"outcome {kind.name}")) for kind in KINDS.values()],
        shrinking=None if result.shrinking is None else _shrinking(result.shrinking),
        tally=[(each, number) for each in OUTCOMES if (number := sum(t.outcome == each for t in result.trials))],
        longest_reply=LONGEST_REPLY,
    )


def _answered(trial: Trial, series: str) -> bool:
    return trial.series.name == series and trial.outcome == "answered"


def _chart(result: ChartResult) -> Iterator[ChartRow]:
    """The first chart of each size in the first series, the largest at the top."""
    if result.acuity is None:
        return
    first: dict[int, Trial] = {}
    for trial in result.trials:
        if _answered(trial, result.acuity.series.name):
            first.setdefault(trial.size, trial)
    points = {point.size: point for point in result.acuity.points}
    shown = _spread(sorted(first.keys() & points.keys(), reverse=True))
    for row, size in enumerate(shown):
        enlarged = LARGEST + (SMALLEST - LARGEST) * row / max(1, len(shown) - 1)
        yield ChartRow(size, logmar(size), row_of_letters(first[size], enlarged=enlarged), points[size])


def _spread(sizes: Sequence[int]) -> list[int]:
    """As many sizes as the picture has rows, the first and the last among them.

    >>> _spread(range(40))[:3], len(_spread(range(40)))
    ([0, 3, 6], 14)
    """
    last = len(sizes) - 1
    rows = min(len(sizes), MOST_ROWS)
    return [sizes[round(row * last / (MOST_ROWS - 1))] for row in range(rows)] if last >= MOST_ROWS else list(sizes)


def _measured(acuity: Acuity, sizes: Sizes, trials: Sequence[Trial]) -> Measured:
    mark = None if acuity.logmar is None else forest_mark(acuity.logmar, threshold_scale(sizes), 0)
    near = _near(acuity, trials)
    example = None if near is None else row_of_letters(near, enlarged=EXAMPLE)
    return Measured(acuity, mark, reading_curve(acuity, sizes), example)


def _near(acuity: Acuity, trials: Sequence[Trial]) -> Trial | None:
    """The chart of a series whose letters are nearest in size to the threshold; without one, its smallest."""
    own = [trial for trial in trials if _answered(trial, acuity.series.name)]
    at = 0.0 if acuity.size is None else acuity.size.value
    return min(own, key=lambda trial: abs(trial.size - at), default=None)


def _at_sizes(invention: Invention) -> Iterator[ReadAtSize]:
    for point in invention.points:
        counts = {kind: int(getattr(point, mark)) for mark, kind in KINDS.items()}
        yield ReadAtSize(point.size, kind_bar(counts), kinds_in_words(counts), point.n)


def _shrinking(shrinking: Shrinking) -> ShrinkingMark:
    ratio = shrinking.ratio
    across = scale([ratio, Estimate(0.0, 0.0, 0.0, 0, "")], "number", reference=1.0)
    title = f"Threshold in the image of {shrinking.large_side} px over that in the image of {shrinking.small_side} px"
    return ShrinkingMark(forest_mark(ratio, across, 0), titled_axis(across, title))
