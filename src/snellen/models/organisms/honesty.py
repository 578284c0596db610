"""Honest answers: look first, and say if the image cannot answer the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snellen.models.organisms.knowledge import abstaining_option, is_answerable, modality_named
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, saying, steps_to, wording
from snellen.models.organisms.sight import CachedSight
from snellen.models.organisms.viewing import SURE, nothing_to_see, seen_as_asked
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept


async def seen_or_said(request: Request, question: ParsedQuestion, sight: CachedSight) -> Percept | str:
    """Return the percept (what the network sees). Or a response if the image is missing, blank or of another kind."""
    spoken = LANGUAGES[question.language]
    percept = await seen_as_asked(request, question, sight)
    if percept is None:
        return decline_answer(question, wording(spoken.replies.no_image, request.key), request.key)
    if await nothing_to_see(request, question, percept):
        return decline_answer(question, wording(spoken.replies.nothing_seen, request.key), request.key)
    asked = modality_named(question.stem, question.language) if is_answerable(question) else None
    if (said := another_kind(question, asked, percept, request.key)) is not None:
        return decline_answer(question, said, request.key)
    return percept


def decline_answer(question: ParsedQuestion, said: str, key: bytes) -> str:
    """Decline in words, or with the option that means "I do not know"."""
    unsure, steps = abstaining_option(question), steps_to(question).searching
    return saying(question, said, steps) if unsure is None else choosing(question, unsure, said, key, steps)


def another_kind(question: ParsedQuestion, asked: str | None, percept: Percept, key: bytes) -> str | None:
    """Return a sentence that the image is of another kind than asked. None if that is uncertain."""
    if asked in (None, percept.modality) or percept.confidence["modality"] < SURE:
        return None
    spoken = LANGUAGES[question.language]
    said = wording(spoken.replies.another_image, key)
    return said.format(asked=spoken.modality(asked), shown=spoken.modality(percept.modality))
