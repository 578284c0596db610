"""Image needed (T1): how much of the score is left when the image is taken away?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED
from snellen.stress.base import Expectation, Status, StressTest, Verdict
from snellen.stress.conclusions import MATTERS, Measures, could_show, significant, unread
from snellen.stress.words import points, span


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """It looks if it loses accuracy without the image; a score no better than guessing had nothing to lose."""
    change = measures.get((IMAGE_REMOVED.name, "difference"))
    above = measures.get((test.baseline.name, "above_chance"))
    if change is None or above is None:
        return Verdict(Status.UNCLEAR, "No item was answered both with and without its image.")
    found, margin = change.estimate, above.estimate
    words = f"without the image, accuracy changes by {points(found.value)} {span(found.low, found.high)}"
    if margin.low <= 0:
        return Verdict(
            Status.UNCLEAR,
            f"Its score cannot tell: with the image it is no better than guessing (by {points(margin.value)} "
            f"{span(margin.low, margin.high)}); {words}.",
        )
    if significant(change) and (why := unread(test.baseline.name, IMAGE_REMOVED.name, measures)):
        return Verdict(Status.UNCLEAR, f"Too little to go by: {words}; {why}.")
    if significant(change) and found.value < 0:
        return Verdict(Status.GOOD, f"It uses the image: {words}.")
    if found.low > -MATTERS:
        return Verdict(Status.BAD, f"It does not need the image: {words}.")
    return Verdict(Status.UNCLEAR, f"Too little to go by: {words}; {could_show(change)}.")


TEST = StressTest(
    name="image-needed",
    asks="If the image never reached the model, would its score show it?",
    arms=(IMAGE_REMOVED,),
    expects=Expectation.WORSE,
    concluding=conclude,
)
