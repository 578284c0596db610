"""Accuracy, sensitivity and specificity under weak artefacts, in every way to count responses that flag or decline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from snellen.prompts import DETECTION
from snellen.protocols.artefacts.report.maps import AS_IT_IS
from snellen.protocols.artefacts.report.tests import WEAK, arms_by_artefact, of_family, strategy, wordless
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.tests import label
from snellen.report.words.arms import artefact_words
from snellen.scoring.findings import Finding

MEASURES = ("accuracy", "sensitivity", "specificity")
SILENT = {"flagged_quality_rate": "flagged", "refusal_rate": "declined"}
WRONG, APART, PAPER = "wrong", "apart", "paper"
"""The ways: what flags or declines counts as wrong; it is set apart; as wrong, and read as published."""


class Counted(NamedTuple):
    """One measure of one arm: a number for every way that has one."""

    ways: tuple[tuple[str, Found], ...]


class CountedLine(NamedTuple):
    """One arm: accuracy, sensitivity and specificity, and how often responses flag or decline."""

    words: str
    cells: tuple[Counted, ...]
    silent: tuple[tuple[str, Found], ...]


class Counts(NamedTuple):
    """One model asked in one way, arm by arm; `parser` is the published one where it was asked for."""

    title: str
    strategy: str
    lines: tuple[CountedLine, ...]
    parser: str


def counts(lookup: Lookup) -> list[Counts]:
    """A table for every model, benchmark and prompt."""
    made = []
    published = _published(lookup)
    findings = of_family(lookup, WEAK)
    mute = wordless(lookup, findings)
    for finding in findings:
        beside = published.get((finding.model, finding.benchmark, finding.test.name))
        lines = [line for line in _lines(lookup, finding, beside) if any(cell.ways for cell in line.cells)]
        if finding.model in mute:  # it cannot flag or decline, which is not the same as never doing so
            lines = [line._replace(silent=()) for line in lines]
        if lines:
            words = strategy(finding.test, lookup.evidence.results.study)
            made.append(Counts(label(finding, lookup.evidence), words, tuple(lines), beside.parser if beside else ""))
    return made


def _published(lookup: Lookup) -> Mapping[tuple[str, str, str], Finding]:
    """What the paper's own parser finds, where it was asked for beside another."""
    return {
        (each.model, each.benchmark, each.test.name): each
        for each in lookup.evidence.results.beside
        if each.parser == DETECTION.parser and family(each) == WEAK
    }


def _lines(lookup: Lookup, finding: Finding, beside: Finding | None) -> Iterator[CountedLine]:
    arms = {AS_IT_IS: finding.test.baseline.name}
    arms |= {artefact_words(name): arm for name, arm in arms_by_artefact(finding.test).items()}
    for words, arm in arms.items():
        cells = tuple(_counted(lookup, finding, beside, (arm, name)) for name in MEASURES)
        silent = (
            (said, lookup.printed(finding, found))
            for name, said in SILENT.items()
            if (found := finding.measure(arm, name)) is not None
        )
        yield CountedLine(words, cells, tuple(silent))


def _counted(lookup: Lookup, finding: Finding, beside: Finding | None, number: tuple[str, str]) -> Counted:
    arm, name = number
    sources = ((WRONG, finding, name), (APART, finding, f"{name}_answered"), (PAPER, beside, name))
    return Counted(
        tuple(
            (way, lookup.printed(source, measure))
            for way, source, each in sources
            if source is not None and (measure := source.measure(arm, each)) is not None
        )
    )
