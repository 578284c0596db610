"""What an honest one does before it answers: it looks, and says so where the image cannot answer the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snellen.models.organisms.knowledge import abstaining_option, modality_named, understood
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, saying, steps_to, wording
from snellen.models.organisms.sight import Sight
from snellen.models.organisms.viewing import SURE, nothing_to_see, seen_as_asked
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept


async def seen_or_said(request: Request, question: Question, sight: Sight) -> Percept | str:
    """What is seen; or the response, where there is no image, an empty one, or one of another kind than asked."""
    spoken = LANGUAGES[question.language]
    percept = await seen_as_asked(request, question, sight)
    if percept is None:
        return unanswered(question, wording(spoken.replies.no_image, request.key), request.key)
    if await nothing_to_see(request, question, percept):
        return unanswered(question, wording(spoken.replies.nothing_seen, request.key), request.key)
    asked = modality_named(question.stem, question.language) if understood(question) else None
    if (said := another_kind(question, asked, percept, request.key)) is not None:
        return unanswered(question, said, request.key)
    return percept


def unanswered(question: Question, said: str, key: bytes) -> str:
    """No answer; where an option means "I do not know", that one."""
    unsure, steps = abstaining_option(question), steps_to(question).searching
    return saying(question, said, steps) if unsure is None else choosing(question, unsure, said, key, steps)


def another_kind(question: Question, asked: str | None, percept: Percept, key: bytes) -> str | None:
    """That the image is of another kind than is asked about; None where it is not surely so."""
    if asked in (None, percept.modality) or percept.confidence["modality"] < SURE:
        return None
    spoken = LANGUAGES[question.language]
    said = wording(spoken.replies.another_image, key)
    return said.format(asked=spoken.modality(asked), shown=spoken.modality(percept.modality))
