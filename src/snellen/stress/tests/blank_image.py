"""Blank image (the Italian paper): how much of the score is left when every image is an empty one?"""

from __future__ import annotations

from snellen.conditions import ImageBlank
from snellen.conditions.image import BlankSize
from snellen.perturb.blank import Fill
from snellen.stress.base import Expectation, StressTest
from snellen.stress.conclusions import report_kept


def blank_image(*, fill: Fill = "white", size: BlankSize = "kept") -> StressTest:
    """The test with another blank: `fill` is white, black, grey or noise, `size` kept or placeholder."""
    blank = ImageBlank(fill, size)
    return StressTest(
        name=blank.label.replace(blank.name, "blank-image"),
        label="score needs the image?",
        asks="If every image were an empty frame, would the model's score show it?",
        arms=(blank,),
        expects=Expectation.WORSE,
        concluding=report_kept,
    )
