"""Dataset name (the Mirage paper): does naming the benchmark raise the score?"""

from __future__ import annotations

from typing import Literal

from snellen.prompts import NAMED, UNNAMED, Arm
from snellen.stress.base import Analysis, Expectation, Status, StressTest, Verdict
from snellen.stress.conclusions import (
    Measures,
    accuracy_under,
    decide,
    explain_unread,
    is_shown,
    leave_open,
    still_possible,
)
from snellen.stress.design import Design, Presentation, baseline


def dataset_name(*, image: Literal["kept", "removed"] = "removed") -> StressTest:
    """Build the test, by default without the image; `image=kept` sends the image."""
    condition = baseline(image).condition
    return StressTest(
        Design(
            "dataset-name" if image == "removed" else "dataset-name:image=kept",
            "Does naming the benchmark raise the score, as it would for a model that has seen its files?",
            arms=(Arm(condition, rewording=NAMED),),
            baseline=Arm(condition, rewording=UNNAMED),
        ),
        Analysis(Expectation.INVARIANT, conclude=conclude),
        Presentation("unmoved by the benchmark's name?", chapter="snellen.papers.mirage.report.chapter:CHAPTER"),
    )


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if the benchmark's name changes nothing: it says nothing about the patient."""
    named = test.compared[0]
    change = measures.get((named.name, "difference"))
    if change is None:
        why = "no question was asked both with and without the benchmark's name"
        return leave_open("not-compared", "", why)
    found, numbers, margin = change.estimate, accuracy_under(named, measures), test.thresholds.margin
    if is_shown(change) and (why_not := explain_unread(test.baseline.name, named.name, measures)):
        return leave_open("could-not-be-read", numbers, why_not, (change, 0.0))
    if is_shown(change):
        raises = "raises its accuracy, as if it knew the files"
        lowers = "lowers its accuracy, though it says nothing about the patient"
        why = f"the name alone {raises if found.value > 0 else lowers}"
        return decide(Status.FAIL, numbers, why, (change, 0.0))
    if -margin < found.low and found.high < margin:
        why = "the name does not change its accuracy"
        return decide(Status.PASS, numbers, why, (change, -margin), (change, margin))
    return still_possible(numbers, change, margin, both_ways=True)
