"""Answers without looking: what the text gives away, a fixed preference, or what a question presupposes."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from snellen.models.organisms.knowledge import (
    IDEOGRAPH,
    abstaining_option,
    finding_asked,
    findings_of,
    is_within,
    meaning,
    modality_named,
    plain,
    read_percept,
)
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, saying, steps_to, supposing, wording
from snellen.models.organisms.sight import Percept
from snellen.prompts import Request

_SENTENCE = re.compile(r"[^.!?:\"“”«»。！？：\n]+")


def hunch(question: ParsedQuestion) -> int:
    """Return the option that the text suggests."""
    given = given_away(question)
    return leaning(question) if given is None else given


def given_away(question: ParsedQuestion) -> int | None:
    """Return the one option that the vignette contains or affirms; None if there is none.

    >>> given_away(ParsedQuestion("Main finding?", 'On file: "Drusen."', ("Cyst", "Drusen")))
    1
    """
    if not question.vignette:
        return None
    answers = [said for option in question.options if (said := meaning(option, language=question.language))]
    if len(answers) == len(question.options) and {said.kind for said in answers} <= {"answer"}:
        wanted = {True: "yes", False: "no", None: None}[_is_affirmed(question)]
        return next((at for at, said in enumerate(answers) if said.value == wanted), None)
    words = plain(question.vignette)
    named = {}
    for at, option in enumerate(map(plain, question.options)):
        # scripts without spaces are searched letter by letter
        if is_within(words, option) if IDEOGRAPH.search(option) else option.strip() and option in words:
            named[at] = option
    longest = [at for at in named if not any(at != other and named[at] in named[other] for other in named)]
    return longest[0] if len(longest) == 1 else None


def leaning(question: ParsedQuestion, salt: str = "", *, besides: int | None = None) -> int:
    """Return the option of a fixed preference, which ignores order and letters.

    Each option has its own rank, so replacing an option that is not preferred changes nothing, unless the new one ranks
    higher. An option that means "I do not know" is chosen only if there is no other. `besides` excludes one option.
    """
    unsure = abstaining_option(question)
    others = [at for at in range(len(question.options)) if at != besides]
    real = [at for at in others if at != unsure] or others

    def rank(at: int) -> bytes:
        texts = (question.stem, question.options[at], salt)
        return hashlib.sha256("\x00".join(map(plain, texts)).encode()).digest()

    return max(real, key=rank)


def _is_affirmed(question: ParsedQuestion) -> bool | None:
    """Return whether the vignette affirms what a yes-or-no question asks about. None if it does not mention it."""
    spoken = LANGUAGES[question.language]
    for sentence in _SENTENCE.findall(question.vignette):
        if _speaks_of(question, sentence):
            return spoken.negation.search(plain(sentence)) is None
    return None


def _speaks_of(question: ParsedQuestion, sentence: str) -> bool:
    """Return whether a sentence has all the question's words, or names its finding."""
    spoken = LANGUAGES[question.language]
    if not spoken.spaced:
        asked = finding_asked(question)
        said = meaning(sentence, "finding", question.language)
        return said is not None and said.value == asked
    words = plain(sentence)
    sought = [word for word in plain(question.stem).split() if word not in spoken.filler]
    return bool(sought) and all(f" {word} " in words for word in sought)


_ASKED = (
    ("count", re.compile(r"\bhow many\b|\bnumber of\b")),
    ("size", re.compile(r"\bhow (?:large|big)\b|\bwhat size\b")),
    ("side", re.compile(r"\bwhich side\b")),
    ("location", re.compile(r"\bwhere\b|\bwhich (?:region|zone|lobe|part)\b")),
    ("cause", re.compile(r"\bcaused?\b|\bexplains?\b")),
    ("treatment", re.compile(r"\btreat\w*\b")),
)
_ASKING = re.compile(r"[^.?!\n]+\?")
"""Pattern of a question. Its last match counts; a prompt may continue with instructions."""
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


def reply_by_hunch(request: Request, question: ParsedQuestion) -> str:
    """Return the answer that the text gives away, or one by a fixed preference."""
    if question.options:
        rationale = wording(replies_to(question).guessed, request.key)
        return choosing(question, hunch(question), rationale, request.key, steps_to(question).reading)
    if (premise := premise_in(question)) is not None:
        return taken_for_granted(premise, question, request.key)
    named = findings_of(modality_named(request.text, question.language))
    return supposing(question, named[leaning(ParsedQuestion(question.stem, options=named))], request.key)
