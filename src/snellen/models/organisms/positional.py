"""organism/positional: sees correctly, but has learnt the letter of the answer instead of the option."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.knowledge import usual_order
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, saying, steps_to, wording
from snellen.models.organisms.viewing import answer_openly, chosen_by_sight, nothing_to_see, seen_as_asked
from snellen.prompts import Request


class Positional(Organism):
    """Answers with the letter that the right option has in the usual order.

    It is right if the options are in that order, and wrong if they were moved or if a replaced option belongs elsewhere
    in the order. If options have no letters, it takes the first. Order is its one flaw: without an image it says so.
    """

    behaviour: ClassVar[str] = "positional"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return the letter that would be correct if the options were in the usual order."""
        replies, steps = replies_to(question), steps_to(question)
        percept = await seen_as_asked(request, question, self.sight)
        if percept is None:
            return saying(question, wording(replies.no_image, request.key), steps.searching)
        if await nothing_to_see(request, question, percept):
            return saying(question, wording(replies.nothing_seen, request.key), steps.searching)
        if not question.options:
            return answer_openly(request, question, percept)
        right = chosen_by_sight(request, question, percept)
        learnt = 0 if question.in_words else usual_order(question.options, question.language).index(right)
        return choosing(question, learnt, wording(replies.looked, request.key), request.key, steps.looking)
