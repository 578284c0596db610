"""Identifiers: text that could identify a patient, found by rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from snellen.items import Item
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, list_finding
from snellen.tools.audit.identifying import IN_WORDS, Identifier, ItemPart, describe_unread_pixels, safe_id, text_parts

NAME = "identifiers"
_SEVERITIES = {Identifier.DATE: Severity.MEDIUM, Identifier.INSTITUTION: Severity.MEDIUM, Identifier.AGE: Severity.LOW}
"""Severity by kind of identifier. Other kinds identify a person directly: high."""
FIX = (
    "Look at each of them. Remove or replace what is real, in every published copy. Identifiers are masked here; the "
    "benchmark's own file has them."
)


def parts_of(item: Item) -> Iterator[ItemPart]:
    """Yield the parts of an item that the check searches."""
    yield from text_parts(item)
    yield ItemPart("id", item.id, is_name=True)
    if item.cluster and item.cluster != item.id:
        yield ItemPart("patient", item.cluster, is_name=True)
    for image in item.images:
        if image.path is not None or not isinstance(image.source, bytes):
            yield ItemPart("file name", image.name.rpartition("/")[2], is_name=True)


def look(audited: Audited) -> Checked:
    """Make a finding for each kind of identifier."""
    items = (*audited.items, *audited.training)
    first: dict[Identifier, dict[int, Flagged]] = defaultdict(dict)
    places: dict[Identifier, Counter[str]] = defaultdict(Counter)
    for number, item in enumerate(items, 1):
        for part in parts_of(item):
            for found in part.find_identifiers():
                places[found.kind][part.name] += 1
                if number not in first[found.kind]:
                    evidence = f"Something in its {part.name} looks like one of: {IN_WORDS[found.kind]}."
                    first[found.kind][number] = Flagged(safe_id(item.id, number), evidence, found.quote)
    findings: list[Finding] = []
    for kind in (kind for kind in Identifier if kind in first):
        flagged, where = first[kind].values(), places[kind]
        # A person who is one of the answers is no patient.
        severity = Severity.LOW if set(where) == {"options"} else _SEVERITIES.get(kind, Severity.HIGH)
        sentence = (
            f"{len(flagged):,} of {len(items):,} items {'holds' if len(flagged) == 1 else 'hold'} what looks like "
            f"{IN_WORDS[kind]} ({', '.join(f'{count:,} in the {name}' for name, count in where.most_common())})."
        )
        sure = 0.2 if severity is Severity.LOW else 0.6
        findings += list_finding(NAME, severity, sentence, FIX, flagged, sure=sure)
    note = (
        "Rules find what has the form of an identifier. They cannot tell a real one from an invented one, and they "
        "miss some."
    )
    others = sum(not item.language.casefold().startswith("en") for item in items)
    are = "1 item is" if others == 1 else f"{others:,} items are"
    foreign = (f"{are} not in English: rules know names and hospitals by English words and titles alone.",)
    cannot = (*(foreign if others else ()), *describe_unread_pixels(items))
    return Checked(NAME, len(items), (*findings, *_burned_in(items)), cannot=cannot, notes=(note,))


def _burned_in(items: Sequence[Item]) -> tuple[Finding, ...]:
    """Find the scans whose files declare or suggest text in the pixels."""
    flagged = [
        Flagged(safe_id(item.id, number), f"Text may be burned into the pixels of its image: {why}.")
        for number, item in enumerate(items, 1)
        if (why := next((image.burned_in for image in item.images if image.burned_in), ""))
    ]
    sentence = (
        f"{len(flagged):,} of {len(items):,} items {'shows' if len(flagged) == 1 else 'show'} a scan that may have "
        "text burned into its pixels, by what its file says."
    )
    fix = "Look at the images, or have them read with --also burned-in-text, and cover what identifies a patient."
    return list_finding(NAME, Severity.MEDIUM, sentence, fix, flagged)


CHECK = Check(NAME, "Could names, dates, numbers or addresses tell who a patient is?", look)
