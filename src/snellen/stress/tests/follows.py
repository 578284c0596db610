"""Follows the image? Does the answer become what another patient's image shows?"""

from __future__ import annotations

from snellen.conditions import ImageExchanged, ImageSubstituted
from snellen.prompts import Arm
from snellen.stress.base import Expectation, Fallback, StressTest

TEST = StressTest(
    name="follows",
    label="follows the image?",
    asks="Do the model's answers follow the image when it shows another patient?",
    arms=(ImageSubstituted(),),
    expects=Expectation.CHANGE,
    headline="followed_share",
    marks=True,
    fallback=Fallback(Arm(ImageExchanged()), unless=ImageSubstituted()),
    passes="More than half of its skill follows the image.",
)
