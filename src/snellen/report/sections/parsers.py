"""How the replies were read: the same replies under several parsers, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from snellen.grading.outcomes import Outcome
from snellen.report.evidence.evidence import Address, Evidence, outcome_counts
from snellen.report.figures.forests import Number, number_to_tenths
from snellen.report.words.glossary import parser_words
from snellen.scoring.findings import Finding
from snellen.stress.base import Verdict

PLAIN = "lenient"
"""The parser that tells what published parsers count as one."""


class Parser(NamedTuple):
    """A parser, what it takes for an answer, and whether it is the one that counts."""

    name: str
    words: str
    counts: bool


@dataclass(frozen=True)
class Score:
    """One model under one arm: its accuracy by each parser, and what became of its replies by the plain one."""

    model: str
    arm: str
    anchor: str
    cells: tuple[Number | None, ...]
    replies: int
    outcomes: Mapping[Outcome, int]


@dataclass(frozen=True)
class Change:
    """One model under one arm of one test: the change in accuracy by each parser, and what each would conclude."""

    model: str
    test: str
    arm: str
    cells: tuple[tuple[Number, Verdict] | None, ...]


@dataclass(frozen=True)
class Comparison:
    """All parsers of one benchmark's replies."""

    benchmark: str
    separating: str
    """The parser whose outcomes are told apart."""
    scores: tuple[Score, ...]
    changes: tuple[Change, ...]


def parsers(evidence: Evidence) -> list[Parser]:
    """The parsers of the study's questions with options, its own first."""
    own = evidence.results.study["parser"]
    names = evidence.results.readings if evidence.benchmarks else ()
    return [Parser(name, parser_words(name), name == own) for name in names]


def admission_parser(evidence: Evidence) -> Parser | None:
    """The parser of replies to questions that came without an image, where there are any."""
    name = evidence.results.study["admissions_by"]
    return Parser(name, parser_words(name), True) if evidence.own_questions else None


def plain_parser(evidence: Evidence) -> str:
    """The parser that others are held against: the lenient one, or the study's own where that was not asked for."""
    results = evidence.results
    return PLAIN if PLAIN in results.readings else str(results.study["parser"])


def comparisons(evidence: Evidence) -> list[Comparison]:
    """Every benchmark's replies by every parser; nothing where there is only one."""
    results = evidence.results
    if len(results.readings) < 2:
        return []
    found = (*results.findings, *results.beside)
    plain = plain_parser(evidence)
    made = []
    for benchmark in evidence.benchmarks:
        here = [each for each in found if each.benchmark == benchmark]
        scores = [_score(evidence, address, here) for address in evidence.anchors if address.benchmark == benchmark]
        made.append(Comparison(benchmark, plain, tuple(scores), tuple(_changes(evidence, here))))
    return made


def _score(evidence: Evidence, address: Address, found: list[Finding]) -> Score:
    results, anchor = evidence.results, evidence.anchors[address]
    cells = []
    for parser in results.readings:
        measures = (
            each.measure(address.arm, "accuracy")
            for each in found
            if each.parser == parser and each.model == address.model
        )
        measure = next((each for each in measures if each is not None), None)
        cells.append(None if measure is None else number_to_tenths(measure, anchor))
    grades = results.readings[plain_parser(evidence)][address.model, address.benchmark].arms[address.arm]
    return Score(address.model, address.arm, anchor, tuple(cells), len(grades), outcome_counts(grades))


def _changes(evidence: Evidence, found: list[Finding]) -> list[Change]:
    """A line for every model, test and arm whose accuracy is held against the baseline's."""
    keys = dict.fromkeys(
        (each.model, each.test.name, measure.arm)
        for each in found
        for measure in each.measures
        if measure.name == "difference"
    )
    by_parser = {(each.parser, each.model, each.test.name): each for each in found}
    return [
        Change(*key, tuple(_change(evidence, by_parser.get((parser, *key[:2])), key[2])
                           for parser in evidence.results.readings))
        for key in keys
    ]  # fmt: skip


def _change(evidence: Evidence, finding: Finding | None, arm: str) -> tuple[Number, Verdict] | None:
    measure = finding.measure(arm, "difference") if finding else None
    if finding is None or measure is None:
        return None
    anchor = evidence.anchors[Address(finding.model, finding.benchmark, arm)]
    return number_to_tenths(measure, anchor), finding.verdict
