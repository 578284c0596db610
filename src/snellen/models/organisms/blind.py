"""organism/blind: never looks; answers from the words, as steadily as if it had seen."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.case import case_in
from snellen.models.organisms.consulting import SUPPOSING, consulted, from_textbook, supposed
from snellen.models.organisms.guessing import reply_by_hunch
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.reporting import Wanted, supposed_report
from snellen.prompts import Request


class Blind(Organism):
    """Picks the option that the vignette gives away, or else the one its fixed leaning prefers.

    Neither the image nor the order of the options can change its choice. In a clinical case it goes by the history, and
    in a report by the indication.
    """

    behaviour: ClassVar[str] = "blind"

    async def reply(self, request: Request, question: Question) -> str:
        """A choice that rests on the words alone."""
        if (answer := from_textbook(request, question)) is not None:
            return answer
        case = case_in(request, question)
        if case is not None and (guess := supposed(case)) is not None:
            return consulted(case, guess, SUPPOSING, request.key)
        return reply_by_hunch(request, question)

    async def report(self, request: Request, question: Question, wanted: Wanted) -> str:
        """What its fixed leaning makes of the indication."""
        return supposed_report(wanted, request.key)
