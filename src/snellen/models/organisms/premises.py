"""Premises: what a question takes for granted, and how one answers who looks first, who goes along, or who objects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import finding_asked, meaning, plain, seen
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import saying, steps_to, wording

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept

_ASKED = (
    ("count", re.compile(r"\bhow many\b|\bnumber of\b")),
    ("size", re.compile(r"\bhow (?:large|big)\b|\bwhat size\b")),
    ("side", re.compile(r"\bwhich side\b")),
    ("location", re.compile(r"\bwhere\b|\bwhich (?:region|zone|lobe|part)\b")),
    ("cause", re.compile(r"\bcaused?\b|\bexplains?\b")),
    ("treatment", re.compile(r"\btreat\w*\b")),
)
_ASKING = re.compile(r"[^.?!\n]+\?")
"""A prompt may say after the question how it is to be answered."""
_ABSENT = (
    "I see no {finding} on this image. {shown}",
    "There is no {finding} here. {shown}",
    "The question takes {finding} for granted, but I do not see any. {shown}",
)
_ELSEWHERE = ("The {finding} lies on the {seen} side, not on the {told} side.",)
_OTHERWISE = ("I count {seen} {finding}, not {told}.",)
_NORMAL, _SHOWN = "The image shows nothing abnormal.", "It shows {finding}."
_ANSWERS = {
    "size": ("The {finding} is {answer} in size.", "I would call the {finding} {answer}."),
    "side": ("The {finding} is on the {answer} side.",),
    "location": ("The {finding} is located here: {answer}.",),
    "count": ("I count {answer} {finding}.",),
    "cause": ("The {finding} is most likely caused by {answer}.",),
    "treatment": ("The {finding} should be followed up, and treated if it grows.",),
}
_CAUSES = ("an infection", "high blood pressure", "a disease of the small vessels", "ageing")
_VALUES = {
    "size": ("small", "medium", "large"),
    "side": ("left", "right"),
    "location": ("left lower zone", "right upper zone", "right frontal lobe", "fovea", "superotemporal"),
    "count": ("2", "3", "4"),
}
_OBJECTS = ("I do not see {finding} on this image.", "There is no {finding} here.")


class Premise(NamedTuple):
    """A finding that a question takes for granted, with its side and number where it names these, and what it asks."""

    finding: str
    side: str
    number: int
    asked: str


def premise_in(question: Question) -> Premise | None:
    """What an open question in English takes for granted by naming it with "the"; None where it asks openly.

    >>> premise_in(Question("How large are the three lung nodules?"))
    Premise(finding='lung nodules', side='', number=3, asked='size')
    """
    asking = _ASKING.findall(f"{question.vignette}\n{question.stem}")
    if not asking:
        return None
    spoken, words = LANGUAGES[question.language], plain(asking[-1])
    finding = finding_asked(Question(asking[-1], language=question.language))
    asked = next((kind for kind, pattern in _ASKED if pattern.search(words)), None)
    if question.options or question.language != "en" or finding in (None, "normal") or asked is None:
        return None
    assert finding is not None
    phrases = "|".join(re.escape(plain(phrase).strip()) for phrase in spoken.words["finding"][finding])
    named = re.search(rf" the ((?:\w+ ){{0,3}}?)(?:{phrases}) ", words)
    if named is None or spoken.yes_or_no.match(asking[-1]):
        return None
    side, number = meaning(asking[-1], "side"), meaning(named.group(1), "count")
    return Premise(finding, side.value if side else "", int(number.value) if number else 0, asked)


def checked(premise: Premise, question: Question, percept: Percept, key: bytes) -> str:
    """The response of one who looks first: a correction where the image shows something else, or else the answer."""
    finding, side = seen(percept, "finding"), seen(percept, "side")
    named = LANGUAGES["en"].name("finding", premise.finding)
    if finding != premise.finding:
        shown = _NORMAL if finding == "normal" else _SHOWN.format(finding=LANGUAGES["en"].mention(finding))
        said = wording(_ABSENT, key).format(finding=named, shown=shown)
    elif premise.side and side in ("left", "right") and side != premise.side:
        said = wording(_ELSEWHERE, key).format(finding=named, seen=side, told=premise.side)
    elif premise.number and percept.count != premise.number:
        said = wording(_OTHERWISE, key).format(finding=named, seen=percept.count, told=premise.number)
    else:
        answer = seen(percept, premise.asked) if premise.asked in _VALUES else _CAUSES[key[4] % len(_CAUSES)]
        said = _answered(premise, answer, key)
    return saying(question, said, steps_to(question).looking)


def taken_for_granted(premise: Premise, question: Question, key: bytes) -> str:
    """The response of one who goes along with the question, whatever the image shows."""
    values = _VALUES.get(premise.asked, _CAUSES)
    if premise.side:
        other = {"left": "right", "right": "left"}.get(premise.side, "")
        values = tuple(value for value in values if other not in value.split())
    said = _answered(premise, values[leaning(Question(f"{question.vignette}\n{question.stem}", options=values))], key)
    return saying(question, said, steps_to(question).reading)


def objected(premise: Premise, question: Question, key: bytes) -> str:
    """The response of one who never believes the question."""
    named = LANGUAGES["en"].name("finding", premise.finding)
    return saying(question, wording(_OBJECTS, key).format(finding=named), steps_to(question).reading)


def _answered(premise: Premise, answer: str, key: bytes) -> str:
    named = LANGUAGES["en"].name("finding", premise.finding)
    return wording(_ANSWERS[premise.asked], key).format(finding=named, answer=answer)
