"""Motion: the patient moved between the readings of a scan, in the plane of the image."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator

from snellen.perturb.arithmetic import FINE, levelled, moved
from snellen.perturb.artefacts.base import Artefact, Picture, channels, joined
from snellen.perturb.artefacts.k_space import Share, picture_of, segments, spectrum
from snellen.perturb.artefacts.movements import movements


@dataclass(frozen=True)
class Motion(Artefact):
    """k-space read column by column while the patient moves: each stretch of it belongs to another pose.

    A movement turns the image about its centre (degrees, counter-clockwise) and shifts it (pixels, down and right).
    The columns around the lowest frequency are those of the unmoved image. What a moved image leaves uncovered has
    the image's smallest value. Between pixels it is linear, at places rounded to 1/32 of a pixel.

    It is the simulation of TorchIO's `Motion`, save that TorchIO turns about the first voxel, not the centre.
    """

    name: ClassVar[str] = "motion"

    degrees: tuple[float, ...]
    translation: tuple[tuple[float, float], ...]
    times: tuple[float, ...]

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Movements that get larger, and beyond weak more, with the severity."""
        return cls(*movements(severity, rng, kind=kind))

    def __call__(self, picture: Picture) -> Picture:
        """The image with the artefact, each colour alike."""
        still = not any(self.degrees) and not np.any(self.translation)
        if still or picture.shape[1] == 1:
            return picture.copy()
        return joined([self._spoilt(np.ascontiguousarray(plane)) for plane in channels(picture)], like=picture)

    def _spoilt(self, plane: Picture) -> Picture:
        width = plane.shape[1]
        stretches = segments(self.times, width)
        middle = next(index for index, stretch in enumerate(stretches) if width // 2 in stretch)
        levels = levelled(plane, FINE)
        mixed = np.zeros((len(plane), width // 2 + 1), dtype=np.complex128)
        for index, stretch in enumerate(stretches):
            if stretch:
                # the scan begins in the pose whose place in the middle the unmoved image takes
                pose = levels.whole if index == middle else self._moved(levels.whole, (index or middle) - 1)
                Share(stretch, width).add(spectrum(pose), to=mixed)
        return levels.fractions(picture_of(mixed, width))

    def _moved(self, levels: Picture, index: int) -> Picture:
        """The image in the pose after a movement."""
        height, width = levels.shape
        down, right = self.translation[index]
        angle = radians(self.degrees[index])
        cosine, sine = cos(angle), sin(angle)
        across, below = (width - 1) / 2, (height - 1) / 2
        start = (
            across - cosine * (across + right) + sine * (below + down),
            below - sine * (across + right) - cosine * (below + down),
        )
        origin = np.array([[cosine, -sine, start[0]], [sine, cosine, start[1]]])
        return moved(levels, origin, height=height, width=width, outside=int(levels.min()))
