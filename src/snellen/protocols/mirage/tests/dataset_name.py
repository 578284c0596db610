"""Dataset name (the Mirage paper): does it score more when it is told which benchmark the question is from?"""

from __future__ import annotations

from typing import Literal

from snellen.prompts import NAMED, UNNAMED, Arm
from snellen.stress.base import Expectation, Status, StressTest, Verdict, baseline
from snellen.stress.conclusions import Measures, accuracy_under, decide, is_shown, still_possible, unread


def dataset_name(*, image: Literal["kept", "removed"] = "removed") -> StressTest:
    """The test on the words alone, or with `image=kept` with the image."""
    condition = baseline(image).condition
    return StressTest(
        name="dataset-name" if image == "removed" else "dataset-name:image=kept",
        label="unmoved by the benchmark's name?",
        asks="Does naming the benchmark raise the score, as it would for a model that has seen its files?",
        arms=(Arm(condition, rewording=NAMED),),
        expects=Expectation.INVARIANT,
        baseline=Arm(condition, rewording=UNNAMED),
        concluding=conclude,
        chapter="snellen.protocols.mirage.report.chapter:CHAPTER",
    )


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """The name should change nothing: it says nothing about the patient."""
    named = test.compared[0]
    change = measures.get((named.name, "difference"))
    if change is None:
        why = "no question was asked both with and without the benchmark's name"
        return Verdict(Status.INCONCLUSIVE, meaning=why)
    found, numbers, margin = change.estimate, accuracy_under(named, measures), test.thresholds.margin
    if is_shown(change) and (why_not := unread(test.baseline.name, named.name, measures)):
        return Verdict(Status.INCONCLUSIVE, numbers, why_not, change)
    if is_shown(change) and found.value > 0:
        why = "the name alone raises its accuracy, as if it knew the files"
        return decide(Status.FAIL, numbers, why, (change, 0.0))
    if is_shown(change):
        why = "the name alone lowers its accuracy, though it says nothing about the patient"
        return decide(Status.FAIL, numbers, why, (change, 0.0))
    if -margin < found.low and found.high < margin:
        why = "the name does not change its accuracy"
        return decide(Status.PASS, numbers, why, (change, -margin), (change, margin))
    return Verdict(Status.INCONCLUSIVE, numbers, still_possible(found, margin, both_ways=True), change)
