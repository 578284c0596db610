"""Accuracy with the image and without it, on one line: two marks with their intervals, against guessing and people."""

from __future__ import annotations

from markupsafe import Markup

from snellen.report.figures.marks import Scale, grid_lines, svg
from snellen.report.words.numbers import figure, interval
from snellen.stats import Estimate

TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def ruler(chance: float | None, people: float | None) -> Scale:
    """From none to all, with the lines of guessing and of people."""
    return Scale(0.0, 1.0, TICKS, "share", chance, people)


def with_without(seen: Estimate, blind: Estimate, scale: Scale) -> Markup:
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
    return svg("with-without", label, parts)
