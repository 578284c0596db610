"""Crop: part of the field of view is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from numpy.random import Generator

from snellen.images import Movement
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Crop(Artefact):
    """A window of int(scale × height) by int(scale × width), at least one pixel.

    `down` and `right`, from 0 to 1, give its position among all possible ones. A smaller window lies within a larger
    one.
    """

    name: ClassVar[str] = "crop"

    scale: float
    down: float
    right: float

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw a window at a random position; more severe windows lie within milder ones."""
        down, right = rng.random(2).tolist()
        return cls(strength("crop", severity, kind=kind), down, right)

    def __call__(self, picture: Picture) -> Picture:
        """Return the window."""
        rows = window(picture.shape[0], self.scale, self.down)
        columns = window(picture.shape[1], self.scale, self.right)
        return picture[rows, columns].copy()

    def movement(self, height: int, width: int) -> Movement:
        """Return where the pixels of an image of this size go."""
        rows, columns = window(height, self.scale, self.down), window(width, self.scale, self.right)
        kept = rows.stop - rows.start, columns.stop - columns.start
        return Movement((1, 0, -columns.start), (0, 1, -rows.start), *kept)


def window(size: int, scale: float, place: float) -> slice:
    """Return the pixels of one side that are kept.

    >>> window(10, 0.4, 0.5)
    slice(3, 7, None)
    """
    kept = max(1, int(scale * size))
    # rounded down, so that the start moves by at most one pixel if the window grows by one
    start = int(place * (size - kept + 1))
    return slice(start, start + kept)
