"""Conclusion of a response: as stated, else about the whole image, else from single findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.detection.reasoning import SentenceFinding, plainly_seen
from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.negation import ILL, SOUND, UNDECIDED, Stance, stance
from snellen.reading.language.parts import ResponsePart, Sentence
from snellen.runtime import regex

_LEXICON = read_lexicon("detection")

_BARE = regex('"*(?:[01]"*){1,3}(?:,.*,)?"*$')
_CUED = pattern(*_LEXICON.read_lines("cued"))
_AT_LARGE = pattern(*_LEXICON.read_lines("at large"))
_NORMAL_IMAGE = pattern(*_LEXICON.read_lines("normal image"))
_ILL_IMAGE = pattern(*_LEXICON.read_lines("ill image"))
_CLAUSE = regex("[^;]+|;")
_MAY = regex("h")


class Conclusion(NamedTuple):
    """A response's conclusion, with the rule and the sentence from which it was read."""

    rule: str
    stance: Stance
    sentence: Sentence


def find_conclusion(
    told: Sequence[Sentence], seen: Sequence[SentenceFinding | None], *, silent: bool
) -> Conclusion | None:
    """Return the conclusion of a response, or None.

    `silent`: the response declines or calls the image poor; then single findings do not count.
    """
    stated = _list_stated(told)
    plain = [one for one in told if not one.general]
    if stated or any(one.part is ResponsePart.END and UNDECIDED.search(one.body) for one in plain):
        return stated[-1] if stated else None
    if cued := _find_concluding_sentence(plain):
        return cued
    open_at = max((one.place for one in plain if UNDECIDED.search(one.shape)), default=-1)
    found = _of_the_image([one for one in plain if one.place >= open_at])
    return found or (
        None if silent or open_at >= 0 or SentenceFinding.MAYBE in seen else _conclude_from_findings(told, seen)
    )


def _find_concluding_sentence(plain: Sequence[Sentence]) -> Conclusion | None:
    """Return the last sentence that announces a conclusion and gives one."""
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


def _list_stated(told: Sequence[Sentence]) -> list[Conclusion]:
    """Return conclusions below a heading or label, and lines that consist of one."""
    found = []
    lines = _answering(told)
    for one in told:
        if one.part is ResponsePart.END and not one.general:
            rule = "conclusion"
        elif one in lines:
            rule = "last-line" if one.place else "first-line"
        else:
            continue
        if (given := _stance(one, final=True)).clear:
            found.append(Conclusion(rule, given, one))
    return found


def _answering(told: Sequence[Sentence]) -> list[Sentence]:
    """Return lines that contain only a label. If the labels differ, only one that ends the response counts."""
    bare = [one for one in told if (one.closes or one.place == 0) and _BARE.match(one.shape)]
    headings = len({one.text.strip('".').lower() for one in bare}) > 1
    return [one for one in bare if one is told[-1] or not (headings or one.part is ResponsePart.LESSON)]


def _stance(one: Sentence, *, final: bool = False) -> Stance:
    return stance(one.body, one.naming[one.label :], final=final)


def _of_the_image(plain: Sequence[Sentence]) -> Conclusion | None:
    """Return the conclusion about the whole image. A named disease or "normal" outranks the absence of one disease."""
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


def _conclude_from_findings(told: Sequence[Sentence], seen: Sequence[SentenceFinding | None]) -> Conclusion | None:
    """Conclude from plainly reported findings: abnormal if any is present, normal if all are absent."""
    plain = [(one, what) for one, what in zip(told, seen, strict=True) if what and plainly_seen(one)]
    ill = [one for one, what in plain if what is SentenceFinding.ILL]
    if ill:
        return Conclusion("findings", ILL, ill[0])
    well = [one for one, what in plain if what is SentenceFinding.SOUND]
    return Conclusion("findings", SOUND, well[0]) if well and len(well) == len(plain) else None
