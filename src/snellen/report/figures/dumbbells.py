"""Dumbbells as inline SVG: two shares of the same items on one line, told apart by shape and not by colour alone."""

from __future__ import annotations

from markupsafe import Markup

from snellen.report.figures.marks import Scale, at_point, grid_lines, scale, svg
from snellen.report.figures.palette import hue
from snellen.report.words.numbers import figure, interval
from snellen.stats import Estimate

CIRCLE = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z"
DIAMOND = "M0 -6L6 0L0 6L-6 0Z"
WORDS = ("untold", "told to guess")


def dumbbell(first: Estimate, second: Estimate, place: int | None = None) -> Markup:
    """The first share as a hollow circle, the second as a filled diamond, and a bar between them."""
    ruler = scale([], "share")
    bar = Markup('<line class="handle" x1="{}" x2="{}" y1="50%" y2="50%"/>').format(
        ruler.at(first.value), ruler.at(second.value)
    )
    marks = [_mark(ruler.at(first.value), CIRCLE, "blind"), _mark(ruler.at(second.value), DIAMOND, "seen")]
    values = zip(WORDS, (first, second), strict=True)
    label = ", ".join(f"{words} {figure(each.value, 'share')}" for words, each in values)
    return svg(f"forest-mark{hue(place)}", label, [grid_lines(ruler, "100%"), bar, *marks])


def with_without(seen: Estimate, blind: Estimate, scale: Scale, place: int | None = None) -> Markup:
    """The accuracy with the image as a filled dot above, without it as a hollow one below, and a line between them."""
    parts = [grid_lines(scale, "100%")]
    parts.append(
        Markup('<line class="handle thin" x1="{}" x2="{}" y1="30%" y2="70%"/>').format(
            scale.at(seen.value), scale.at(blind.value)
        )
    )
    for estimate, height, look in ((seen, "30%", "seen"), (blind, "70%", "blind")):
        parts.append(
            Markup('<line class="whisker" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                scale.at(estimate.low), scale.at(estimate.high), height, height
            )
        )
        parts.append(
            Markup('<circle class="shape {}" cx="{}" cy="{}" r="4.5"/>').format(look, scale.at(estimate.value), height)
        )
    words = (("with the image", seen), ("without", blind))
    label = "; ".join(f"{name} {figure(each.value, 'share')}, 95% CI {interval(each, 'share')}" for name, each in words)
    return svg(f"with-without{hue(place)}", label, parts)


def dot_key(look: str) -> Markup:
    """The dot of an accuracy with the image (seen) or without it (blind), for a legend."""
    return svg("swatch", "", [Markup('<circle class="shape {}" cx="9" cy="7" r="4.5"/>').format(look)])


def key(place: int) -> Markup:
    """The mark of the first or the second share, for a legend."""
    return svg("swatch", "", [_mark("9", (CIRCLE, DIAMOND)[place], ("blind", "seen")[place])])


def _mark(across: str, shape: str, look: str) -> Markup:
    return at_point(across, "50%", shape, f"shape {look}")
