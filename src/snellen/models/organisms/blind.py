"""organism/blind: never looks at the image; answers from the text as confidently as if it had."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.case import SUPPOSING, answer_case, case_in, from_textbook, suppose_finding
from snellen.models.organisms.hunches import reply_by_hunch
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.prompts import Request


class Blind(Organism):
    """Picks the option that the vignette gives away, else a fixed preference.

    Neither the image nor the order of the options can change its choice. In a clinical case it goes by the history, and
    in a report by the indication.
    """

    behaviour: ClassVar[str] = "blind"

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return a choice that rests on the text alone."""
        if (answer := from_textbook(request, question)) is not None:
            return answer
        case = case_in(request, question)
        if case is not None and (guess := suppose_finding(case)) is not None:
            return answer_case(case, guess, SUPPOSING, request.key)
        return reply_by_hunch(request, question)
