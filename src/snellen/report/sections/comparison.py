"""Comparison of two conditions on the same items, with the paired change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from snellen.report.components import Cell, Key, Table, name_columns
from snellen.report.figures.bars import GAP as BETWEEN
from snellen.report.figures.bars import HEIGHT, NamedEstimate, accuracy_bars
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.forests import PrintedNumber, number_to_tenths
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, datum
from snellen.report.lookup import Lookup, ModelOnBenchmark, ShownNumber
from snellen.report.words import numbers as wording


@dataclass(frozen=True)
class Ways:
    """Two conditions to compare, and the tests that measure them.

    `looks` are the CSS classes of the bars.
    """

    families: tuple[str, ...]
    arms: tuple[str, str]
    words: tuple[str, str]
    looks: tuple[str, str] = ("seen", "blind")
    subset: str = ""
    """Subset of items, as results.csv names it; "" for all items."""
    about: str = ""
    """Description of these items."""

    def find(self, lookup: Lookup, place: ModelOnBenchmark, arm: str, name: str) -> ShownNumber | None:
        """Return a number for the compared items. None if there is none."""
        return lookup.find(self.families, place, arm, name, self.subset)

    def change(self, lookup: Lookup, place: ModelOnBenchmark) -> ShownNumber | None:
        """Return the paired change in accuracy from the first condition to the second."""
        return self.find(lookup, place, self.arms[1], "difference")


def draw_comparison(lookup: Lookup, ways: Ways) -> dict[str, Table]:
    """Draw accuracies under both conditions and the paired change, by benchmark."""
    drawn = {}
    for benchmark, places in lookup.list_places():
        asked = [each for each in places if ways.find(lookup, each, ways.arms[1], "accuracy") is not None]
        if asked:
            drawn[benchmark] = _draw_table(lookup, ways, asked)
    return drawn


def _draw_table(lookup: Lookup, ways: Ways, places: Sequence[ModelOnBenchmark]) -> Table:
    rows, data, changes = [], [], []
    for place in places:
        shown = [(words, look, found) for words, look, arm in zip(ways.words, ways.looks, ways.arms, strict=True)
                 if (found := ways.find(lookup, place, arm, "accuracy")) is not None]  # fmt: skip
        change = ways.change(lookup, place)
        numbers = _print_together([*(each for _, _, each in shown), *([change] if change else [])])
        bars = [NamedEstimate(words, found.estimate, look) for words, look, found in shown]
        picture = accuracy_bars(bars, lookup.chance(place, ways.arms[1]), lookup.evidence.place(place.model))
        accuracies = tuple(each.cell(words) for (words, _, _), each in zip(shown, numbers, strict=False))
        notes = ", ".join(filter(None, [*change.printed.notes, could_show(change)])) if change else ""
        moved = replace(numbers[-1].cell(n=False), note=notes) if change else Cell("–")
        cells = Cell(drawing=picture), Cell(lines=accuracies), moved
        rows.append(lookup.row(place, *cells))
        data += [datum(found.finding, found.measure) for _, _, found in shown]
        changes += [datum(change.finding, change.measure)] if change else []
    what, benchmark = ways.about or "Accuracy", places[0].benchmark
    guessing = any(lookup.chance(place, ways.arms[1]) is not None for place in places)
    lines = f"lines are 95% intervals{', the dashed line is blind guessing' if guessing else ''}"
    table = Table(
        name_columns("model", "drawn", "accuracy, n", "change on the same items"), tuple(rows),
        f"{what}{lookup.describe_benchmark(benchmark)}; {lines}", "drawn",
        key=tuple(Key(f"bar {look}", words) for look, words in zip(ways.looks, ways.words, strict=True)),
    )  # fmt: skip
    name = (ways.families[0], "accuracy", "-against-".join(ways.arms), ways.subset.partition("=")[2],
            benchmark if lookup.evidence.several else "")  # fmt: skip
    about = About(name, f"{what}: {ways.words[0]} and {ways.words[1]}; {benchmark}", f"Bars are accuracies, {lines}")
    axis = axis_of(scale([], "share"), "Accuracy (%)")
    return add_figure(lookup.evidence, table, about, [*data, *changes], axis, row_height=2 * HEIGHT + 3 * BETWEEN)


def _print_together(shown: Sequence[ShownNumber]) -> list[PrintedNumber]:
    """Format two accuracies and their difference, with decimals that agree."""
    if len(shown) == 3 and _needs_tenths(*shown):
        return [number_to_tenths(each.measure, each.printed.anchor) for each in shown]
    return [each.printed for each in shown]


def _needs_tenths(before: ShownNumber, after: ShownNumber, change: ShownNumber) -> bool:
    """True if the printed numbers of the same items do not add up."""
    first, second, less = (float(wording.end(each.estimate.value, each.measure.kind.unit).replace("−", "-"))
                           for each in (before, after, change))  # fmt: skip
    same = before.estimate.n == after.estimate.n == change.estimate.n
    return same and abs(second - first - less) >= 0.01


def could_show(change: ShownNumber | None) -> str:
    """Describe the smallest change detected with 80% power. "" if unknown or not needed."""
    if change is None:
        return ""
    if change.measure.detectable is None:
        shown = change.estimate.low > 0 or change.estimate.high < 0
        return "" if shown else "too few items to estimate the detectable change"
    return f"could show {wording.figure(change.measure.detectable, 'points').lstrip('+')}"
