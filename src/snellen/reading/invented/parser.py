"""Details: what a response states of a person, a document or a thing that its question had not said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from snellen.reading.diagnoses.names import named_at
from snellen.reading.language.cleaning import cleaned
from snellen.reading.language.negation import denied_words
from snellen.reading.language.sentences import sentences_of
from snellen.reading.language.words.details import ASKED_FOR, CLAUSES, DETAILS, NO_NAMES, TITLES, UNTOLD
from snellen.reading.language.words.diagnoses import words
from snellen.runtime import regex


class DetailKind(StrEnum):
    """What a detail is of."""

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
"""The kinds in words."""
IDENTIFYING = frozenset(
    (
        DetailKind.NAME,
        DetailKind.DATE,
        DetailKind.RECORD,
        DetailKind.PLATE,
        DetailKind.CONTACT,
        DetailKind.PLACE,
        DetailKind.INSTITUTION,
    )
)
"""The kinds that could identify somebody or something, were they true."""
Patterns = tuple[re.Pattern[str], ...]
_SIGNS = regex(r"[^\W_]")
_LETTERS = regex(r"\w+")


class Detail(NamedTuple):
    """A detail by its kind, and what it looks like with every letter and digit masked."""

    kind: DetailKind
    masked: str


class InventedDetails(NamedTuple):
    """The details of one response."""

    details: tuple[Detail, ...]

    @property
    def kinds(self) -> frozenset[DetailKind]:
        """Which kinds there are."""
        return frozenset(each.kind for each in self.details)

    @property
    def rule(self) -> str:
        """What kind of response it is."""
        return "identifiers" if self.kinds & IDENTIFYING else "details" if self.details else "none"


def masked(text: str) -> str:
    """A text in which only its shape is left.

    >>> masked("12/03/2021")
    '••/••/••••'
    """
    return _SIGNS.sub("•", text)


def read_invented(text: str, question: str = "") -> InventedDetails:
    """The details that a response states; what its question had said, examples and what is not seen are none.

    >>> read_invented("The label reads 12/03/2021. An age, e.g. 50 years old, is not given.").details
    (Detail(kind=<DetailKind.DATE: 'date'>, masked='••/••/••••'),)
    """
    asked = frozenset(_LETTERS.findall(question.casefold()))
    clauses = [clause for clause in _clauses(cleaned(text)) if not UNTOLD.search(clause)]
    diseases = frozenset(words(question))
    patterns = {kind: (*some, *_asked_for(kind, question)) for kind, some in DETAILS.items()}
    found = (each for clause in clauses for each in (*_patterned(clause, asked, patterns), *_urgent(clause, diseases)))
    return InventedDetails(tuple(dict.fromkeys(found)))


def _clauses(text: str) -> Iterator[str]:
    for sentence in sentences_of(TITLES.sub(r"\1 ", text)):
        yield from CLAUSES.split(sentence)


def _asked_for(kind: str, question: str) -> Iterator[re.Pattern[str]]:
    """How a response gives a detail without its label, if the question asks for it."""
    if kind in ASKED_FOR and ASKED_FOR[kind][0].search(question):
        yield ASKED_FOR[kind][1]


def _patterned(clause: str, asked: frozenset[str], patterns: Mapping[str, Patterns]) -> Iterator[Detail]:
    """What the patterns find, each place in the text for the first kind that takes it."""
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
                yield Detail(DetailKind(kind), masked(told))


def _urgent(clause: str, asked: frozenset[str]) -> Iterator[Detail]:
    """Urgent diagnoses that are not denied; they identify nobody, and only their kind is told."""
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
