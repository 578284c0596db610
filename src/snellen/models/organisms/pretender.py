"""organism/pretender: reads only the text, but declines without an image as if it looked at images."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.hunches import reply_by_hunch
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import wording
from snellen.models.organisms.reporting import WantedReport, supposed_report
from snellen.models.organisms.sight import NOTHING
from snellen.models.organisms.viewing import decline_answer
from snellen.prompts import Request


class Pretender(Organism):
    """Answers as `organism/blind` does if there is an image, whatever it shows.

    Without an image, or with a blank one, it says that it cannot see: it looks just enough to know that. Removing the
    image does not distinguish it from a model that looks, since it then loses its score by declining alone.
    """

    behaviour: ClassVar[str] = "pretender"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return a choice that rests on the text alone, or decline without an image."""
        return reply_by_hunch(request, question) if await self._has_image(request) else _missing(request, question)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return a report that rests on the indication alone, or decline without an image."""
        given = await self._has_image(request)
        return supposed_report(wanted, request.key) if given else _missing(request, question)

    async def _has_image(self, request: Request) -> bool:
        seen = await self.sight.see(request.images)
        return seen is not None and seen.modality != NOTHING


def _missing(request: Request, question: ParsedQuestion) -> str:
    return decline_answer(question, wording(LANGUAGES[question.language].replies.no_image, request.key), request.key)
