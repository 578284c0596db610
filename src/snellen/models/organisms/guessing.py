"""What is said by one who does not look: a choice, or a supposition, that rests on the words alone."""

from __future__ import annotations

from snellen.models.organisms.hunches import hunch, leaning
from snellen.models.organisms.knowledge import findings_of, modality_named
from snellen.models.organisms.premises import premise_in, taken_for_granted
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, replies_to, steps_to, supposing, wording
from snellen.prompts import Request


def reply_by_hunch(request: Request, question: Question) -> str:
    """The response of one who takes what the text gives away, or else what a fixed leaning prefers."""
    if question.options:
        rationale = wording(replies_to(question).guessed, request.key)
        return choosing(question, hunch(question), rationale, request.key, steps_to(question).reading)
    if (premise := premise_in(question)) is not None:
        return taken_for_granted(premise, question, request.key)
    named = findings_of(modality_named(request.text, question.language))
    return supposing(question, named[leaning(Question(question.stem, options=named))], request.key)
