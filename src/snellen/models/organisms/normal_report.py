"""organism/normal-report: copies the usual normal report, whatever the image shows."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.case import from_textbook
from snellen.models.organisms.hunches import reply_by_hunch
from snellen.models.organisms.knowledge import Meaning, matching_option, modality_named
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, stating, steps_to, wording
from snellen.models.organisms.reporting import USUAL, WantedReport, write_report
from snellen.models.organisms.sight import ShownFinding
from snellen.models.organisms.viewing import answer_seen, in_words
from snellen.prompts import Request


class NormalReport(Organism):
    """Writes the usual normal report of the modality that the text names.

    It never looks. Most reports of a hospital are normal, so a comparison that counts denied findings gives it much of
    the score. Asked a question, it takes the option that means normal, and says no to every finding. If nothing means
    normal, it guesses as `organism/blind` does.
    """

    behaviour: ClassVar[str] = "normal-report"

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Answer that all is normal."""
        if (answer := from_textbook(request, question)) is not None:
            return answer
        normal = ShownFinding(modality_named(request.text, question.language) or "", "normal")
        if not question.options:
            meant = answer_seen(question, normal)
            meant = meant if meant.kind == "answer" else Meaning("finding", "normal")
            return stating(question, *in_words(request, question, meant), steps_to(question).reading)
        choice = matching_option(question, normal)
        if choice is None:
            return reply_by_hunch(request, question)
        rationale = wording(replies_to(question).guessed, request.key)
        return choosing(question, choice, rationale, request.key, steps_to(question).reading)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return the usual normal report."""
        return write_report([ShownFinding(wanted.modality or USUAL, "normal")], bytes(32))
