"""What it says it sees: how often replies describe an image, and which patterns and modes they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from snellen.report.evidence.evidence import Address, Evidence
from snellen.report.evidence.tags import Tagged, columns
from snellen.report.figures.forests import Forest, Number, anchor_of, forest, number
from snellen.report.sections.cases import Case, cases
from snellen.report.sections.tests import by_benchmark
from snellen.scoring.findings import Finding
from snellen.stress.taxonomy import BIT, MODES, PATTERNS, Tag, tag_measure, unseen

HEADINGS = {"Patterns in what it says": PATTERNS, "Modes: where it goes wrong, and what that does": MODES}


@dataclass(frozen=True)
class Cell:
    """One model under one arm: how many of its replies show a tag, and the rate over items."""

    arm: str
    count: int
    of: int
    number: Number


@dataclass(frozen=True)
class TagLine:
    """One tag by one source, over the models."""

    tagged: Tagged
    cells: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Sight:
    """What the models say they see, on one benchmark."""

    benchmark: str
    models: tuple[str, ...]
    forests: tuple[Forest, ...]
    tables: tuple[tuple[str, tuple[TagLine, ...]], ...]
    cases: tuple[Case, ...]
    judging: str
    """Why there is no judge's opinion, in words; nothing where there is one."""


def sights(evidence: Evidence) -> list[Sight]:
    """A part for every benchmark on which a test asked what the replies describe."""
    found = [each for each in evidence.results.findings if each.test.headline == "described_rate" and each.measures]
    return [_sight(evidence, findings) for findings in by_benchmark(found).values()]


def _sight(evidence: Evidence, found: Sequence[Finding]) -> Sight:
    # A benchmark has one such test as a rule; of several, each model's first stands for it.
    findings = list({each.model: each for each in reversed(found)}.values())[::-1]
    tables = [(heading, _lines(evidence, findings, tags)) for heading, tags in HEADINGS.items()]
    return Sight(
        benchmark=findings[0].benchmark,
        models=tuple(each.model for each in findings),
        forests=tuple(_forests(evidence, findings)),
        tables=tuple((heading, lines) for heading, lines in tables if lines),
        cases=tuple(cases(evidence, findings[0].benchmark)),
        judging=_judging(evidence, findings),
    )


def _judging(evidence: Evidence, findings: Sequence[Finding]) -> str:
    tables = [evidence.results.tables[each.model, each.benchmark] for each in findings]
    said = [grades.rationales for table in tables for grades in table.arms.values() if grades.rationales is not None]
    if any(each.heard.any() for each in said):
        return ""
    if any(table.judge for table in tables):
        return "a judge was asked, and none of its answers could be read"
    return "no judge was asked here"


def _forests(evidence: Evidence, findings: Sequence[Finding]) -> list[Forest]:
    arms = dict.fromkeys(measure.arm for finding in findings for measure in finding.measures)
    made = []
    for name in ("described_rate", "notice_rate"):
        for arm in arms:
            plot = forest(findings, arm, name, anchors=evidence.anchors, label=lambda each: each.model)
            if plot is not None and (name == "described_rate" or unseen(arm)):
                blind = ": there was nothing to see" if unseen(arm) else ""
                made.append(replace(plot, caption=f"{plot.caption}{blind}"))
    return made


def _lines(evidence: Evidence, findings: Sequence[Finding], tags: Sequence[Tag]) -> tuple[TagLine, ...]:
    made = []
    for tag in tags:
        for by in ("rule", "judge"):
            cells = tuple(_cells(evidence, finding, tag, by) for finding in findings)
            if any(cells):
                made.append(TagLine(Tagged(tag, by), cells))
    return tuple(made)


def _cells(evidence: Evidence, finding: Finding, tag: Tag, by: str) -> tuple[Cell, ...]:
    """The counts of one tag under every arm that has it measured."""
    name = tag_measure(tag.name, by)
    made = []
    for measure in finding.measures:
        if measure.name == name:
            address = Address(finding.model, finding.benchmark, measure.arm)
            bits = columns(evidence, address)[by]
            said = evidence.grades(address).rationales
            of = int(said.heard.sum()) if by == "judge" and said is not None else len(bits)
            printed = number(measure, anchor_of(finding, measure.arm, evidence.anchors))
            made.append(Cell(measure.arm, int(np.count_nonzero(bits & BIT[tag.name])), of, printed))
    return tuple(made)
