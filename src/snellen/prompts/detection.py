"""The three prompt strategies of "Understanding the robustness of vision-language models to medical image artefacts".

The item's question says which diseases and which kind of image; the choices are named in words, without letters.
"""

from __future__ import annotations

from snellen.prompts.prompt import Prompt

SOURCE = "Understanding the robustness of vision-language models to medical image artefacts, Supplementary Data 5"
_MUST_ANSWER = "You'll loss mark if you don't provide an answer."
READER = "detection-as-published"

DETECTION = Prompt(
    "detection",
    f"{{question}} As an educator, conclude your answer in - {{choices_or}}. {_MUST_ANSWER}",
    source=SOURCE,
    reader=READER,
    steps="detection-cot",
)
DETECTION_STRUCTURED = Prompt(
    "detection-structured",
    f"{{question}} As an educator, choosing between {{choices_and}}. {_MUST_ANSWER} "
    "Provide no extra conversation or comments.",
    source=SOURCE,
    reader=READER,
)
DETECTION_WITH_STEPS = Prompt(
    "detection-cot",
    "{question} As an educator, conclude your answer in - {choices_or}. Describe your reasoning in steps.",
    source=SOURCE,
    reader=READER,
)
