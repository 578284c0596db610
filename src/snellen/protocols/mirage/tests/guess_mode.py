"""Guess mode (the Mirage paper): does it score less without the image when it is told so and asked to guess?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED
from snellen.prompts import TOLD_TO_GUESS, Arm
from snellen.stress.base import Expectation, Status, StressTest, Verdict
from snellen.stress.conclusions import Measures, could_show, points, significant, span, unread


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Told and not judged: no response to a question about a missing image is the good one."""
    guessing = test.compared[0].name
    change = measures.get((guessing, "difference"))
    if change is None:
        return Verdict(Status.INCONCLUSIVE, "No item was answered both without the image and when told to guess.")
    if all((arm.name, "accuracy_answered") not in measures for arm in test.all_arms):
        return Verdict(Status.REPORTED, "Without the image it chooses no option, whether it is told so or not.")
    found = change.estimate
    by = f"{points(found.value)} {span(found.low, found.high)}"
    words = f"when told that the image is missing, its accuracy changes by {by}"
    if significant(change) and (why := unread(test.baseline.name, guessing, measures)):
        return Verdict(Status.INCONCLUSIVE, f"{words[0].upper()}{words[1:]}; {why}.", change)
    if significant(change):
        more = (
            "answers better when it is not told that the image is missing"
            if found.value < 0
            else "answers better when it is told that the image is missing"
        )
        return Verdict(Status.REPORTED, f"It {more}: {words}.", change)
    return Verdict(Status.REPORTED, f"No difference is shown: {words}; {could_show(change)}.", change)


TEST = StressTest(
    name="guess-mode",
    asks="Without the image, does it answer equally well when it is told so and asked to guess?",
    arms=(Arm(IMAGE_REMOVED, rewording=TOLD_TO_GUESS),),
    expects=Expectation.UNKNOWN,
    baseline=Arm(IMAGE_REMOVED),
    concluding=conclude,
    chapter="snellen.protocols.mirage.report.chapter:CHAPTER",
)
