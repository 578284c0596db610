"""Option order (T3): does the answer move when the options do?"""

from __future__ import annotations

from typing import Literal

from snellen.conditions import OptionsShuffled
from snellen.stress.base import REPEATED, Expectation, StressTest, baseline, parsers_for, under
from snellen.stress.conclusions import report_moved


def option_order(*, image: Literal["kept", "removed"] = "kept") -> StressTest:
    """The test with the image, or with `image=removed` on the words alone."""
    return StressTest(
        name=under("option-order", image),
        label="same answer in any order?",
        asks="Would the model give the same diagnosis if the options were listed in another order?",
        arms=(baseline(image, OptionsShuffled()),),
        expects=Expectation.INVARIANT,
        concluding=report_moved,
        baseline=baseline(image),
        parsers=parsers_for(image),
        repeated=REPEATED if image == "kept" else 0,
    )
