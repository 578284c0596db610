"""organism/random: any option with equal probability, whatever is asked and shown."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.knowledge import findings_of
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, steps_to, supposing, wording
from snellen.models.organisms.reporting import WantedReport, drawn_report
from snellen.prompts import Request


class RandomChoice(Organism):
    """Draws an option from the hash of the whole request.

    Equal requests get equal responses; another arm, repeat or seed is another, independent draw.
    """

    behaviour: ClassVar[str] = "random"

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return a randomly drawn answer."""
        drawn = int.from_bytes(request.key[:16], "big")
        if question.options:
            rationale, steps = wording(replies_to(question).guessed, request.key), steps_to(question).reading
            return choosing(question, drawn % len(question.options), rationale, request.key, steps)
        named = findings_of(None)
        return supposing(question, named[drawn % len(named)], request.key)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return a randomly drawn report."""
        return drawn_report(wanted, request.key)
