"""Crop: part of the field of view is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from numpy.random import Generator

from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Crop(Artefact):
    """A window of int(scale × height) by int(scale × width), one pixel at least.

    `down` and `right`, from 0 up to 1, say where it lies among all places it could; a smaller one lies in a larger one.
    """

    name: ClassVar[str] = "crop"

    scale: float
    down: float
    right: float

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """A window at any place alike, and at severer settings one within it."""
        down, right = rng.random(2).tolist()
        return cls(strength("crop", severity, kind=kind), down, right)

    def __call__(self, picture: Picture) -> Picture:
        """The window."""
        rows = window(picture.shape[0], self.scale, self.down)
        columns = window(picture.shape[1], self.scale, self.right)
        return picture[rows, columns].copy()


def window(size: int, scale: float, place: float) -> slice:
    """The pixels of one side that are kept.

    >>> window(10, 0.4, 0.5)
    slice(3, 7, None)
    """
    kept = max(1, int(scale * size))
    # rounded down: where the window grows by one pixel, its start moves by one or by none
    start = int(place * (size - kept + 1))
    return slice(start, start + kept)
