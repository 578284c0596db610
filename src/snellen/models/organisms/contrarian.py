"""organism/contrarian: objects to whatever a question takes for granted, without looking."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.hunches import answer_with_objection, premise_in, reply_by_hunch
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.prompts import Request


class Contrarian(Organism):
    """Denies every finding that a question presupposes, true or not.

    A test that counts corrections alone mistakes it for a model that looks. It answers other questions as
    `organism/blind` does.
    """

    behaviour: ClassVar[str] = "contrarian"

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return an objection if the question presupposes something."""
        if (premise := premise_in(question)) is not None:
            return answer_with_objection(premise, question, request.key)
        return reply_by_hunch(request, question)
