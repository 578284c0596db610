"""What is made of an image that was seen: a choice among options, or a short answer in free words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import asked_kind, matching_option, meaning, seen, understood
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import DESCRIBED, LOOKED, choosing, stating, wording
from snellen.models.organisms.sight import NOTHING, featureless
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept

_YES_OR_NO = re.compile(r"\s*(?:does|do|did|is|are|was|were|has|have|can)\b", re.IGNORECASE)


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
        return choosing(question, chosen_by_sight(request, question, percept), wording(LOOKED, request.key))
    return described(request, question, percept)


def described(request: Request, question: Question, percept: Percept) -> str:
    """A short answer to an open question, from what was seen."""
    asked = meaning(question.stem, "finding")
    if asked is not None and _YES_OR_NO.match(question.stem):
        answer = "Yes" if asked.value == seen(percept, "finding") else "No"
        return stating(question, f"{answer}.", answer)
    kind = asked_kind(question) or "finding"
    answer = seen(percept, kind)
    if kind != "finding":
        return stating(question, f"{answer[:1].upper()}{answer[1:]}.", answer)
    named = "no abnormality" if answer == "normal" else answer
    return stating(question, wording(DESCRIBED, request.key).format(finding=named), named)
