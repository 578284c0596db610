"""The three prompts of "Understanding the robustness of vision-language models to medical image artefacts".

The item's question names the diseases and the kind of image; the prompt lists the options as words, without letters.
Each prompt also exists with the system message of the authors' public code, which the paper does not mention.
"""

from __future__ import annotations

from dataclasses import replace

from snellen.prompts.answer_format import after_steps
from snellen.prompts.prompt import Prompt

SOURCE = "Understanding the robustness of vision-language models to medical image artefacts, Supplementary Data 5"
_MUST_ANSWER = "You'll loss mark if you don't provide an answer."
PARSER = "detection-as-published"
_IN_WORDS = {"en": "{answer}"}

DETECTION = Prompt(
    "detection",
    f"{{question}} As an educator, conclude your answer in - {{choices_or}}. {_MUST_ANSWER}",
    source=SOURCE,
    parser=PARSER,
    steps="detection-cot",
    replies=_IN_WORDS,
)
DETECTION_STRUCTURED = Prompt(
    "detection-structured",
    f"{{question}} As an educator, choosing between {{choices_and}}. {_MUST_ANSWER} "
    "Provide no extra conversation or comments.",
    source=SOURCE,
    parser=PARSER,
    replies=_IN_WORDS,
    room=False,
)
DETECTION_WITH_STEPS = Prompt(
    "detection-cot",
    "{question} As an educator, conclude your answer in - {choices_or}. Describe your reasoning in steps.",
    source=SOURCE,
    parser=PARSER,
    replies=after_steps(_IN_WORDS),
)

FROM_CODE = "from-code"
SYSTEM_FROM_CODE = "Medical knowledge educator"


def with_system_from_code(prompt: Prompt) -> Prompt:
    """Return the prompt with the system message of the authors' code."""
    return replace(
        prompt,
        name=f"{prompt.name}-{FROM_CODE}",
        system=SYSTEM_FROM_CODE,
        source=f"{SOURCE}; the system message from the authors' public code, not from the paper",
        steps=f"{prompt.steps}-{FROM_CODE}" if prompt.steps else "",
    )


DETECTION_FROM_CODE, DETECTION_STRUCTURED_FROM_CODE, DETECTION_WITH_STEPS_FROM_CODE = map(
    with_system_from_code, (DETECTION, DETECTION_STRUCTURED, DETECTION_WITH_STEPS)
)
STRATEGY_WORDS = {
    DETECTION.name: "standard prompt",
    DETECTION_STRUCTURED.name: "answer only",
    DETECTION_WITH_STEPS.name: "steps asked for",
}
"""The prompts in words, by name."""
STRATEGY_WORDS |= {
    f"{name}-{FROM_CODE}": f"{words}, system message from the authors' code" for name, words in STRATEGY_WORDS.items()
}
