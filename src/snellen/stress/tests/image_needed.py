"""Image needed (T1): how much of the score is left when the image is taken away?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.conclusions import report_kept
from snellen.stress.design import Design, Presentation

TEST = StressTest(
    Design(
        "image-needed",
        "If the image never reached the model, would its score show it?",
        arms=(IMAGE_REMOVED,),
    ),
    Analysis(Expectation.WORSE, conclude=report_kept),
    Presentation("score needs the image?"),
)
