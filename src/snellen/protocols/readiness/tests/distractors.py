"""Distractors (T4): does the answer hang on which wrong options stand beside the right one?"""

from __future__ import annotations

from functools import partial
from typing import Literal

from snellen.conditions import DistractorsReplaced
from snellen.stress.base import Expectation, StressTest, Verdict, baseline, parsers_for, under
from snellen.stress.conclusions import Measures, leave_open, stable, with_moves, worst
from snellen.stress.table import Moves

COUNTS = (1, 2, 3, 4)


def distractors(*, image: Literal["kept", "removed"] = "kept") -> StressTest:
    """The test with the image, or with `image=removed` on the words alone."""
    which = Moves.LOST if image == "kept" else Moves.FLIPPED
    return StressTest(
        name=under("distractors", image),
        label="holds with other wrong options?",
        asks="If the wrong options came from unrelated cases, would the answer still rest on this one?",
        arms=tuple(baseline(image, DistractorsReplaced(count)) for count in COUNTS),
        expects=Expectation.INVARIANT,
        baseline=baseline(image),
        parsers=parsers_for(image),
        measuring=partial(with_moves, which),
        concluding=partial(conclude, which),
    )


def conclude(which: Moves, test: StressTest, measures: Measures) -> Verdict:
    """Where the image is there, easier options may help; on the words alone no change has a good reason."""
    asked = [arm for arm in test.compared if (arm.name, "difference") in measures]
    if not asked:
        return leave_open("nothing-asked", "", "no question has wrong options that could be replaced")
    both_ways = which is Moves.FLIPPED
    return worst([stable(test, arm, measures, which=which, both_ways=both_ways) for arm in reversed(asked)])
