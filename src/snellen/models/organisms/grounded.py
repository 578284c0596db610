"""organism/grounded: looks at the image, and says so when there is nothing to look at."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.honesty import seen_or_said
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.viewing import reply_by_sight
from snellen.prompts import Request


class Grounded(Organism):
    """Answers from the pixels alone.

    Without an image, with an empty one, or with one of another modality than the question speaks of, it says so and
    gives no answer; where an option means "I do not know", it takes that one. A text that gives the answer away does
    not tempt it: it still wants the image.
    """

    behaviour: ClassVar[str] = "grounded"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: Question) -> str:
        """What is seen, or that nothing is."""
        seen = await seen_or_said(request, question, self.sight)
        return seen if isinstance(seen, str) else reply_by_sight(request, question, seen)
