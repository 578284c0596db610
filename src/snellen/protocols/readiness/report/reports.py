"""Generated reports: every score with the image, without it and with an empty one; and reports beside references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from snellen.grading.outcomes import Outcome
from snellen.grading.reports.columns import Reports
from snellen.grading.reports.comparison import Compared
from snellen.grading.reports.findings import Statement
from snellen.report.chapter import Chapter
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, row_anchor
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.figures.forests import Forest, forest
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.tests import ShownTest
from snellen.stress.reports import BEYOND, F1, WRITTEN

FAMILY = "reports"
COLUMNS = {
    WRITTEN: "writes a report",
    F1: "findings F1",
    "findings_precision": "precision",
    "findings_recall": "recall",
    "abnormal_f1": "F1 of abnormal findings",
    "bleu": "BLEU",
    "rouge_l": "ROUGE-L",
    "findings_f1_of_others": "findings F1 against other patients",
}
WITHOUT = {
    "found_without_image": "all findings",
    "abnormal_without_image": "findings that are there",
    "findings_kept": "findings F1 beyond other patients’",
}
CAPTIONS = {
    F1: "With the image: findings of the report against the reference of the same patient (F1)",
    BEYOND: "How much better it fits than against the references of other patients (points of F1)",
}
Chosen = dict[tuple[str, str], tuple[ArmAddress, int]]
"""By model and benchmark, the report that is shown beside its reference."""


class ReportLine(NamedTuple):
    """The numbers of one model under one condition."""

    model: str
    arm: str
    cells: tuple[Found | None, ...]
    n: int


class ToldFinding(NamedTuple):
    """A finding in words, and what became of it."""

    words: str
    mark: str


class ReportBeside(NamedTuple):
    """A report beside its reference, each with its findings."""

    model: str
    saying: Saying
    reference: tuple[ToldFinding, ...]
    generated: tuple[ToldFinding, ...]
    score: str
    anchor: str


@dataclass(frozen=True)
class ReportsOf:
    """All that is told of one benchmark."""

    benchmark: str
    section: ShownTest
    plots: tuple[Forest, ...]
    columns: tuple[str, ...]
    lines: tuple[ReportLine, ...]
    without: tuple[ReportLine, ...]
    examples: tuple[ReportBeside, ...]
    no_impression: int
    unread: int


@dataclass(frozen=True)
class ReportsChapter:
    """The chapter: a part for each benchmark."""

    parts: tuple[ReportsOf, ...]
    headings: tuple[str, ...] = tuple(WITHOUT.values())


def choose(evidence: Evidence) -> Chosen:
    """For each model and benchmark a report that a hash chooses; expected from the store."""
    chosen: Chosen = {}
    for each in evidence.results.findings:
        address = ArmAddress(each.model, each.benchmark, each.test.baseline.name)
        if family(each) != FAMILY or address not in evidence.anchors:
            continue
        places = np.flatnonzero(evidence.grades(address).is_(Outcome.SCORED))
        if len(places):
            (found,) = first_by_hash(evidence, {address: places}, 1)
            chosen[each.model, each.benchmark] = found
            evidence.expect(found[0], [found[1]])
    evidence.lead_to(chosen.values())
    return chosen


def covers(section: ShownTest) -> bool:
    """Whether the chapter holds all of a test."""
    return family(section.findings[0]) == FAMILY


def build(evidence: Evidence, sections: Sequence[ShownTest], chosen: Chosen) -> ReportsChapter | None:
    """The chapter of a study that asked for reports; None for any other."""
    lookup = Lookup(evidence)
    parts = [
        _part(lookup, section, benchmark, chosen)
        for section in sections
        if covers(section)
        for benchmark in dict.fromkeys(each.benchmark for each in section.findings)
    ]
    return ReportsChapter(tuple(parts)) if parts else None


def _part(lookup: Lookup, section: ShownTest, benchmark: str, chosen: Chosen) -> ReportsOf:
    evidence = lookup.evidence
    arms = [arm.name for arm in section.test.all_arms]
    findings = [each for each in section.findings if each.benchmark == benchmark]
    lines = _lines(lookup, benchmark, arms, tuple(COLUMNS))
    there = [at for at, _ in enumerate(COLUMNS) if any(line.cells[at] for line in lines)]
    plots = (
        forest(findings, arms[0], name, evidence=evidence, label=lambda each: each.model, caption=caption)
        for name, caption in CAPTIONS.items()
    )
    grades = [table.arms[arms[0]] for (_, name), table in evidence.results.tables.items() if name == benchmark]
    counted = grades[0].by_rule() if grades else {}
    return ReportsOf(
        benchmark=benchmark,
        section=section,
        plots=tuple(each for each in plots if each is not None),
        columns=tuple(list(COLUMNS.values())[at] for at in there),
        lines=tuple(line._replace(cells=tuple(line.cells[at] for at in there)) for line in lines),
        without=_lines(lookup, benchmark, arms[1:], tuple(WITHOUT)),
        examples=tuple(
            _example(evidence, model, *chosen[model, benchmark])
            for model in lookup.models
            if (model, benchmark) in chosen
        ),
        no_impression=counted.get("findings-alone", 0),
        unread=counted.get("reference-unread", 0),
    )


def _lines(lookup: Lookup, benchmark: str, arms: Sequence[str], names: Sequence[str]) -> tuple[ReportLine, ...]:
    made = []
    for place in lookup.places(benchmark):
        for arm in arms:
            cells = tuple(lookup.find((FAMILY,), place, arm, name) for name in names)
            if any(cells):
                n = max(cell.estimate.n for cell in cells if cell is not None)
                made.append(ReportLine(place.model, arm, cells, n))
    return tuple(made)


def _example(evidence: Evidence, model: str, address: ArmAddress, place: int) -> ReportBeside:
    saying = evidence.sayings(address, [place])[place]
    said = evidence.grades(address).of(Reports)
    assert said is not None
    compared: Compared = said.compared[place]
    return ReportBeside(
        model,
        saying,
        tuple(_told(each, credit, "missed") for each, credit in zip(compared.reference, compared.matched, strict=True)),
        tuple(
            _told(each, credit, "not in the reference")
            for each, credit in zip(compared.generated, compared.credited, strict=True)
        ),
        f"{compared.f1:.2f}",
        row_anchor(evidence, address, place),
    )


def _told(statement: Statement, credit: float, otherwise: str) -> ToldFinding:
    mark = "in both" if credit >= 1 else "in part" if credit > 0 else otherwise
    return ToldFinding(in_words(statement), mark)


def in_words(statement: Statement) -> str:
    """A finding as a reader takes it in.

    >>> in_words(Statement("pleural effusion", True, False, frozenset(("left",)), "mild", ""))
    'perhaps mild left pleural effusion'
    """
    sides = "bilateral" if len(statement.sides) > 1 else " ".join(statement.sides)
    parts = ("" if statement.sure else "perhaps", "" if statement.present else "no", statement.severity, sides)
    return " ".join(filter(None, (*parts, statement.finding)))


CHAPTER = Chapter(
    anchor="reports",
    title="Generated reports",
    template="snellen.protocols.readiness.report:reports.html.jinja",
    choose=choose,
    build=build,
    covers=covers,
)
