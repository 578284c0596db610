"""What is made of an image that was seen: a choice among options, or a short answer in free words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import (
    Meaning,
    Noticed,
    asked_kind,
    detection,
    finding_asked,
    looks_for_disease,
    matching_option,
    modality_named,
    seen,
    understood,
)
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, replies_to, stating, steps_to, wording
from snellen.models.organisms.sight import NOTHING, Sight, featureless, structureless
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept


SURE = 0.9
"""From this on the kind of an image is taken to be what it looks like, whatever the question says."""


async def seen_as_asked(request: Request, question: Question, sight: Sight) -> Percept | None:
    """What is seen; None where there is no image.

    Where signs of disease are sought, the image is taken for one of the kind that the question names, however strange
    it looks: unless it surely is of another kind, or there is nothing in it.
    """
    percept = await sight.see(request.images)
    if percept is None or not looks_for_disease(question):
        return percept
    asked = modality_named(question.stem, question.language)
    if asked is None or asked == percept.modality:
        return percept
    if percept.modality == NOTHING:
        settled = await structureless(request.images)
    else:
        settled = percept.confidence["modality"] >= SURE
    return percept if settled else replace(percept, modality=asked, finding=percept.leanings[asked])


async def nothing_to_see(request: Request, question: Question, percept: Percept) -> bool:
    """Whether the image shows nothing an answer could rest on.

    Beyond the organisms' own words an unknown image is still a image: only an even shade is nothing.
    """
    if percept.modality != NOTHING:
        return False
    return not question.options or understood(question) or await featureless(request.images)


def chosen_by_sight(request: Request, question: Question, percept: Percept) -> int:
    """The option that says what was seen; beyond the organisms' words, a leaning that moves with the image."""
    found = matching_option(question, percept)
    return leaning(question, "".join(image.sha256 for image in request.images)) if found is None else found


def reply_by_sight(request: Request, question: Question, percept: Percept) -> str:
    """The response of one who looks and reports what it sees."""
    if question.options:
        choice = chosen_by_sight(request, question, percept)
        rationale = wording(replies_to(question).looked, request.key)
        return choosing(question, choice, rationale, request.key, _looked_through(request, question, percept))
    return described(request, question, percept)


def _looked_through(request: Request, question: Question, percept: Percept) -> tuple[str, ...]:
    """The steps of one who looks; where any finding counts, it says which one it sees."""
    steps = steps_to(question).looking
    if detection(question) is None:
        return steps
    return (*steps, in_words(request, question, Meaning("finding", seen(percept, "finding")))[0])


def described(request: Request, question: Question, percept: Percept) -> str:
    """A short answer to an open question, from what was seen."""
    statement, answer = in_words(request, question, answer_seen(question, percept))
    return stating(question, statement, answer, steps_to(question).looking)


def answer_seen(question: Question, percept: Noticed) -> Meaning:
    """What answers an open question: yes or no, something of the kind asked for, or else the finding."""
    asked = finding_asked(question)
    if asked is not None and LANGUAGES[question.language].yes_or_no.match(question.stem):
        return Meaning("answer", "yes" if asked == seen(percept, "finding") else "no")
    kind = asked_kind(question) or "finding"
    return Meaning(kind, seen(percept, kind))


def in_words(request: Request, question: Question, meant: Meaning) -> tuple[str, str]:
    """What is meant as a sentence, and in as few words as can be."""
    spoken, (kind, value) = LANGUAGES[question.language], meant
    answer = spoken.name(kind, value)
    if kind == "finding":
        choices = spoken.replies.unremarkable if value == "normal" else spoken.replies.described
        return wording(choices, request.key).format(finding=spoken.mention(value)), answer
    capital = f"{answer[:1].upper()}{answer[1:]}"
    return f"{capital}{spoken.replies.stop}", capital if kind == "answer" else answer
