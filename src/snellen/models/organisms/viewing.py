"""What is made of an image that was seen: a choice among options, or a short answer in free words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import asked_kind, finding_asked, matching_option, seen, understood
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, replies_to, stating, wording
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
        rationale = wording(replies_to(question).looked, request.key)
        return choosing(question, chosen_by_sight(request, question, percept), rationale, request.key)
    return described(request, question, percept)


def described(request: Request, question: Question, percept: Percept) -> str:
    """A short answer to an open question, from what was seen."""
    spoken, asked = LANGUAGES[question.language], finding_asked(question)
    if asked is not None and spoken.yes_or_no.match(question.stem):
        answer = spoken.name("answer", "yes" if asked == seen(percept, "finding") else "no").capitalize()
        return stating(question, f"{answer}{spoken.replies.stop}", answer)
    kind = asked_kind(question) or "finding"
    value = seen(percept, kind)
    answer = spoken.name(kind, value)
    if kind != "finding":
        return stating(question, f"{answer[:1].upper()}{answer[1:]}{spoken.replies.stop}", answer)
    choices = spoken.replies.unremarkable if value == "normal" else spoken.replies.described
    return stating(question, wording(choices, request.key).format(finding=spoken.mention(value)), answer)
