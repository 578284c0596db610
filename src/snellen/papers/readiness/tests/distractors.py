"""Distractors (T4): does the answer hang on which wrong options stand beside the right one?"""

from __future__ import annotations

from functools import partial
from typing import Literal

from snellen.conditions import DistractorsReplaced
from snellen.stress.base import Analysis, Expectation, StressTest, Verdict
from snellen.stress.conclusions import Measures, leave_open, stable, with_moves, worst
from snellen.stress.design import Design, Presentation, baseline, parsers_for, under
from snellen.stress.table import Moves

COUNTS = (1, 2, 3, 4)


def distractors(*, image: Literal["kept", "removed"] = "kept") -> StressTest:
    """The test with the image, or with `image=removed` on the words alone."""
    which = Moves.LOST if image == "kept" else Moves.FLIPPED
    return StressTest(
        Design(
            under("distractors", image),
            "If the wrong options came from unrelated cases, would the answer still rest on this one?",
            arms=tuple(baseline(image, DistractorsReplaced(count)) for count in COUNTS),
            baseline=baseline(image),
            reads=parsers_for(image),
        ),
        Analysis(Expectation.INVARIANT, measure=partial(with_moves, which), conclude=partial(conclude, which)),
        Presentation("holds with other wrong options?"),
    )


def conclude(which: Moves, test: StressTest, measures: Measures) -> Verdict:
    """Where the image is there, easier options may help; on the words alone no change has a good reason."""
    asked = [arm for arm in test.compared if (arm.name, "difference") in measures]
    if not asked:
        return leave_open("nothing-asked", "", "no question has wrong options that could be replaced")
    both_ways = which is Moves.FLIPPED
    return worst([stable(test, arm, measures, which=which, both_ways=both_ways) for arm in reversed(asked)])
