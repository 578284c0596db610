"""Guesses without looking: a choice or supposition from the text alone."""

from __future__ import annotations

from snellen.models.organisms.hunches import hunch, leaning
from snellen.models.organisms.knowledge import findings_of, modality_named
from snellen.models.organisms.premises import premise_in, taken_for_granted
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, steps_to, supposing, wording
from snellen.prompts import Request


def reply_by_hunch(request: Request, question: ParsedQuestion) -> str:
    """Return the answer that the text gives away, or one by a fixed preference."""
    if question.options:
        rationale = wording(replies_to(question).guessed, request.key)
        return choosing(question, hunch(question), rationale, request.key, steps_to(question).reading)
    if (premise := premise_in(question)) is not None:
        return taken_for_granted(premise, question, request.key)
    named = findings_of(modality_named(request.text, question.language))
    return supposing(question, named[leaning(ParsedQuestion(question.stem, options=named))], request.key)
