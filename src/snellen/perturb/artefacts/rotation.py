"""Rotation: the image stands askew on a larger canvas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.perturb.arithmetic import turned
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Rotation(Artefact):
    """Turned counter-clockwise on a black canvas that grows to hold all of it; quarter turns are exact.

    Between pixels it is linear, at places rounded to 1/32 of a pixel, so that every processor makes the same image:
    that moves a value by up to 1/64 of the step to the next pixel in each direction.
    """

    name: ClassVar[str] = "rotation"

    degrees: float

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """An angle that only the severity decides."""
        return cls(strength("rotation", severity, kind=kind))

    def __call__(self, picture: Picture) -> Picture:
        """The image, turned."""
        quarters, rest = divmod(self.degrees, 90)
        if rest == 0:
            return np.rot90(picture, int(quarters)).copy()
        origin, tall, wide = canvas(self.degrees, *picture.shape[:2])
        return turned(picture, origin, height=tall, width=wide)


def canvas(degrees: float, height: int, width: int) -> tuple[NDArray[np.float64], int, int]:
    """Where each pixel of the canvas comes from (an affine map of across and down), how tall it is, and how wide."""
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    tall = int(height * abs(cosine) + width * abs(sine) + 0.5)
    wide = int(width * abs(cosine) + height * abs(sine) + 0.5)
    origin = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0]])
    origin[:, 2] = np.array([width - 1, height - 1]) / 2 - origin[:, :2] @ (np.array([wide - 1, tall - 1]) / 2)
    return origin, tall, wide
