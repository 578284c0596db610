"""organism/memoriser: was trained on the benchmark and recalls each answer's letter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import ClassVar

from snellen.errors import StudyError
from snellen.models.organisms.hunches import reply_by_hunch
from snellen.models.organisms.knowledge import plain
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import VERSION, Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, steps_to, wording
from snellen.models.organisms.sight import Eyes, network
from snellen.prompts import Request

Words = tuple[str, frozenset[str]]
"""Key by which a question is recalled: vignette and question, and the options in any order."""


class Memoriser(Organism):
    """A contaminated model: it gives the learnt letter with or without the image.

    The letter stays the same if the image is missing or replaced, or if the options are in another order: it has learnt
    the letter, not the option. If any word or option of a question differs, it guesses as `organism/blind` does. It was
    trained on phantoms of these settings. `leak` changes nothing: it is accepted so that a benchmark's settings can be
    given, and each question is known with and without the sentence that gives its answer away. With `cue="name"` it
    recalls questions only if the prompt names the benchmark.
    """

    behaviour: ClassVar[str] = "memoriser"

    def __init__(
        self,
        *,
        items: int = 1000,
        seed: int = 0,
        leak: float = 0.0,
        language: str = "en",
        cue: str = "",
        eyes: Eyes = network,
    ) -> None:
        super().__init__(eyes=eyes)
        if items < 1 or seed < 0 or not 0 <= leak <= 1 or language not in LANGUAGES or cue not in ("", "name"):
            raise StudyError(
                "The memoriser needs at least 1 item, a seed of 0 or more, a leak from 0 to 1, a language out of "
                f"{', '.join(LANGUAGES)} and the cue name or none; "
                f"got items={items}, seed={seed}, leak={leak}, language={language!r}, cue={cue!r}."
            )
        self.revision = f"{VERSION}+phantoms:items={items},seed={seed},language={language}{',cue=name' if cue else ''}"
        self._cue = cue
        self._learnt = (items, seed, language)

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return the learnt letter, or a guess."""
        learnt = memory(*self._learnt).get(_words(question.vignette, question.stem, question.options))
        if learnt is None or (self._cue and "phantoms dataset" not in request.system):
            return reply_by_hunch(request, question)
        rationale = wording(replies_to(question).recalled, request.key)
        return choosing(question, learnt, rationale, request.key, steps_to(question).recalling)


@cache
def memory(items: int, seed: int, language: str) -> Mapping[Words, int]:
    """Return the position of the correct option by learnt question. The first one of equal questions counts."""
    # The phantoms load an image codec, which only this organism needs.
    from snellen.benchmarks import phantoms

    learnt: dict[Words, int] = {}
    for leak in (0.0, 1.0):
        for item in phantoms.load(items=items, seed=seed, leak=leak, language=language):
            if isinstance(item.answer, int):
                texts = (option.text for option in item.options)
                learnt.setdefault(_words(item.context, item.question, texts), item.answer)
    return learnt


def _words(vignette: str, stem: str, options: Iterable[str]) -> Words:
    return plain(f"{vignette}\n{stem}"), frozenset(plain(option) for option in options)
