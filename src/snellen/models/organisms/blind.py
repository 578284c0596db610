"""organism/blind: never looks; answers from the words, as steadily as if it had seen."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.guessing import reply_by_hunch
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.prompts import Request


class Blind(Organism):
    """Picks the option that the vignette gives away, or else the one its fixed leaning prefers.

    Neither the image nor the order of the options can change its choice.
    """

    behaviour: ClassVar[str] = "blind"

    async def reply(self, request: Request, question: Question) -> str:
        """A choice that rests on the words alone."""
        return reply_by_hunch(request, question)
