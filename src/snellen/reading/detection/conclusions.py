"""The conclusion of a reply: what it states as such, else what it says of the image as a whole, else what it found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.reading.detection.reasoning import Finding, plainly_seen
from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.negation import ILL, SOUND, UNDECIDED, Stance, stance
from snellen.reading.language.parts import Part, Sentence
from snellen.runtime import regex

_BARE = regex('"*(?:[01]"*){1,3}(?:,.*,)?"*$')
_CUED = pattern(
    "so",
    "concluding",
    "i ..4 choose",
    "i would",
    "choose be",
    "diagnosis with",
    "would be ..1 choose",
    "be ..2 choose",
    "i ..2 tell",
    "diagnosis ..2 be",
)
_AT_LARGE = pattern("can|may ..1 general ..2 abnormal|finding")
"""What can look like a disease: "I'd point out that noise can mimic tumours" concludes nothing."""
_NORMAL_IMAGE = pattern(
    "picture|body ~6 be ~4 normal !other|finding|detail",
    "^ ~1 this|it ..1 be ~4 normal !other|finding|detail",
    "^ ~4 normal picture|body ~2 $",
    "comma =2 normal $",
    "this|it be ~3 normal picture|body",
    "^ ~2 normal $",
    "quote normal quote",
    "colon normal $",
    "not ~3 normal",
)
_ILL_IMAGE = pattern(
    "picture ~6 show|be|see|point ~6 abnormal",
    "this|it|there ~2 be|show ~4 abnormal",
    "body ~4 show|be|see ~4 abnormal",
    "point ~4 abnormal",
    "this|it provide ~2 abnormal",
    "i ~4 see ~4 abnormal",
    "abnormal ~1 be ~2 see",
    "not ~3 normal",
    "^ ~3 abnormal comma|with",
    "^ ~3 abnormal $",
    "quote abnormal quote",
    "colon abnormal $",
    "comma =2 abnormal $",
    "abnormal quote",
)
_CLAUSE = regex("[^;]+|;")
_MAY = regex("h")


class Conclusion(NamedTuple):
    """What a response concludes, by which rule, in which sentence."""

    rule: str
    stance: Stance
    sentence: Sentence


def concluded(told: Sequence[Sentence], seen: Sequence[Finding | None], *, silent: bool) -> Conclusion | None:
    """The conclusion of a response; findings alone are one unless it also gives a reason to keep `silent`."""
    stated = _stated(told)
    plain = [one for one in told if not one.general]
    if stated or any(one.part is Part.END and UNDECIDED.search(one.body) for one in plain):
        return stated[-1] if stated else None
    if cued := _cued(plain):
        return cued
    open_at = max((one.place for one in plain if UNDECIDED.search(one.shape)), default=-1)
    found = _of_the_image([one for one in plain if one.place >= open_at])
    return found or (None if silent or open_at >= 0 or Finding.MAYBE in seen else _found(told, seen))


def _cued(plain: Sequence[Sentence]) -> Conclusion | None:
    """The last sentence that says it concludes, and does."""
    for one in reversed(plain):
        if _CUED.search(one.shape) is None or _AT_LARGE.search(one.shape):
            continue
        cued = "".join(
            part.group() if _CUED.search(part.group()) else ";" * len(part.group())
            for part in _CLAUSE.finditer(one.shape)
        )
        if (given := stance(cued, one.naming)).clear:
            return Conclusion("concluding-sentence", given, one)
    return None


def _stated(told: Sequence[Sentence]) -> list[Conclusion]:
    """Conclusions under their heading or label, and lines that are one."""
    found = []
    lines = _answering(told)
    for one in told:
        if one.part is Part.END and not one.general:
            rule = "conclusion"
        elif one in lines:
            rule = "last-line" if one.place else "first-line"
        else:
            continue
        if (given := _stance(one, final=True)).clear:
            found.append(Conclusion(rule, given, one))
    return found


def _answering(told: Sequence[Sentence]) -> list[Sentence]:
    """Lines that are a label and nothing else; where their labels differ, only one that ends the response."""
    bare = [one for one in told if (one.closes or one.place == 0) and _BARE.match(one.shape)]
    headings = len({one.text.strip('".').lower() for one in bare}) > 1
    return [one for one in bare if one is told[-1] or not (headings or one.part is Part.LESSON)]


def _stance(one: Sentence, *, final: bool = False) -> Stance:
    return stance(one.body, one.naming[one.label :], final=final)


def _of_the_image(plain: Sequence[Sentence]) -> Conclusion | None:
    """What sentences say of the image as a whole; that one disease is absent gives way to another's being there."""
    given = [(one, stance(one.shape, one.naming)) for one in plain]
    told = [pair for pair in given if pair[1].clear and _of_the_whole(pair[0].shape, pair[1])]
    firm = [pair for pair in told if pair[1].ill or pair[1].normal] or told
    return Conclusion("image-sentence", firm[-1][1], firm[-1][0]) if firm else None


def _of_the_whole(shape: str, said: Stance) -> bool:
    if _MAY.search(shape):
        return False
    if said.denies and not said.normal and not said.ill:
        return True
    wanted = _ILL_IMAGE if said.ill else _NORMAL_IMAGE
    return any(wanted.search(clause) for clause in shape.split(";"))


def _found(told: Sequence[Sentence], seen: Sequence[Finding | None]) -> Conclusion | None:
    """What the findings amount to, where they are plainly reported."""
    plain = [(one, what) for one, what in zip(told, seen, strict=True) if what and plainly_seen(one)]
    ill = [one for one, what in plain if what is Finding.ILL]
    if ill:
        return Conclusion("findings", ILL, ill[0])
    well = [one for one, what in plain if what is Finding.SOUND]
    return Conclusion("findings", SOUND, well[0]) if well and len(well) == len(plain) else None
