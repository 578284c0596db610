"""Motion as in the published code of the artefacts paper, with swapped axes."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from snellen.perturb.artefacts.base import Picture
from snellen.perturb.artefacts.k_space import KSpaceShare, MovementArtefact, picture_of, segments, spectrum


@dataclass(frozen=True)
class MotionAsPublished(MovementArtefact):
    """TorchIO's `Motion` applied to a slice as a volume of rows × columns × 1.

    A movement rotates the slice about the axis of its columns (degrees). It also shifts the slice out of its plane and
    along its rows (pixels). So it leaves the volume, except for a few rows near the line where the rotated slice cuts
    it. Most images remain unmoved, without their higher horizontal frequencies.
    """

    name: ClassVar[str] = "motion-as-published"

    def _spoil(self, plane: Picture) -> Picture:
        width = plane.shape[1]
        stretches = segments(self.times, width)
        late = [index for index, time in enumerate(self.times) if time > 0.5]
        unmoved = late[0] if late else len(self.times)
        # the area outside has the smallest value; after subtracting it, nearly all of the moved slices is 0
        lowest = plane.min()
        raised = plane - lowest
        mixed = np.zeros((len(plane), width // 2 + 1), dtype=np.complex128)
        KSpaceShare(stretches[unmoved], width).add(spectrum(raised), to=mixed)
        for index, stretch in enumerate(stretches):
            if stretch and index != unmoved:
                rows, cut = self._cut(raised, (index or unmoved) - 1)
                if rows.size:
                    some = mixed[rows]
                    KSpaceShare(stretch, width).add(spectrum(cut), to=some)
                    mixed[rows] = some
        spoilt: Picture = picture_of(mixed, width) + lowest
        return spoilt

    def _cut(self, plane: Picture, index: int) -> tuple[NDArray[np.intp], Picture]:
        """Return the rows that remain of a moved slice, interpolated between the original's rows."""
        angle, (away, along) = radians(self.degrees[index]), self.translation[index]
        last = plane.shape[0] - 1
        rows = np.arange(last + 1)
        distance = sin(angle) * rows + away
        origin = cos(angle) * rows - along
        rows = np.flatnonzero((np.abs(distance) <= 0.5) & (origin >= -0.5) & (origin <= last + 0.5))
        place = np.clip(origin[rows], 0, last)
        above = np.minimum(place.astype(np.intp), max(last - 1, 0))
        share = (place - above).astype(np.float32)[:, None]
        return rows, plane[above] * (1 - share) + plane[np.minimum(above + 1, last)] * share
