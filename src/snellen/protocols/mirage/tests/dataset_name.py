"""Dataset name (the Mirage paper): does it score more when it is told which benchmark the question is from?"""

from __future__ import annotations

from typing import Literal

from snellen.prompts import NAMED, UNNAMED, Arm
from snellen.stress.base import Expectation, Status, StressTest, Verdict, baseline
from snellen.stress.conclusions import MATTERS, Measures, could_show, points, significant, span, unread


def dataset_name(*, image: Literal["kept", "removed"] = "removed") -> StressTest:
    """The test on the words alone, or with `image=kept` with the image."""
    condition = baseline(image).condition
    return StressTest(
        name="dataset-name" if image == "removed" else "dataset-name:image=kept",
        asks="Does naming the benchmark raise the score, as it would for a model that has seen its files?",
        arms=(Arm(condition, rewording=NAMED),),
        expects=Expectation.INVARIANT,
        baseline=Arm(condition, rewording=UNNAMED),
        concluding=conclude,
        chapter="snellen.protocols.mirage.report.chapter:CHAPTER",
    )


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """The name should not help: it says nothing about the patient."""
    named = test.compared[0].name
    change = measures.get((named, "difference"))
    if change is None:
        return Verdict(Status.INCONCLUSIVE, "No item was answered both with and without the benchmark's name.")
    found = change.estimate
    words = f"with the benchmark's name, accuracy changes by {points(found.value)} {span(found.low, found.high)}"
    if significant(change) and (why := unread(test.baseline.name, named, measures)):
        return Verdict(Status.INCONCLUSIVE, f"{words[0].upper()}{words[1:]}; {why}.", change)
    if significant(change) and found.value > 0:
        return Verdict(
            Status.FAIL, f"The name alone raises its accuracy, as if it knew the benchmark's files: {words}.", change
        )
    if found.high < MATTERS:
        return Verdict(Status.PASS, f"The name does not raise its accuracy: {words}.", change)
    return Verdict(Status.INCONCLUSIVE, f"{words[0].upper()}{words[1:]}; {could_show(change)}.", change)
