"""Bars as inline SVG: two accuracies one above the other, what a whole is made of, and a score as a sliver.

With the image a bar is filled, without it hollow, so that the images say the same in grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.figures.marks import Scale, cut_bar, draw_box, draw_line, grid_lines, scale, svg
from snellen.report.figures.palette import hue
from snellen.report.words.numbers import figure, spoken
from snellen.stats import Estimate

HEIGHT, GAP = 15, 4


class Named(NamedTuple):
    """An estimate, what it is of, and how its bar looks."""

    words: str
    estimate: Estimate
    look: str = "seen"


def accuracy_bars(named: Sequence[Named], chance: float | None, place: int | None = None) -> Markup:
    """Accuracies as bars from 0 to 100%, one above the other, each with its interval; the dashed line is luck."""
    ruler, parts = scale([], "share", reference=chance), []
    start, top = ruler.place(0.0), -(len(named) * (HEIGHT + GAP) - GAP) / 2
    for at, each in enumerate(named):
        y, width = top + at * (HEIGHT + GAP), ruler.place(each.estimate.value) - start
        bar = draw_box(f"bar {each.look}", start, y, max(0.0, width), HEIGHT)
        parts += [bar, _whisker(each.estimate, ruler, y + HEIGHT / 2)]
    words = ", ".join(f"{each.words} {spoken(each.estimate, 'share')}" for each in named)
    return svg(f"pair-bar of-{len(named)}{hue(place)}", words, [grid_lines(ruler, "100%"), _put_in_middle(parts)])


def _put_in_middle(parts: Sequence[Markup]) -> Markup:
    return Markup('<svg y="50%" overflow="visible">{}</svg>').format(Markup("").join(parts))


def _whisker(estimate: Estimate, ruler: Scale, middle: float) -> Markup:
    low, high = ruler.at(estimate.low), ruler.at(estimate.high)
    tips = (draw_line("tip", end, end, middle - 4, middle + 4) for end in (low, high))
    return Markup("").join([draw_line("whisker", low, high, middle), *tips])


def topped_bar(without: Estimate, with_image: Estimate, luck: float | None, place: int | None = None) -> Markup:
    """Accuracy without the image, hollow, and what the image adds on top, filled; what it takes away is hatched."""
    ruler = scale([], "share")
    start, blind, seen = (ruler.place(value) for value in (0.0, without.value, with_image.value))
    top = "bar seen" if seen >= blind else "outcome wrong"
    parts = [draw_box("bar blind", start, -10, blind - start, 20),
             draw_box(top, min(blind, seen), -10, abs(seen - blind), 20)]  # fmt: skip
    for estimate, middle in ((without, -4), (with_image, 4)):
        parts.append(draw_line("halo", ruler.at(estimate.low), ruler.at(estimate.high), middle))
        parts.append(_whisker(estimate, ruler, middle))
    words = f"without the image {spoken(without, 'share')}, with it {spoken(with_image, 'share')}"
    drawn = [grid_lines(ruler, "100%"), _put_in_middle(parts)]
    if luck is not None:
        drawn.append(draw_line("luck", ruler.at(luck), ruler.at(luck), 0, "100%"))
    return svg(f"topped-bar{hue(place)}", words, drawn)


def thin_bar(share: float, look: str) -> Markup:
    """A share of all as a thin bar."""
    frame = Markup('<rect class="frame" x="0" y="3" width="100%" height="10"/>')
    value = Markup('<rect class="thin {}" x="0" y="3" width="{:.2f}%" height="10"/>').format(look, 100 * share)
    return svg("thin-bar", figure(share, "share"), [frame, value])


class Slice(NamedTuple):
    """A part of a whole: its class on the page, what it is, and how much of the whole."""

    look: str
    words: str
    share: float


def whole_bar(slices: Sequence[Slice], luck: float | None) -> Markup:
    """A whole cut into its parts; the mark is how far the first of them would go by chance."""
    there = [each for each in slices if each.share > 0]
    parts = cut_bar((each.look, 100 * each.share, figure(each.share, "share")) for each in there)
    if luck is not None:
        parts.append(draw_line("luck", f"{100 * luck:.2f}%", f"{100 * luck:.2f}%", -3, 29))
    words = ", ".join(f"{each.words} {figure(each.share, 'share')}" for each in there)
    return svg("outcome-bar", words, parts)


def sliver(estimate: Estimate, place: int | None = None) -> Markup:
    """A score from 0 to 1 as a thin bar with its interval."""
    ruler = scale([], "score")
    start, value, end = (ruler.place(at) for at in (0.0, estimate.value, 1.0))
    frame = draw_box("frame", start, 2, end - start, 8)
    bar = draw_box("bar seen", start, 2, max(0.0, value - start), 8)
    return svg(f"sliver{hue(place)}", spoken(estimate, "score"), [frame, bar, _whisker(estimate, ruler, 6)])
