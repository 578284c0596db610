"""Identifiers: what in the words, ids and file names of a benchmark could tell who a patient is, found by rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
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


def look(audited: Audited) -> Checked:
    """A finding for each kind of identifier."""
    items = (*audited.items, *audited.training)
    found: dict[Identifier, list[tuple[str, Place, Found]]] = defaultdict(list)
    for number, item in enumerate(items, 1):
        parts = list(places_of(item))
        safe = _safe_id(item, number)
        for place in parts:
            reading = identifiers_in_name(place.text) if place.is_name else identifiers_in(place.text)
            for each in reading:
                found[each.kind].append((safe, place, each))
    findings = tuple(_finding(kind, found[kind], len(items)) for kind in Identifier if kind in found)
    note = (
        "Rules find what has the form of an identifier. They cannot tell a real one from an invented one, and they "
        "miss some."
    )
    return Checked(CHECK.name, len(items), findings, notes=(note,))


def _safe_id(item: Item, number: int) -> str:
    """An item's id, or its place among the items where the id itself holds an identifier."""
    return f"item {number}" if any(identifiers_in_name(item.id)) else item.id


def _finding(kind: Identifier, found: Iterable[tuple[str, Place, Found]], total: int) -> Finding:
    found = list(found)
    by_item: dict[str, list[tuple[Place, Found]]] = defaultdict(list)
    for item_id, place, each in found:
        by_item[item_id].append((place, each))
    where = Counter(place.name for _, place, _ in found)
    places = ", ".join(f"{count:,} in the {name}" for name, count in where.most_common())
    flagged = tuple(
        Flagged(item_id, f"Something in its {parts[0][0].name} looks like one of: {IN_WORDS[kind]}.", parts[0][1].quote)
        for item_id, parts in by_item.items()
    )
    # A person who is one of the answers is no patient.
    severity = Severity.LOW if set(where) == {"options"} else _SEVERITIES.get(kind, Severity.HIGH)
    return Finding(
        CHECK.name,
        severity,
        f"{len(by_item):,} of {total:,} items {'holds' if len(by_item) == 1 else 'hold'} what looks like "
        f"{IN_WORDS[kind]} ({places}).",
        FIX,
        flagged,
    )


CHECK = Check("identifiers", "Could names, dates, numbers or addresses tell who a patient is?", look)
