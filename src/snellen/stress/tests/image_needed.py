"""Image needed (T1): how much of the score is left when the image is taken away?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED
from snellen.stress.base import Expectation, StressTest, Verdict
from snellen.stress.conclusions import Measures, worse


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """It looks if it loses accuracy without the image."""
    return worse(test.baseline.name, IMAGE_REMOVED.name, measures, taken="the image")


TEST = StressTest(
    name="image-needed",
    asks="If the image never reached the model, would its score show it?",
    arms=(IMAGE_REMOVED,),
    expects=Expectation.WORSE,
    concluding=conclude,
)
