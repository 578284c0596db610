"""What is made of an image that was seen: a choice among options, or a short answer in free words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import Meaning, asked_kind, finding_asked, matching_option, seen, understood
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, replies_to, stating, steps_to, wording
from snellen.models.organisms.sight import NOTHING, featureless
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept


async def nothing_to_see(request: Request, question: Question, percept: Percept) -> bool:
    """Whether the image shows nothing an answer could rest on.

    Beyond the organisms' own words an unknown picture is still a picture: only an even shade is nothing.
    """
    if percept.modality != NOTHING:
        return False
    return not question.options or understood(question) or await featureless(request.images)


def chosen_by_sight(request: Request, question: Question, percept: Percept) -> int:
    """The option that says what was seen; beyond the organisms' words, a leaning that moves with the image."""
    found = matching_option(question, percept)
    return leaning(question, "".join(image.sha256 for image in request.images)) if found is None else found


def reply_by_sight(request: Request, question: Question, percept: Percept) -> str:
    """The reply of one who looks and reports what it sees."""
    if question.options:
        choice = chosen_by_sight(request, question, percept)
        rationale = wording(replies_to(question).looked, request.key)
        return choosing(question, choice, rationale, request.key, steps_to(question).looking)
    return described(request, question, percept)


def described(request: Request, question: Question, percept: Percept) -> str:
    """A short answer to an open question, from what was seen."""
    statement, answer = in_words(request, question, answer_seen(question, percept))
    return stating(question, statement, answer, steps_to(question).looking)


def answer_seen(question: Question, percept: Percept) -> Meaning:
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
