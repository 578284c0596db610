"""Chain of thought (T6): does reasoning aloud make its answers better, or worse?"""

from __future__ import annotations

from functools import partial

from snellen.conditions import ORIGINAL
from snellen.prompts import WITH_STEPS, Arm
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.conclusions import unharmed, with_moves
from snellen.stress.design import Design, Presentation
from snellen.stress.table import Moves

TEST = StressTest(
    Design(
        "chain-of-thought",
        "Asked to reason step by step first, does the model still come to the right answer?",
        arms=(Arm(ORIGINAL, rewording=WITH_STEPS),),
        reads=("claims",),
    ),
    Analysis(Expectation.INVARIANT, measure=partial(with_moves, Moves.HARMFUL), conclude=unharmed),
    Presentation("unharmed by reasoning?"),
)
