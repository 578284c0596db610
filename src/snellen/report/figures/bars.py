"""Bars as inline SVG: two accuracies one above the other, what a whole is made of, and a score as a sliver.

With the image a bar is filled, without it hollow, so that the images say the same in grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.figures.marks import Scale, grid_lines, scale, share_label, svg
from snellen.report.figures.palette import hue
from snellen.report.words.numbers import figure, interval
from snellen.stats import Estimate

HEIGHT, GAP = 15, 4


class Named(NamedTuple):
    """An estimate, what it is of, and how its bar looks."""

    words: str
    estimate: Estimate
    look: str = "seen"


def accuracy_bars(named: Sequence[Named], chance: float | None, place: int | None = None) -> Markup:
    """Accuracies as bars from 0 to 100%, one above the other, each with its interval; the dashed line is luck."""
    ruler = scale([], "share", reference=chance)
    top = -(len(named) * (HEIGHT + GAP) - GAP) / 2
    bars = [part for number, each in enumerate(named) for part in _bar(each, ruler, top + number * (HEIGHT + GAP))]
    middle = Markup('<svg y="50%" overflow="visible">{}</svg>').format(Markup("").join(bars))
    parts = [grid_lines(ruler, "100%"), middle]
    words = ", ".join(f"{each.words} {_in_words(each.estimate, 'share')}" for each in named)
    return svg(f"pair-bar of-{len(named)}{hue(place)}", words, parts)


def _bar(named: Named, ruler: Scale, top: float) -> list[Markup]:
    start, value = ruler.place(0.0), ruler.place(named.estimate.value)
    bar = Markup('<rect class="bar {}" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"/>').format(
        named.look, start, top, max(0.0, value - start), HEIGHT
    )
    return [bar, _whisker(named.estimate, ruler, top + HEIGHT / 2)]


def _whisker(estimate: Estimate, ruler: Scale, middle: float) -> Markup:
    line = Markup('<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>')
    low, high = ruler.at(estimate.low), ruler.at(estimate.high)
    drawn = [line.format("whisker", low, high, middle, middle)]
    drawn += [line.format("tip", end, end, middle - 4, middle + 4) for end in (low, high)]
    return Markup("").join(drawn)


def _in_words(estimate: Estimate, kind: str) -> str:
    return f"{figure(estimate.value, kind)}, 95% CI {interval(estimate, kind)}"


def topped_bar(without: Estimate, with_image: Estimate, luck: float | None, place: int | None = None) -> Markup:
    """Accuracy without the image, hollow, and what the image adds on top, filled; what it takes away is hatched."""
    ruler = scale([], "share")
    ends = [ruler.place(value) for value in (0.0, without.value, with_image.value)]
    bar = Markup('<rect class="{}" x="{:.2f}%" y="-10" width="{:.2f}%" height="20"/>')
    top = "bar seen" if ends[2] >= ends[1] else "outcome wrong"
    parts = [
        bar.format("bar blind", ends[0], ends[1] - ends[0]),
        bar.format(top, min(ends[1:]), abs(ends[2] - ends[1])),
    ]
    for estimate, middle in ((without, -4), (with_image, 4)):
        halo = Markup('<line class="halo" x1="{}" x2="{}" y1="{}" y2="{}"/>')
        parts.append(halo.format(ruler.at(estimate.low), ruler.at(estimate.high), middle, middle))
        parts.append(_whisker(estimate, ruler, middle))
    words = f"without the image {_in_words(without, 'share')}, with it {_in_words(with_image, 'share')}"
    drawn = [
        grid_lines(ruler, "100%"),
        Markup('<svg y="50%" overflow="visible">{}</svg>').format(Markup("").join(parts)),
    ]
    if luck is not None:
        drawn.append(Markup('<line class="luck" x1="{0}" x2="{0}" y1="0" y2="100%"/>').format(ruler.at(luck)))
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
    parts, left = [], 0.0
    for each in slices:
        width = 100 * max(0.0, each.share)
        if width <= 0:
            continue
        parts.append(Markup('<rect class="outcome {}" x="{:.3f}%" y="2" width="{:.3f}%" height="22"/>').format(
            each.look, left, width))  # fmt: skip
        parts.append(share_label(left, width, figure(each.share, "share")))
        left += width
    if luck is not None:
        parts.append(Markup('<line class="luck" x1="{0:.2f}%" x2="{0:.2f}%" y1="-3" y2="29"/>').format(100 * luck))
    words = ", ".join(f"{each.words} {figure(each.share, 'share')}" for each in slices if each.share > 0)
    return svg("outcome-bar", words, parts)


def sliver(estimate: Estimate, place: int | None = None) -> Markup:
    """A score from 0 to 1 as a thin bar with its interval."""
    ruler = scale([], "score")
    frame = Markup('<rect class="frame" x="{:.2f}%" y="2" width="{:.2f}%" height="8"/>').format(
        ruler.place(0.0), ruler.place(1.0) - ruler.place(0.0)
    )
    value = Markup('<rect class="bar seen" x="{:.2f}%" y="2" width="{:.2f}%" height="8"/>').format(
        ruler.place(0.0), max(0.0, ruler.place(estimate.value) - ruler.place(0.0))
    )
    return svg(f"sliver{hue(place)}", _in_words(estimate, "score"), [frame, value, _whisker(estimate, ruler, 6)])
