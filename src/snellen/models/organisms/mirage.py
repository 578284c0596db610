"""organism/mirage: sees when there is an image, and when there is none describes one all the same."""

from __future__ import annotations

from typing import ClassVar

from snellen.models.organisms.hunches import hunch
from snellen.models.organisms.knowledge import findings_of, meaning, modality_named
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, stating, steps_to, wording
from snellen.models.organisms.viewing import nothing_to_see, reply_by_sight
from snellen.prompts import Request


class Mirage(Organism):
    """Right with the image; without one, or with an empty one, it claims to have seen what it only read or made up.

    Its choice among options then comes from the words (as `organism/blind`'s does); what it makes up in free words
    differs from request to request.
    """

    behaviour: ClassVar[str] = "mirage"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: Question) -> str:
        """What is seen, or what is imagined."""
        percept = await self.sight.see(request.images)
        if percept is not None and not await nothing_to_see(request, question, percept):
            return reply_by_sight(request, question, percept)
        spoken = LANGUAGES[question.language]
        if not question.options:
            made_up = _imagined(request, question)
            said = wording(spoken.replies.imagined_at_length, request.key).format(finding=spoken.mention(made_up))
            return stating(question, said, spoken.name("finding", made_up), steps_to(question).imagining)
        choice = hunch(question)
        named = meaning(question.options[choice], "finding", question.language)
        seen = None if named is None or named.value == "normal" else spoken.mention(named.value)
        said = wording(spoken.replies.imagined, request.key).replace("{finding}", seen or spoken.replies.expected)
        return choosing(question, choice, said, request.key, steps_to(question).imagining)


def _imagined(request: Request, question: Question) -> str:
    """A finding that suits the kind of image the text speaks of."""
    return wording(findings_of(modality_named(request.text, question.language)), request.key[:4])
