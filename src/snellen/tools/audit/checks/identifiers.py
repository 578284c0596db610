"""Identifiers: text that could identify a patient, found by rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.items import Item
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity
from snellen.tools.audit.identifying import (
    IN_WORDS,
    FoundIdentifier,
    Identifier,
    ItemPart,
    describe_unread_pixels,
    safe_id,
    text_parts,
)

NAME = "identifiers"
_SEVERITIES = {
    Identifier.DATE: Severity.MEDIUM,
    Identifier.INSTITUTION: Severity.MEDIUM,
    Identifier.AGE: Severity.LOW,
}
"""All others identify a person directly."""
FIX = (
    "Look at each of them. Remove or replace what is real, in every published copy. Identifiers are masked here; the "
    "benchmark's own file has them."
)


def parts_of(item: Item) -> Iterator[ItemPart]:
    """The parts of an item that are looked through."""
    yield from text_parts(item)
    yield ItemPart("id", item.id, is_name=True)
    if item.cluster and item.cluster != item.id:
        yield ItemPart("patient", item.cluster, is_name=True)
    for image in item.images:
        if image.path is not None or not isinstance(image.source, bytes):
            yield ItemPart("file name", image.name.rpartition("/")[2], is_name=True)


class _ItemIdentifier(NamedTuple):
    """An identifier, the part of an item that holds it, and the item's place."""

    number: int
    item_id: str
    part: ItemPart
    found: FoundIdentifier


def look(audited: Audited) -> Checked:
    """A finding for each kind of identifier."""
    items = (*audited.items, *audited.training)
    found: dict[Identifier, list[_ItemIdentifier]] = defaultdict(list)
    for number, item in enumerate(items, 1):
        safe = safe_id(item.id, number)
        for part in parts_of(item):
            for each in part.find_identifiers():
                found[each.kind].append(_ItemIdentifier(number, safe, part, each))
    by_kind = (_finding(kind, found[kind], len(items)) for kind in Identifier if kind in found)
    findings = (*by_kind, *_burned_in(items))
    note = (
        "Rules find what has the form of an identifier. They cannot tell a real one from an invented one, and they "
        "miss some."
    )
    others = sum(not item.language.casefold().startswith("en") for item in items)
    are = "1 item is" if others == 1 else f"{others:,} items are"
    foreign = (f"{are} not in English: rules know names and hospitals by English words and titles alone.",)
    cannot = (*(foreign if others else ()), *describe_unread_pixels(items))
    return Checked(NAME, len(items), findings, cannot=cannot, notes=(note,))


def _burned_in(items: Sequence[Item]) -> Iterator[Finding]:
    """Find the scans whose files declare or suggest text in the pixels."""
    flagged = [
        Flagged(safe_id(item.id, number), f"Text may be burned into the pixels of its image: {why}.")
        for number, item in enumerate(items, 1)
        if (why := next((image.burned_in for image in item.images if image.burned_in), ""))
    ]
    if flagged:
        yield Finding(
            NAME,
            Severity.MEDIUM,
            f"{len(flagged):,} of {len(items):,} items {'shows' if len(flagged) == 1 else 'show'} a scan that may have "
            "text burned into its pixels, by what its file says.",
            "Look at the images, or have them read with --also burned-in-text, and cover what identifies a patient.",
            tuple(flagged),
        )


def _finding(kind: Identifier, found: Sequence[_ItemIdentifier], total: int) -> Finding:
    by_item = {each.number: each for each in reversed(found)}
    where = Counter(each.part.name for each in found)
    places = ", ".join(f"{count:,} in the {name}" for name, count in where.most_common())
    flagged = tuple(
        Flagged(
            each.item_id, f"Something in its {each.part.name} looks like one of: {IN_WORDS[kind]}.", each.found.quote
        )
        for _, each in sorted(by_item.items())
    )
    # A person who is one of the answers is no patient.
    severity = Severity.LOW if set(where) == {"options"} else _SEVERITIES.get(kind, Severity.HIGH)
    return Finding(
        NAME,
        severity,
        f"{len(by_item):,} of {total:,} items {'holds' if len(by_item) == 1 else 'hold'} what looks like "
        f"{IN_WORDS[kind]} ({places}).",
        FIX,
        flagged,
        sure=0.2 if severity is Severity.LOW else 0.6,
    )


CHECK = Check(NAME, "Could names, dates, numbers or addresses tell who a patient is?", look)
