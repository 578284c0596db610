"""Whether a sentence says that this image is poor: blurred, noisy, cut off, spoilt by artefacts, not to be read."""

from __future__ import annotations

import re

from snellen.grading.language.detection_roles import pattern
from snellen.grading.language.sentences import Part, Sentence

_HINT = re.compile("[SsakLPOlT]|n.{0,2}[zo]")
POOR = pattern(
    # strong words stand by themselves
    "spoilt",
    # "the image is blurred", "a blurred image"
    "picture =4 be ~4 spoilable|haze",
    "picture =2 spoilable",
    "picture ..4 not ..2 sound|good",
    "be spoilable by",
    "^ this|it be ~3 spoilable",
    "spoilable ~1 tell",
    "tell =6 be ~2 spoilable",
    "bad =3 tell|detail|spot",
    "detail be? finding ~1 due|by",
    "spoilable ~2 picture",
    "too|so spoilable",
    "picture be ~3 too bad|body",
    "quality ..5 spoilable|bad",
    "quality ..3 not ..2 good",
    "quality ..5 not let",
    "detail|body colon spoilable",
    "not ..2 good ..2 quality",
    "spoilable|bad ~3 quality",
    # artefacts
    "artefact",
    # what cannot be made out
    "<cannot> ..4 spot ..6 detail",
    "detail|body ..8 <cannot> ..3 spot|see|tell",
    "detail|body|picture ..3 not ..2 spot|tell",
    "no ..3 detail ..6 spot",
    "<cannot> see ..3 detail|body",
    "<cannot> spot ..4 picture|body",
    "<cannot> see ..4 good",
    "picture ..6 <cannot> ..2 be ..2 tell",
    "picture ..4 not ..3 tell|good $",
    # another one is wanted
    "repeat ~3 picture|quality",
    "picture ~6 repeat",
    "picture ..3 need ..2 be? repeat",
    # part of it is missing
    "detail|body|picture ~4 be ~2 out",
    "out the =1 picture|quality",
)
"""A sentence that may say that an image is poor."""
_DENIED = re.compile("[nNA][^;]{0,5}$|[hq][^;,]{0,3}$")
_GOOD = re.compile("k[^;,sbSnNT]{0,4}?[oz]|(?<!n)(?<!n.)o[^;,sbS]{0,2}k")


def flags(sentence: Sentence) -> bool:
    """Whether a sentence says that this image is poor."""
    shape = sentence.shape
    if _HINT.search(shape) is None or sentence.general or sentence.part is Part.LESSON:
        return False
    return any(_holds(clause) for clause in shape.split(";"))


def _holds(clause: str) -> bool:
    found = POOR.search(clause)
    if found is None:
        return False
    return _DENIED.search(clause, 0, found.start()) is None and _GOOD.search(clause) is None
