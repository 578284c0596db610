"""A condition that changes pixels, and the stress test that asks under it."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from snellen import Analysis, Condition, Design, Expectation, Inapplicable, Item, Pool, StressTest
from snellen.conditions import Drawn, Effects
from snellen.images import Movement, Pixels


@dataclass(frozen=True)
class Photograph:
    """A step: cuts off a share of each side and darkens the rest. Its fields alone decide every pixel."""

    margin: float
    brightness: float

    def __call__(self, pixels: Pixels) -> Pixels:
        """The pixels afterwards, in a new array of 8 bits."""
        rows, columns = (round(self.margin * side) for side in pixels.shape[:2])
        kept = pixels[rows : pixels.shape[0] - rows, columns : pixels.shape[1] - columns]
        darkened: Pixels = np.rint(kept * self.brightness).astype(np.uint8)
        return darkened

    def movement(self, height: int, width: int) -> Movement:
        """Where pixels go: marked regions of the image go with them."""
        rows, columns = (round(self.margin * side) for side in (height, width))
        return Movement((1, 0, -columns), (0, 1, -rows), height - 2 * rows, width - 2 * columns)

    def move(self, box: list[float]) -> list[float]:
        """A box (left, top, right, bottom, as shares of the image) where it lies afterwards."""
        return [(end - self.margin) / (1 - 2 * self.margin) for end in box]


@dataclass(frozen=True)
class ScreenPhoto(Condition):
    """The image as a photograph of a screen shows it: without its edges, and darker."""

    name: ClassVar[str] = "screen-photo"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})
    declared: ClassVar[Effects] = Effects("altered", makes_image=True, shown="shown a photograph of the image")
    told: ClassVar[str] = "with a photograph of the image"

    margin: float = 0.1

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """How dark this photograph is."""
        return {"brightness": round(float(rng.uniform(0.5, 0.9)), 3)}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item with its images photographed and its box moved along."""
        if not item.images:
            raise Inapplicable("the item has no image to photograph")
        step = Photograph(self.margin, drawn["brightness"])
        shown = replace(item, images=tuple(image.then(step) for image in item.images))
        if "box" not in item.metadata:
            return shown
        box = step.move(item.metadata["box"])
        if not all(0 <= end <= 1 for end in box):
            raise Inapplicable("the photograph cuts off what the question is about")
        return replace(shown, metadata={**item.metadata, "box": box})


TEST = StressTest(
    Design("screen-photo", "Does the answer stay if the screen is photographed?", arms=(ScreenPhoto(),)),
    Analysis(Expectation.INVARIANT),
)
