"""The summary: one row a model with the numbers that decide, and its accuracy with and without the image."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ORIGINAL, OptionsShuffled
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.people import people
from snellen.report.figures.dumbbells import with_without
from snellen.report.figures.forests import Number
from snellen.report.figures.marks import forest_axis, scale
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
            with_without(numbers[0].estimate, numbers[1].estimate, ruler) if numbers[0] and numbers[1] else None,
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
        forest_axis(ruler),
        guessing + ("" if known is None else known.note),
    )


def _find(lookup: Lookup, place: Place, measure: str, arm: str) -> Found | None:
    return lookup.find(lookup.families(but=""), place, arm, measure)


def _cell(found: Found | None) -> Cell | None:
    """A number; none where it is not defined."""
    if found is None or not math.isfinite(found.estimate.value):
        return None
    return Cell(found.printed, found.estimate.value)
