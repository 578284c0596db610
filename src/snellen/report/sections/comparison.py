"""Two conditions side by side: the same items asked both ways, and the paired change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.report.figures.bars import GAP as BETWEEN
from snellen.report.figures.bars import HEIGHT, Named, accuracy_bars
from snellen.report.figures.layout import FigureRow, Key, axis_of
from snellen.report.figures.marks import scale, swatch, titled_axis
from snellen.report.figures.standalone import About, Figure, datum
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
    figure: Figure
    guessing: bool = True
    """Whether there is a line of blind guessing."""


@dataclass(frozen=True)
class Ways:
    """Two ways of asking and the tests that compare them; `looks` is how each one's bar is filled."""

    families: tuple[str, ...]
    arms: tuple[str, str]
    words: tuple[str, str]
    looks: tuple[str, str] = ("seen", "blind")
    subset: str = ""
    """The items that the numbers are of, as results.csv names them; all where it is empty."""
    about: str = ""
    """What these items are, in words."""


def compared(lookup: Lookup, ways: Ways) -> list[Comparison]:
    """Two ways of asking, side by side on every benchmark that has the second of them."""
    made = []
    for benchmark, places in lookup.everywhere():
        lines = [line for place in places if (line := _line(lookup, place, ways)) is not None]
        if lines:
            axis = titled_axis(scale([], "share"), "Accuracy (%)")
            guessing = any(lookup.chance(place, ways.arms[1]) is not None for place in places)
            drawn = _figure(lookup, ways, lines, guessing=guessing)
            made.append(Comparison(benchmark, tuple(lines), axis, drawn, guessing))
    return made


def _figure(lookup: Lookup, ways: Ways, lines: Sequence[Compared], *, guessing: bool) -> Figure:
    evidence = lookup.evidence
    rows = [
        FigureRow(line.model, line.picture, tuple(each.printed.said for _, each in line.numbers),
                  f"n {line.numbers[0][1].printed.n}", evidence.place(line.model))
        for line in lines
    ]  # fmt: skip
    data = [datum(each.finding, each.measure) for line in lines for _, each in line.numbers]
    data += [datum(line.change.finding, line.change.measure) for line in lines if line.change]
    benchmark = data[0].benchmark
    about = About(
        (
            ways.families[0],
            "accuracy",
            "-against-".join(ways.arms),
            ways.subset.partition("=")[2],
            benchmark if evidence.several else "",
        ),
        f"{ways.about or 'Accuracy'}: {ways.words[0]} and {ways.words[1]}; {benchmark}",
        f"Bars are accuracies, lines are 95% CIs{', the dashed line is blind guessing' if guessing else ''}",
    )
    legend = [Key(swatch(f"bar {look}"), words) for look, words in zip(ways.looks, ways.words, strict=True)]
    axis = axis_of(scale([], "share"), "Accuracy (%)")
    return evidence.figures.rows(about, rows, data, axis, legend=legend, row_height=2 * (HEIGHT + BETWEEN) + BETWEEN)


def _line(lookup: Lookup, place: Place, ways: Ways) -> Compared | None:
    found = [_find(lookup, place, ways, arm, "accuracy") for arm in ways.arms]
    if found[1] is None:
        return None
    there = [
        (words, each, look) for words, each, look in zip(ways.words, found, ways.looks, strict=True) if each is not None
    ]
    change = _find(lookup, place, ways, ways.arms[1], "difference")
    return Compared(
        model=place.model,
        picture=accuracy_bars(
            [Named(words, each.estimate, look) for words, each, look in there],
            lookup.chance(place, ways.arms[1]),
            lookup.evidence.place(place.model),
        ),
        numbers=tuple((words, each) for words, each, _ in there),
        change=change,
        could_show=could_show(change),
    )


def _find(lookup: Lookup, place: Place, ways: Ways, arm: str, name: str) -> Found | None:
    if ways.subset:
        return lookup.within(ways.families, place, arm, name, ways.subset)
    return lookup.find(ways.families, place, arm, name)


def could_show(change: Found | None) -> str:
    """The smallest change that so many items show with 80% power."""
    if change is None:
        return ""
    if change.measure.detectable is None:
        shown = change.estimate.low > 0 or change.estimate.high < 0
        return "" if shown else "too few items to say what could be shown"
    return f"could show {wording.figure(change.measure.detectable, 'points').lstrip('+')}"
