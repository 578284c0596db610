"""Answers from a percept, if the image can answer the question at all."""

from __future__ import annotations

from dataclasses import replace

from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import (
    Meaning,
    abstaining_option,
    asked_kind,
    detection,
    finding_asked,
    is_answerable,
    looks_for_disease,
    matching_option,
    modality_named,
    read_percept,
)
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, saying, stating, steps_to, wording
from snellen.models.organisms.sight import NOTHING, CachedSight, Percept, ShownFinding, featureless, structureless
from snellen.prompts import Request

SURE = 0.9
"""Confidence from which the modality that the network sees overrides the question's."""


async def seen_as_asked(request: Request, question: ParsedQuestion, sight: CachedSight) -> Percept | None:
    """Return the percept of the image; None without an image.

    If the question looks for disease, the image is taken as the kind that the question names, however strange it looks,
    unless it is surely of another kind, or blank.
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


async def nothing_to_see(request: Request, question: ParsedQuestion, percept: Percept) -> bool:
    """Return whether the image shows nothing that could support an answer.

    An unknown image is still an image: only a single shade counts as blank.
    """
    if percept.modality != NOTHING:
        return False
    return not question.options or is_answerable(question) or await featureless(request.images)


def chosen_by_sight(request: Request, question: ParsedQuestion, percept: Percept) -> int:
    """Return the option that fits the percept. If the words are unknown, a preference that depends on the image."""
    found = matching_option(question, percept)
    return leaning(question, "".join(image.sha256 for image in request.images)) if found is None else found


def reply_by_sight(request: Request, question: ParsedQuestion, percept: Percept) -> str:
    """Return the response of an organism that looks and answers what it sees."""
    if question.options:
        choice = chosen_by_sight(request, question, percept)
        rationale = wording(replies_to(question).looked, request.key)
        return choosing(question, choice, rationale, request.key, _looked_through(request, question, percept))
    return answer_openly(request, question, percept)


def _looked_through(request: Request, question: ParsedQuestion, percept: Percept) -> tuple[str, ...]:
    """Return the reasoning of an organism that looks, with the finding that it sees."""
    steps = steps_to(question).looking
    if detection(question) is None:
        return steps
    return (*steps, in_words(request, question, Meaning("finding", read_percept(percept, "finding")))[0])


def answer_openly(request: Request, question: ParsedQuestion, percept: Percept) -> str:
    """Return a short answer to an open question from the percept."""
    statement, answer = in_words(request, question, answer_seen(question, percept))
    return stating(question, statement, answer, steps_to(question).looking)


def answer_seen(question: ParsedQuestion, percept: Percept | ShownFinding) -> Meaning:
    """Return the meaning of an open question's answer: yes or no, the kind asked for, or the finding."""
    asked = finding_asked(question)
    if asked is not None and LANGUAGES[question.language].yes_or_no.match(question.stem):
        return Meaning("answer", "yes" if asked == read_percept(percept, "finding") else "no")
    kind = asked_kind(question) or "finding"
    return Meaning(kind, read_percept(percept, kind))


def in_words(request: Request, question: ParsedQuestion, meant: Meaning) -> tuple[str, str]:
    """Return a meaning as a sentence, and in as few words as possible."""
    spoken, (kind, value) = LANGUAGES[question.language], meant
    answer = spoken.name(kind, value)
    if kind == "finding":
        choices = spoken.replies.unremarkable if value == "normal" else spoken.replies.described
        return wording(choices, request.key).format(finding=spoken.mention(value)), answer
    capital = f"{answer[:1].upper()}{answer[1:]}"
    return f"{capital}{spoken.replies.stop}", capital if kind == "answer" else answer


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
