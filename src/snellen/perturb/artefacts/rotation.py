"""Rotation: the image is rotated on a larger canvas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.images import Movement
from snellen.perturb.arithmetic import turn_canvas
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Rotation(Artefact):
    """A counter-clockwise rotation on a black canvas that grows; quarter turns are exact.

    Values are interpolated linearly at positions rounded to 1/32 of a pixel, so that every processor computes the same
    image. The rounding changes a value by at most 1/64 of the difference to the next pixel in each direction.
    """

    name: ClassVar[str] = "rotation"

    degrees: float

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Return the angle for a severity, without randomness."""
        return cls(strength("rotation", severity, kind=kind))

    def __call__(self, picture: Picture) -> Picture:
        """Return the rotated image."""
        quarters, rest = divmod(self.degrees, 90)
        if rest == 0:
            return np.rot90(picture, int(quarters)).copy()
        origin, tall, wide = canvas(self.degrees, *picture.shape[:2])
        return turn_canvas(picture, origin, height=tall, width=wide)

    def movement(self, height: int, width: int) -> Movement:
        """Return where the pixels of an image of this size go: its centre to the canvas's centre."""
        _, tall, wide = canvas(self.degrees, height, width)
        # rounded, so that a quarter turn is exact
        turn = np.exp(1j * np.radians(self.degrees)).round(12)
        cosine, sine = float(turn.real), float(turn.imag)
        across = (wide - cosine * width - sine * height) / 2
        down = (tall + sine * width - cosine * height) / 2
        return Movement((cosine, sine, across), (-sine, cosine, down), tall, wide)


def canvas(degrees: float, height: int, width: int) -> tuple[NDArray[np.float64], int, int]:
    """Return the affine map from canvas to image, and the canvas's height and width."""
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    tall = int(height * abs(cosine) + width * abs(sine) + 0.5)
    wide = int(width * abs(cosine) + height * abs(sine) + 0.5)
    origin = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0]])
    origin[:, 2] = np.array([width - 1, height - 1]) / 2 - origin[:, :2] @ (np.array([wide - 1, tall - 1]) / 2)
    return origin, tall, wide
