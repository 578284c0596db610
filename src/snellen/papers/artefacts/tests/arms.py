"""Artefacts: the arms that degrade an image, and what the tests with such arms have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    Arm,
    Prompt,
)

STRATEGIES: Mapping[str, Prompt | None] = {
    "": None,
    "standard": DETECTION,
    "structured": DETECTION_STRUCTURED,
    "cot": DETECTION_WITH_STEPS,
    "standard-from-code": DETECTION_FROM_CODE,
    "structured-from-code": DETECTION_STRUCTURED_FROM_CODE,
    "cot-from-code": DETECTION_WITH_STEPS_FROM_CODE,
}
"""The paper's three prompt strategies, also under its code's system message; without one, the study's own prompt."""
ALL_ARTEFACTS = "all artefacts"
"""The arm under which the mean over a test's artefacts stands."""


def strategy(name: str) -> Prompt | None:
    """The prompt of a strategy."""
    if name not in STRATEGIES:
        raise StudyError(f"There is no prompt strategy {name!r}. There are: {', '.join(filter(None, STRATEGIES))}.")
    return STRATEGIES[name]


def degraded(artefacts: Sequence[str], strength: str | float, *, prompt: str, scale: str) -> tuple[Arm, ...]:
    """An arm for each artefact, the paper's five where none is named."""
    own = strategy(prompt)
    conditions = (ImageDegraded(name, strength, scale) for name in dict.fromkeys(artefacts or PUBLISHED))  # type: ignore[arg-type]
    return tuple(Arm(condition, own) for condition in conditions)


def as_it_is(prompt: str) -> Arm:
    """The baseline: the image as it is, asked in the same words."""
    return Arm(ORIGINAL, strategy(prompt))


def named(test: str, artefacts: Sequence[str], **settings: object) -> str:
    """The test's name with the settings that are not the usual ones."""
    told = [*artefacts, *(f"{name}={value}" for name, value in settings.items() if value not in ("", "kept"))]
    return f"{test}:{','.join(told)}" if told else test


def labelled(label: str, prompt: str) -> str:
    """The test's label with its prompt, so that the same test by two prompts reads as two.

    >>> labelled("flags unreadable images?", "cot"), labelled("flags unreadable images?", "")
    ('flags unreadable images? (prompt cot)', 'flags unreadable images?')
    """
    return f"{label} (prompt {prompt})" if prompt else label


def condition_of(arm: Arm) -> ImageDegraded:
    """The degradation of an arm that has one."""
    assert isinstance(arm.condition, ImageDegraded)
    return arm.condition
