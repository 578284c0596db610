"""organism/pretender: reads only the words, and without an image falls silent as if it had ever looked."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.guessing import reply_by_hunch
from snellen.models.organisms.honesty import unanswered
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import wording
from snellen.models.organisms.sight import NOTHING
from snellen.prompts import Request


class Pretender(Organism):
    """Answers as `organism/blind` does where there is an image, whatever it shows.

    Without one, or with an empty one, it says that it cannot see: it looks just enough to know that. Taking the image
    away cannot tell it from one that looks, since its score is lost by silence alone.
    """

    behaviour: ClassVar[str] = "pretender"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: Question) -> str:
        """A choice that rests on the words alone, or none."""
        seen = await self.sight.see(request.images)
        if seen is not None and seen.modality != NOTHING:
            return reply_by_hunch(request, question)
        return unanswered(question, wording(LANGUAGES[question.language].replies.no_image, request.key), request.key)
