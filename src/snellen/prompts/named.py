"""All prompts that a study can choose by name."""

from __future__ import annotations

from snellen.errors import StudyError
from snellen.prompts.answer_format import LETTER as LETTER_FORMATS
from snellen.prompts.answer_format import LETTER_AFTER_STEPS, WORDS, WORDS_AFTER_STEPS
from snellen.prompts.detection import (
    DETECTION,
    DETECTION_FROM_CODE,
    DETECTION_STRUCTURED,
    DETECTION_STRUCTURED_FROM_CODE,
    DETECTION_WITH_STEPS,
    DETECTION_WITH_STEPS_FROM_CODE,
)
from snellen.prompts.mirage import BENCHMARK_PROMPTS, MIRAGE
from snellen.prompts.ours import LETTER, LETTER_WITH_STEPS
from snellen.prompts.pathway import PATHWAY
from snellen.prompts.prompt import Prompt
from snellen.prompts.readiness import READINESS, READINESS_WITH_STEPS

PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        *(LETTER, LETTER_WITH_STEPS, READINESS, READINESS_WITH_STEPS, MIRAGE, *BENCHMARK_PROMPTS, PATHWAY),
        *(DETECTION, DETECTION_STRUCTURED, DETECTION_WITH_STEPS),
        *(DETECTION_FROM_CODE, DETECTION_STRUCTURED_FROM_CODE, DETECTION_WITH_STEPS_FROM_CODE),
    )
}


def find_room(name: str, user: str) -> bool | None:
    """Return True if a prompt allows more words than the answer; None if unknown.

    Our prompts declare it. Any other prompt allows them if it asks for the answer in one of our own sentences.

    >>> find_room("letter", LETTER.user), find_room("mirage", MIRAGE.user), find_room("own", "{question} Say A or B.")
    (True, False, None)
    """
    if name in PROMPTS and PROMPTS[name].user == user:
        return PROMPTS[name].room
    formats = (LETTER_FORMATS, LETTER_AFTER_STEPS, WORDS, WORDS_AFTER_STEPS)
    return True if any(sentence in user for each in formats for sentence in each.values()) else None


def prompt_named(name: str) -> Prompt:
    """Return the prompt with this name; StudyError if there is none."""
    if name not in PROMPTS:
        raise StudyError(f"There is no prompt {name!r}. There are: {', '.join(PROMPTS)}.")
    return PROMPTS[name]
