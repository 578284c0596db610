"""Dumbbells as inline SVG: two shares of the same items on one line, told apart by shape and not by colour alone."""

from __future__ import annotations

from markupsafe import Markup

from snellen.report.figures.marks import grid_lines, scale, svg
from snellen.report.words.numbers import figure
from snellen.stats import Estimate

CIRCLE = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z"
DIAMOND = "M0 -6L6 0L0 6L-6 0Z"
WORDS = ("untold", "told to guess")


def dumbbell(first: Estimate, second: Estimate) -> Markup:
    """The first share as a hollow circle, the second as a filled diamond, and a bar between them."""
    ruler = scale([], "share")
    bar = Markup('<line class="handle" x1="{}" x2="{}" y1="50%" y2="50%"/>').format(
        ruler.at(first.value), ruler.at(second.value)
    )
    marks = [_mark(ruler.at(first.value), CIRCLE, "blind"), _mark(ruler.at(second.value), DIAMOND, "seen")]
    values = zip(WORDS, (first, second), strict=True)
    label = ", ".join(f"{words} {figure(each.value, 'share')}" for words, each in values)
    return svg("forest-mark", label, [grid_lines(ruler, "100%"), bar, *marks])


def key(place: int) -> Markup:
    """The mark of the first or the second share, for a legend."""
    return svg("swatch", "", [_mark("9", (CIRCLE, DIAMOND)[place], ("blind", "seen")[place])])


def _mark(across: str, shape: str, look: str) -> Markup:
    return Markup('<svg x="{}" y="50%" overflow="visible"><path class="shape {}" d="{}"/></svg>').format(
        across, look, shape
    )
