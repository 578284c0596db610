"""Marks as SVG: one marker or bar per table row.

Positions are percentages, so that a drawing fits any width without distorted text or markers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from snellen.report.evidence.reply_kinds import ReplyKind
from snellen.report.figures.palette import hue, shape
from snellen.report.words.numbers import begun, end, figure, format_aloud
from snellen.stats import Estimate

MARGIN = 3.0
"""Percent of the width left free at both ends, for the labels of the axis."""
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
"""Fill patterns of outcomes, by their id in `style/marks.css`."""


@dataclass(frozen=True)
class Scale:
    """Range of a forest plot, with ticks, reference line and human accuracy."""

    low: float
    high: float
    ticks: tuple[float, ...]
    unit: str
    reference: float | None = None
    people: float | None = None
    limits: tuple[float, ...] = ()
    """Limits of verdicts; drawn like the reference line."""

    def place(self, value: float) -> float:
        """Return the position of a value in percent of the width, limited to the range."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return MARGIN + share * (100 - 2 * MARGIN)

    def format_place(self, value: float) -> str:
        """Return the position of a value as SVG has it."""
        return f"{self.place(value):.2f}%"


def scale(
    estimates: Iterable[Estimate],
    unit: str,
    *,
    reference: float | None = None,
    people: float | None = None,
    limits: tuple[float, ...] = (),
) -> Scale:
    """Choose a range for all intervals and limits. Shares run from 0 to 1.

    >>> scale([Estimate(-0.3, -0.37, -0.2, 90, "wilson")], "points", reference=0.0).ticks
    (-0.4, -0.3, -0.2, -0.1, 0.0)
    """
    if unit in ("share", "score", "hundred"):
        return Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), unit, reference, people, limits)
    ends = [value for each in estimates for value in (each.low, each.high, each.value) if math.isfinite(value)]
    if unit == "signal":
        return Scale(min([0.0, *ends]), 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), unit, reference, limits=limits)
    if unit == "change":
        # a loss is at most −100%, but a gain has no limit
        ends = [0.0, *(min(max(value, -1.0), 1.0) for value in ends)]
    if unit == "ratio":
        # at least from 0 to 1, and limited so that one extreme number does not squeeze the others
        ends = [0.0, 1.0, *(min(max(value, -0.5), 2.0) for value in ends)]
    ends += [*limits, *([] if reference is None else [reference])]
    step = _step(max(ends, default=1.0) - min(ends, default=0.0))
    first, last = math.floor(min(ends, default=0.0) / step), math.ceil(max(ends, default=1.0) / step)
    last = max(last, first + 1)
    ticks = tuple(round(n * step, 12) for n in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks, unit, reference, limits=limits)


def _step(width: float) -> float:
    """A round distance that divides the width into at most four or five parts."""
    if width < 1e-6:  # all equal, except for rounding
        return 0.1
    power = 10.0 ** math.floor(math.log10(width / 4))
    return next(power * part for part in (1, 2, 5, 10) if width / (power * part) <= 4.5)


def forest_mark(estimate: Estimate, scale: Scale, place: int | None = None) -> Markup:
    """Draw an estimate with its interval. Ends beyond the range are arrows."""
    parts = [grid_lines(scale, "100%")]
    low, high = (value if math.isfinite(value) else math.copysign(math.inf, sign)
                 for value, sign in ((estimate.low, -1), (estimate.high, 1)))  # fmt: skip
    parts.append(draw_line("whisker", scale.format_place(low), scale.format_place(high), "50%"))
    for value in (low, high):
        beyond = "M-5 -4L0 0L-5 4" if value > scale.high else "M5 -4L0 0L5 4"
        end = "M0 -4V4" if scale.low <= value <= scale.high else beyond
        parts.append(at_point(scale.format_place(value), "50%", end, "tip"))
    if math.isfinite(estimate.value):
        parts.append(at_point(scale.format_place(estimate.value), "50%", shape(place), "dot"))
    return svg(f"forest-mark{hue(place)}", format_aloud(estimate, scale.unit), parts)


def draw_line(look: str, x1: str, x2: str, y1: object, y2: object = None) -> Markup:
    """Draw a straight line. A horizontal line needs only `y1`."""
    drawing = Markup('<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>')
    return drawing.format(look, x1, x2, y1, y1 if y2 is None else y2)


def line_at(look: str, x1: float, x2: float, y1: float, y2: float) -> Markup:
    """Draw a straight line: x in percent of the width, y in pixels."""
    return draw_line(look, f"{x1:.2f}%", f"{x2:.2f}%", f"{y1:.1f}", f"{y2:.1f}")


def text_at(look: str, x: float, y: float, side: str, words: str) -> Markup:
    """Draw words at a point: x in percent of the width, y in pixels."""
    text = Markup('<text class="{}" x="{:.2f}%" y="{:.1f}" text-anchor="{}">{}</text>')
    return text.format(look, x, y, side, words)


def draw_box(look: str, x: float, y: object, width: float, height: object) -> Markup:
    """Draw a part of a bar: x and width in percent."""
    box = Markup('<rect class="{}" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"/>')
    return box.format(look, x, y, width, height)


def at_point(x: str, y: str, outline: str, look: str) -> Markup:
    """Draw an outline around a point, with a size independent of the figure's width."""
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
    """Return the title of an axis with its unit.

    >>> axis_title("accuracy", "share"), axis_title("change in accuracy", "points"), axis_title("Cohen's d", "number")
    ('Accuracy (%)', 'Change in accuracy (percentage points)', "Cohen's d")
    """
    return begun(words) + (f" ({AXIS_UNITS[unit]})" if unit in AXIS_UNITS else "")


def titled_axis(scale: Scale, title: str) -> Markup:
    """Draw the axis of a figure on the page, with its title below."""
    return forest_axis(scale) + axis_words(title)


def axis_words(title: str) -> Markup:
    """Draw the title of an axis, which may wrap."""
    return Markup('<span class="axis-title">{}</span>').format(title)


def share_axis() -> Markup:
    """Draw the axis of full-width bars, from 0% to 100% of responses."""
    parts = []
    for tick in (0, 25, 50, 75, 100):
        side = "start" if tick == 0 else "end" if tick == 100 else "middle"
        parts.append(draw_line("grid", f"{tick}%", f"{tick}%", 0, 6))
        look = ' class="minor"' if tick in (25, 75) else ""
        parts.append(Markup(f'<text{look} x="{tick}%" y="19" text-anchor="{side}">{tick}%</text>'))  # noqa: S704 - ours
    return svg("forest-axis", "", parts)


def forest_axis(scale: Scale) -> Markup:
    """Draw the ticks of a forest plot with labels."""
    parts = [grid_lines(scale, "6")]
    for tick in scale.ticks:
        label = end(tick, scale.unit) + ("%" if scale.unit in ("share", "ratio", "change") else "")
        parts.append(
            Markup('<text x="{}" y="19" text-anchor="middle">{}</text>').format(scale.format_place(tick), label)
        )
    if scale.people is None:
        return svg("forest-axis", "", parts)
    side = "start" if scale.people < scale.low + 0.15 else "end" if scale.people > scale.high - 0.15 else "middle"
    words = f"people: {figure(scale.people, scale.unit)}"
    parts.append(Markup('<text class="people" x="{}" y="37" text-anchor="{}">{}</text>').format(
        scale.format_place(scale.people), side, words))  # fmt: skip
    return svg("forest-axis two-lines", words, parts)


@lru_cache
def grid_lines(scale: Scale, bottom: str) -> Markup:
    """Draw the ticks as lines down to `bottom`, and the reference lines."""
    lines = [("grid", tick, bottom) for tick in scale.ticks]
    lines += [("reference", each, bottom) for each in (scale.reference, *scale.limits) if each is not None]
    lines += [] if scale.people is None else [("people", scale.people, "25" if bottom == "6" else bottom)]
    return Markup("").join(
        draw_line(look, scale.format_place(at), scale.format_place(at), "0", end) for look, at, end in lines
    )


def kind_bar(counts: Mapping[ReplyKind, int], labels: Sequence[str] | None = None) -> Markup:
    """Draw a condition's responses as a bar by kind.

    `labels` are the shares in words, "" for a part without a label. By default each share is rounded by itself.
    """
    total = sum(counts.values())
    if labels is None:
        labels = [figure(number / total, "share") if number else "" for number in counts.values()]
    parts = [(kind.name, 100 * number / total, label)
             for (kind, number), label in zip(counts.items(), labels, strict=True) if number]  # fmt: skip
    return svg("outcome-bar", kinds_in_words(counts), cut_bar(parts))


def cut_bar(parts: Iterable[tuple[str, float, str]]) -> list[Markup]:
    """Draw the parts of a bar, each with CSS class, percentage and label."""
    box = Markup('<rect class="outcome {}" x="{:.3f}%" y="2" width="{:.3f}%" height="22"/>')
    text = Markup('<text class="share{}" x="{:.3f}%" y="17.5" text-anchor="middle">{}</text>')
    drawn, left = [], 0.0
    for look, width, label in parts:
        drawn.append(box.format(look, left, width))
        if label and width >= NAMED:
            minor = " minor" if width < CRAMPED else ""
            drawn.append(text.format(minor, left + width / 2, label))
        left += width
    return drawn


NAMED, CRAMPED = 13.0, 20.0
"""Smallest percentages at which parts show their share: in wide bars; in narrow ones, too."""


def kinds_in_words(counts: Mapping[ReplyKind, int]) -> str:
    """List the counts of a bar in words, most frequent first."""
    ordered = sorted((each for each in counts.items() if each[1]), key=lambda each: -each[1])
    return ", ".join(f"{kind.words} {number:,}" for kind, number in ordered) or "no responses"


def swatch(look: str) -> Markup:
    """Draw a colour patch of an outcome or bar for legends."""
    patch = Markup('<rect class="{}" x="1" y="1" width="16" height="12"/>').format(look)
    return svg("swatch", "", [patch])


def svg(name: str, label: str, parts: Sequence[Markup]) -> Markup:
    """Wrap parts as an SVG. Screen readers read `label`."""
    spoken = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    return Markup('<svg class="{}" {}>{}</svg>').format(name, spoken, Markup("").join(parts))


CURVE_STEPS = 120
"""Maximum number of items through which a curve is drawn. Of more items, evenly spaced ones are used."""


def share_curve(shares: Sequence[float], label: str) -> Markup:
    """Draw items as falling steps, ordered by their share of correct responses."""
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
"""Height in pixels of the steps with axes."""


def stair_panel(shares: Sequence[float], label: str) -> Markup:
    """Draw the steps with titles and axes, as a separate figure."""
    text = Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>')
    line = Markup('<line class="grid" x1="17%" x2="100%" y1="{0}" y2="{0}"/>')
    parts = [text.format("axis-name", 0, 10, "start", "Share of correct runs (%)")]
    for share in (0, 50, 100):
        down = 104 - 0.8 * share
        parts += [line.format(down), text.format("scale", "15%", down + 4, "end", f"{share}%")]
    parts.append(text.format("axis-name", "58%", 126, "middle", "Items, most often right first"))
    stair = str(share_curve(shares, label)).replace("<svg", '<svg x="17%" y="24" width="83%" height="80"', 1)
    drawn = str(svg("panel", label, [*parts, Markup(stair)]))  # noqa: S704 - drawn by us
    return Markup(drawn.replace("<svg", f'<svg height="{STAIRS}"', 1))  # noqa: S704 - drawn by us
