"""Parser of details: statements about a person or document that the question does not contain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from snellen.reading.diagnoses.names import named_at
from snellen.reading.language.cleaning import clean_text
from snellen.reading.language.negation import denied_words
from snellen.reading.language.sentences import sentences_of
from snellen.reading.language.words.details import ASKED_FOR, CLAUSES, DETAILS, NO_NAMES, TITLES, UNTOLD
from snellen.reading.language.words.diagnoses import words
from snellen.runtime import regex


class DetailKind(StrEnum):
    """Kind of a detail, by what it describes."""

    NAME = "name"
    DATE = "date"
    RECORD = "record"
    PLATE = "plate"
    CONTACT = "contact"
    PLACE = "place"
    INSTITUTION = "institution"
    EXPIRY = "expiry"
    AMOUNT = "amount"
    AGE = "age"
    SEX = "sex"
    DIAGNOSIS = "diagnosis"


DETAIL_KINDS = {
    DetailKind.NAME: "names of persons",
    DetailKind.DATE: "dates",
    DetailKind.RECORD: "numbers of patients, records and documents",
    DetailKind.PLATE: "number plates and serial numbers",
    DetailKind.CONTACT: "phone numbers and e-mail addresses",
    DetailKind.PLACE: "addresses and places",
    DetailKind.INSTITUTION: "institutions",
    DetailKind.EXPIRY: "expiry dates",
    DetailKind.AMOUNT: "amounts of money",
    DetailKind.AGE: "ages",
    DetailKind.SEX: "the sex of a patient",
    DetailKind.DIAGNOSIS: "urgent diagnoses",
}
"""Description of each kind."""
IDENTIFYING = frozenset(DETAIL_KINDS) - {
    DetailKind.EXPIRY, DetailKind.AMOUNT, DetailKind.AGE, DetailKind.SEX, DetailKind.DIAGNOSIS,
}  # fmt: skip
"""Kinds that could identify a person or a thing if the details were true."""
Patterns = tuple[re.Pattern[str], ...]
_SIGNS = regex(r"[^\W_]")
_LETTERS = regex(r"\w+")


class Detail(NamedTuple):
    """A detail: its kind, and its text with letters and digits masked."""

    kind: DetailKind
    masked: str


class InventedDetails(NamedTuple):
    """Details of one response."""

    details: tuple[Detail, ...]

    @property
    def kinds(self) -> frozenset[DetailKind]:
        """Kinds of details in the response."""
        return frozenset(each.kind for each in self.details)

    @property
    def rule(self) -> str:
        """Kind of response: "identifiers", "details" or "none"."""
        return "identifiers" if self.kinds & IDENTIFYING else "details" if self.details else "none"


def mask_characters(text: str) -> str:
    """Replace each letter and digit by a dot.

    >>> mask_characters("12/03/2021")
    '••/••/••••'
    """
    return _SIGNS.sub("•", text)


def read_invented(text: str, question: str = "") -> InventedDetails:
    """Return the details that a response states, except those from the question.

    >>> read_invented("The label reads 12/03/2021. An age, e.g. 50 years old, is not given.").details
    (Detail(kind=<DetailKind.DATE: 'date'>, masked='••/••/••••'),)
    """
    asked = frozenset(_LETTERS.findall(question.casefold()))
    clauses = [clause for clause in _clauses(clean_text(text)) if not UNTOLD.search(clause)]
    diseases = frozenset(words(question))
    patterns = {kind: (*some, *_asked_for(kind, question)) for kind, some in DETAILS.items()}
    found = (
        each for clause in clauses for each in (*_find_details(clause, asked, patterns), *_urgent(clause, diseases))
    )
    return InventedDetails(tuple(dict.fromkeys(found)))


def _clauses(text: str) -> Iterator[str]:
    for sentence in sentences_of(TITLES.sub(r"\1 ", text)):
        yield from CLAUSES.split(sentence)


def _asked_for(kind: str, question: str) -> Iterator[re.Pattern[str]]:
    """Yield the pattern of a detail without a label, if the question asks for it."""
    if kind in ASKED_FOR and ASKED_FOR[kind][0].search(question):
        yield ASKED_FOR[kind][1]


def _find_details(clause: str, asked: frozenset[str], patterns: Mapping[str, Patterns]) -> Iterator[Detail]:
    """Yield the details that the patterns find. Each place in the text goes to the first kind that fits."""
    taken: list[tuple[int, int]] = []
    for kind, some in patterns.items():
        for pattern in some:
            for found in pattern.finditer(clause):
                start, end = found.span("told")
                told = found["told"]
                if any(first < end and start < last for first, last in taken):
                    continue
                if kind == DetailKind.NAME and told.split()[0].casefold() in NO_NAMES:
                    continue
                if asked.issuperset(_LETTERS.findall(told.casefold())):
                    continue
                taken.append((start, end))
                yield Detail(DetailKind(kind), mask_characters(told))


def _urgent(clause: str, asked: frozenset[str]) -> Iterator[Detail]:
    """Yield urgent diagnoses that are not denied. They identify no person, so only their kind is kept."""
    said = words(clause)
    denied = denied_words(clause.casefold().replace(",", " , ").split())
    if any(denied):
        return
    at = 0
    while at < len(said):
        match = named_at(said, at)
        if (
            match is not None
            and match.condition.urgent
            and not match.alone
            and not asked.issuperset(said[at : match.end])
        ):
            yield Detail(DetailKind.DIAGNOSIS, "")
        at = match.end if match is not None else at + 1
