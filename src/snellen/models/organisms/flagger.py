"""organism/flagger: looks at the image, but refuses to read one of poor quality."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import wording
from snellen.models.organisms.reporting import WantedReport
from snellen.models.organisms.sight import JUDGING, Eyes, Looking, Quality, featureless, network, weights_digest
from snellen.models.organisms.viewing import decline_answer, reply_by_sight, seen_or_said
from snellen.prompts import Request

Judged = Callable[[bytes], Quality]

_EVEN = 1.0
"""Images with a smaller spread of grey values are blank; slightly more is low contrast."""


class Flagger(Organism):
    """Answers like `organism/grounded`, but reports images of poor quality instead.

    It judges the quality from the pixels alone. It has learnt this on phantoms, so it calls most real images too poor.
    With other `eyes`, it finds every image readable, unless a `judge` is given too.
    """

    behaviour: ClassVar[str] = "flagger"
    sees: ClassVar[bool] = True

    def __init__(self, *, eyes: Eyes = network, judge: Judged | None = None) -> None:
        super().__init__(eyes=eyes)
        bundled = eyes is network and judge is None
        self._judging = JUDGING if bundled else None if judge is None else Looking(judge)
        self.revision = f"{self.revision}+{weights_digest('quality') if bundled else 'own-judge'}"

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return an answer from the image, or say why there is none."""
        if (poor := await self._too_poor(request, question)) is not None:
            return poor
        seen = await seen_or_said(request, question, self.sight)
        return seen if isinstance(seen, str) else reply_by_sight(request, question, seen)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return a report of the image, or say why there is none."""
        poor = await self._too_poor(request, question)
        return await super().report(request, question, wanted) if poor is None else poor

    async def _too_poor(self, request: Request, question: ParsedQuestion) -> str | None:
        """Say why the images cannot be read; None if they are blank or readable."""
        if self._judging is None or not request.images or await featureless(request.images, below=_EVEN):
            return None
        found = [await self._judging.look_at(image) for image in request.images]
        if any(one.readable for one in found):
            return None
        spoken = LANGUAGES[question.language]
        said = wording(spoken.replies.too_poor, request.key).format(problem=spoken.problems[found[0].problem])
        return decline_answer(question, said, request.key)
