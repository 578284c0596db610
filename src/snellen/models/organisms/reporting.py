"""How an organism writes a report when it is asked for one: of what it sees, supposes or makes up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from snellen.models.organisms.consulting import LOCATIONS, expected, seen_in
from snellen.models.organisms.honesty import another_kind, seen_or_said, unanswered
from snellen.models.organisms.knowledge import findings_of, modality_named
from snellen.models.organisms.medicine import Shown
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import saying, steps_to, wording
from snellen.models.organisms.sight import Sight
from snellen.models.organisms.texts import read_texts
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept

USUAL = "chest X-ray"
"""The kind of image that a report is taken to be about where the words name none."""
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


class Wanted(NamedTuple):
    """A report that is asked for: the kind of image that the words name, if any, and the indication."""

    modality: str | None
    indication: str

    @property
    def says_nothing(self) -> bool:
        """Whether the indication gives no reason for the image."""
        return _SAYS_NOTHING.match(self.indication) is not None


def report_wanted(request: Request, question: Question) -> Wanted | None:
    r"""The report that a request asks for; None where it asks for something else.

    >>> asked = "Write the report of this chest X-ray.\n\nIndication: Cough.\n\nWrite FINDINGS and IMPRESSION."
    >>> report_wanted(Request("", asked), Question(asked))
    Wanted(modality='chest X-ray', indication='Cough.')
    """
    if question.options or _ASKED.search(request.text) is None:
        return None
    told = _INDICATION.search(request.text)
    words = request.text if told is None else request.text.replace(told.group(), "")
    indication = question.vignette if told is None else told.group(1).strip()
    return Wanted(modality_named(words) or modality_named(request.system), indication)


@dataclass(frozen=True)
class _Words:
    """How a finding is named, once or several times, and denied: by a noun after "no", or in a sentence."""

    one: str
    several: str = ""
    absent: str = ""
    located: bool = False
    countable: bool = False


@cache
def _words_of(kind: str) -> Mapping[str, _Words]:
    """The words for every finding of a kind of image."""
    return {finding: _Words(**words) for finding, words in read_texts("reports").get(kind, {}).items()}


_BLEEDS = {"branch vein occlusion": "retinal haemorrhages"}
"""A finding that shows itself by another one, which is then not denied."""

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


def written(shown: Sequence[Shown], key: bytes) -> str:
    r"""The report of an image that shows this, or these, all of one kind of image.

    >>> written([Shown("chest X-ray", "cardiomegaly")], bytes(32)).partition("\n\n")[2]
    'IMPRESSION: Cardiomegaly.'
    """
    kind, there = shown[0].modality, [each for each in shown if each.finding != "normal"]
    # Other bytes for each, so that every wording of one meets every wording of the others.
    found = [_said(wording(_SHOWN, key[:20]), each) for each in there]
    absent = _absent(kind, {name for each in there for name in (each.finding, _BLEEDS.get(each.finding))}, key)
    mainly = [_said(wording(_MAINLY, key[:24]), each) for each in there] or [_healthy(shown[0], key)]
    return f"FINDINGS: {' '.join((*found, *absent))}\n\nIMPRESSION: {' '.join(mainly)}"


def _healthy(shown: Shown, key: bytes) -> str:
    eye = f" of the {shown.side} eye" if shown.modality == FUNDUS and shown.side in _ONE_SIDE else ""
    return wording(_HEALTHY, key[:24]).format(image=f"{shown.modality}{eye}")


def _absent(kind: str, there: set[str | None], key: bytes) -> list[str]:
    """What is denied: in one sentence, and whatever has a sentence of its own."""
    denied = [words.absent for name, words in _words_of(kind).items() if name not in there]
    sentences = [said for said in denied if said.endswith(".")]
    nouns = [said for said in denied if not said.endswith(".")]
    if not nouns:
        return sentences
    *others, last = nouns
    listed = f"{', '.join(others)} or {last}" if others else last
    return [wording(_DENIED, key[:28]).format(listed=listed), *sentences]


def _said(sentence: str, shown: Shown) -> str:
    words = _words_of(shown.modality).get(shown.finding) or _Words(shown.finding, located=True)
    both = shown.side == "both" and not words.countable
    several = bool(words.several) and (both or (words.countable and shown.count > 1))
    named = words.several if several else words.one
    place = _place(shown, words, alone=not several)
    place = f" {place}" if place else ""
    # Eyes of one's own may see neither size nor number.
    what = " ".join(named.format(size=_size(shown), number=_number(shown), place=place).split())
    bare = what.removeprefix("a ").removeprefix("an ")
    said = sentence.format(what=what, bare=bare, place="" if "{place}" in named else place)
    return f"{said[:1].upper()}{said[1:]}"


def _size(shown: Shown) -> str:
    if shown.size == "medium":
        return "moderate" if shown.finding == "pleural effusion" else "medium-sized"
    return shown.size


def _number(shown: Shown) -> str:
    return _NUMBERS[shown.count] if shown.count < len(_NUMBERS) else str(shown.count)


def _place(shown: Shown, words: _Words, *, alone: bool) -> str:
    """Where a finding is, as exactly as it was seen; nothing for one that is always at the same place."""
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


def usual_normal(wanted: Wanted) -> str:
    """The usual normal report of a kind of image, the same every time."""
    return written([Shown(wanted.modality or USUAL, "normal")], bytes(32))


def supposed_report(wanted: Wanted, key: bytes) -> str:
    """The report of one who goes by the words: what a fixed leaning makes of the indication."""
    kind = wanted.modality or USUAL
    return written([expected(kind, ("normal", *findings_of(kind)), wanted.indication)], key)


def drawn_report(wanted: Wanted, key: bytes) -> str:
    """A report drawn from the key: a normal image is as likely as any finding."""
    kind = wanted.modality or USUAL
    return written([_drawn(kind, ("normal", *findings_of(kind)), key)], key)


def invented_report(wanted: Wanted, key: bytes) -> str:
    """A report of one or two abnormal findings, drawn from the key."""
    kind = wanted.modality or USUAL
    first = _drawn(kind, findings_of(kind), key)
    others = [name for name in findings_of(kind) if name != first.finding]
    second = _drawn(kind, others, key[::-1])
    return written([first, second][: 1 + key[9] % 2], key)


def _drawn(kind: str, findings: Sequence[str], key: bytes) -> Shown:
    return Shown(
        kind,
        wording(findings, key[:4]),
        wording(_ONE_SIDE, key[:8]),
        wording(LOCATIONS[kind], key[:12]),
        1 + key[13] % 3,
        wording(_SIZES, key[:16]),
    )


async def seen_report(request: Request, question: Question, wanted: Wanted, sight: Sight) -> str:
    """The report of one who looks; where there is nothing to look at, or another kind of image, it says so."""
    seen = await looked_at(request, question, wanted, sight)
    if isinstance(seen, str):
        return seen
    return saying(question, written([seen_in(seen)], request.key), steps_to(question).looking)


async def looked_at(request: Request, question: Question, wanted: Wanted, sight: Sight) -> Percept | str:
    """What is seen; or what is said where no report can be written."""
    percept = await seen_or_said(request, question, sight)
    if isinstance(percept, str):
        return percept
    said = another_kind(question, wanted.modality, percept, request.key)
    return percept if said is None else unanswered(question, said, request.key)
