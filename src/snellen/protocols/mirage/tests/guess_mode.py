"""Guess mode (paper 003): does it score less without the image when it is told so and asked to guess?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED
from snellen.prompts import TOLD_TO_GUESS, Arm
from snellen.stress.base import Expectation, Status, StressTest, Verdict
from snellen.stress.conclusions import Measures, could_show, points, significant, span, unread


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Told and not judged: no reply to a question about a missing image is the good one."""
    guessing = test.compared[0].name
    change = measures.get((guessing, "difference"))
    if change is None:
        return Verdict(Status.INCONCLUSIVE, "No item was answered both without the image and when told to guess.")
    if all((arm.name, "accuracy_answered") not in measures for arm in test.all_arms):
        return Verdict(Status.REPORTED, "Without the image it chooses no option, told or untold.")
    found = change.estimate
    words = f"told that the image is gone, its accuracy changes by {points(found.value)} {span(found.low, found.high)}"
    if significant(change) and (why := unread(test.baseline.name, guessing, measures)):
        return Verdict(Status.INCONCLUSIVE, f"{words[0].upper()}{words[1:]}; {why}.", change)
    if significant(change):
        more = "knows more in a mirage than it admits to when guessing" if found.value < 0 else "guesses better if told"
        return Verdict(Status.REPORTED, f"It {more}: {words}.", change)
    return Verdict(Status.REPORTED, f"No surer in a mirage than in guessing: {words}; {could_show(change)}.", change)


TEST = StressTest(
    name="guess-mode",
    asks="Without the image, does it answer as well when it is told so and asked to guess?",
    arms=(Arm(IMAGE_REMOVED, rewording=TOLD_TO_GUESS),),
    expects=Expectation.UNKNOWN,
    baseline=Arm(IMAGE_REMOVED),
    concluding=conclude,
    chapter="snellen.protocols.mirage.report.chapter:CHAPTER",
)
