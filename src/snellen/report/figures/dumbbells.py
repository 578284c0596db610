"""Dumbbells as SVG: two shares of the same items on one line, with different shapes."""

from __future__ import annotations

from markupsafe import Markup

from snellen.report.figures.marks import Scale, at_point, draw_line, grid_lines, scale, svg
from snellen.report.figures.palette import hue
from snellen.report.words.numbers import figure, format_aloud
from snellen.stats import Estimate

CIRCLE = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z"
DIAMOND = "M0 -6L6 0L0 6L-6 0Z"
WORDS = ("untold", "told to guess")


def dumbbell(first: Estimate, second: Estimate, place: int | None = None) -> Markup:
    """Draw two shares, as a hollow circle and a filled diamond joined by a line."""
    ruler = scale([], "share")
    ends = ruler.format_place(first.value), ruler.format_place(second.value)
    parts = [grid_lines(ruler, "100%"), draw_line("handle", *ends, "50%")]
    parts += [_mark(ends[0], CIRCLE, "blind"), _mark(ends[1], DIAMOND, "seen")]
    values = zip(WORDS, (first, second), strict=True)
    label = ", ".join(f"{words} {figure(each.value, 'share')}" for words, each in values)
    return svg(f"forest-mark{hue(place)}", label, parts)


def with_without(
    seen: Estimate,
    blind: Estimate,
    scale: Scale,
    place: int | None = None,
    words: tuple[str, str] = ("with the image", "without"),
) -> Markup:
    """Draw two shares with intervals: the first filled and above, the second hollow."""
    parts = [grid_lines(scale, "100%")]
    parts.append(
        draw_line("handle thin", scale.format_place(seen.value), scale.format_place(blind.value), "30%", "70%")
    )
    dot = Markup('<circle class="shape {}" cx="{}" cy="{}" r="4.5"/>')
    for estimate, height, look in ((seen, "30%", "seen"), (blind, "70%", "blind")):
        parts.append(draw_line("whisker", scale.format_place(estimate.low), scale.format_place(estimate.high), height))
        parts.append(dot.format(look, scale.format_place(estimate.value), height))
    label = f"{words[0]} {format_aloud(seen, 'share')}; {words[1]} {format_aloud(blind, 'share')}"
    return svg(f"with-without{hue(place)}", label, parts)


def dot_key(look: str) -> Markup:
    """Draw the legend entry of an accuracy with (`seen`) or without (`blind`) the image."""
    return svg("swatch", "", [Markup('<circle class="shape {}" cx="9" cy="7" r="4.5"/>').format(look)])


def key(place: int) -> Markup:
    """Draw the marker of the first or the second share for a legend."""
    return svg("swatch", "", [_mark("9", (CIRCLE, DIAMOND)[place], ("blind", "seen")[place])])


def _mark(across: str, shape: str, look: str) -> Markup:
    return at_point(across, "50%", shape, f"shape {look}")
