"""organism/reader: takes words alone, and reads the radiology report that stands in them for the image."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.case import case_in, report_in, reported
from snellen.models.organisms.consulting import REPORTING, consulted, from_textbook
from snellen.models.organisms.honesty import unanswered
from snellen.models.organisms.knowledge import matching_option
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, steps_to, wording
from snellen.models.organisms.reporting import Wanted
from snellen.prompts import Request

_NEITHER = (
    "I was given neither an image nor a report of one, so I cannot tell.",
    "No image was provided, and no radiology report either. I cannot determine the answer.",
    "I read text only, and there is neither an image nor a report in it. I cannot tell.",
)
_WORDS_ALONE = (
    "I take words alone, and there is no report among them. I cannot tell.",
    "I read text only, and the text holds no radiology report. I cannot determine the answer.",
)
"""What it says where an image is sent all the same."""
_UNREAD = (
    "The report says this: {report} Beyond that I cannot tell.",
    "I can only repeat what the report says: {report}",
)
_REPORTED = (
    "According to the report, option {letter} is right.",
    "The report describes what option {letter} says.",
)


class Reader(Organism):
    """A model of words: right wherever a radiology report stands in for the image, or no image is needed.

    It never sees an image. Without a report it says that it was given neither image nor report, and answers nothing but
    questions of textbook knowledge.
    """

    behaviour: ClassVar[str] = "reader"
    text_only: bool = True

    async def reply(self, request: Request, question: Question) -> str:
        """What the report says."""
        if (answer := from_textbook(request, question)) is not None:
            return answer
        case = case_in(request, question)
        report = report_in(request.text) if case is None else case.report
        said = reported(report) if report else None
        if report and said is None:
            return unanswered(question, wording(_UNREAD, request.key).format(report=report), request.key)
        if said is not None and case is not None:
            return consulted(case, said, REPORTING, request.key)
        if said is not None and (choice := matching_option(question, said)) is not None:
            rationale = wording(_REPORTED, request.key)
            return choosing(question, choice, rationale, request.key, steps_to(question).reading)
        missing = _WORDS_ALONE if request.images else _NEITHER
        return unanswered(question, wording(missing, request.key), request.key)

    async def report(self, request: Request, question: Question, wanted: Wanted) -> str:
        """The report that stands in the words, or that there is none."""
        report = report_in(request.text)
        return f"FINDINGS: {report}" if report else await self.reply(request, question)
