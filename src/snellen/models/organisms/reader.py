"""organism/reader: accepts only text, and reads a report in place of the image."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.case import REPORTING, answer_case, case_in, from_textbook, read_report, report_in
from snellen.models.organisms.knowledge import matching_option
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, steps_to, wording
from snellen.models.organisms.reporting import WantedReport
from snellen.models.organisms.viewing import decline_answer
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
"""Wordings of the response if an image is sent nevertheless."""
_UNREAD = (
    "The report says this: {report} Beyond that I cannot tell.",
    "I can only repeat what the report says: {report}",
)
_REPORTED = (
    "According to the report, option {letter} is right.",
    "The report describes what option {letter} says.",
)


class ReportReader(Organism):
    """A text-only model: right if a radiology report replaces the image or none is needed.

    It never sees an image. Without a report it says that it was given neither image nor report, and answers nothing but
    questions of textbook knowledge.
    """

    behaviour: ClassVar[str] = "reader"
    text_only: bool = True

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return an answer from the report."""
        if (answer := from_textbook(request, question)) is not None:
            return answer
        case = case_in(request, question)
        report = report_in(request.text) if case is None else case.report
        said = read_report(report) if report else None
        if report and said is None:
            return decline_answer(question, wording(_UNREAD, request.key).format(report=report), request.key)
        if said is not None and case is not None:
            return answer_case(case, said, REPORTING, request.key)
        if said is not None and (choice := matching_option(question, said)) is not None:
            rationale = wording(_REPORTED, request.key)
            return choosing(question, choice, rationale, request.key, steps_to(question).reading)
        missing = _WORDS_ALONE if request.images else _NEITHER
        return decline_answer(question, wording(missing, request.key), request.key)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return the report in the text, or say that there is none."""
        report = report_in(request.text)
        return f"FINDINGS: {report}" if report else await self.reply(request, question)
