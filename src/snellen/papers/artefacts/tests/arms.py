"""Arms that degrade images, and helpers that their tests share. An arm is a condition with its prompt and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from snellen.conditions import ORIGINAL, ImageDegraded
from snellen.errors import StudyError
from snellen.perturb.artefacts import PUBLISHED
from snellen.prompts import (
    DETECTION,
    DETECTION_FROM_CODE,
    DETECTION_STRUCTURED,
    DETECTION_STRUCTURED_FROM_CODE,
    DETECTION_WITH_STEPS,
    DETECTION_WITH_STEPS_FROM_CODE,
    STRATEGY_WORDS,
    Arm,
    Prompt,
)
from snellen.stress.design import Design, Presentation

STRATEGIES: Mapping[str, Prompt | None] = {
    "": None,
    "standard": DETECTION,
    "structured": DETECTION_STRUCTURED,
    "cot": DETECTION_WITH_STEPS,
    "standard-from-code": DETECTION_FROM_CODE,
    "structured-from-code": DETECTION_STRUCTURED_FROM_CODE,
    "cot-from-code": DETECTION_WITH_STEPS_FROM_CODE,
}
"""The paper's three prompt strategies, with and without its code's system message; "" is the study's own prompt."""
READ_BY = "quality"
"""The parser that also reads what a response states about the image and whether its reasons agree."""
ALL_ARTEFACTS = "all artefacts"
"""Name of the arm with the mean over all artefacts of a test."""


def strategy(name: str) -> Prompt | None:
    """Return the prompt of a strategy. None for the study's own prompt; raises StudyError for an unknown strategy."""
    if name not in STRATEGIES:
        raise StudyError(f"There is no prompt strategy {name!r}. There are: {', '.join(filter(None, STRATEGIES))}.")
    return STRATEGIES[name]


def make_arms(artefacts: Sequence[str], strength: str | float, *, prompt: str, scale: str) -> tuple[Arm, ...]:
    """Build one arm per artefact, by default for the paper's five."""
    own = strategy(prompt)
    conditions = (ImageDegraded(name, strength, scale) for name in dict.fromkeys(artefacts or PUBLISHED))  # type: ignore[arg-type]
    return tuple(Arm(condition, own) for condition in conditions)


def as_it_is(prompt: str) -> Arm:
    """Build the baseline arm: the original image with the prompt of this strategy."""
    return Arm(ORIGINAL, strategy(prompt))


def name_test(test: str, artefacts: Sequence[str], **settings: object) -> str:
    """Format a test's name with its artefacts and all settings that are not the default."""
    told = [*artefacts, *(f"{name}={value}" for name, value in settings.items() if value not in ("", "kept"))]
    return f"{test}:{','.join(told)}" if told else test


def present(label: str, prompt: str = "") -> Presentation:
    """Build a test's presentation; its label names the prompt, if there is one.

    >>> present("flags unreadable images?", "cot").label, present("flags unreadable images?").label
    ('flags unreadable images? (steps asked for)', 'flags unreadable images?')
    """
    named = strategy(prompt)
    words = f"{label} ({STRATEGY_WORDS[named.name]})" if named else label
    return Presentation(words, chapter="snellen.papers.artefacts.report.chapter:CHAPTER")


def design_at(
    strength: Literal["weak", "strong"], asks: str, artefacts: Sequence[str], *, prompt: str, scale: str
) -> Design:
    """Build the design of a test with every artefact at one strength."""
    return Design(
        name_test(f"{strength}-artefacts", artefacts, prompt=prompt, scale=scale),
        asks,
        arms=make_arms(artefacts, strength, prompt=prompt, scale=scale),
        baseline=as_it_is(prompt),
        reads=(READ_BY,),
    )


def condition_of(arm: Arm) -> ImageDegraded:
    """Return the degradation of an arm; the arm must have one."""
    assert isinstance(arm.condition, ImageDegraded)
    return arm.condition
