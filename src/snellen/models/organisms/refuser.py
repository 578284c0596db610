"""organism/refuser: declines every question, in several wordings."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import replies_to, wording
from snellen.models.organisms.reporting import WantedReport
from snellen.prompts import Request


class Refuser(Organism):
    """Always declines."""

    behaviour: ClassVar[str] = "refuser"

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return a polite refusal."""
        return wording(replies_to(question).refusals, request.key)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return a polite refusal."""
        return await self.reply(request, question)

    async def letters(self, request: Request, question: ParsedQuestion) -> str:
        """Return a polite refusal."""
        return await self.reply(request, question)
