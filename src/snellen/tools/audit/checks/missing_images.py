"""Missing images: items whose image is missing, unreadable, blank or tiny."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from snellen.images import Image
from snellen.items import Item
from snellen.prompts import TASKS
from snellen.runtime import counted
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, shorten_quote
from snellen.tools.audit.identifying import without_identifiers, without_identifiers_in_name
from snellen.tools.audit.looks import Look, Unseen

NAME = "missing-images"
LEAST_SIDE = 32
"""Minimum width and height in pixels; a smaller image shows almost nothing."""
_KIND = (
    r"(?:images?|pictures?|photo(?:graph|micrograph)?s?|figures?|x-?rays?|radiographs?|films?|"
    r"scans?|slides?|CTs?|MRIs?)"
)
_SPEAKS = re.compile(
    r"<image[ _]?\d{0,3}>"
    rf"|\b(?:this|these) (?:[\w-]+ ){{0,3}}{_KIND}\b"
    rf"|\b(?:figures?|figs?\.|images?|panels?) (?:(?-i:[A-H1-9])\b|below|above|shown|provided|attached)"
    r"|\b(?:as |is |are )(?:shown|pictured|depicted|illustrated|seen) (?:below|above|here|in (?:the |this )?"
    rf"(?:[\w-]+ ){{0,2}}{_KIND})\b"
    rf"|\b(?:in|on|from|based on|according to|by) the (?:given |provided |attached |accompanying |above |following )?"
    r"(?:image|picture|photo|photograph|figure)\b"
    rf"|\bthe (?:attached|accompanying|provided|following|above) (?:[\w-]+ ){{0,2}}{_KIND}\b"
    rf"|\b{_KIND} (?:is|are) (?:shown|provided|given|depicted|pictured|displayed)\b(?! to\b)",
    re.IGNORECASE,
)
_MOST = 0.75
"""If at least this share of the items of a kind has an image, the others count as lacking one."""
_TASKS: Mapping[str, bool] = {task.name: task.image for task in TASKS}
_NAMED = re.compile(r"^image .*? (?=(?:is|are|has|lies|cannot|holds|was)\b)", re.IGNORECASE)


def speaks_of_image(text: str) -> bool:
    """Return whether a text refers to an image that the item should have.

    >>> speaks_of_image("What does this chest X-ray show?"), speaks_of_image("A chest X-ray shows an effusion.")
    (True, False)
    """
    return _SPEAKS.search(text) is not None


def look(audited: Audited) -> Checked:
    """Find items whose image is missing, unreadable, blank or tiny."""
    items = (*audited.items, *audited.training)
    lacking = _lacking(items)
    without = tuple(_without_image(lacking, items))
    lists = {"without-image": tuple(item.id for item in lacking)} if lacking else {}
    if not any(isinstance(each, Look) for each in audited.looks.values()):
        return Checked(NAME, 0, without, cannot=(_nothing_to_see(items, audited),), lists=lists)
    known = {item.id for item in lacking}
    speaking = [
        item
        for item in items
        if not item.images and item.id not in known and speaks_of_image(f"{item.context}\n{item.question}")
    ]
    findings = (
        *_unreadable(items, audited),
        *without,
        *_speaking(speaking, items),
        *_of_looks(items, audited, "a blank image: all or nearly all of its pixels have one shade", _is_blank),
        *_of_looks(items, audited, f"an image less than {LEAST_SIDE} pixels high or wide", _is_tiny),
    )
    return Checked(NAME, len(items), findings, lists=lists)


def _lacking(items: Sequence[Item]) -> list[Item]:
    """List the items without an image whose task or kind usually has one."""
    kinds = Counter(item.kind for item in items)
    shown = Counter(item.kind for item in items if item.images)
    usual = {kind for kind, count in kinds.items() if shown[kind] >= _MOST * count}
    return [
        item for item in items if not item.images and _TASKS.get(str(item.metadata.get("task")), item.kind in usual)
    ]


def _without_image(lacking: Sequence[Item], items: Sequence[Item]) -> Iterator[Finding]:
    if lacking:
        yield Finding(
            NAME,
            Severity.HIGH,
            "No image, although the task or most other items have one: "
            f"{len(lacking):,} of {counted(len(items), 'item')}.",
            "Add the image, or leave the case out (without-image.txt) if it cannot be solved by its text alone.",
            tuple(Flagged(item.id, "It has no image.", shorten_quote(item.question)) for item in lacking),
            sure=0.9,
        )


def _nothing_to_see(items: Sequence[Item], audited: Audited) -> str:
    named = sum(bool(item.images) for item in items)
    if not named:
        return f"None of the {len(items):,} items has an image, so images were not checked."
    reasons = Counter(_explain_unreadable(each.reason) for each in audited.looks.values() if isinstance(each, Unseen))
    return (
        f"{named:,} of {len(items):,} items name an image, and none of these images can be read (mostly, an image "
        f"{reasons.most_common(1)[0][0]}), so images were not checked. Was the benchmark loaded without them?"
    )


def _first_unseen(item: Item, audited: Audited) -> tuple[Image, Unseen] | None:
    looks = ((image, audited.look_of(image)) for image in item.images)
    return next(((image, each) for image, each in looks if isinstance(each, Unseen)), None)


def _shows(item: Item, audited: Audited, wanted: Callable[[Look], bool]) -> Look | None:
    """Return the first look of the item's images that meets a condition. None if there is none."""
    looks = (audited.look_of(image) for image in item.images)
    return next((each for each in looks if isinstance(each, Look) and wanted(each)), None)


def _is_blank(look: Look) -> bool:
    return look.blank


def _is_tiny(look: Look) -> bool:
    return min(look.width, look.height) < LEAST_SIDE


def _unreadable(items: Sequence[Item], audited: Audited) -> Iterator[Finding]:
    flagged = []
    for item in items:
        if (first := _first_unseen(item, audited)) is None:
            continue
        image, unseen = first
        name = without_identifiers_in_name(image.name.rpartition("/")[2])
        flagged.append(Flagged(item.id, f"An image of it {_explain_unreadable(unseen.reason)}.", shorten_quote(name)))
    if flagged:
        yield Finding(
            NAME,
            Severity.HIGH,
            f"{_describe_count(flagged, items)} an image that is missing or cannot be read.",
            "Add or repair the images, or drop the items. A tool that leaves a missing image out asks without it.",
            tuple(flagged),
            sure=0.9,
        )


def _speaking(found: Sequence[Item], items: Sequence[Item]) -> Iterator[Finding]:
    if found:
        yield Finding(
            NAME,
            Severity.HIGH,
            f"{len(found):,} of {len(items):,} items speak of an image and have none.",
            "Add the image that is meant, reword the question, or drop the item.",
            tuple(Flagged(item.id, "Its words speak of an image, and it has none.", _words(item)) for item in found),
            sure=0.8,
        )


def _words(item: Item) -> str:
    found = _SPEAKS.search(f"{item.context}\n{item.question}")
    return shorten_quote(without_identifiers(found[0])) if found else ""


def _of_looks(items: Sequence[Item], audited: Audited, what: str, wanted: Callable[[Look], bool]) -> Iterator[Finding]:
    flagged = []
    for item in items:
        if shown := _shows(item, audited, wanted):
            size = f"{shown.width} × {shown.height} pixels"
            flagged.append(Flagged(item.id, f"Its image is {size}; {shown.flat:.1%} of them have one shade."))
    if flagged:
        yield Finding(
            NAME,
            Severity.HIGH,
            f"{_describe_count(flagged, items)} {what}.",
            "Put the image in its place that the question was written for, or drop the item.",
            tuple(flagged),
            sure=0.9,
        )


def _describe_count(found: Sequence[Flagged], items: Sequence[Item]) -> str:
    return f"{len(found):,} of {len(items):,} items {'has' if len(found) == 1 else 'have'}"


def _explain_unreadable(reason: str) -> str:
    """Return the reason why an image cannot be read, without its file name."""
    return without_identifiers(_NAMED.sub("", reason).rstrip(". "))


CHECK = Check(NAME, "Are all images there, can they be read, and do they show something?", look)
