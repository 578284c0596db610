"""Blank image (the Italian paper): how much of the score is left when every image is an empty one?"""

from __future__ import annotations

from typing import Any

from snellen.conditions import ImageBlank
from snellen.plugins import settings_from
from snellen.stress.base import Expectation, StressTest


@settings_from(ImageBlank)
def blank_image(**settings: Any) -> StressTest:
    """The test with another blank: `fill` is white, black, grey or noise, `size` kept or placeholder."""
    blank = ImageBlank(**settings)
    return StressTest(
        name=blank.label.replace(blank.name, "blank-image"),
        label="score needs the image?",
        asks="If every image were an empty frame, would the model's score show it?",
        arms=(blank,),
        expects=Expectation.WORSE,
    )
