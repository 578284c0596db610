"""The summary: one row a model with the numbers that decide and their verdicts, and a figure of both accuracies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.conditions import ORIGINAL, OptionsShuffled, ReportForImage
from snellen.conditions.labels import arm_effects, read_label
from snellen.prompts import asked_blind, asked_under
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.people import people
from snellen.report.figures.dumbbells import dot_key, with_without
from snellen.report.figures.forests import Number
from snellen.report.figures.layout import FigureRow, Key, axis_of
from snellen.report.figures.marks import Scale, scale, titled_axis
from snellen.report.figures.standalone import About, Datum, Figure, datum
from snellen.report.lookup import Found, Lookup, Place, family
from snellen.report.sections.headline import NEEDS, ORDER, RATIONALE, USED, questions
from snellen.report.sections.tests import Section
from snellen.report.words import numbers as wording
from snellen.scoring.findings import Finding
from snellen.sight.delivery import Arrival
from snellen.stats import Estimate
from snellen.stress.base import Status

"""What is told of the image's absence: that it was left out or, where it never was, that it was blank."""


class Column(NamedTuple):
    """What a column of the summary holds: a measure with its arm (None: the arm without sight), and a verdict.

    Without a measure, the number is the one that the verdict rests on.
    """

    heading: str
    measure: str = ""
    arm: str | None = None
    verdict: tuple[str, ...] = ()
    """The families of tests whose verdict stands there."""


KEPT, KEPT_IN_WORDS = (
    "kept above chance: does the score need the image?",
    "kept without the image: does the score need it?",
)
"""What is kept without the image, where there is something to guess and where there is not."""
SEEN, AS_ASKED = "accuracy, with image", "accuracy, as asked"
"""What the accuracy of the question as asked is called: where every question has an image that was sent, and else."""
COLUMNS = (
    Column(SEEN, "accuracy", ORIGINAL.name),
    Column("accuracy, report in place of the image", "accuracy", ReportForImage().label),
    Column("accuracy, without", "accuracy"),
    Column("change", "difference"),
    Column(KEPT, "kept_above_chance", verdict=(*NEEDS, "open-answers")),
    Column("kept with the options alone: does the score need the question?", verdict=("text-needed",)),
    Column("effect of the image: does it use it?", verdict=(USED,)),
    Column("invents findings", verdict=(RATIONALE,)),
    Column("says it cannot see", "notice_rate"),
    Column("names a wrong image, beyond false alarms: does it notice?", verdict=("mismatched-image",)),
    Column("corrects false premises, beyond true ones: does it look first?", verdict=("false-premise",)),
    Column("answers moved by option order: is it stable?", "changed_rate", OptionsShuffled.name, verdict=(ORDER,)),
)


@dataclass(frozen=True)
class Cell:
    """A number in print with what it is sorted by, and the verdict on it with the place of its test."""

    number: Number | None
    order: float | None
    finding: Finding | None = None
    anchor: str = ""

    @property
    def verdict(self) -> Status | None:
        """The verdict, where there is one to show."""
        shown = self.finding is not None and self.finding.verdict.status is not Status.REPORTED
        return self.finding.verdict.status if self.finding and shown else None


@dataclass(frozen=True)
class SummaryRow:
    """One model: its cells in the order of the columns, whether its images arrived, and the figure."""

    model: str
    cells: tuple[Cell | None, ...]
    delivery: Arrival | None
    figure: Markup | None
    pair: tuple[Found, Found] | None
    """The accuracies that it shows, with the image and without."""


@dataclass(frozen=True)
class Summary:
    """All models on one benchmark."""

    benchmark: str
    questions: int
    without: str
    """What "without" means here, in words; "" where no model was asked without sight."""
    headings: tuple[str, ...]
    rows: tuple[SummaryRow, ...]
    axis: Markup
    note: str
    figure: Figure | None = None
    """Accuracy with and without the image as a figure of its own."""
    text_only: frozenset[str] = frozenset()
    """The models that take no images."""

    @property
    def drawn(self) -> bool:
        """Whether there is a figure."""
        return any(row.figure for row in self.rows)

    @property
    def delivered(self) -> bool:
        """Whether anything is known of the images' arrival."""
        return any(row.delivery for row in self.rows)


def summaries(evidence: Evidence, sections: Sequence[Section]) -> list[Summary]:
    """A table for every benchmark with options."""
    lookup = Lookup(evidence)
    anchors = {each.test.name: each.anchor for each in sections}
    made = (_summary(lookup, benchmark, anchors) for benchmark in evidence.benchmarks)
    return [each for each in made if each.rows]


def _summary(lookup: Lookup, benchmark: str, anchors: Mapping[str, str]) -> Summary:
    places = lookup.places(benchmark)
    arms = lookup.arms(benchmark)
    columns = [_asked(each, arms) for each in COLUMNS]
    seen_in = columns[0].arm or ""
    measured = [arm for arm in arms if any(_find(lookup, place, "accuracy", arm) for place in places)]
    blind = asked_blind(measured, like=seen_in)
    found = {place: [_cell(lookup, place, each, blind, anchors) for each in columns] for place in places}
    shown = [at for at in range(len(columns)) if any(cells[at] for cells in found.values())]
    chance = next((each for place in places if (each := lookup.chance(place, blind)) is not None), None)
    known = people(lookup.evidence.results.study)
    ruler = scale([], "share", reference=chance, people=None if known is None else known.accuracy)
    arrived = {(each.model, each.benchmark): each.status for each in lookup.evidence.results.delivery}
    rows = []
    for place, cells in found.items():
        if not any(cells):
            continue
        seen, unseen = (_find(lookup, place, "accuracy", arm) for arm in (seen_in, blind))
        pair = (seen, unseen) if seen and unseen else None
        at = lookup.evidence.place(place.model)
        drawn = pair and with_without(pair[0].estimate, pair[1].estimate, ruler, at)
        shown_cells = tuple(cells[at] for at in shown)
        rows.append(SummaryRow(place.model, shown_cells, arrived.get((place.model, place.benchmark)), drawn, pair))
    guessing = "" if chance is None else f"The dashed line is guessing, {wording.figure(chance, 'share')}. "
    return Summary(
        benchmark,
        questions(lookup.evidence.results, benchmark),
        blind and ("every image was blank" if arm_effects(blind).sends_image else "no image was sent"),
        tuple(
            _heading(lookup.evidence, benchmark, columns[at])
            + _way(columns[at], blind, [each[at] for each in found.values()])
            for at in shown
        ),
        tuple(rows),
        titled_axis(ruler, "Accuracy (%)"),
        guessing + ("" if known is None else known.note),
        _figure(lookup.evidence, rows, ruler),
        frozenset(lookup.evidence.results.study.get("text_only", ())),
    )


def _asked(column: Column, arms: Sequence[str]) -> Column:
    """A column with the arm by which its condition was asked; its heading says how, where that is not as usual."""
    arm = asked_under(column.arm, arms) if column.arm else ""
    if not arm or arm == column.arm:
        return column
    return column._replace(arm=arm, heading=f"{column.heading} ({arm.removeprefix(f'{column.arm}+')})")


def _way(column: Column, blind: str, cells: Sequence[Cell | None]) -> str:
    """In which words and at which effort a column was asked that is not about one arm of its own, if not as usual."""
    if column.arm is not None:
        return ""
    tests = [cell.finding.test for cell in cells if cell is not None and cell.finding is not None]
    arms = [test.baseline.name for test in tests] if tests else [blind]
    told = dict.fromkeys(way for arm in arms if (way := "+".join(read_label(arm).ways)))
    return f" ({', '.join(told)})" if told else ""


def _heading(evidence: Evidence, benchmark: str, column: Column) -> str:
    """What a column is called: nothing was seen where questions have no image, or a model takes none."""
    if column.heading == KEPT and benchmark in evidence.open_questions:
        return KEPT_IN_WORDS
    if not column.heading.startswith(SEEN) or column.arm is None:
        return column.heading
    tables = [table for (_, name), table in evidence.results.tables.items() if name == benchmark]
    blind = evidence.results.study.get("text_only", ())
    shown = evidence.pictured(benchmark, column.arm)
    answered = any(len(table.arms.get(column.arm, ())) for table in tables if table.model in blind)
    return column.heading if shown and not answered else column.heading.replace(SEEN, AS_ASKED)


def _figure(evidence: Evidence, drawn: Sequence[SummaryRow], ruler: Scale) -> Figure | None:
    """The accuracies with the image and without it as a figure of its own."""
    rows, data = [], []
    for row in drawn:
        if row.pair is not None and row.figure is not None:
            said = tuple(each.printed.said for each in row.pair)
            n = f"n {row.pair[0].printed.n}"
            rows.append(FigureRow(row.model, row.figure, said, n, evidence.place(row.model)))
            data += [datum(each.finding, each.measure) for each in row.pair]
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
    """The number of the first test that has it; of tests that stopped early, of the one that asked the most."""
    every = (lookup.find((each,), place, arm, measure) for each in lookup.families(but=""))
    found = [each for each in every if each is not None]
    if lookup.evidence.results.stops:
        found.sort(key=lambda each: -each.estimate.n)
    return next(iter(found), None)


def _cell(lookup: Lookup, place: Place, column: Column, blind: str, anchors: Mapping[str, str]) -> Cell | None:
    """A number and the verdict on it; None where there is neither."""
    arm = blind if column.arm is None else column.arm
    concluded = _concluded(lookup, place, column, arm)
    found = _find(lookup, place, column.measure, arm) if column.measure else None
    if concluded is not None and not column.measure and concluded.verdict.rests_on is not None:
        found = lookup.printed(concluded, concluded.verdict.rests_on)
    if found is not None and not _told(found.estimate):
        found = None
    if found is None and concluded is None:
        return None
    return Cell(
        found and found.printed,
        found and found.estimate.value,
        concluded,
        "" if concluded is None else anchors.get(concluded.test.name, ""),
    )


def _told(estimate: Estimate) -> bool:
    """Whether a number says anything: it is defined, and the data bound it on one side at least."""
    return math.isfinite(estimate.value) and (math.isfinite(estimate.low) or math.isfinite(estimate.high))


def _concluded(lookup: Lookup, place: Place, column: Column, arm: str) -> Finding | None:
    """The finding whose verdict stands in a cell: of the column's families, the first that is about its arm."""
    findings = [
        each
        for each in lookup.evidence.results.findings
        if family(each) in column.verdict and (each.model, each.benchmark) == tuple(place)
    ]
    about = [each for each in findings if not column.measure or arm in {one.name for one in each.test.compared}]
    return next(iter(about), None)
