"""Findings that a response says it sees, and whether its conclusion agrees with them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.negation import NOT_NORMAL, blank_open_labels, is_denied
from snellen.reading.language.parts import ResponsePart, Sentence
from snellen.runtime import regex

_FINDING = regex("[f61]")
_SAYS = regex("[f610z]")
_SOUND = regex("(?<!n)(?<!n.)[0z]")
_PUT_RIGHT = regex("[V3]|[f6][^;]{0,6}BZ")
_MAY = regex("[hI]")
_FRAGMENT = 2
_PLAINLY = pattern(
    "there be|no|not|see",
    "be ..1 see",
    "the|this ..3 picture",
    "no|not ..3 finding",
    "i ..3 see",
)


class SentenceFinding(Enum):
    """Finding that a sentence states about the image."""

    ILL = auto()
    """The sentence says that a finding is present."""
    MAYBE = auto()
    """The sentence says that a finding may be present."""
    SOUND = auto()
    """The sentence says that all is normal, or that a finding is absent."""


def sight(sentence: Sentence) -> SentenceFinding | None:
    """Return what a sentence says it sees in this image; None if nothing."""
    shape = sentence.shape
    if (
        sentence.general
        or _SAYS.search(shape) is None
        or len(shape.strip('".,')) < _FRAGMENT
        or _PUT_RIGHT.search(shape)
    ):
        return None
    ill = sound = False
    for clause in map(blank_open_labels, shape.split(";")):
        findings = [found.start() for found in _FINDING.finditer(clause)]
        there = [place for place in findings if not is_denied(clause, place)]
        ill |= bool(there) or NOT_NORMAL.search(clause) is not None
        sound |= len(there) < len(findings) or (not there and _SOUND.search(clause) is not None)
    if ill:
        return SentenceFinding.MAYBE if _MAY.search(shape) else SentenceFinding.ILL
    return SentenceFinding.SOUND if sound else None


def plainly_seen(sentence: Sentence) -> bool:
    """Return whether a sentence plainly reports what is in this image."""
    return sentence.part is ResponsePart.IMAGE or _PLAINLY.search(sentence.shape) is not None


def conflicts(seen: Iterable[SentenceFinding], *, ill: bool) -> bool | None:
    """Return whether a conclusion contradicts the findings; None if no finding is clear."""
    said = list(seen)
    there, not_there = said.count(SentenceFinding.ILL), said.count(SentenceFinding.SOUND)
    if ill:
        if there or SentenceFinding.MAYBE in said:
            return False
        return True if not_there else None
    if there and not_there <= 2 * there:
        return True
    return False if not_there else None
