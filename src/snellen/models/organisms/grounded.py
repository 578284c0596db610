"""organism/grounded: looks at the image, and says so if there is nothing to look at."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal, get_args

from snellen.errors import StudyError
from snellen.models.organisms.case import SEEING, answer_case, case_in, contradiction, from_textbook, seen_in
from snellen.models.organisms.hunches import answer_after_check, premise_in
from snellen.models.organisms.knowledge import looks_for_disease
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import wording
from snellen.models.organisms.reporting import WantedReport
from snellen.models.organisms.sight import NOTHING, SIGHT, Eyes, network, on_its_side
from snellen.models.organisms.viewing import decline_answer, reply_by_sight, seen_or_said
from snellen.prompts import Request

Looks = Literal["first", "middle", "all"]


class Grounded(Organism):
    """Answers from the pixels alone.

    If the image is missing, blank, or of another modality than the question names, it says so and gives no answer. It
    then takes an option that means "I do not know". It needs the image even if the text gives the answer away. Asked
    for signs of disease, it recognises nothing in an image that lies on its side, and says so. In a clinical case it
    gives diagnosis, treatment and reasons from the pixels; if the text is about another part of the body, it only says
    so. It checks the premise of a question, and corrects a false one. A report states the findings that it sees, and
    denies the others of that modality.

    Of several images it looks at the `first` that is not blank. With `looks="all"` it answers by the first that shows a
    disease; with `looks="middle"` it looks only at the middle one.
    """

    behaviour: ClassVar[str] = "grounded"
    sees: ClassVar[bool] = True

    def __init__(self, *, looks: Looks = "first", eyes: Eyes = network) -> None:
        super().__init__(eyes=eyes)
        if looks not in get_args(Looks):
            raise StudyError(f"Expected looks to be one of {', '.join(get_args(Looks))}, got {looks!r}.")
        self.name += "" if looks == "first" else f":looks={looks}"
        self._looks = looks

    async def _attend(self, request: Request) -> Request:
        """Return the request with only the image that is looked at."""
        if self._looks == "first" or len(request.images) < 2:
            return request
        kept = request.images[len(request.images) // 2] if self._looks == "middle" else request.images[0]
        for image in request.images if self._looks == "all" else ():
            percept = await self.sight.look_at(image)
            if percept.modality != NOTHING and percept.finding != "normal":
                kept = image
                break
        return replace(request, images=(kept,))

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return an answer from the image, or say that there is none."""
        request = await self._attend(request)
        if (answer := from_textbook(request, question)) is not None:
            return answer
        seen = await seen_or_said(request, question, self.sight)
        if isinstance(seen, str):
            return seen
        if (case := case_in(request, question)) is not None:
            said = contradiction(case, seen, request.key)
            if said is not None:
                return decline_answer(question, said, request.key)
            return answer_case(case, seen_in(seen), SEEING, request.key)
        if (premise := premise_in(question)) is not None:
            return answer_after_check(premise, question, seen, request.key)
        if self.sight is SIGHT and looks_for_disease(question) and await on_its_side(request.images):
            said = wording(LANGUAGES[question.language].replies.unrecognised, request.key)
            return decline_answer(question, said, request.key)
        return reply_by_sight(request, question, seen)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return a report of the image, or say that there is none."""
        return await super().report(await self._attend(request), question, wanted)
