"""Distractors (T4): does the answer hang on which wrong options stand beside the right one?"""

from __future__ import annotations

from functools import partial
from typing import Literal

from snellen.conditions import DistractorsReplaced
from snellen.stress.base import Expectation, Status, StressTest, Verdict, baseline, under
from snellen.stress.conclusions import Measures, accuracies, worst
from snellen.stress.conclusions import under as verdict_under

COUNTS = (1, 2, 3, 4)
RISING = "It finds the answer by ruling out the others"


def distractors(*, image: Literal["kept", "removed"] = "kept") -> StressTest:
    """The test with the image, or with `image=removed` on the words alone."""
    return StressTest(
        name=under("distractors", image),
        asks="If the wrong options came from unrelated cases, would the answer still rest on this one?",
        arms=tuple(baseline(image, DistractorsReplaced(count)) for count in COUNTS),
        expects=Expectation.INVARIANT,
        baseline=baseline(image),
        measuring=accuracies,
        concluding=partial(conclude, "" if image == "kept" else RISING),
    )


def conclude(rising: str, test: StressTest, measures: Measures) -> Verdict:
    """Where the image is there, easier options may help; on the words alone no change has a good reason."""
    asked = [arm.name for arm in test.compared if (arm.name, "difference") in measures]
    if not asked:
        return Verdict(Status.INCONCLUSIVE, "No question has wrong options that could be replaced.")
    return worst([verdict_under(test.baseline.name, arm, measures, rising=rising) for arm in reversed(asked)])
