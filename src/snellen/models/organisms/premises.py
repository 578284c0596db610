"""Premises: what a question presupposes, and ways of checking, accepting or denying it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import finding_asked, meaning, plain, read_percept
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import ParsedQuestion
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
"""The question is the last such sentence; a prompt may continue with instructions."""
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


class QuestionPremise(NamedTuple):
    """A finding that a question presupposes, with side and number, and what it asks."""

    finding: str
    side: str
    number: int
    asked: str


def premise_in(question: ParsedQuestion) -> QuestionPremise | None:
    """Return the premise that an open English question names with "the"; else None.

    >>> premise_in(ParsedQuestion("How large are the three lung nodules?"))
    QuestionPremise(finding='lung nodules', side='', number=3, asked='size')
    """
    asking = _ASKING.findall(f"{question.vignette}\n{question.stem}")
    if not asking:
        return None
    spoken, words = LANGUAGES[question.language], plain(asking[-1])
    finding = finding_asked(ParsedQuestion(asking[-1], language=question.language))
    asked = next((kind for kind, pattern in _ASKED if pattern.search(words)), None)
    if question.options or question.language != "en" or finding in (None, "normal") or asked is None:
        return None
    assert finding is not None
    phrases = "|".join(re.escape(plain(phrase).strip()) for phrase in spoken.words["finding"][finding])
    named = re.search(rf" the ((?:\w+ ){{0,3}}?)(?:{phrases}) ", words)
    if named is None or spoken.yes_or_no.match(asking[-1]):
        return None
    side, number = meaning(asking[-1], "side"), meaning(named.group(1), "count")
    return QuestionPremise(finding, side.value if side else "", int(number.value) if number else 0, asked)


def answer_after_check(premise: QuestionPremise, question: ParsedQuestion, percept: Percept, key: bytes) -> str:
    """Return the response after looking: a correction of the premise, or the answer."""
    finding, side = read_percept(percept, "finding"), read_percept(percept, "side")
    named = LANGUAGES["en"].name("finding", premise.finding)
    if finding != premise.finding:
        shown = _NORMAL if finding == "normal" else _SHOWN.format(finding=LANGUAGES["en"].mention(finding))
        said = wording(_ABSENT, key).format(finding=named, shown=shown)
    elif premise.side and side in ("left", "right") and side != premise.side:
        said = wording(_ELSEWHERE, key).format(finding=named, seen=side, told=premise.side)
    elif premise.number and percept.count != premise.number:
        said = wording(_OTHERWISE, key).format(finding=named, seen=percept.count, told=premise.number)
    else:
        answer = read_percept(percept, premise.asked) if premise.asked in _VALUES else _CAUSES[key[4] % len(_CAUSES)]
        said = _word_answer(premise, answer, key)
    return saying(question, said, steps_to(question).looking)


def taken_for_granted(premise: QuestionPremise, question: ParsedQuestion, key: bytes) -> str:
    """Return a response that accepts the premise, whatever the image shows."""
    values = _VALUES.get(premise.asked, _CAUSES)
    if premise.side:
        other = {"left": "right", "right": "left"}.get(premise.side, "")
        values = tuple(value for value in values if other not in value.split())
    said = _word_answer(
        premise, values[leaning(ParsedQuestion(f"{question.vignette}\n{question.stem}", options=values))], key
    )
    return saying(question, said, steps_to(question).reading)


def answer_with_objection(premise: QuestionPremise, question: ParsedQuestion, key: bytes) -> str:
    """Return a response that denies the premise, whatever the image shows."""
    named = LANGUAGES["en"].name("finding", premise.finding)
    return saying(question, wording(_OBJECTS, key).format(finding=named), steps_to(question).reading)


def _word_answer(premise: QuestionPremise, answer: str, key: bytes) -> str:
    named = LANGUAGES["en"].name("finding", premise.finding)
    return wording(_ANSWERS[premise.asked], key).format(finding=named, answer=answer)
