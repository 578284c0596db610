"""Open answers: does the model say in its own words what the reference says, and only if it has the image?"""

from __future__ import annotations

from snellen.conditions import IMAGE_REMOVED, ImageExchanged, ImageSubstituted
from snellen.prompts import Arm
from snellen.stress.base import Expectation, Fallback, StressTest
from snellen.stress.conclusions import report_kept
from snellen.stress.open_answers import has_reference, open_measures

TEST = StressTest(
    name="open-answers",
    label="open answers need the image?",
    asks="If nobody lists the options, does it still find the answer, and would its score show that the image is gone?",
    arms=(IMAGE_REMOVED,),
    expects=Expectation.WORSE,
    concluding=report_kept,
    item_kind="open",
    concerns=has_reference,
    measuring=open_measures,
    fallback=Fallback(Arm(ImageExchanged()), unless=ImageSubstituted()),
)
