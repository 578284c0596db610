"""How the responses were read: the same responses under several parsers, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading import Grade, grade
from snellen.grading.outcomes import Outcome
from snellen.items import LETTERS
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, outcome_counts
from snellen.report.evidence.sampling import Candidates, first_by_hash
from snellen.report.figures.forests import Number, number_to_tenths
from snellen.report.words.glossary import parser_words
from snellen.report.words.numbers import OUTCOME_WORDS
from snellen.scoring.findings import Finding
from snellen.stress.base import Verdict
from snellen.stress.table import Grades

PLAIN = "lenient"
"""The parser that tells what published parsers count as one."""


class ShownParser(NamedTuple):
    """A parser, what it takes for an answer, and whether it is the one that counts."""

    name: str
    words: str
    counts: bool


@dataclass(frozen=True)
class ParserScore:
    """One model under one arm: its accuracy by each parser, and what became of its responses by the plain one."""

    model: str
    arm: str
    anchor: str
    cells: tuple[Number | None, ...]
    replies: int
    outcomes: Mapping[Outcome, int]


@dataclass(frozen=True)
class ParserChange:
    """One model under one arm of one test: the change in accuracy by each parser, and what each would conclude.

    The conclusion stands with the arm that it rests on.
    """

    model: str
    test: str
    arm: str
    cells: tuple[tuple[Number, Verdict | None] | None, ...]


@dataclass(frozen=True)
class ParserComparison:
    """All parsers of one benchmark's responses."""

    benchmark: str
    separating: str
    """The parser whose outcomes are told apart."""
    scores: tuple[ParserScore, ...]
    changes: tuple[ParserChange, ...]
    ends_known: bool
    """Whether it is known how every response ended."""

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What ever became of a response here."""
        return tuple(each for each in Outcome if any(score.outcomes[each] for score in self.scores))

    @property
    def never(self) -> tuple[str, ...]:
        """What no response came to, in words; that none was cut off is not known where a finish reason is missing.

        A choice among options is never unclear, and no report.
        """
        unknown = {Outcome.UNCLEAR, Outcome.SCORED, *(() if self.ends_known else (Outcome.TRUNCATED,))}
        return tuple(OUTCOME_WORDS[each] for each in Outcome if each not in {*self.outcomes, *unknown})


def parsers(evidence: Evidence) -> list[ShownParser]:
    """The parsers of the study's questions with options, its own first."""
    own = evidence.results.study["parser"]
    names = evidence.results.readings if evidence.with_options else ()
    return [ShownParser(name, parser_words(name), name == own) for name in names]


def admission_parser(evidence: Evidence) -> ShownParser | None:
    """The parser of responses to questions that came without an image, where there are any."""
    name = evidence.results.study["admissions_by"]
    return ShownParser(name, parser_words(name), True) if evidence.own_questions else None


def plain_parser(evidence: Evidence) -> str:
    """The parser that others are held against: the lenient one, or the study's own where that was not asked for."""
    results = evidence.results
    return PLAIN if PLAIN in results.readings else str(results.study["parser"])


def comparisons(evidence: Evidence) -> list[ParserComparison]:
    """Every benchmark's responses by every parser; nothing where there is only one."""
    results = evidence.results
    if len(results.readings) < 2:
        return []
    found = (*results.findings, *results.beside)
    plain = plain_parser(evidence)
    made = []
    for benchmark in (each for each in evidence.benchmarks if each not in evidence.open_questions):
        here = [each for each in found if each.benchmark == benchmark]
        scores = [_score(evidence, address, here) for address in evidence.anchors if address.benchmark == benchmark]
        ends_known = not results.study.get("unknown_ends")
        made.append(ParserComparison(benchmark, plain, tuple(scores), tuple(_changes(evidence, here)), ends_known))
    return made


def _score(evidence: Evidence, address: ArmAddress, found: list[Finding]) -> ParserScore:
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
    return ParserScore(address.model, address.arm, anchor, tuple(cells), len(grades), outcome_counts(grades))


def _changes(evidence: Evidence, found: list[Finding]) -> list[ParserChange]:
    """A line for every model, test and arm whose accuracy is held against the baseline's."""
    keys = dict.fromkeys(
        (each.model, each.test.name, measure.arm)
        for each in found
        for measure in each.measures
        if measure.name == "difference"
    )
    by_parser = {(each.parser, each.model, each.test.name): each for each in found}
    return [
        ParserChange(*key, tuple(_change(evidence, by_parser.get((parser, *key[:2])), key[2])
                           for parser in evidence.results.readings))
        for key in keys
    ]  # fmt: skip


def _change(evidence: Evidence, finding: Finding | None, arm: str) -> tuple[Number, Verdict | None] | None:
    measure = finding.measure(arm, "difference") if finding else None
    if finding is None or measure is None:
        return None
    anchor = evidence.anchors[ArmAddress(finding.model, finding.benchmark, arm)]
    return number_to_tenths(measure, anchor), finding.verdict if _decided_by(finding) == arm else None


def _decided_by(finding: Finding) -> str:
    """The arm whose line has the verdict: the one it rests on, or the first where it rests on none of them."""
    arms = [measure.arm for measure in finding.measures if measure.name == "difference"]
    decides = finding.verdict.rests_on
    return decides.arm if decides is not None and decides.arm in arms else arms[0]


EXAMPLES = 3
"""Responses shown of each kind."""

Mask = NDArray[np.bool_]
_SILENT = (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY)
_ANSWERED = (Outcome.CORRECT, Outcome.WRONG)

KINDS: dict[str, Callable[[Grades, Grades], Mask]] = {
    "{strict} reads no answer where {plain} reads one": lambda strict, plain: (
        strict.is_(Outcome.UNPARSED) & plain.is_(*_ANSWERED)
    ),
    "{strict} counts as wrong or unread what {plain} reads as declining or as “cannot tell”": lambda strict, plain: (
        strict.is_(Outcome.WRONG, Outcome.UNPARSED) & plain.is_(*_SILENT)
    ),
    "both read an answer, and not the same one": lambda strict, plain: (
        strict.is_(*_ANSWERED) & plain.is_(*_ANSWERED) & (strict.chosen != plain.chosen)
    ),
    "{strict} reads an answer where {plain} reads none": lambda strict, plain: (
        strict.is_(*_ANSWERED) & plain.is_(Outcome.UNPARSED, Outcome.TRUNCATED)
    ),
}


class ParsedReply(NamedTuple):
    """What one parser made of a response."""

    grade: Grade
    letter: str


@dataclass(frozen=True)
class Example:
    """A response and what both parsers made of it."""

    address: ArmAddress
    saying: Saying
    strict: ParsedReply
    plain: ParsedReply


@dataclass(frozen=True)
class Difference:
    """One way in which two parsers differ: how often, of how many responses, and some examples."""

    words: str
    count: int
    of: int
    examples: tuple[Example, ...]


class _Kind(NamedTuple):
    strict: str
    words: str
    places: Candidates


def differences(evidence: Evidence) -> list[Difference]:
    """Every kind of difference that there is, between each published parser and the plain one."""
    plain = plain_parser(evidence)
    kinds = [
        _Kind(strict, words, _places(evidence, strict, plain, differ))
        for strict in evidence.results.readings
        if strict != plain
        for words, differ in KINDS.items()
    ]
    chosen = [first_by_hash(evidence, kind.places, EXAMPLES) for kind in kinds]
    for address, place in (each for some in chosen for each in some):
        evidence.expect(address, [place])
    total = sum(len(evidence.grades(address)) for address in evidence.with_options)
    return [
        Difference(
            kind.words.format(strict=f"“{kind.strict}”", plain=f"“{plain}”"),
            sum(len(places) for places in kind.places.values()),
            total,
            tuple(_example(evidence, *each, kind.strict, plain) for each in some),
        )
        for kind, some in zip(kinds, chosen, strict=True)
        if some
    ]


def _places(evidence: Evidence, strict: str, plain: str, differ: Callable[[Grades, Grades], Mask]) -> Candidates:
    """Where the two differ in this way, by model, benchmark and arm."""
    readings = evidence.results.readings
    found = {}
    for address in evidence.with_options:
        one, two = (readings[parser][address.model, address.benchmark].arms[address.arm] for parser in (strict, plain))
        found[address] = np.flatnonzero(differ(one, two))
    return found


def _example(evidence: Evidence, address: ArmAddress, place: int, strict: str, plain: str) -> Example:
    saying = evidence.sayings(address, [place])[place]
    return Example(address, saying, _read(saying, strict), _read(saying, plain))


def _read(saying: Saying, parser: str) -> ParsedReply:
    own = saying.grade.parser == parser
    found = saying.grade if own else grade(saying.reply.text, saying.reply.finish, saying.item, parser)
    return ParsedReply(found, "" if found.choice is None else LETTERS[found.choice])
