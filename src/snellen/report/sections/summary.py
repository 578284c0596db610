"""The summary: one row a model with the numbers that decide, and its accuracy with and without the image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ORIGINAL, OptionsShuffled
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.people import people
from snellen.report.figures.dumbbells import dot_key, with_without
from snellen.report.figures.forests import Number
from snellen.report.figures.layout import FigureRow, Key, axis_of
from snellen.report.figures.marks import Scale, scale, titled_axis
from snellen.report.figures.standalone import About, Datum, Figure, datum
from snellen.report.lookup import Found, Lookup, Place
from snellen.report.sections.headline import questions
from snellen.report.words import numbers as wording

BLIND = (IMAGE_REMOVED.name, IMAGE_BLANK.name)
"""What is told of the image's absence: that it was left out or, where it never was, that it was blank."""


class Column(NamedTuple):
    """What a column of the summary holds: its heading, and the measure with its arm (None: the arm without sight)."""

    heading: str
    measure: str
    arm: str | None = None


COLUMNS = (
    Column("accuracy with the image", "accuracy", ORIGINAL.name),
    Column("accuracy without", "accuracy"),
    Column("change", "difference"),
    Column("kept above chance", "kept_above_chance"),
    Column("invents findings", "described_rate"),
    Column("says there is no image", "notice_rate"),
    Column("answers moved by option order", "changed_rate", OptionsShuffled.name),
)


@dataclass(frozen=True)
class Cell:
    """A number in print, with what it is sorted by."""

    number: Number
    order: float


@dataclass(frozen=True)
class SummaryRow:
    """One model: its numbers in the order of the columns, None where there is none, and the figure."""

    model: str
    cells: tuple[Cell | None, ...]
    figure: Markup | None


@dataclass(frozen=True)
class Summary:
    """All models on one benchmark."""

    benchmark: str
    questions: int
    without: str
    """What "without" means here, in words."""
    headings: tuple[str, ...]
    rows: tuple[SummaryRow, ...]
    axis: Markup
    note: str
    figure: Figure | None = None
    """Accuracy with and without the image as a figure of its own."""


def summaries(evidence: Evidence) -> list[Summary]:
    """A table for every benchmark that was asked both ways."""
    lookup = Lookup(evidence)
    made = (_summary(lookup, benchmark) for benchmark in evidence.benchmarks)
    return [each for each in made if each is not None]


def _summary(lookup: Lookup, benchmark: str) -> Summary | None:
    places = lookup.places(benchmark)
    blind = next((arm for arm in BLIND if any(_find(lookup, place, "accuracy", arm) for place in places)), None)
    if blind is None:
        return None
    found = {place: [_find(lookup, place, each.measure, each.arm or blind) for each in COLUMNS] for place in places}
    shown = [at for at in range(len(COLUMNS)) if any(numbers[at] for numbers in found.values())]
    chance = next((each for place in places if (each := lookup.chance(place, blind)) is not None), None)
    known = people(lookup.evidence.results.study)
    ruler = scale([], "share", reference=chance, people=None if known is None else known.accuracy)
    rows = [
        SummaryRow(
            place.model,
            tuple(_cell(numbers[at]) for at in shown),
            with_without(numbers[0].estimate, numbers[1].estimate, ruler, lookup.evidence.place(place.model))
            if numbers[0] and numbers[1]
            else None,
        )
        for place, numbers in found.items()
        if any(numbers)
    ]
    guessing = "" if chance is None else f"The dashed line is guessing, {wording.figure(chance, 'share')}. "
    return Summary(
        benchmark,
        questions(lookup.evidence.results, benchmark),
        "no image was sent" if blind == IMAGE_REMOVED.name else "every image was blank",
        tuple(COLUMNS[at].heading for at in shown),
        tuple(rows),
        titled_axis(ruler, "Accuracy (%)"),
        guessing + ("" if known is None else known.note),
        _figure(lookup.evidence, [(row, found[Place(row.model, benchmark)]) for row in rows if row.figure], ruler),
    )


def _figure(evidence: Evidence, drawn: Sequence[tuple[SummaryRow, list[Found | None]]], ruler: Scale) -> Figure | None:
    """The accuracies with the image and without it as a figure of its own."""
    rows, data = [], []
    for row, numbers in drawn:
        both = [each for each in numbers[:2] if each is not None]
        said = tuple(each.printed.said for each in both)
        picture = row.figure or Markup("")
        rows.append(FigureRow(row.model, picture, said, f"n {both[0].printed.n}", evidence.place(row.model)))
        data += [datum(each.finding, each.measure) for each in both]
    if not rows:
        return None
    benchmark = data[0].benchmark
    guessing = "" if ruler.reference is None else f"guessing {wording.figure(ruler.reference, 'share')}"
    about = About(
        ("summary-accuracy", benchmark if evidence.several else ""),
        f"Accuracy with the image and without it; {benchmark}",
        "Lines are 95% CIs, with the image above, without it below"
        + (f"; the dashed line is {guessing}" if guessing else ""),
    )
    held = (("guessing", ruler.reference), ("people", ruler.people))
    data += [Datum(name, value, benchmark=benchmark) for name, value in held if value is not None]
    legend = [Key(dot_key("seen"), "with the image"), Key(dot_key("blind"), "without the image")]
    return evidence.figures.rows(
        about, rows, data, axis_of(ruler, "Accuracy (%)", guessing), legend=legend, row_height=38.0
    )


def _find(lookup: Lookup, place: Place, measure: str, arm: str) -> Found | None:
    return lookup.find(lookup.families(but=""), place, arm, measure)


def _cell(found: Found | None) -> Cell | None:
    """A number; none where it is not defined."""
    if found is None or not math.isfinite(found.estimate.value):
        return None
    return Cell(found.printed, found.estimate.value)
