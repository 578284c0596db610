"""Motion: the patient moves during a scan, in the plane of the image."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import ClassVar

import numpy as np

from snellen.perturb.arithmetic import FINE, find_levels, move_canvas
from snellen.perturb.artefacts.base import Picture
from snellen.perturb.artefacts.k_space import KSpaceShare, MovementArtefact, picture_of, segments, spectrum


@dataclass(frozen=True)
class Motion(MovementArtefact):
    """k-space read column by column while the patient moves; each segment has another pose.

    A movement rotates the image about its centre (degrees, counter-clockwise) and shifts it (pixels, down and right).
    The columns around the lowest frequency are those of the unmoved image. Areas that a moved image does not cover have
    the image's smallest value. Interpolation is linear, at positions rounded to 1/32 of a pixel.

    It simulates the same as TorchIO's `Motion`, except that TorchIO rotates about the first voxel, not the centre.
    """

    name: ClassVar[str] = "motion"

    def _spoil(self, plane: Picture) -> Picture:
        width = plane.shape[1]
        if width == 1:
            return plane.copy()
        stretches = segments(self.times, width)
        middle = next(index for index, stretch in enumerate(stretches) if width // 2 in stretch)
        levels = find_levels(np.ascontiguousarray(plane), FINE)
        mixed = np.zeros((len(plane), width // 2 + 1), dtype=np.complex128)
        for index, stretch in enumerate(stretches):
            if stretch:
                # the unmoved image takes the middle segment, so that segment's own pose is used at the start of the
                # scan
                pose = levels.whole if index == middle else self._move(levels.whole, (index or middle) - 1)
                KSpaceShare(stretch, width).add(spectrum(pose), to=mixed)
        return levels.fractions(picture_of(mixed, width))

    def _move(self, levels: Picture, index: int) -> Picture:
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
        return move_canvas(levels, origin, height=height, width=width, outside=int(levels.min()))
