"""The summary: one row a model with the numbers that decide and their verdicts, and a figure of both accuracies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.conditions import ORIGINAL, ReportForImage
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
from snellen.report.sections.headline import questions
from snellen.report.sections.tests import Section
from snellen.report.words import numbers as wording
from snellen.scoring.findings import Finding
from snellen.sight.delivery import Arrival
from snellen.stats import Estimate
from snellen.stress.base import Status
from snellen.stress.verdicts.possible_without import BenchmarkLine
from snellen.stress.verdicts.sentences import QUESTIONS


class Column(NamedTuple):
    """What a column of the summary holds: a measure with its arm, or a verdict with the number it rests on."""

    heading: str
    measure: str = ""
    arm: str = ""
    verdict: tuple[str, ...] = ()
    """The families of tests whose verdict stands there."""


SEEN, AS_ASKED = "accuracy, with image", "accuracy, as asked"
"""What the accuracy of the question as asked is called: where every question has an image that was sent, and else."""
COLUMNS = (
    Column(SEEN, "accuracy", ORIGINAL.name),
    Column("accuracy, report in place of the image", "accuracy", ReportForImage().label),
    *(Column(question, verdict=(name,)) for name, question in QUESTIONS.items()),
    Column("kept with the options alone: does the score need the question?", verdict=("text-needed",)),
    Column("names a wrong image, beyond false alarms: does it notice?", verdict=("mismatched-image",)),
    Column("corrects false premises, beyond true ones: does it look first?", verdict=("false-premise",)),
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

    @property
    def words(self) -> str:
        """What stands in place of a number: the numbers of a mark, or why it is open and what would decide it."""
        if self.finding is None or not self.finding.test.marks:
            return ""
        verdict = self.finding.verdict
        decided = verdict.status in (Status.PASS, Status.FAIL)
        return verdict.numbers if decided else verdict.sentence.removesuffix(".")


@dataclass(frozen=True)
class SummaryRow:
    """One model: its cells in the order of the columns, whether its images arrived, and the figure."""

    model: str
    cells: tuple[Cell | None, ...]
    delivery: Arrival | None
    figure: Markup | None
    pair: tuple[Found, Found] | None
    """The accuracies that it shows, with the image and without."""
    also_fails: tuple[Cell, ...] = ()
    """Failed tests that have no column."""


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
    line: BenchmarkLine | None = None
    """What the benchmark gives away to models that do not look."""

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
    seen_in = columns[0].arm
    measured = [arm for arm in arms if any(_find(lookup, place, "accuracy", arm) for place in places)]
    blind = asked_blind(measured, like=seen_in)
    found = {place: [_cell(lookup, place, each, anchors) for each in columns] for place in places}
    shown = [at for at in range(len(columns)) if any(cells[at] for cells in found.values())]
    chance = next((each for place in places if (each := lookup.chance(place, blind)) is not None), None)
    known = people(lookup.evidence.results.study)
    ruler = scale([], "share", reference=chance, people=None if known is None else known.accuracy)
    arrived = {(each.model, each.benchmark): each.status for each in lookup.evidence.results.delivery}
    rows = []
    for place, cells in found.items():
        also = tuple(_list_other_fails(lookup.evidence, place, cells, anchors))
        if not any(cells) and not also:
            continue
        seen, unseen = (_find(lookup, place, "accuracy", arm) for arm in (seen_in, blind))
        pair = (seen, unseen) if seen and unseen else None
        at = lookup.evidence.place(place.model)
        drawn = pair and with_without(pair[0].estimate, pair[1].estimate, ruler, at)
        shown_cells = tuple(cells[at] for at in shown)
        rows.append(
            SummaryRow(place.model, shown_cells, arrived.get((place.model, place.benchmark)), drawn, pair, also)
        )
    guessing = "" if chance is None else f"The dashed line is guessing, {wording.figure(chance, 'share')}. "
    return Summary(
        benchmark,
        questions(lookup.evidence.results, benchmark),
        blind and ("every image was blank" if arm_effects(blind).sends_image else "no image was sent"),
        tuple(
            _heading(lookup.evidence, benchmark, columns[at]) + _way(columns[at], [each[at] for each in found.values()])
            for at in shown
        ),
        tuple(rows),
        titled_axis(ruler, "Accuracy (%)"),
        guessing + ("" if known is None else known.note),
        _figure(lookup.evidence, rows, ruler),
        frozenset(lookup.evidence.results.study.get("text_only", ())),
        next((each for each in lookup.evidence.results.lines if each.benchmark == benchmark), None),
    )


def _list_other_fails(
    evidence: Evidence, place: Place, cells: Sequence[Cell | None], anchors: Mapping[str, str]
) -> Iterator[Cell]:
    """The failed tests of a model that have no column, also those on questions of their own."""
    shown = [cell.finding for cell in cells if cell is not None]
    for each in evidence.results.own_findings:
        here = each.benchmark == place.benchmark or each.benchmark not in evidence.benchmarks
        if each.model == place.model and here and each.verdict.status is Status.FAIL and each not in shown:
            yield Cell(None, None, each, anchors.get(each.test.name, ""))


def _asked(column: Column, arms: Sequence[str]) -> Column:
    """A column with the arm by which its condition was asked; its heading says how, where that is not as usual."""
    arm = asked_under(column.arm, arms) if column.arm else ""
    if not arm or arm == column.arm:
        return column
    return column._replace(arm=arm, heading=f"{column.heading} ({arm.removeprefix(f'{column.arm}+')})")


def _way(column: Column, cells: Sequence[Cell | None]) -> str:
    """In which words and at which effort a column was asked that is not about one arm of its own, if not as usual."""
    if column.arm:
        return ""
    findings = [cell.finding for cell in cells if cell is not None and cell.finding is not None]
    decisive = [each.verdict.rests_on for each in findings if each.test.marks]
    arms = [each.arm for each in decisive if each] or [each.test.baseline.name for each in findings]
    told = dict.fromkeys(way for arm in arms if (way := "+".join(read_label(arm).ways)))
    return f" ({', '.join(told)})" if told else ""


def _heading(evidence: Evidence, benchmark: str, column: Column) -> str:
    """What a column is called: nothing was seen where questions have no image, or a model takes none."""
    if not column.heading.startswith(SEEN):
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


def _cell(lookup: Lookup, place: Place, column: Column, anchors: Mapping[str, str]) -> Cell | None:
    """A number and the verdict on it; None where there is neither."""
    concluded = _concluded(lookup, place, column)
    found = _find(lookup, place, column.measure, column.arm) if column.measure else None
    if concluded is not None and concluded.verdict.rests_on is not None:
        found = lookup.printed(concluded, concluded.verdict.rests_on)
    if found is not None and not _told(found.estimate):
        found = None
    if found is None and concluded is None:
        return None
    anchor = "" if concluded is None else anchors.get(concluded.test.name, "")
    return Cell(found and found.printed, found and found.estimate.value, concluded, anchor)


def _told(estimate: Estimate) -> bool:
    """Whether a number says anything: it is defined, and the data bound it on one side at least."""
    return math.isfinite(estimate.value) and (math.isfinite(estimate.low) or math.isfinite(estimate.high))


def _concluded(lookup: Lookup, place: Place, column: Column) -> Finding | None:
    """The finding whose verdict stands in a cell: the first of the column's families."""
    findings = (each for each in lookup.evidence.results.own_findings if each.is_of(*place))
    return next((each for each in findings if family(each) in column.verdict), None)
