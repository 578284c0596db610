"""Marks as inline SVG: one mark or bar per row of a table, so that the numbers stand beside the image.

Positions are percentages, so that a figure fits any width without its text or marks being squeezed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from snellen.report.evidence.reply_kinds import ReplyKind
from snellen.report.figures.palette import hue, shape
from snellen.report.words.numbers import begun, end, figure, spoken
from snellen.stats import Estimate

MARGIN = 3.0
"""Percent of the width left free at either end, for the labels of the axis."""
_PATTERN = '<pattern id="{}" width="{}" height="{}" patternUnits="userSpaceOnUse"{}>{}</pattern>'
_GROUND = '<rect class="ground" width="{}" height="{}"/>'
PATTERNS = {
    name: Markup(_PATTERN.format(name, width, height, turned, _GROUND.format(width, height) + ink))  # noqa: S704 - ours
    for name, width, height, turned, ink in (
        ("hatch", 6, 6, ' patternTransform="rotate(45)"', '<line class="ink" x1="0" x2="0" y1="0" y2="6"/>'),
        ("spots", 6, 6, "", '<circle class="ink" cx="3" cy="3" r="1.2"/>'),
        ("cross", 7, 7, "", '<path class="ink" d="M0 3.5H7M3.5 0V7"/>'),
        ("rungs", 6, 5, "", '<path class="ink" d="M0 2.5H6"/>'),
        ("posts", 5, 6, "", '<path class="ink" d="M2.5 0V6"/>'),
        ("bricks", 10, 8, "", '<path class="ink" d="M0 4H10M0 0H10M5 0V4M0 4V8"/>'),
        ("waves", 8, 6, "", '<path class="ink" d="M0 4Q2 1 4 4T8 4"/>'),
    )
}
"""The patterns of outcomes, by the id that `style/marks.css` calls them."""


@dataclass(frozen=True)
class Scale:
    """The range a forest plot shows, its ticks, the line that its values are held against, and what people score."""

    low: float
    high: float
    ticks: tuple[float, ...]
    unit: str
    reference: float | None = None
    people: float | None = None
    limits: tuple[float, ...] = ()
    """Where verdicts divide; drawn as the reference is."""

    def place(self, value: float) -> float:
        """Where a value stands, in percent of the width; what lies outside stands at the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return MARGIN + share * (100 - 2 * MARGIN)

    def at(self, value: float) -> str:
        """The same place as a figure has it."""
        return f"{self.place(value):.2f}%"


def scale(
    estimates: Iterable[Estimate],
    unit: str,
    *,
    reference: float | None = None,
    people: float | None = None,
    limits: tuple[float, ...] = (),
) -> Scale:
    """A range with round ticks that holds all intervals and limits; shares and scores always run from none to all.

    >>> scale([Estimate(-0.3, -0.37, -0.2, 90, "wilson")], "points", reference=0.0).ticks
    (-0.4, -0.3, -0.2, -0.1, 0.0)
    """
    if unit in ("share", "score", "hundred"):
        return Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), unit, reference, people, limits)
    ends = [value for each in estimates for value in (each.low, each.high, each.value) if math.isfinite(value)]
    if unit == "signal":
        return Scale(min([0.0, *ends]), 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), unit, reference, limits=limits)
    if unit == "change":
        # nothing loses more than all; how much one may gain has no end
        ends = [0.0, *(min(max(value, -1.0), 1.0) for value in ends)]
    if unit == "ratio":
        # from none to all at least, and never so far that one odd number leaves no room for the others
        ends = [0.0, 1.0, *(min(max(value, -0.5), 2.0) for value in ends)]
    ends += [*limits, *([] if reference is None else [reference])]
    step = _step(max(ends, default=1.0) - min(ends, default=0.0))
    first, last = math.floor(min(ends, default=0.0) / step), math.ceil(max(ends, default=1.0) / step)
    last = max(last, first + 1)
    ticks = tuple(round(n * step, 12) for n in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks, unit, reference, limits=limits)


def _step(width: float) -> float:
    """A round distance that divides the width into at most four or five parts."""
    if width < 1e-6:  # all the same, but for rounding
        return 0.1
    power = 10.0 ** math.floor(math.log10(width / 4))
    return next(power * part for part in (1, 2, 5, 10) if width / (power * part) <= 4.5)


def forest_mark(estimate: Estimate, scale: Scale, place: int | None = None) -> Markup:
    """An estimate as the mark of its model on its interval; an end beyond the range becomes an arrow."""
    parts = [grid_lines(scale, "100%")]
    low, high = (value if math.isfinite(value) else math.copysign(math.inf, sign)
                 for value, sign in ((estimate.low, -1), (estimate.high, 1)))  # fmt: skip
    parts.append(draw_line("whisker", scale.at(low), scale.at(high), "50%"))
    for value in (low, high):
        beyond = "M-5 -4L0 0L-5 4" if value > scale.high else "M5 -4L0 0L5 4"
        end = "M0 -4V4" if scale.low <= value <= scale.high else beyond
        parts.append(at_point(scale.at(value), "50%", end, "tip"))
    if math.isfinite(estimate.value):
        parts.append(at_point(scale.at(estimate.value), "50%", shape(place), "dot"))
    return svg(f"forest-mark{hue(place)}", spoken(estimate, scale.unit), parts)


def draw_line(look: str, x1: str, x2: str, y1: object, y2: object = None) -> Markup:
    """A straight line; a level one needs no second height."""
    drawing = Markup('<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>')
    return drawing.format(look, x1, x2, y1, y1 if y2 is None else y2)


def line_at(look: str, x1: float, x2: float, y1: float, y2: float) -> Markup:
    """A straight line from and to so many percent of the width and pixels of the height."""
    return draw_line(look, f"{x1:.2f}%", f"{x2:.2f}%", f"{y1:.1f}", f"{y2:.1f}")


def text_at(look: str, x: float, y: float, side: str, words: str) -> Markup:
    """Words at so many percent of the width and pixels of the height."""
    text = Markup('<text class="{}" x="{:.2f}%" y="{:.1f}" text-anchor="{}">{}</text>')
    return text.format(look, x, y, side, words)


def draw_box(look: str, x: float, y: object, width: float, height: object) -> Markup:
    """A part of a bar, from and over so many percent of the width."""
    box = Markup('<rect class="{}" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"/>')
    return box.format(look, x, y, width, height)


def at_point(x: str, y: str, outline: str, look: str) -> Markup:
    """An outline around a point, of the same size however wide the figure is."""
    return Markup('<svg x="{}" y="{}" overflow="visible"><path class="{}" d="{}"/></svg>').format(x, y, look, outline)


AXIS_UNITS = {
    "share": "%",
    "ratio": "%",
    "change": "%",
    "points": "percentage points",
    "variance": "percentage points",
    "score": "0 to 1",
    "signal": "0 to 1",
    "hundred": "of 100",
    "dose": "0 is none",
}


def axis_title(words: str, unit: str) -> str:
    """What an axis shows, and in which unit.

    >>> axis_title("accuracy", "share"), axis_title("change in accuracy", "points"), axis_title("Cohen's d", "number")
    ('Accuracy (%)', 'Change in accuracy (percentage points)', "Cohen's d")
    """
    return begun(words) + (f" ({AXIS_UNITS[unit]})" if unit in AXIS_UNITS else "")


def titled_axis(scale: Scale, title: str) -> Markup:
    """The axis of a figure on the page, with its title below it."""
    return forest_axis(scale) + axis_words(title)


def axis_words(title: str) -> Markup:
    """The title of an axis on the page; it breaks where there is no room for it."""
    return Markup('<span class="axis-title">{}</span>').format(title)


def share_axis() -> Markup:
    """The axis of bars that fill the whole width: from none of the responses to all of them."""
    parts = []
    for tick in (0, 25, 50, 75, 100):
        side = "start" if tick == 0 else "end" if tick == 100 else "middle"
        parts.append(draw_line("grid", f"{tick}%", f"{tick}%", 0, 6))
        look = ' class="minor"' if tick in (25, 75) else ""
        parts.append(Markup(f'<text{look} x="{tick}%" y="19" text-anchor="{side}">{tick}%</text>'))  # noqa: S704 - ours
    return svg("forest-axis", "", parts)


def forest_axis(scale: Scale) -> Markup:
    """The ticks of a forest plot and their labels."""
    parts = [grid_lines(scale, "6")]
    for tick in scale.ticks:
        label = end(tick, scale.unit) + ("%" if scale.unit in ("share", "ratio", "change") else "")
        parts.append(Markup('<text x="{}" y="19" text-anchor="middle">{}</text>').format(scale.at(tick), label))
    if scale.people is None:
        return svg("forest-axis", "", parts)
    side = "start" if scale.people < scale.low + 0.15 else "end" if scale.people > scale.high - 0.15 else "middle"
    words = f"people: {figure(scale.people, scale.unit)}"
    parts.append(Markup('<text class="people" x="{}" y="37" text-anchor="{}">{}</text>').format(
        scale.at(scale.people), side, words))  # fmt: skip
    return svg("forest-axis two-lines", words, parts)


@lru_cache
def grid_lines(scale: Scale, bottom: str) -> Markup:
    """The ticks as lines down to `bottom`, and the lines that values are held against."""
    lines = [("grid", tick, bottom) for tick in scale.ticks]
    lines += [("reference", each, bottom) for each in (scale.reference, *scale.limits) if each is not None]
    lines += [] if scale.people is None else [("people", scale.people, "25" if bottom == "6" else bottom)]
    return Markup("").join(draw_line(look, scale.at(at), scale.at(at), "0", end) for look, at, end in lines)


def kind_bar(counts: Mapping[ReplyKind, int], labels: Sequence[str] | None = None) -> Markup:
    """All responses of an arm as one bar, cut by their kind; widths add up to all responses.

    `labels` are the shares in words, empty for a part without a label; otherwise each is rounded by itself.
    """
    total = sum(counts.values())
    if labels is None:
        labels = [figure(number / total, "share") if number else "" for number in counts.values()]
    parts = [(kind.name, 100 * number / total, label)
             for (kind, number), label in zip(counts.items(), labels, strict=True) if number]  # fmt: skip
    return svg("outcome-bar", kinds_in_words(counts), cut_bar(parts))


def cut_bar(parts: Iterable[tuple[str, float, str]]) -> list[Markup]:
    """The parts of a bar one after the other: the look of each, its percent of the width, and its label."""
    box = Markup('<rect class="outcome {}" x="{:.3f}%" y="2" width="{:.3f}%" height="22"/>')
    drawn, left = [], 0.0
    for look, width, label in parts:
        drawn += [box.format(look, left, width), share_label(left, width, label)]
        left += width
    return drawn


NAMED, CRAMPED = 13.0, 20.0
"""Percent of a bar from which on a part has its share written in it, and from which on also where bars are short."""


def share_label(left: float, width: float, label: str) -> Markup:
    """The share of a part of a bar, written in its middle; nothing where there is no room."""
    if width < NAMED or not label:
        return Markup("")
    look = "share minor" if width < CRAMPED else "share"
    return Markup('<text class="{}" x="{:.3f}%" y="17.5" text-anchor="middle">{}</text>').format(
        look, left + width / 2, label
    )


def kinds_in_words(counts: Mapping[ReplyKind, int]) -> str:
    """The counts of a bar, most frequent first."""
    ordered = sorted((each for each in counts.items() if each[1]), key=lambda each: -each[1])
    return ", ".join(f"{kind.words} {number:,}" for kind, number in ordered) or "no responses"


def swatch(look: str) -> Markup:
    """A patch of the colour and pattern that an outcome or a bar has, for the legend."""
    patch = Markup('<rect class="{}" x="1" y="1" width="16" height="12"/>').format(look)
    return svg("swatch", "", [patch])


def svg(name: str, label: str, parts: Sequence[Markup]) -> Markup:
    """A figure of these parts; `label` is read out to those who do not see it, and without one it is decoration."""
    spoken = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    return Markup('<svg class="{}" {}>{}</svg>').format(name, spoken, Markup("").join(parts))


CURVE_STEPS = 120
"""A curve over more items than this is drawn through evenly spaced ones."""


def share_curve(shares: Sequence[float], label: str) -> Markup:
    """The items side by side, from the one that is right most often to the one that is least often: a falling stair."""
    steps = min(len(shares), CURVE_STEPS)
    drawn = [shares[n * len(shares) // steps] for n in range(steps)]
    path = "".join(f"H{100 * n / steps:.2f}V{100 - 100 * share:.1f}H{100 * (n + 1) / steps:.2f}"
                   for n, share in enumerate(drawn))  # fmt: skip
    stair = Markup('<path class="stair" d="M0 100{}V100Z"/>').format(path)
    spoken = Markup('role="img" aria-label="{}"').format(label)
    return Markup('<svg class="share-curve" viewBox="0 0 100 100" preserveAspectRatio="none" {}>{}</svg>').format(
        spoken, stair
    )


STAIRS = 138
"""Pixels of a stair with its axes."""


def stair_panel(shares: Sequence[float], label: str) -> Markup:
    """The same stair with titles and labels on its axes, for a figure of its own."""
    text = Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>')
    line = Markup('<line class="grid" x1="17%" x2="100%" y1="{0}" y2="{0}"/>')
    parts = [text.format("axis-name", 0, 10, "start", "Share of runs right (%)")]
    for share in (0, 50, 100):
        down = 104 - 0.8 * share
        parts += [line.format(down), text.format("scale", "15%", down + 4, "end", f"{share}%")]
    parts.append(text.format("axis-name", "58%", 126, "middle", "Items, most often right first"))
    stair = str(share_curve(shares, label)).replace("<svg", '<svg x="17%" y="24" width="83%" height="80"', 1)
    drawn = str(svg("panel", label, [*parts, Markup(stair)]))  # noqa: S704 - drawn by us
    return Markup(drawn.replace("<svg", f'<svg height="{STAIRS}"', 1))  # noqa: S704 - drawn by us
