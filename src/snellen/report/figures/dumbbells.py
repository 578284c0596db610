"""Dumbbells as inline SVG: two shares of the same items on one line, told apart by shape and not by colour alone."""

from __future__ import annotations

from markupsafe import Markup

from snellen.report.figures.marks import Scale, at_point, draw_line, grid_lines, scale, svg
from snellen.report.figures.palette import hue
from snellen.report.words.numbers import figure, spoken
from snellen.stats import Estimate

CIRCLE = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z"
DIAMOND = "M0 -6L6 0L0 6L-6 0Z"
WORDS = ("untold", "told to guess")


def dumbbell(first: Estimate, second: Estimate, place: int | None = None) -> Markup:
    """The first share as a hollow circle, the second as a filled diamond, and a bar between them."""
    ruler = scale([], "share")
    ends = ruler.at(first.value), ruler.at(second.value)
    parts = [grid_lines(ruler, "100%"), draw_line("handle", *ends, "50%")]
    parts += [_mark(ends[0], CIRCLE, "blind"), _mark(ends[1], DIAMOND, "seen")]
    values = zip(WORDS, (first, second), strict=True)
    label = ", ".join(f"{words} {figure(each.value, 'share')}" for words, each in values)
    return svg(f"forest-mark{hue(place)}", label, parts)


def with_without(seen: Estimate, blind: Estimate, scale: Scale, place: int | None = None) -> Markup:
    """The accuracy with the image as a filled dot above, without it as a hollow one below, and a line between them."""
    parts = [grid_lines(scale, "100%")]
    parts.append(draw_line("handle thin", scale.at(seen.value), scale.at(blind.value), "30%", "70%"))
    dot = Markup('<circle class="shape {}" cx="{}" cy="{}" r="4.5"/>')
    for estimate, height, look in ((seen, "30%", "seen"), (blind, "70%", "blind")):
        parts.append(draw_line("whisker", scale.at(estimate.low), scale.at(estimate.high), height))
        parts.append(dot.format(look, scale.at(estimate.value), height))
    label = f"with the image {spoken(seen, 'share')}; without {spoken(blind, 'share')}"
    return svg(f"with-without{hue(place)}", label, parts)


def dot_key(look: str) -> Markup:
    """The dot of an accuracy with the image (seen) or without it (blind), for a legend."""
    return svg("swatch", "", [Markup('<circle class="shape {}" cx="9" cy="7" r="4.5"/>').format(look)])


def key(place: int) -> Markup:
    """The mark of the first or the second share, for a legend."""
    return svg("swatch", "", [_mark("9", (CIRCLE, DIAMOND)[place], ("blind", "seen")[place])])


def _mark(across: str, shape: str, look: str) -> Markup:
    return at_point(across, "50%", shape, f"shape {look}")
