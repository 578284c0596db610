"""Blank image (the Italian paper): how much of the score is left when every image is an empty one?"""

from __future__ import annotations

from snellen.conditions import ImageBlank
from snellen.conditions.image import BlankSize
from snellen.perturb.blank import Fill
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.conclusions import report_kept
from snellen.stress.design import Design, Presentation


def blank_image(*, fill: Fill = "white", size: BlankSize = "kept") -> StressTest:
    """The test with another blank: `fill` is white, black, grey or noise, `size` kept or placeholder."""
    blank = ImageBlank(fill, size)
    return StressTest(
        Design(
            blank.label.replace(blank.name, "blank-image"),
            "If every image were an empty frame, would the model's score show it?",
            arms=(blank,),
        ),
        Analysis(Expectation.WORSE, conclude=report_kept),
        Presentation("score needs the image?"),
    )
