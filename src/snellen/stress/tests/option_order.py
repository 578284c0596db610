"""Option order (T3): does the answer move when the options do?"""

from __future__ import annotations

from typing import Literal

from snellen.conditions import OptionsShuffled
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.conclusions import report_moved
from snellen.stress.design import REPEATED, Design, Presentation, baseline, parsers_for, under


def option_order(*, image: Literal["kept", "removed"] = "kept") -> StressTest:
    """The test with the image, or with `image=removed` on the words alone."""
    return StressTest(
        Design(
            under("option-order", image),
            "Would the model give the same diagnosis if the options were listed in another order?",
            arms=(baseline(image, OptionsShuffled()),),
            baseline=baseline(image),
            repeated=REPEATED if image == "kept" else 0,
            reads=parsers_for(image),
        ),
        Analysis(Expectation.INVARIANT, conclude=report_moved),
        Presentation("same answer in any order?"),
    )
