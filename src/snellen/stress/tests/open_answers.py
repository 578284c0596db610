"""Open answers: does the model say in its own words what the reference says, and only if it has the image?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED, ImageExchanged, ImageSubstituted
from snellen.prompts import Arm
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.conclusions import report_kept
from snellen.stress.design import Design, Fallback, Presentation
from snellen.stress.open_answers import has_reference, open_measures

TEST = StressTest(
    Design(
        "open-answers",
        "If nobody lists the options, does it still find the answer, and would its score show that the image is gone?",
        arms=(IMAGE_REMOVED,),
        item_kind="open",
        concerns=has_reference,
        fallback=Fallback(Arm(ImageExchanged()), unless=ImageSubstituted()),
    ),
    Analysis(Expectation.WORSE, measure=open_measures, conclude=report_kept),
    Presentation("open answers need the image?"),
)
