"""Reports of organisms about findings that they see, suppose or invent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from snellen.models.organisms.case import LOCATIONS, expect_finding, seen_in
from snellen.models.organisms.knowledge import findings_of, modality_named
from snellen.models.organisms.languages import read_texts
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import saying, steps_to, wording
from snellen.models.organisms.sight import CachedSight, Percept, ShownFinding
from snellen.models.organisms.viewing import another_kind, decline_answer, seen_or_said
from snellen.prompts import Request

USUAL = "chest X-ray"
"""The kind of image that a report is about if the request names none."""
FUNDUS = "fundus photograph"

_TO_WRITE = r"\b(?:write|draft|dictate|generate|compose|produce|prepare)\b[^.?!\n]{0,80}"
_ASKED = re.compile(rf"{_TO_WRITE}\breports?\b|{_TO_WRITE}\bfindings\b[^.?!\n]{{0,20}}\bimpression\b", re.IGNORECASE)
_INDICATION = re.compile(
    r"^[ \t]*(?:(?:clinical )?indication|reason for (?:the )?(?:examination|study)|clinical (?:history|information))"
    r"[ \t]*:[ \t]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_SAYS_NOTHING = re.compile(
    r"\s*(?:\Z|(?:screening|routine|check-?up|follow-?\s?up|none|unknown|n/?a|"
    r"not (?:given|provided|available|stated))\b)",
    re.IGNORECASE,
)


class WantedReport(NamedTuple):
    """A wanted report: its modality (None if not named) and the indication."""

    modality: str | None
    indication: str

    @property
    def says_nothing(self) -> bool:
        """True if the indication gives no reason for the image."""
        return _SAYS_NOTHING.match(self.indication) is not None


def report_wanted(request: Request, question: ParsedQuestion) -> WantedReport | None:
    r"""Return the report that a request asks for; None if it asks for something else.

    >>> asked = "Write the report of this chest X-ray.\n\nIndication: Cough.\n\nWrite FINDINGS and IMPRESSION."
    >>> report_wanted(Request("", asked), ParsedQuestion(asked))
    WantedReport(modality='chest X-ray', indication='Cough.')
    """
    if question.options or _ASKED.search(request.text) is None:
        return None
    told = _INDICATION.search(request.text)
    words = request.text if told is None else request.text.replace(told.group(), "")
    indication = question.vignette if told is None else told.group(1).strip()
    return WantedReport(modality_named(words) or modality_named(request.system), indication)


@dataclass(frozen=True)
class _FindingWords:
    """The words for a finding: one, several, denied, and whether it has a place and can be counted."""

    one: str
    several: str = ""
    absent: str = ""
    located: bool = False
    countable: bool = False


@cache
def _words_of(kind: str) -> Mapping[str, _FindingWords]:
    return {finding: _FindingWords(**words) for finding, words in read_texts("reports").get(kind, {}).items()}


_BLEEDS = {"branch vein occlusion": "retinal haemorrhages"}
"""Findings that look like another finding in the image. A report of the first never denies the second."""

_SHOWN = ("The image shows {what}{place}.", "{what}{place} can be made out.", "I see {what}{place}.")
_DENIED = ("The image shows no {listed}.", "There are no signs of {listed}.", "I see no {listed}.")
_MAINLY = ("{bare}{place}.", "Findings of {bare}{place}.")
_HEALTHY = ("No abnormality.", "Normal {image}.")
_NUMBERS = ("one", "one", "two", "three", "four", "five")
_ONE_SIDE = ("left", "right")
_SIZES = ("small", "medium", "large")
_HALVES = {
    "chest X-ray": ("lung", "lungs"),
    "brain MRI": ("hemisphere", "hemispheres"),
    "OCT": ("half of the scan", "halves of the scan"),
}
_SIDED_ONLY = ("pleural effusion", "pneumothorax")
_UNSIDED = ("cardiomegaly", "hydrocephalus", "macular hole")
_PLACES = {
    "fovea": "at the fovea",
    "near left": "immediately left of the fovea",
    "near right": "immediately right of the fovea",
    "far left": "in the far left of the scan",
    "far right": "in the far right of the scan",
}


def write_report(shown: Sequence[ShownFinding], key: bytes) -> str:
    r"""Return the report of an image with these findings, all of one modality.

    >>> write_report([ShownFinding("chest X-ray", "cardiomegaly")], bytes(32)).partition("\n\n")[2]
    'IMPRESSION: Cardiomegaly.'
    """
    kind, there = shown[0].modality, [each for each in shown if each.finding != "normal"]
    # Different bytes of the key for each, so that all wordings are combined.
    found = [_word_finding(wording(_SHOWN, key[:20]), each) for each in there]
    absent = _absent(kind, {name for each in there for name in (each.finding, _BLEEDS.get(each.finding))}, key)
    mainly = [_word_finding(wording(_MAINLY, key[:24]), each) for each in there]
    if not mainly:
        eye = f" of the {shown[0].side} eye" if kind == FUNDUS and shown[0].side in _ONE_SIDE else ""
        mainly = [wording(_HEALTHY, key[:24]).format(image=f"{kind}{eye}")]
    return f"FINDINGS: {' '.join((*found, *absent))}\n\nIMPRESSION: {' '.join(mainly)}"


def _absent(kind: str, there: set[str | None], key: bytes) -> list[str]:
    """Return the sentences that deny findings. Most findings share one; some have their own."""
    denied = [words.absent for name, words in _words_of(kind).items() if name not in there]
    sentences = [said for said in denied if said.endswith(".")]
    nouns = [said for said in denied if not said.endswith(".")]
    if not nouns:
        return sentences
    *others, last = nouns
    listed = f"{', '.join(others)} or {last}" if others else last
    return [wording(_DENIED, key[:28]).format(listed=listed), *sentences]


def _word_finding(sentence: str, shown: ShownFinding) -> str:
    words = _words_of(shown.modality).get(shown.finding) or _FindingWords(shown.finding, located=True)
    both = shown.side == "both" and not words.countable
    several = bool(words.several) and (both or (words.countable and shown.count > 1))
    named = words.several if several else words.one
    place = _place(shown, words, alone=not several)
    place = f" {place}" if place else ""
    # User-defined eyes may see neither size nor number.
    number = _NUMBERS[shown.count] if shown.count < len(_NUMBERS) else str(shown.count)
    medium = "moderate" if shown.finding == "pleural effusion" else "medium-sized"
    size = medium if shown.size == "medium" else shown.size
    what = " ".join(named.format(size=size, number=number, place=place).split())
    bare = what.removeprefix("a ").removeprefix("an ")
    said = sentence.format(what=what, bare=bare, place="" if "{place}" in named else place)
    return f"{said[:1].upper()}{said[1:]}"


def _place(shown: ShownFinding, words: _FindingWords, *, alone: bool) -> str:
    """Return the place of a finding as seen; empty if it is always the same."""
    at_one, sided = words.located and alone and bool(shown.location), shown.side in (*_ONE_SIDE, "both")
    if shown.finding in _UNSIDED or not (at_one or sided):
        return ""
    if shown.modality == FUNDUS:
        quadrant = "macula" if shown.location == "macula" else f"{shown.location} quadrant"
        eye = f"{shown.side} eye" if sided else ""
        return f"in the {', '.join(filter(None, (quadrant, eye)))}" if at_one else f"in the {eye}"
    if at_one:
        return _PLACES.get(shown.location, f"in the {shown.location}")
    if shown.finding in _SIDED_ONLY or shown.modality not in _HALVES:
        return "on both sides" if shown.side == "both" else f"on the {shown.side}"
    one, both = _HALVES[shown.modality]
    return f"in both {both}" if shown.side == "both" else f"in the {shown.side} {one}"


def supposed_report(wanted: WantedReport, key: bytes) -> str:
    """Return a report from the indication alone, by a fixed preference."""
    kind = wanted.modality or USUAL
    return write_report([expect_finding(kind, ("normal", *findings_of(kind)), wanted.indication)], key)


def drawn_report(wanted: WantedReport, key: bytes) -> str:
    """Return a report drawn from the key: a normal image is as probable as any finding."""
    kind = wanted.modality or USUAL
    return write_report([_draw_finding(kind, ("normal", *findings_of(kind)), key)], key)


def invented_report(wanted: WantedReport, key: bytes) -> str:
    """Return a report of one or two abnormal findings, drawn from the key."""
    kind = wanted.modality or USUAL
    first = _draw_finding(kind, findings_of(kind), key)
    others = [name for name in findings_of(kind) if name != first.finding]
    second = _draw_finding(kind, others, key[::-1])
    return write_report([first, second][: 1 + key[9] % 2], key)


def _draw_finding(kind: str, findings: Sequence[str], key: bytes) -> ShownFinding:
    return ShownFinding(
        kind,
        wording(findings, key[:4]),
        wording(_ONE_SIDE, key[:8]),
        wording(LOCATIONS[kind], key[:12]),
        1 + key[13] % 3,
        wording(_SIZES, key[:16]),
    )


async def seen_report(request: Request, question: ParsedQuestion, wanted: WantedReport, sight: CachedSight) -> str:
    """Return the report after looking, or a response about a missing or unsuitable image."""
    seen = await looked_at(request, question, wanted, sight)
    if isinstance(seen, str):
        return seen
    return saying(question, write_report([seen_in(seen)], request.key), steps_to(question).looking)


async def looked_at(
    request: Request, question: ParsedQuestion, wanted: WantedReport, sight: CachedSight
) -> Percept | str:
    """Return the percept of the image, or a response if no report can be written."""
    percept = await seen_or_said(request, question, sight)
    if isinstance(percept, str):
        return percept
    said = another_kind(question, wanted.modality, percept, request.key)
    return percept if said is None else decline_answer(question, said, request.key)
