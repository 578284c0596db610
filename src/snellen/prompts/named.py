"""The prompts that a study can name."""

from __future__ import annotations

from snellen.errors import StudyError
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


def prompt_named(name: str) -> Prompt:
    """The prompt of that name."""
    if name not in PROMPTS:
        raise StudyError(f"There is no prompt {name!r}. There are: {', '.join(PROMPTS)}.")
    return PROMPTS[name]
