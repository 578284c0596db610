"""Reasoning (T6): does reasoning in steps or more effort improve or worsen the answers?"""

from __future__ import annotations

from functools import partial
from typing import cast, get_args

from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.prompts import WITH_STEPS, Arm, Effort, Settings
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.conclusions import require_no_harm, with_moves
from snellen.stress.design import Design, Presentation
from snellen.stress.table import Moves

USUAL = ("low", "medium", "high")


def reasoning_effort(*levels: str) -> StressTest:
    """Build the test at these levels of reasoning effort; each is compared with the first.

    By default the levels are low, medium and high.
    """
    asked = levels or USUAL
    if unknown := [level for level in asked if level not in get_args(Effort)]:
        raise StudyError(f"Expected an effort among {', '.join(get_args(Effort))}, got {unknown[0]!r}.")
    if len(asked) < 2:
        raise StudyError("The test compares levels of effort: name two at least.")
    first, *others = (Arm(ORIGINAL, settings=Settings(reasoning_effort=cast("Effort", level))) for level in asked)
    return StressTest(
        Design(
            f"reasoning-effort:{','.join(levels)}" if levels else "reasoning-effort",
            "Given more effort to think, does the model still come to the right answer?",
            arms=tuple(others),
            baseline=first,
            reads=("claims",),
        ),
        Analysis(Expectation.INVARIANT, measure=partial(with_moves, Moves.HARMFUL), conclude=require_no_harm),
        Presentation("unharmed by effort?"),
    )


TEST = StressTest(
    Design(
        "chain-of-thought",
        "Asked to reason step by step first, does the model still come to the right answer?",
        arms=(Arm(ORIGINAL, rewording=WITH_STEPS),),
        reads=("claims",),
    ),
    Analysis(Expectation.INVARIANT, measure=partial(with_moves, Moves.HARMFUL), conclude=require_no_harm),
    Presentation("unharmed by reasoning?"),
)
