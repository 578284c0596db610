"""Bars as SVG: accuracies, parts of a whole, and scores.

Bars with the image are filled and bars without it are hollow, so that they differ in grey, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.figures.marks import Scale, cut_bar, draw_box, draw_line, grid_lines, scale, svg
from snellen.report.figures.palette import hue
from snellen.report.words.numbers import figure, format_aloud
from snellen.stats import Estimate

HEIGHT, GAP = 15, 4


class NamedEstimate(NamedTuple):
    """An estimate with its name and the CSS class of its bar."""

    words: str
    estimate: Estimate
    look: str = "seen"


def accuracy_bars(named: Sequence[NamedEstimate], chance: float | None, place: int | None = None) -> Markup:
    """Draw accuracies as bars with intervals. The dashed line is chance."""
    ruler, parts = scale([], "share", reference=chance), []
    start, top = ruler.place(0.0), -(len(named) * (HEIGHT + GAP) - GAP) / 2
    for at, each in enumerate(named):
        y, width = top + at * (HEIGHT + GAP), ruler.place(each.estimate.value) - start
        bar = draw_box(f"bar {each.look}", start, y, max(0.0, width), HEIGHT)
        parts += [bar, _whisker(each.estimate, ruler, y + HEIGHT / 2)]
    words = ", ".join(f"{each.words} {format_aloud(each.estimate, 'share')}" for each in named)
    return svg(f"pair-bar of-{len(named)}{hue(place)}", words, [grid_lines(ruler, "100%"), _put_in_middle(parts)])


def _put_in_middle(parts: Sequence[Markup]) -> Markup:
    return Markup('<svg y="50%" overflow="visible">{}</svg>').format(Markup("").join(parts))


def _whisker(estimate: Estimate, ruler: Scale, middle: float) -> Markup:
    low, high = ruler.format_place(estimate.low), ruler.format_place(estimate.high)
    tips = (draw_line("tip", end, end, middle - 4, middle + 4) for end in (low, high))
    return Markup("").join([draw_line("whisker", low, high, middle), *tips])


def topped_bar(without: Estimate, with_image: Estimate, luck: float | None, place: int | None = None) -> Markup:
    """Draw accuracy without the image (hollow), and the gain with it (filled)."""
    ruler = scale([], "share")
    start, blind, seen = (ruler.place(value) for value in (0.0, without.value, with_image.value))
    top = "bar seen" if seen >= blind else "outcome wrong"
    parts = [draw_box("bar blind", start, -10, blind - start, 20),
             draw_box(top, min(blind, seen), -10, abs(seen - blind), 20)]  # fmt: skip
    for estimate, middle in ((without, -4), (with_image, 4)):
        parts.append(draw_line("halo", ruler.format_place(estimate.low), ruler.format_place(estimate.high), middle))
        parts.append(_whisker(estimate, ruler, middle))
    words = f"without the image {format_aloud(without, 'share')}, with it {format_aloud(with_image, 'share')}"
    drawn = [grid_lines(ruler, "100%"), _put_in_middle(parts)]
    if luck is not None:
        drawn.append(draw_line("luck", ruler.format_place(luck), ruler.format_place(luck), 0, "100%"))
    return svg(f"topped-bar{hue(place)}", words, drawn)


def thin_bar(share: float, look: str) -> Markup:
    """Draw a share of all as a thin bar."""
    frame = Markup('<rect class="frame" x="0" y="3" width="100%" height="10"/>')
    value = Markup('<rect class="thin {}" x="0" y="3" width="{:.2f}%" height="10"/>').format(look, 100 * share)
    return svg("thin-bar", figure(share, "share"), [frame, value])


class Slice(NamedTuple):
    """A part of a whole: CSS class, meaning and share."""

    look: str
    words: str
    share: float


def whole_bar(slices: Sequence[Slice], luck: float | None) -> Markup:
    """Draw a whole with its parts. A line marks chance."""
    there = [each for each in slices if each.share > 0]
    parts = cut_bar((each.look, 100 * each.share, figure(each.share, "share")) for each in there)
    if luck is not None:
        parts.append(draw_line("luck", f"{100 * luck:.2f}%", f"{100 * luck:.2f}%", -3, 29))
    words = ", ".join(f"{each.words} {figure(each.share, 'share')}" for each in there)
    return svg("outcome-bar", words, parts)


def sliver(estimate: Estimate, place: int | None = None) -> Markup:
    """Draw a score from 0 to 1 as a thin bar with its interval."""
    ruler = scale([], "score")
    start, value, end = (ruler.place(at) for at in (0.0, estimate.value, 1.0))
    frame = draw_box("frame", start, 2, end - start, 8)
    bar = draw_box("bar seen", start, 2, max(0.0, value - start), 8)
    return svg(f"sliver{hue(place)}", format_aloud(estimate, "score"), [frame, bar, _whisker(estimate, ruler, 6)])
