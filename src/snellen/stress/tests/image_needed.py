"""Image needed (T1): how much of the score is left when the image is taken away?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED
from snellen.stress.base import Expectation, StressTest
from snellen.stress.conclusions import report_kept

TEST = StressTest(
    name="image-needed",
    label="score needs the image?",
    asks="If the image never reached the model, would its score show it?",
    arms=(IMAGE_REMOVED,),
    expects=Expectation.WORSE,
    concluding=report_kept,
)
