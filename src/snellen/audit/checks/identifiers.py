"""Identifiers: what in the words, ids and file names of a benchmark could tell who a patient is, found by rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.audit.audited import Audited
from snellen.audit.checks import Check
from snellen.audit.finding import Checked, Finding, Flagged, Severity
from snellen.audit.identifying import IN_WORDS, Found, Identifier, identifiers_in, identifiers_in_name
from snellen.items import Item

_SEVERITIES = {
    Identifier.DATE: Severity.MEDIUM,
    Identifier.INSTITUTION: Severity.MEDIUM,
    Identifier.AGE: Severity.LOW,
}
"""All others say directly who somebody is."""
FIX = (
    "Look at each of them. Remove or replace what is real, in every published copy. Identifiers are masked here; the "
    "benchmark's own file has them."
)


class Place(NamedTuple):
    """A part of an item that may hold identifiers: what it is called, its text, and whether it is a name."""

    name: str
    text: str
    is_name: bool = False


def places_of(item: Item) -> Iterator[Place]:
    """The parts of an item that are looked through."""
    yield Place("question", item.question)
    yield Place("context", item.context)
    yield Place("options", "\n".join(option.text for option in item.options))
    if isinstance(item.answer, str):
        yield Place("reference answer", item.answer)
    yield Place("id", item.id, is_name=True)
    if item.cluster and item.cluster != item.id:
        yield Place("patient", item.cluster, is_name=True)
    for image in item.images:
        if image.path is not None or not isinstance(image.source, bytes):
            yield Place("file name", image.name.rpartition("/")[2], is_name=True)


class _Held(NamedTuple):
    """An identifier, the part of an item that holds it, and the item: its place among all and what to call it."""

    number: int
    item_id: str
    place: Place
    found: Found


def look(audited: Audited) -> Checked:
    """A finding for each kind of identifier."""
    items = (*audited.items, *audited.training)
    found: dict[Identifier, list[_Held]] = defaultdict(list)
    for number, item in enumerate(items, 1):
        parts = list(places_of(item))
        safe = _safe_id(item, number)
        for place in parts:
            reading = identifiers_in_name(place.text) if place.is_name else identifiers_in(place.text)
            for each in reading:
                found[each.kind].append(_Held(number, safe, place, each))
    findings = tuple(_finding(kind, found[kind], len(items)) for kind in Identifier if kind in found)
    note = (
        "Rules find what has the form of an identifier. They cannot tell a real one from an invented one, and they "
        "miss some."
    )
    others = sum(not item.language.casefold().startswith("en") for item in items)
    are = "1 item is" if others == 1 else f"{others:,} items are"
    cannot = (f"{are} not in English: rules know names and hospitals by English words and titles alone.",)
    return Checked(CHECK.name, len(items), findings, cannot=cannot if others else (), notes=(note,))


def _safe_id(item: Item, number: int) -> str:
    """An item's id, or its place among the items where the id itself holds an identifier."""
    return f"item {number}" if any(identifiers_in_name(item.id)) else item.id


def _finding(kind: Identifier, found: Sequence[_Held], total: int) -> Finding:
    by_item = {each.number: each for each in reversed(found)}
    where = Counter(each.place.name for each in found)
    places = ", ".join(f"{count:,} in the {name}" for name, count in where.most_common())
    flagged = tuple(
        Flagged(
            each.item_id, f"Something in its {each.place.name} looks like one of: {IN_WORDS[kind]}.", each.found.quote
        )
        for _, each in sorted(by_item.items())
    )
    # A person who is one of the answers is no patient.
    severity = Severity.LOW if set(where) == {"options"} else _SEVERITIES.get(kind, Severity.HIGH)
    return Finding(
        CHECK.name,
        severity,
        f"{len(by_item):,} of {total:,} items hold what looks like {IN_WORDS[kind]} ({places}).",
        FIX,
        flagged,
    )


CHECK = Check("identifiers", "Could names, dates, numbers or addresses tell who a patient is?", look)
