"""Guess mode (the Mirage paper): does asking to guess lower accuracy?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED
from snellen.prompts import TOLD_TO_GUESS, Arm
from snellen.stress.base import Analysis, Expectation, Status, StressTest, Verdict
from snellen.stress.conclusions import Measures, accuracy_under, could_show, explain_unread, leave_open, significant
from snellen.stress.design import Design, Presentation


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report without pass or fail: neither response to a missing image is better."""
    guessing = test.compared[0]
    change = measures.get((guessing.name, "difference"))
    if change is None:
        why = "no question was asked both without the image and when told to guess"
        return leave_open("not-compared", "", why)
    numbers = accuracy_under(guessing, measures)
    if all((arm.name, "accuracy_answered") not in measures for arm in test.all_arms):
        why = "without the image it chooses no option, whether it is told so or not"
        return Verdict(Status.REPORTED, numbers, why, change)
    if significant(change) and (why_not := explain_unread(test.baseline.name, guessing.name, measures)):
        return leave_open("could-not-be-read", numbers, why_not, (change, 0.0))
    if significant(change):
        told = "is not told" if change.estimate.value < 0 else "is told"
        return Verdict(Status.REPORTED, numbers, f"it answers better when it {told} that the image is missing", change)
    return Verdict(Status.REPORTED, numbers, f"no difference is shown; {could_show(change)}", change)


TEST = StressTest(
    Design(
        "guess-mode",
        "Without the image, does it answer equally well when it is told so and asked to guess?",
        arms=(Arm(IMAGE_REMOVED, rewording=TOLD_TO_GUESS),),
        baseline=Arm(IMAGE_REMOVED),
    ),
    Analysis(Expectation.UNKNOWN, conclude=conclude),
    Presentation("told to guess", chapter="snellen.papers.mirage.report.chapter:CHAPTER"),
)
