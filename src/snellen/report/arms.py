"""What each arm does, in words: of its condition or conditions, and of how it was asked."""

from __future__ import annotations

import inspect

from snellen.conditions import Condition, Together
from snellen.prompts import Arm
from snellen.results import Results


def arm_words(results: Results) -> dict[str, str]:
    """The words of every arm of a study, by its name."""
    return {arm.name: words_of(arm) for finding in results.findings for arm in finding.test.all_arms}


def words_of(arm: Arm) -> str:
    """What an arm does to the item, then what is special about how it asks."""
    said = [_condition_words(arm.condition)]
    if arm.prompt is not None:
        said.append(f"Asked by the prompt “{arm.prompt.name}”.")
    if arm.rewording is not None:
        said.append(arm.rewording.about)
    if arm.settings is not None and arm.settings.reasoning_effort is not None:
        said.append(f"The provider's effort to reason is set to {arm.settings.reasoning_effort}.")
    return " ".join(said)


def _condition_words(condition: Condition) -> str:
    """The first paragraph of what a condition says of itself, with its unusual settings; of several, one by one."""
    if isinstance(condition, Together):
        return " ".join(_condition_words(part) for part in condition.parts)
    words = (inspect.getdoc(condition) or "").partition("\n\n")[0].replace("\n", " ")
    settings = condition.label.partition(":")[2] if condition.label.startswith(f"{condition.name}:") else ""
    return f"{words} ({settings.replace('=', ' ').replace(',', ', ')}.)" if settings else words
