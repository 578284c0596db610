"""organism/grounded: looks at the image, and says so when there is nothing to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from snellen.models.organisms.knowledge import abstaining_option, modality_named, understood
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, wording
from snellen.models.organisms.viewing import nothing_to_see, reply_by_sight
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept

_SURE = 0.9


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
        spoken = LANGUAGES[question.language]
        percept = await self.sight.see(request.images)
        if percept is None:
            return _unanswered(question, wording(spoken.replies.no_image, request.key), request.key)
        if await nothing_to_see(request, question, percept):
            return _unanswered(question, wording(spoken.replies.nothing_seen, request.key), request.key)
        if (asked := _another_modality(question, percept)) is not None:
            said = wording(spoken.replies.another_image, request.key)
            said = said.format(asked=spoken.modality(asked), shown=spoken.modality(percept.modality))
            return _unanswered(question, said, request.key)
        return reply_by_sight(request, question, percept)


def _unanswered(question: Question, said: str, key: bytes) -> str:
    unsure = abstaining_option(question)
    return said if unsure is None else choosing(question, unsure, said, key)


def _another_modality(question: Question, percept: Percept) -> str | None:
    """The modality the question speaks of, where the image is surely of another."""
    asked = modality_named(question.stem, question.language)
    sure = percept.confidence["modality"] >= _SURE and understood(question)
    return asked if sure and asked not in (None, percept.modality) else None
