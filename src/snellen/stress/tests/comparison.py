"""Comparison: arms that somebody else asked and that no other test here knows; measured, not judged."""

from __future__ import annotations

from snellen.conditions import ORIGINAL, Given
from snellen.prompts import Arm
from snellen.stress.base import Expectation, StressTest


def comparison(*arms: str, baseline: str = ORIGINAL.name) -> StressTest:
    """The test over arms of these names."""
    settings = [*arms, *([f"baseline={baseline}"] if baseline != ORIGINAL.name else [])]
    return StressTest(
        name=f"comparison:{','.join(settings)}" if settings else "comparison",
        asks="How do the responses compare under the imported conditions?",
        arms=tuple(Given(arm) for arm in arms),
        expects=Expectation.UNKNOWN,
        baseline=Arm(ORIGINAL if baseline == ORIGINAL.name else Given(baseline)),
    )
