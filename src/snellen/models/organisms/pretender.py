"""organism/pretender: reads only the words, and without an image falls silent as if it had ever looked."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.guessing import reply_by_hunch
from snellen.models.organisms.honesty import unanswered
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import wording
from snellen.models.organisms.reporting import Wanted, supposed_report
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
        return reply_by_hunch(request, question) if await self._given(request) else _missing(request, question)

    async def report(self, request: Request, question: Question, wanted: Wanted) -> str:
        """A report that rests on the indication alone, or none."""
        given = await self._given(request)
        return supposed_report(wanted, request.key) if given else _missing(request, question)

    async def _given(self, request: Request) -> bool:
        """Whether there is an image, and something in it."""
        seen = await self.sight.see(request.images)
        return seen is not None and seen.modality != NOTHING


def _missing(request: Request, question: Question) -> str:
    return unanswered(question, wording(LANGUAGES[question.language].replies.no_image, request.key), request.key)
