"""Guess mode against mirage mode: without the image, untold and told to guess, category by category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from snellen.prompts import NAMED, UNNAMED, Arm
from snellen.report.components import Cell, Column, Fold, Key, Note, Part, Row, Section, Table
from snellen.report.figures.drawn import add_figure, show_key_once
from snellen.report.figures.dumbbells import dumbbell, key
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, datum
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.report.sections.tests import by_test_and_benchmark
from snellen.scoring.findings import Finding
from snellen.stress.design import baseline

KEY = (Key("", "mirage mode: untold", key(0)), Key("", "guess mode: told", key(1)))
WORDS = ("not named", "named")
LOOKS = {"removed": ("blind", "plain"), "kept": ("plain", "seen")}
SHOWN = {"removed": "Accuracy without the image", "kept": "Accuracy with the image"}


def draw_naming(lookup: Lookup) -> Iterator[Section]:
    """The same questions with the benchmark's name and without, by benchmark and way of asking."""
    parts: list[Part] = []
    for image, looks in LOOKS.items():
        condition = baseline(image).condition
        arms = Arm(condition, rewording=UNNAMED).name, Arm(condition, rewording=NAMED).name
        drawn = draw_comparison(lookup, Ways(("dataset-name",), arms, WORDS, looks, about=SHOWN[image]))
        parts += drawn.values()
    if parts:
        said = (
            "The same questions with the benchmark named in the prompt. The name says nothing about the patient; a "
            "model that scores more with it knows the benchmark."
        )
        note = Note(said, look="quiet")
        yield Section("With the benchmark’s name, and without", (note, *parts), "mirage-naming")


class ModePair(NamedTuple):
    """Some items asked in both modes: both accuracies and the paired difference."""

    label: str
    untold: Found
    told: Found
    change: Found
    sides: str = ""
    """In how many categories guessing scores less, more, or the same."""


def draw_guessing(lookup: Lookup) -> Iterator[Section]:
    """Both modes side by side on every benchmark that was asked in both."""
    parts = [part for benchmark, findings in by_test_and_benchmark(lookup.of_family("guess-mode"))
             for part in _draw_benchmark(lookup, benchmark, findings)]  # fmt: skip
    if parts:
        said = (
            "The same questions without their image, asked twice: untold, as if it were there, and told that it is "
            "gone and to take a best guess. The number is the paired change in accuracy from the first to the second, "
            "on the same items. Categories are small: how many are lower when told, and how many higher, tells more "
            "than any one of them."
        )
        yield Section("Mirage mode against guess mode", (Note(said, look="quiet"), *parts), "mirage-guessing")


def _draw_benchmark(lookup: Lookup, benchmark: str, findings: Sequence[Finding]) -> Iterator[Part]:
    """All items of each model, then folded each model by category."""
    names, whole, apart = lookup.short_names, [], []
    on = f" on {benchmark}" if lookup.evidence.several else ""
    for each in findings:
        if pair := _pair(lookup, each, names[each.model]):
            groups = lookup.categories(each).items()
            pairs = [found for name, group in groups if (found := _pair(lookup, group, name))]
            whole.append(pair._replace(sides=count_sides(pairs)))
            if pairs:
                caption = f"{names[each.model]}{on}, {count_sides(pairs)}"
                apart.append(_draw_table(lookup, [pair._replace(label="all items"), *pairs], caption, each.model))
    if whole:
        yield _draw_table(lookup, whole, f"Accuracy without the image, untold and told to guess{on}")
    if apart:
        yield Fold("By category", show_key_once(apart))


def count_sides(pairs: Sequence[ModePair]) -> str:
    """In how many categories guessing scores less, more, or the same."""
    if not pairs:
        return ""
    values = [pair.change.estimate.value for pair in pairs]
    lower, higher = sum(each < 0 for each in values), sum(each > 0 for each in values)
    return f"{len(values)} categories: {lower} lower, {higher} higher, {len(values) - lower - higher} equal"


def _draw_table(lookup: Lookup, pairs: Sequence[ModePair], caption: str, model: str = "") -> Table:
    rows, data = [], []
    for each in pairs:
        place = lookup.evidence.place(each.change.finding.model)
        both = "\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}".join(found.printed.value for found in (each.untold, each.told))
        head = Cell(each.label, n=both, place=None if model else place)
        mark = Cell(drawing=dumbbell(each.untold.estimate, each.told.estimate, place))
        rows.append(Row(head, (mark, replace(each.change.printed.cell(), note=each.sides)), each.change.finding.model))
        data += [datum(found.finding, found.measure) for found in (each.untold, each.told, each.change)]
    columns = Column("items"), Column("drawn"), Column("change when told, 95% CI, n")
    first = pairs[0].change.finding
    about = About(
        (first.test.name, "accuracy", model, first.benchmark if lookup.evidence.several else ""),
        f"Accuracy without the image, untold and told to guess; {', '.join(filter(None, (model, first.benchmark)))}",
        "Beside the marks: the change from untold to told with its 95% CI",
    )
    axis = axis_of(scale([], "share"), "Accuracy (%)")
    return add_figure(lookup.evidence, Table(columns, tuple(rows), caption, "drawn", key=KEY), about, data, axis)


def _pair(lookup: Lookup, finding: Finding, label: str) -> ModePair | None:
    """Both modes on some items; None if either was not answered."""
    arms = finding.test.baseline.name, finding.test.compared[0].name
    untold, told = (lookup.measured(finding, arm, "accuracy") for arm in arms)
    change = lookup.measured(finding, arms[1], "difference")
    return ModePair(label, untold, told, change) if untold and told and change else None
