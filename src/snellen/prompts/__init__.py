"""Prompts: wordings, arms and settings that turn an item into a request."""

from __future__ import annotations

from snellen.prompts.arm import (
    NAMED,
    REWORDINGS,
    STEPS,
    TOLD_TO_GUESS,
    UNNAMED,
    WITH_STEPS,
    Arm,
    Rewording,
    asked_blind,
    asked_under,
)
from snellen.prompts.detection import (
    DETECTION,
    DETECTION_FROM_CODE,
    DETECTION_STRUCTURED,
    DETECTION_STRUCTURED_FROM_CODE,
    DETECTION_WITH_STEPS,
    DETECTION_WITH_STEPS_FROM_CODE,
    FROM_CODE,
    STRATEGY_WORDS,
)
from snellen.prompts.mirage import ATTACHMENT_COUNTED, BARE, BENCHMARK_PROMPTS, MIRAGE, VISUAL_EVIDENCE
from snellen.prompts.named import PROMPTS, find_room, prompt_named
from snellen.prompts.own import PlainText, list_files, own_prompt, with_system, words_or_file
from snellen.prompts.pathway import MISMATCH, TASKS, PathwayStep
from snellen.prompts.places import places_in
from snellen.prompts.prompt import REPORT, Prompt, Rendered
from snellen.prompts.request import Example, Request, ask
from snellen.prompts.settings import PROVIDER_DEFAULTS, Effort, Settings, effort_in_words

__all__ = [
    "ATTACHMENT_COUNTED", "BARE", "BENCHMARK_PROMPTS", "DETECTION", "DETECTION_FROM_CODE", "DETECTION_STRUCTURED",
    "DETECTION_STRUCTURED_FROM_CODE", "DETECTION_WITH_STEPS", "DETECTION_WITH_STEPS_FROM_CODE", "FROM_CODE", "MIRAGE",
    "MISMATCH", "NAMED", "PROMPTS", "PROVIDER_DEFAULTS", "REPORT", "REWORDINGS", "STEPS", "STRATEGY_WORDS", "TASKS",
    "TOLD_TO_GUESS", "UNNAMED", "VISUAL_EVIDENCE", "WITH_STEPS", "Arm", "Effort", "Example", "PathwayStep", "PlainText",
    "Prompt", "Rendered", "Request", "Rewording", "Settings", "ask", "asked_blind", "asked_under", "effort_in_words",
    "find_room", "letters", "list_files", "offered", "own_prompt", "pathway", "places_in", "prompt_named",
    "told_images", "with_system", "words_or_file",
]  # fmt: skip
