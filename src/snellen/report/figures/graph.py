"""Graphs as SVG: a share against another number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from snellen.report.words.numbers import figure

WIDTH, LEFT, RIGHT, TOP, FOOT = 430.0, 46.0, 12.0, 12.0, 46.0
"""Width in pixels of the drawing, and the margins around its plot."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Graph:
    """Frame of a graph: height, ticks and title.

    Points are given as a horizontal position from 0 to 1 and a share from 0 to 1.
    """

    height: float
    ticks: tuple[tuple[float, str], ...]
    title: str

    def across(self, place: float) -> float:
        """Return the x coordinate of a position from 0 to 1."""
        return LEFT + place * (WIDTH - LEFT - RIGHT)

    def scale_share(self, share: float) -> float:
        """Return the y coordinate of a share."""
        return TOP + (1 - min(max(share, 0.0), 1.0)) * (self.height - TOP - FOOT)

    def point(self, place: float, share: float) -> str:
        """Return a point as an SVG path has it."""
        return f"{self.across(place):.1f} {self.scale_share(share):.1f}"

    def line(self, look: str, start: tuple[float, float], end: tuple[float, float]) -> Markup:
        """Draw a straight line between two points."""
        (x1, y1), (x2, y2) = ((self.across(place), self.scale_share(share)) for place, share in (start, end))
        return Markup('<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>').format(look, x1, x2, y1, y2)

    def path(self, look: str, points: Iterable[tuple[float, float]]) -> Markup:
        """Draw a line through several points."""
        return Markup('<path class="{}" d="M{}"/>').format(look, "L".join(self.point(*each) for each in points))

    def draw(self, spoken: str, parts: Iterable[Markup], look: str = "") -> Markup:
        """Draw the whole graph. Screen readers read `spoken`."""
        drawn = Markup("").join([*self._frame(), *parts])
        return draw_svg(f"curves graph{look}", (WIDTH, self.height), spoken, [drawn])

    def _frame(self) -> Iterator[Markup]:
        for share in SHARES:
            yield self.line("grid", (0, share), (1, share))
            yield draw_text(LEFT - 8, self.scale_share(share) + 4, figure(share, "share"), "end")
        for place, words in self.ticks:
            yield self.line("grid", (place, 0), (place, 1))
            yield draw_text(self.across(place), self.scale_share(0) + 18, words, "middle")
        yield draw_text(self.across(0.5), self.height - 8, self.title, "middle")


def draw_text(x: float, y: float, words: str, side: str, look: str = "scale") -> Markup:
    """Draw words at a point."""
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(look, x, y, side, words)


def draw_svg(look: str, size: tuple[float, float], spoken: str, parts: Iterable[Markup]) -> Markup:
    """Wrap a drawing of this size, so that it grows with the page."""
    return Markup('<svg class="{}" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">{}</svg>').format(
        look, *size, spoken, Markup("").join(parts)
    )
