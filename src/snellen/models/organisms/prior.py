"""organism/prior: knows which answer is usual in this benchmark, and never looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from snellen.errors import StudyError
from snellen.models.organisms.knowledge import plain
from snellen.models.organisms.organism import VERSION
from snellen.models.organisms.pretender import Pretender
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, steps_to, wording
from snellen.models.organisms.sight import Eyes, network
from snellen.prompts import Request


class Prior(Pretender):
    """Chooses the option that was most often right for questions of these words.

    It was trained on phantoms of these settings, and knows no single patient. It guesses as `organism/pretender` does
    if it has never met the words, and declines without an image, as if it looked at images.
    """

    behaviour: ClassVar[str] = "prior"

    def __init__(self, *, task: str = "questions", items: int = 1000, seed: int = 0, eyes: Eyes = network) -> None:
        super().__init__(eyes=eyes)
        if items < 1 or seed < 0:
            raise StudyError(f"The prior needs 1 item or more and a seed of 0 or more; got items={items}, seed={seed}.")
        self.revision = f"{VERSION}+phantoms:task={task},items={items},seed={seed}"
        self._learnt = (task, items, seed)

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return the usual answer, or decline without an image."""
        usual = count_answers(*self._learnt).get(plain(question.stem))
        if usual is None or not question.options or not await self._has_image(request):
            return await super().reply(request, question)
        chosen = max(range(len(question.options)), key=lambda at: usual[plain(question.options[at])])
        rationale = wording(replies_to(question).guessed, request.key)
        return choosing(question, chosen, rationale, request.key, steps_to(question).reading)


@cache
def count_answers(task: str, items: int, seed: int) -> Mapping[str, Counter[str]]:
    """Return how often each option was right, by the words of the question."""
    # The phantoms load an image codec.
    from snellen.benchmarks import phantoms

    learnt: dict[str, Counter[str]] = {}
    for item in phantoms.load(task=task, items=items, seed=seed):
        if isinstance(item.answer, int):
            learnt.setdefault(plain(item.question), Counter())[plain(item.options[item.answer].text)] += 1
    return learnt
