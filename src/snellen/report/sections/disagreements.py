"""Replies on which two parsers differ: how many of each kind, and a few of each, chosen by a hash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading import Grade, grade
from snellen.grading.outcomes import Outcome
from snellen.items import LETTERS
from snellen.report.evidence.evidence import Address, Evidence, Saying
from snellen.report.evidence.sampling import Candidates, first_by_hash
from snellen.report.sections.parsers import plain_parser
from snellen.stress.table import Grades

EXAMPLES = 3
"""Replies shown of each kind."""

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


class Read(NamedTuple):
    """What one parser made of a reply."""

    grade: Grade
    letter: str


@dataclass(frozen=True)
class Example:
    """A reply and what both parsers made of it."""

    address: Address
    saying: Saying
    strict: Read
    plain: Read


@dataclass(frozen=True)
class Difference:
    """One way in which two parsers differ: how often, of how many replies, and some examples."""

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


def _example(evidence: Evidence, address: Address, place: int, strict: str, plain: str) -> Example:
    saying = evidence.sayings(address, [place])[place]
    return Example(address, saying, _read(saying, strict), _read(saying, plain))


def _read(saying: Saying, parser: str) -> Read:
    found = grade(saying.reply.text, saying.reply.finish, saying.item, parser)
    return Read(found, "" if found.choice is None else LETTERS[found.choice])
