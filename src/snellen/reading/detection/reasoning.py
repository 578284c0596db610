"""What a response says it sees, and whether its conclusion goes with it: findings that are there or are not."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.negation import NOT_NORMAL, denied, settled
from snellen.reading.language.parts import Part, Sentence
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


class Finding(Enum):
    """What a sentence says of the image."""

    ILL = auto()
    """A finding is there."""
    MAYBE = auto()
    """A finding may be there."""
    SOUND = auto()
    """Nothing is wrong, or something is not there."""


def sight(sentence: Sentence) -> Finding | None:
    """What a sentence says it sees in this image; None where it says nothing of the kind."""
    shape = sentence.shape
    if (
        sentence.general
        or _SAYS.search(shape) is None
        or len(shape.strip('".,')) < _FRAGMENT
        or _PUT_RIGHT.search(shape)
    ):
        return None
    ill = sound = False
    for clause in map(settled, shape.split(";")):
        findings = [found.start() for found in _FINDING.finditer(clause)]
        there = [place for place in findings if not denied(clause, place)]
        ill |= bool(there) or NOT_NORMAL.search(clause) is not None
        sound |= len(there) < len(findings) or (not there and _SOUND.search(clause) is not None)
    if ill:
        return Finding.MAYBE if _MAY.search(shape) else Finding.ILL
    return Finding.SOUND if sound else None


def plainly_seen(sentence: Sentence) -> bool:
    """Whether a sentence plainly reports what is in this image."""
    return sentence.part is Part.IMAGE or _PLAINLY.search(sentence.shape) is not None


def conflicts(seen: Iterable[Finding], *, ill: bool) -> bool | None:
    """Whether a conclusion (`ill` or not) goes against what was said to be seen; None where nothing clear was said."""
    said = list(seen)
    there, not_there = said.count(Finding.ILL), said.count(Finding.SOUND)
    if ill:
        if there or Finding.MAYBE in said:
            return False
        return True if not_there else None
    if there and not_there <= 2 * there:
        return True
    return False if not_there else None
