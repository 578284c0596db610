"""Missing images: items whose image is missing, unreadable, blank or tiny, and items that speak of one they lack."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from snellen.audit.audited import Audited
from snellen.audit.checks import Check
from snellen.audit.finding import Checked, Finding, Flagged, Severity
from snellen.audit.identifying import without_identifiers, without_identifiers_in_name
from snellen.audit.looks import Look, Unseen
from snellen.errors import ImageError
from snellen.images import Image
from snellen.items import Item

LEAST_SIDE = 32
"""Pixels: an image that is smaller either way shows next to nothing."""
_LONGEST_QUOTE = 160
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
_NAMED = re.compile(r"^image .*? (?=(?:is|are|has|lies|cannot|holds|was)\b)", re.IGNORECASE)


def speaks_of_image(text: str) -> bool:
    """Whether a question is about an image that is meant to be there; a history of scans is not.

    >>> speaks_of_image("What does this chest X-ray show?"), speaks_of_image("A chest X-ray shows an effusion.")
    (True, False)
    """
    return _SPEAKS.search(text) is not None


def look(audited: Audited) -> Checked:
    """Findings on the images that are not there or show nothing; one sentence where there is none at all."""
    items = (*audited.items, *audited.training)
    unseen = [item for item in items if _first(item, audited, Unseen) is not None]
    if not any(isinstance(each, Look) for each in audited.looks.values()):
        return Checked(CHECK.name, 0, cannot=(_nothing_to_see(items, audited),))
    speaking = [item for item in items if not item.images and speaks_of_image(f"{item.context}\n{item.question}")]
    blank = [item for item in items if _shows(item, audited, lambda each: each.blank)]
    tiny = [item for item in items if _shows(item, audited, _is_tiny)]
    findings = (
        *_unreadable(unseen, items, audited),
        *_speaking(speaking, items),
        *_of_looks(blank, items, audited, "a blank image: all or nearly all of its pixels have one shade", _is_blank),
        *_of_looks(tiny, items, audited, f"an image less than {LEAST_SIDE} pixels high or wide", _is_tiny),
    )
    return Checked(CHECK.name, len(items), findings)


def _nothing_to_see(items: Sequence[Item], audited: Audited) -> str:
    named = sum(bool(item.images) for item in items)
    if not named:
        return f"None of the {len(items):,} items has an image, so nothing can be said of images."
    reasons = Counter(_unnamed(each.reason) for each in audited.looks.values() if isinstance(each, Unseen))
    return (
        f"{named:,} of {len(items):,} items name an image, and none of these images can be read (most often: "
        f"{reasons.most_common(1)[0][0]}), so nothing can be said of images. Was the benchmark loaded without them?"
    )


def _look(image: Image, audited: Audited) -> Look | Unseen:
    try:
        return audited.looks[image.fingerprint]
    except ImageError as error:
        return Unseen(str(error))


def _first(item: Item, audited: Audited, kind: type[Look] | type[Unseen]) -> tuple[Image, Look | Unseen] | None:
    looks = ((image, _look(image, audited)) for image in item.images)
    return next(((image, each) for image, each in looks if isinstance(each, kind)), None)


def _shows(item: Item, audited: Audited, wanted: Callable[[Look], bool]) -> Look | None:
    """The first image of an item of which something holds."""
    looks = (_look(image, audited) for image in item.images)
    return next((each for each in looks if isinstance(each, Look) and wanted(each)), None)


def _is_blank(look: Look) -> bool:
    return look.blank


def _is_tiny(look: Look) -> bool:
    return min(look.width, look.height) < LEAST_SIDE


def _unreadable(found: Sequence[Item], items: Sequence[Item], audited: Audited) -> Iterator[Finding]:
    flagged = []
    for item in found:
        first = _first(item, audited, Unseen)
        assert first is not None
        image, unseen = first
        assert isinstance(unseen, Unseen)
        name = without_identifiers_in_name(image.name.rpartition("/")[2])
        flagged.append(Flagged(item.id, f"An image of it {_unnamed(unseen.reason)}.", name[-_LONGEST_QUOTE:]))
    if flagged:
        yield Finding(
            CHECK.name,
            Severity.HIGH,
            f"{_some(found, items)} an image that is missing or cannot be read.",
            "Add or repair the images, or drop the items. A tool that leaves a missing image out asks without it.",
            tuple(flagged),
        )


def _speaking(found: Sequence[Item], items: Sequence[Item]) -> Iterator[Finding]:
    if found:
        yield Finding(
            CHECK.name,
            Severity.HIGH,
            f"{len(found):,} of {len(items):,} items speak of an image and have none.",
            "Add the image that is meant, reword the question, or drop the item.",
            tuple(Flagged(item.id, "Its words speak of an image, and it has none.", _words(item)) for item in found),
        )


def _words(item: Item) -> str:
    found = _SPEAKS.search(f"{item.context}\n{item.question}")
    return without_identifiers(found[0])[:_LONGEST_QUOTE] if found else ""


def _of_looks(
    found: Sequence[Item], items: Sequence[Item], audited: Audited, what: str, wanted: Callable[[Look], bool]
) -> Iterator[Finding]:
    flagged = []
    for item in found:
        shown = _shows(item, audited, wanted)
        assert shown is not None
        size = f"{shown.width} × {shown.height} pixels"
        flagged.append(Flagged(item.id, f"Its image is {size}; {shown.flat:.1%} of them have one shade."))
    if flagged:
        yield Finding(
            CHECK.name,
            Severity.HIGH,
            f"{_some(found, items)} {what}.",
            "Put the image in its place that the question was written for, or drop the item.",
            tuple(flagged),
        )


def _some(found: Sequence[Item], items: Sequence[Item]) -> str:
    return f"{len(found):,} of {len(items):,} items {'has' if len(found) == 1 else 'have'}"


def _unnamed(reason: str) -> str:
    """Why an image cannot be read, without its name."""
    return without_identifiers(_NAMED.sub("", reason).rstrip(". "))


CHECK = Check("missing-images", "Are all images there, can they be read, and do they show something?", look)
