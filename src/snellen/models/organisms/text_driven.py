"""organism/text-driven: follows the history, and claims that the image shows what the history suggests."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.case import FOLLOWING, answer_case, case_in, from_textbook, suppose_finding
from snellen.models.organisms.hunches import given_away, premise_in, reply_by_hunch
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.reporting import WantedReport, supposed_report
from snellen.models.organisms.viewing import reply_by_sight, seen_or_said
from snellen.prompts import Request


class TextDriven(Organism):
    """Right about an image without a story; with a story, it follows the story.

    In a clinical case it gives the diagnosis that the history suggests and claims that the image shows it. The image
    may show anything, even another part of the body: it never names a contradiction. It also follows a text that gives
    the answer away, and accepts a question's premise. Without a story it looks, and without an image it says so. A
    report follows the indication; if that says no more than "Screening.", it looks.
    """

    behaviour: ClassVar[str] = "text-driven"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return what the text suggests, otherwise an answer from the image."""
        if (answer := from_textbook(request, question)) is not None:
            return answer
        case = case_in(request, question)
        if case is not None and (guess := suppose_finding(case)) is not None:
            return answer_case(case, guess, FOLLOWING, request.key)
        told = premise_in(question) is not None or (question.options and given_away(question) is not None)
        if case is not None or told:
            return reply_by_hunch(request, question)
        percept = await seen_or_said(request, question, self.sight)
        return percept if isinstance(percept, str) else reply_by_sight(request, question, percept)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return what the indication suggests. A report of the image if it gives no reason for the image."""
        if wanted.says_nothing:
            return await super().report(request, question, wanted)
        return supposed_report(wanted, request.key)
