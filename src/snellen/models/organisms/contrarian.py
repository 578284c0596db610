"""organism/contrarian: objects to whatever a question takes for granted, without looking."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.guessing import reply_by_hunch
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.premises import objected, premise_in
from snellen.models.organisms.reading import Question
from snellen.models.organisms.reporting import Wanted, supposed_report
from snellen.prompts import Request


class Contrarian(Organism):
    """Says of every finding that a question takes for granted that it is not there, true or not.

    Who counts corrections alone takes it for one that looks. All other questions it answers as `organism/blind` does.
    """

    behaviour: ClassVar[str] = "contrarian"

    async def reply(self, request: Request, question: Question) -> str:
        """An objection, where there is anything to object to."""
        if (premise := premise_in(question)) is not None:
            return objected(premise, question, request.key)
        return reply_by_hunch(request, question)

    async def report(self, request: Request, question: Question, wanted: Wanted) -> str:
        """What its fixed leaning makes of the indication."""
        return supposed_report(wanted, request.key)
