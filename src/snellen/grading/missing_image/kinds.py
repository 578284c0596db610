"""What each sentence of a reply does: declines, doubts, advises, speaks in general, or says what the picture shows."""

from __future__ import annotations

import re
from enum import Enum, auto

from snellen.grading.missing_image import patterns as patterns
from snellen.grading.missing_image.roles import COMMA, LETTER, QUERY, STOP
from snellen.grading.missing_image.sentences import Sentence

_TURN = re.compile(f"{LETTER['but']}|{COMMA}(?={LETTER['what']})")
_SIGNS = "".join(LETTER[name] for name in ("stop", "comma", "colon", "bullet"))


class Kind(Enum):
    """What a sentence, or the part of one before or after a "but", does."""

    ASKS = auto()
    """Is a question."""
    DECLINES = auto()
    """Will not do what was asked."""
    DOUBTS = auto()
    """Doubts or supposes its own answer."""
    FILLER = auto()
    """Greets, thanks, apologises, announces."""
    SHOWS = auto()
    """Points at this picture and says what it shows."""
    POINTS = auto()
    """Says what this is, which may be the picture or what was spoken of before."""
    FINDS = auto()
    """Reports something particular, as one who looks at a picture does."""
    ADVISES = auto()
    """Sends the reader to an expert."""
    GENERAL = auto()
    """Explains, defines, instructs, or says what may be."""
    NAMES = auto()
    """Names something, without a verb."""
    TELLS = auto()
    """Says something of a thing already spoken of."""
    OTHER = auto()
    """Says something else."""


def kinds(sentence: Sentence) -> list[Kind]:
    """What the parts of a sentence do, one after the other; a doubt may need the whole sentence to be heard."""
    doubted = patterns.DOUBTS.search(sentence.shape)
    if sentence.shape.endswith(QUERY):
        return [Kind.DOUBTS if doubted else Kind.ASKS]
    found = [_kind(STOP + part) for part in _TURN.split(sentence.shape) if part.strip(_SIGNS)]
    if Kind.DECLINES in found[:-1]:
        # "I can't diagnose it, but the spot is red": what follows is about the picture.
        return [Kind.FINDS if kind is Kind.TELLS else kind for kind in found]
    return [Kind.DOUBTS, *found] if doubted and Kind.DECLINES not in found else found


def _kind(shape: str) -> Kind:
    """What a part of a sentence does: the surest sign of all decides."""
    if patterns.SHOWS.search(shape):
        return Kind.SHOWS
    if patterns.DECLINES.search(shape):
        return Kind.DECLINES
    if patterns.FILLER.search(shape):
        return Kind.FILLER
    if not patterns.SOFT.search(shape):
        if patterns.POINTS.search(shape):
            return Kind.POINTS
        if patterns.FINDS.search(shape):
            return Kind.FINDS
    if patterns.PLACED.search(shape):
        return Kind.FINDS
    if patterns.ADVISES.search(shape):
        return Kind.ADVISES
    if patterns.GENERAL.search(shape):
        return Kind.GENERAL
    if not patterns.VERB.search(shape):
        return Kind.NAMES
    return Kind.TELLS if patterns.TELLS.search(shape) else Kind.OTHER
