"""Identifying text: parts of a question, id or file name that could identify a patient."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from snellen.items import Item
from snellen.reading.invented.parser import mask_characters
from snellen.reading.language.words.details import ADDRESSES, DATES, DETAILS, HOSPITALS, NO_HOSPITALS, NO_NAMES
from snellen.runtime import regex

_LONGEST_ENDING = 5


class Identifier(StrEnum):
    """Kind of an identifier."""

    NAME = "name"
    BIRTH = "birth"
    RECORD = "record"
    SECURITY = "security"
    CONTACT = "contact"
    ADDRESS = "address"
    DATE = "date"
    INSTITUTION = "institution"
    AGE = "age"


IN_WORDS = {
    Identifier.NAME: "names of persons",
    Identifier.BIRTH: "dates of birth",
    Identifier.RECORD: "numbers of patients, records or studies",
    Identifier.SECURITY: "social security numbers",
    Identifier.CONTACT: "phone numbers or e-mail addresses",
    Identifier.ADDRESS: "addresses",
    Identifier.DATE: "full dates",
    Identifier.INSTITUTION: "names of hospitals",
    Identifier.AGE: "ages over 89",
}


class FoundIdentifier(NamedTuple):
    """An identifier by kind and place; its text is not stored."""

    kind: Identifier
    start: int
    end: int
    masked: str

    @property
    def quote(self) -> str:
        """The masked text with its length."""
        return f"{self.masked[:80]} ({self.end - self.start} characters)"


_DATE = DATES[0].pattern
_PATTERNS: dict[Identifier, tuple[re.Pattern[str], ...]] = {
    Identifier.BIRTH: (regex(rf"(?i:\b(?:DOB|D\.O\.B|date of birth|birth ?date|born on)\b\.?)[ :=]{{0,3}}{_DATE}"),),
    Identifier.SECURITY: (regex(r"(?<![\d-])(?P<told>\d{3}-\d{2}-\d{4})(?![\d-])"),),
    Identifier.CONTACT: DETAILS["contact"],
    Identifier.RECORD: (
        *DETAILS["record"],
        regex(r"(?i:\b(?:MRN|PID|PatID|accession|acc)) ?[#:]? ?(?P<told>[A-Z]{0,3}\d{5,12})\b"),
    ),
    Identifier.DATE: DATES,
    Identifier.ADDRESS: ADDRESSES,
    Identifier.INSTITUTION: HOSPITALS,
    Identifier.NAME: DETAILS["name"],
    Identifier.AGE: (
        regex(r"(?i)(?<![\d.])(?P<told>(?:9\d|1[0-2]\d)[- ]?(?:years?|yrs?|y)[- ]?(?:old\b|/?o\b))"),
        regex(r"(?i)\bage[ds]?(?: of| is|:)? ?(?P<told>(?:9\d|1[0-2]\d))\b(?! ?(?:months?|weeks?|days?|%|mm))"),
    ),
}
"""Patterns by kind; a part of a text that fits several kinds counts as the first of them."""


def identifiers_in(text: str) -> Iterator[FoundIdentifier]:
    """Find the identifiers in a text by rules.

    >>> [each.quote for each in identifiers_in("Seen by Dr. Miller on 12/03/2021: a 26-year-old man.")]
    ['••/••/•••• (10 characters)', '•••••• (6 characters)']
    """
    taken: list[tuple[int, int]] = []
    for kind, patterns in _PATTERNS.items():
        for found in (each for pattern in patterns for each in pattern.finditer(text)):
            start, end = found.span("told")
            if start == end or any(first < end and start < last for first, last in taken) or _is_none(kind, found):
                continue
            taken.append((start, end))
            yield FoundIdentifier(kind, start, end, mask_characters(found["told"]))


def _is_none(kind: Identifier, found: re.Match[str]) -> bool:
    """Return whether something only looks like an identifier: an eponym or a date without year."""
    words = found["told"].casefold().split()
    if kind == Identifier.NAME:
        return words[0] in NO_NAMES or EPONYM.match(found.string, found.end("told")) is not None
    if kind == Identifier.INSTITUTION:
        return NO_HOSPITALS.issuperset(words[:-1])
    if kind == Identifier.DATE:
        numbers = [int(each) for each in re.findall(r"\d+", found["told"])]
        day_and_month = [each for each in numbers if each < 1000][:2]
        return len(numbers) < 2 or max(day_and_month) > 31 or (len(numbers) > 2 and min(day_and_month) > 12)
    return False


EPONYM = regex(
    r"['’]?s? \(?(?:[A-Z]{2}\)? )?(?i:(?:virus|syndrome|disease|sign|test|classification|procedure|criteria|fracture|"
    r"score|scale|operation|law|type|approach|pupils?|phenomenon|tumou?r|cells?|bod(?:y|ies))\b)"
)
"""Words after a name that is not that of a patient, such as "syndrome"."""
_SEPARATORS = regex(r"[\\/_^,.-]+")
_COMPACT_DATE = regex(r"(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)")


def identifiers_in_name(name: str) -> Iterator[FoundIdentifier]:
    """Find the identifiers in an id or file name, whose words are joined by signs.

    >>> [each.kind.value for each in identifiers_in_name("Smith_John-19700131.png")]
    ['date', 'name']
    """
    for found in _COMPACT_DATE.finditer(name):
        yield FoundIdentifier(Identifier.DATE, *found.span(), mask_characters(found[0]))
    spaced = _SEPARATORS.sub(lambda each: " " * len(each[0]), name)
    words = re.sub(r"[A-Z]{2,}", lambda each: each[0].capitalize(), spaced)
    turned = " ".join(reversed(words.split()))
    kinds = {Identifier.NAME, Identifier.RECORD, Identifier.SECURITY, Identifier.CONTACT}
    in_order = [each for text in (name, words) for each in identifiers_in(text) if each.kind in kinds]
    backwards = [] if in_order else [each for each in identifiers_in(turned) if each.kind == Identifier.NAME]
    yield from dict.fromkeys((*in_order, *backwards))


def places_of_identifying(items: Sequence[Item]) -> dict[str, str]:
    """Name the items whose id holds an identifier by their place instead.

    >>> places_of_identifying([Item("7", "Normal?"), Item("Smith_John-19700131", "Normal?")])
    {'Smith_John-19700131': 'item 2'}
    """
    found: dict[str, str] = {}
    for number, item in enumerate(items, 1):
        if any(identifiers_in_name(item.id)):
            found.setdefault(item.id, f"item {number}")
    return found


def without_identifiers_in_name(name: str) -> str:
    """Mask a file name, except its ending, if it holds an identifier.

    >>> without_identifiers_in_name("Smith_John-19700131.png"), without_identifiers_in_name("7.png")
    ('•••••_••••-••••••••.png', '7.png')
    """
    if not any(identifiers_in_name(name)):
        return name
    stem, dot, ending = name.rpartition(".")
    return f"{mask_characters(stem)}{dot}{ending}" if stem and len(ending) <= _LONGEST_ENDING else mask_characters(name)


class ItemPart(NamedTuple):
    """A part of an item that may hold identifiers: its name and its text."""

    name: str
    text: str
    is_name: bool = False

    def find_identifiers(self) -> Iterator[FoundIdentifier]:
        """Find the identifiers in this part; all of it if its column holds identifiers."""
        kind = next((kind for kind, called in _COLUMNS.items() if called.fullmatch(self.name)), None)
        if kind and self.text.strip():
            return iter((FoundIdentifier(kind, 0, len(self.text), mask_characters(self.text)),))
        return identifiers_in_name(self.text) if self.is_name else identifiers_in(self.text)


_COLUMNS = {
    kind: regex(rf"(?i)(?:patient|pat|pt)?(?:'?s)?[ _.-]?(?:{called})")
    for kind, called in {
        Identifier.NAME: r"name|(?:first|last|full|given|family|middle|sur|maiden)[ _-]?names?|initials",
        Identifier.BIRTH: r"dob|(?:date[ _-]?of[ _-]?)?birth[ _-]?(?:date|day)?",
        Identifier.RECORD: r"mrn|(?:medical[ _-]?)?record[ _-]?(?:number|no|id)|accession(?:[ _-]?(?:number|no))?",
        Identifier.SECURITY: r"ssn|(?:social[ _-]?security|insurance)[ _-]?(?:number|no)|codice[ _-]?fiscale",
        Identifier.CONTACT: r"(?:tele)?phone(?:[ _-]?(?:number|no))?|mobile|e-?mail(?:[ _-]?address)?",
        Identifier.ADDRESS: r"(?:home[ _-]?)?address|zip(?:[ _-]?code)?|postcode",
    }.items()
}
"""Names of columns whose values are identifiers, whatever they look like."""


def text_parts(item: Item) -> Iterator[ItemPart]:
    """Yield the texts of an item: question, context, options, references and metadata."""
    yield ItemPart("question", item.question)
    yield ItemPart("context", item.context)
    yield ItemPart("options", "\n".join(option.text for option in item.options))
    if isinstance(item.answer, str):
        yield ItemPart("reference answer", item.answer)
    for name, value in item.metadata.items():
        yield from (ItemPart(column, text) for column, text in _texts_in(str(name), value) if text != item.answer)


def _texts_in(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts in a metadata value at any depth, each with its column."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        yield from (text for key, each in value.items() for text in _texts_in(str(key), each))
    elif isinstance(value, list | tuple):
        yield from (text for each in value for text in _texts_in(name, each))


def identifying_words(items: Iterable[Item]) -> frozenset[str]:
    """Collect the words of three letters or more of all identifiers in the items.

    >>> sorted(identifying_words([Item("7", "Seen by Dr. Miller. MRN 12345678: normal?")]))
    ['12345678', 'miller']
    """
    told = (
        part.text[each.start : each.end]
        for item in items
        for part in text_parts(item)
        for each in part.find_identifiers()
        if each.kind != Identifier.AGE
    )
    return frozenset(word for words in told for word in re.findall(r"\w{3,}", words.casefold()))


def without_identifiers(text: str, known: Container[str] = ()) -> str:
    """Mask every identifier that rules find, and every word in `known`.

    Rules find some names only by their title, such as "Dr."; `known` finds them without it.

    >>> without_identifiers("Dr. Miller")
    'Dr. ••••••'
    """
    for found in identifiers_in(text):
        text = text[: found.start] + mask_characters(text[found.start : found.end]) + text[found.end :]
    return re.sub(r"\w+", lambda word: mask_characters(word[0]) if word[0].casefold() in known else word[0], text)


def safe_id(item_id: str, number: int) -> str:
    """Return an item's id, or its number if the id holds an identifier.

    >>> safe_id("cxr/7", 1), safe_id("Smith_John-19700131", 2)
    ('cxr/7', 'item 2')
    """
    return f"item {number}" if any(identifiers_in_name(item_id)) else item_id


def describe_unread_pixels(items: Sequence[Item]) -> tuple[str, ...]:
    """Say that a check read no pixels, if items have images."""
    shown = sum(bool(item.images) for item in items)
    if not shown:
        return ()
    said = (
        f"Pixels were not read here: {shown:,} of {len(items):,} items have images. --also burned-in-text reads them."
    )
    return (said,)
