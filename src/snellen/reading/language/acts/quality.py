"""Find statements that the image is poor: blurred, noisy, cut off, spoilt by artefacts, or unreadable."""

from __future__ import annotations

from snellen.lexicon import read_lexicon
from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.parts import ResponsePart, Sentence
from snellen.runtime import regex

_LEXICON = read_lexicon("declining")

CANNOT = _LEXICON.read_text("cannot")
QUALITY = _LEXICON.read_lines("quality")

_HINT = regex("[SsakLPOlT8]|n.{0,2}[zo]")
POOR = pattern(*_LEXICON.read_lines("poor"))
_DENIED = regex("[nNA][^;]{0,5}$|[hq][^;,]{0,3}$")
_GOOD = regex("(?<![sb])(?<![sb].)k[^;,sbSnNT]{0,4}?[oz]|(?<!n)(?<!n.)o[^;,sbS]{0,2}k")
_ELSE = pattern(*_LEXICON.read_lines("else"))


def flags(sentence: Sentence) -> bool:
    """Return whether a sentence says that this image is poor."""
    shape = sentence.shape
    if _HINT.search(shape) is None or sentence.general or sentence.part is ResponsePart.LESSON:
        return False
    return any(_holds(clause) for clause in shape.split(";"))


def _holds(clause: str) -> bool:
    found = POOR.search(clause)
    if found is None:
        return False
    if _ELSE.search(clause) is not None:
        return False
    return _DENIED.search(clause, 0, found.start()) is None and _GOOD.search(clause) is None
