"""Two conditions side by side: the same items asked both ways, and the paired change."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from snellen.report.figures.bars import Named, accuracy_bars
from snellen.report.figures.marks import forest_axis, scale
from snellen.report.lookup import Found, Lookup, Place
from snellen.report.words import numbers as wording


@dataclass(frozen=True)
class Compared:
    """One model asked in two ways: a bar for each, their numbers, and the paired difference."""

    model: str
    picture: Markup
    numbers: tuple[tuple[str, Found], ...]
    change: Found | None
    could_show: str


@dataclass(frozen=True)
class Comparison:
    """All models of one benchmark asked in two ways, over one axis."""

    benchmark: str
    lines: tuple[Compared, ...]
    axis: Markup


@dataclass(frozen=True)
class Ways:
    """Two ways of asking and the tests that compare them; `looks` is how each one's bar is filled."""

    families: tuple[str, ...]
    arms: tuple[str, str]
    words: tuple[str, str]
    looks: tuple[str, str] = ("seen", "blind")


def compared(lookup: Lookup, ways: Ways) -> list[Comparison]:
    """Two ways of asking, side by side on every benchmark that has the second of them."""
    made = []
    for benchmark, places in lookup.everywhere():
        lines = [line for place in places if (line := _line(lookup, place, ways)) is not None]
        if lines:
            made.append(Comparison(benchmark, tuple(lines), forest_axis(scale([], "share"))))
    return made


def _line(lookup: Lookup, place: Place, ways: Ways) -> Compared | None:
    found = [lookup.find(ways.families, place, arm, "accuracy") for arm in ways.arms]
    if found[1] is None:
        return None
    there = [
        (words, each, look) for words, each, look in zip(ways.words, found, ways.looks, strict=True) if each is not None
    ]
    change = lookup.find(ways.families, place, ways.arms[1], "difference")
    return Compared(
        model=place.model,
        picture=accuracy_bars(
            [Named(words, each.estimate, look) for words, each, look in there], lookup.chance(place, ways.arms[1])
        ),
        numbers=tuple((words, each) for words, each, _ in there),
        change=change,
        could_show=could_show(change),
    )


def could_show(change: Found | None) -> str:
    """The smallest change that so many items show with 80% power."""
    if change is None:
        return ""
    if change.measure.detectable is None:
        return "too few items to show any change"
    return f"could show {wording.figure(change.measure.detectable, 'points').lstrip('+')}"
