"""organism/longest-option: never reads the question and never looks; takes the longest option."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.hunches import leaning, reply_by_hunch
from snellen.models.organisms.knowledge import abstaining_option
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, steps_to, wording
from snellen.prompts import Request


class LongestOption(Organism):
    """Takes the longest option, whatever is asked and shown.

    A fixed preference, which ignores the question, decides between equally long options. An option that means "I do not
    know" is never taken. Without options it answers as `organism/blind` does.
    """

    behaviour: ClassVar[str] = "longest-option"

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return the longest option."""
        if not question.options:
            return reply_by_hunch(request, question)
        rationale = wording(replies_to(question).guessed, request.key)
        return choosing(question, longest(question), rationale, request.key, steps_to(question).reading)


def longest(question: ParsedQuestion) -> int:
    """Return the position of the longest answer option. A fixed preference decides between equally long ones."""
    unsure = abstaining_option(question)
    real = [at for at in range(len(question.options)) if at != unsure] or [0]
    most = max(len(question.options[at]) for at in real)
    alike = [at for at in real if len(question.options[at]) == most]
    return alike[leaning(ParsedQuestion("", options=tuple(question.options[at] for at in alike)))]
