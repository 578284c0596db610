"""Scores of generated reports by condition, with examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from snellen.reading.outcomes import Outcome
from snellen.reading.reports.columns import Reports
from snellen.reading.reports.findings import FindingStatement
from snellen.report.chapter import Chapter
from snellen.report.components import (
    Cell,
    Code,
    Fold,
    Link,
    Listing,
    Note,
    Panel,
    Panels,
    Part,
    Section,
    Table,
    explain,
    fold_if_long,
    name_columns,
    quiet,
)
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.lookup import Lookup, family, show_found
from snellen.report.sections.tests import ShownTest, by_benchmark, list_verdicts
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import shorten_text
from snellen.scoring.findings import Finding
from snellen.stress.reports import BEYOND, F1, WRITTEN

TOLD = (
    "Each report is compared with the reference report of the same patient, finding by finding: present or absent, on "
    "which side, how severe. A report that would fit any patient scores well against the usual normal reference. So "
    "each report is also compared with the references of other patients, and the verdict rests on how much better it "
    "fits its own."
)
COUNTED = (
    "Means over reports that could be read, with 95% intervals over patients. BLEU and ROUGE-L count words: a report "
    "that says the opposite shares most of its words with the reference."
)
NOT_NEEDED = (
    "Of the reference's findings that the report with the image has, those that the report without it has as well; a "
    "response that is no report has none. The last column counts only what fits this patient better than others, so "
    "that the usual normal findings weigh nothing."
)
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
"""The report shown beside its reference, by model and benchmark."""


def choose(evidence: Evidence) -> Chosen:
    """Choose a report by a hash for each model and benchmark. It is requested from the store."""
    chosen: Chosen = {}
    for each in evidence.results.findings:
        address = ArmAddress(each.model, each.benchmark, each.test.baseline.name)
        if family(each) != FAMILY or address not in evidence.anchors:
            continue
        places = np.flatnonzero(evidence.grades(address).is_(Outcome.SCORED))
        if len(places):
            (chosen[each.model, each.benchmark],) = first_by_hash(evidence, {address: places}, 1)
    evidence.quote(chosen.values())
    return chosen


def covers(section: ShownTest) -> bool:
    """Return True if the chapter shows all of a test."""
    return family(section.findings[0]) == FAMILY


def build(evidence: Evidence, sections: Sequence[ShownTest], chosen: Chosen) -> list[Part] | None:
    """Draw the chapter; None if the study has no tests of reports."""
    lookup = Lookup(evidence)
    held = [
        (section, benchmark, findings)
        for section in sections
        if covers(section)
        for benchmark, findings in by_benchmark(section.findings).items()
    ]
    parts = [
        Section(
            section.test.asks,
            tuple(_draw_benchmark(lookup, benchmark, findings, chosen)),
            f"{section.anchor}-{at}" if at else section.anchor,
            f"{section.test.name}{f', {benchmark}' if len(held) > 1 else ''}",
        )
        for at, (section, benchmark, findings) in enumerate(held)
    ]
    return [quiet(TOLD), *parts] if parts else None


def _draw_benchmark(lookup: Lookup, benchmark: str, findings: Sequence[Finding], chosen: Chosen) -> Iterator[Part]:
    evidence, arms = lookup.evidence, [arm.name for arm in findings[0].test.all_arms]
    yield list_verdicts(evidence, findings)
    grades = [table.arms[arms[0]] for (_, name), table in evidence.results.tables.items() if name == benchmark]
    rules = grades[0].by_rule() if grades else {}
    if without := rules.get("findings-alone"):
        yield quiet(f"{without} of the references have no impression: there the findings alone are compared.")
    if unread := rules.get("reference-unread"):
        told = f"In {unread} references no finding could be read. Reports of these patients are not scored."
        yield Note(told, look="warning")
    yield from lookup.draw_forests(findings, arms[0], CAPTIONS)
    yield fold_if_long(_draw_scores(lookup, benchmark, arms, COLUMNS, COUNTED), "All scores by model and condition")
    kept = _draw_scores(lookup, benchmark, arms[1:], WITHOUT, NOT_NEEDED)
    if kept.rows:
        yield Section("What share of the findings did not need the image?", (kept,))
    told = (
        "Chosen by a hash of the question's id, not by its score. Findings are read by rules, which may be wrong: read "
        "the words."
    )
    shown = [chosen[model, benchmark] for model in lookup.models if (model, benchmark) in chosen]
    examples = [_draw_example(lookup, *each) for each in shown]
    yield from explain("A report of each model beside its reference", told, examples)


def _draw_scores(
    lookup: Lookup, benchmark: str, arms: Sequence[str], measures: dict[str, str], caption: str
) -> Table:  # fmt: skip
    every = {
        (place, arm): [lookup.find((FAMILY,), place, arm, name) for name in measures]
        for place in lookup.places(benchmark)
        for arm in arms
    }
    there = [at for at, _ in enumerate(measures) if any(found[at] for found in every.values())]
    rows = tuple(
        lookup.row_under_name(place, arm_label(arm), *(show_found(found[at]) for at in there))
        for (place, arm), found in every.items()
        if any(found)
    )
    return Table(name_columns("condition", *([*measures.values()][at] for at in there)), rows, caption)


def _draw_example(lookup: Lookup, address: ArmAddress, place: int) -> Fold:
    """Draw a report beside its reference, each with its findings, and the image."""
    evidence = lookup.evidence
    saying, said = evidence.sayings(address, [place])[place], evidence.grades(address).of(Reports)
    assert said is not None
    compared = said.compared[place]
    reference = zip(compared.reference, compared.matched, strict=True)
    generated = zip(compared.generated, compared.credited, strict=True)
    told = tuple(_tell(*each, "missed") for each in reference), tuple(_tell(*each, "not in the reference")
                                                                      for each in generated)  # fmt: skip
    images = map(evidence.album.picture, evidence.album.choose_images(saying.asked.images))
    panels = (
        *(Panel("Image", each.draw("The image that was sent")) for each in images if each.link),
        Panel("Reference", parts=(Code(str(saying.item.answer)), Listing(told[0], "dots"))),
        Panel("Report", parts=(Code(shorten_text(saying.reply.text, 4000)), Listing(told[1], "dots"))),
    )
    whole = Note("", links=(Link("The whole response", row_anchor(evidence, address, place)),))
    return Fold(f"{lookup.short_names[address.model]}: findings F1 {compared.f1:.2f}", (Panels(panels), whole))


def _tell(statement: FindingStatement, credit: float, otherwise: str) -> Cell:
    """Cell with a finding, and whether the other report has it too."""
    return Cell(describe_statement(statement), n="in both" if credit >= 1 else "in part" if credit > 0 else otherwise)


def describe_statement(statement: FindingStatement) -> str:
    """Describe a finding in words, with certainty, severity and side.

    >>> describe_statement(FindingStatement("pleural effusion", True, False, frozenset(("left",)), "mild", ""))
    'perhaps mild left pleural effusion'
    """
    sides = "bilateral" if len(statement.sides) > 1 else " ".join(statement.sides)
    parts = ("" if statement.sure else "perhaps", "" if statement.present else "no", statement.severity, sides)
    return " ".join(filter(None, (*parts, statement.finding)))


CHAPTER = Chapter(anchor="reports", title="Generated reports", choose=choose, build=build, covers=covers)
