"""Missing images: items whose image is missing, unreadable, blank or tiny."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from snellen.items import Item
from snellen.prompts import TASKS
from snellen.runtime import counted
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Flagged, Severity, list_finding, shorten_quote
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


def look(audited: Audited) -> Checked:
    """Find items whose image is missing, unreadable, blank or tiny."""
    items = (*audited.items, *audited.training)
    lacking = _lacking(items)
    without = list_finding(
        NAME,
        Severity.HIGH,
        f"No image, although the task or most other items have one: {len(lacking):,} of {counted(len(items), 'item')}.",
        "Add the image, or leave the case out (without-image.txt) if it cannot be solved by its text alone.",
        (Flagged(item.id, "It has no image.", shorten_quote(item.question)) for item in lacking),
        sure=0.9,
    )
    lists = {"without-image": tuple(item.id for item in lacking)} if lacking else {}
    if not any(isinstance(each, Look) for each in audited.looks.values()):
        return Checked(NAME, 0, without, cannot=(_nothing_to_see(items, audited),), lists=lists)
    known = {item.id for item in lacking}
    unreadable = tuple(_find_unreadable(items, audited))
    speaking = tuple(_find_speaking([item for item in items if item.id not in known]))
    blank = tuple(_find_looks(items, audited, lambda look: look.blank))
    tiny = tuple(_find_looks(items, audited, lambda look: min(look.width, look.height) < LEAST_SIDE))
    of_unreadable = f"{_count_with(unreadable, items)} an image that is missing or cannot be read."
    of_speaking = f"{len(speaking):,} of {len(items):,} items speak of an image and have none."
    of_blank = f"{_count_with(blank, items)} a blank image: all or nearly all of its pixels have one shade."
    of_tiny = f"{_count_with(tiny, items)} an image less than {LEAST_SIDE} pixels high or wide."
    repair = "Add or repair the images, or drop the items. A tool that leaves a missing image out asks without it."
    add = "Add the image that is meant, reword the question, or drop the item."
    put_back = "Replace it with the image that the question was written for, or drop the item."
    findings = (
        *list_finding(NAME, Severity.HIGH, of_unreadable, repair, unreadable, sure=0.9),
        *without,
        *list_finding(NAME, Severity.HIGH, of_speaking, add, speaking, sure=0.8),
        *list_finding(NAME, Severity.HIGH, of_blank, put_back, blank, sure=0.9),
        *list_finding(NAME, Severity.HIGH, of_tiny, put_back, tiny, sure=0.9),
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


def _nothing_to_see(items: Sequence[Item], audited: Audited) -> str:
    named = sum(bool(item.images) for item in items)
    if not named:
        return f"None of the {len(items):,} items has an image, so images were not checked."
    reasons = Counter(_explain_unreadable(each.reason) for each in audited.looks.values() if isinstance(each, Unseen))
    return (
        f"{named:,} of {len(items):,} items name an image, and none of these images can be read (mostly, an image "
        f"{reasons.most_common(1)[0][0]}), so images were not checked. Was the benchmark loaded without them?"
    )


def _find_unreadable(items: Sequence[Item], audited: Audited) -> Iterator[Flagged]:
    for item in items:
        for image in item.images:
            if isinstance(seen := audited.look_of(image), Unseen):
                name = without_identifiers_in_name(image.name.rpartition("/")[2])
                yield Flagged(item.id, f"An image of it {_explain_unreadable(seen.reason)}.", shorten_quote(name))
                break


def _find_speaking(items: Sequence[Item]) -> Iterator[Flagged]:
    """Flag the items without an image whose words speak of one."""
    for item in items:
        if not item.images and (words := _SPEAKS.search(f"{item.context}\n{item.question}")):
            quote = shorten_quote(without_identifiers(words[0]))
            yield Flagged(item.id, "Its words speak of an image, and it has none.", quote)


def _find_looks(items: Sequence[Item], audited: Audited, wanted: Callable[[Look], bool]) -> Iterator[Flagged]:
    """Flag the items with an image whose look meets a condition."""
    for item in items:
        looks = (audited.look_of(image) for image in item.images)
        if shown := next((each for each in looks if isinstance(each, Look) and wanted(each)), None):
            size = f"{shown.width} × {shown.height} pixels"
            yield Flagged(item.id, f"Its image is {size}; {shown.flat:.1%} of the pixels have one shade.")


def _count_with(flagged: Sequence[Flagged], items: Sequence[Item]) -> str:
    return f"{len(flagged):,} of {len(items):,} items {'has' if len(flagged) == 1 else 'have'}"


def _explain_unreadable(reason: str) -> str:
    """Return the reason why an image cannot be read, without its file name."""
    return without_identifiers(_NAMED.sub("", reason).rstrip(". "))


CHECK = Check(NAME, "Are all images there, can they be read, and do they show something?", look)
