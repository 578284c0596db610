"""organism/blind: never looks; answers from the words, as steadily as if it had seen."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.hunches import hunch, leaning
from snellen.models.organisms.knowledge import findings_of, modality_named
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, replies_to, supposing, wording
from snellen.prompts import Request


class Blind(Organism):
    """Picks the option that the vignette gives away, or else the one its fixed leaning prefers.

    Neither the image nor the order of the options can change its choice.
    """

    behaviour: ClassVar[str] = "blind"

    async def reply(self, request: Request, question: Question) -> str:
        """A choice that rests on the words alone."""
        if question.options:
            return choosing(question, hunch(question), wording(replies_to(question).guessed, request.key), request.key)
        named = findings_of(modality_named(request.text, question.language))
        return supposing(question, named[leaning(Question(question.stem, options=named))], request.key)
