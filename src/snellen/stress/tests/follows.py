"""Follows the image? Does the answer become what another patient's image shows?"""

from __future__ import annotations

from snellen.conditions import ImageExchanged, ImageSubstituted
from snellen.prompts import Arm
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.design import Design, Fallback, Presentation

TEST = StressTest(
    Design(
        "follows",
        "Do the model's answers follow the image when it shows another patient?",
        arms=(ImageSubstituted(),),
        fallback=Fallback(Arm(ImageExchanged()), unless=ImageSubstituted()),
    ),
    Analysis(Expectation.CHANGE, headline="followed_share", marks=True),
    Presentation("follows the image?", "More than half of its skill follows the image."),
)
