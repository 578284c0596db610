"""Motion as the artefacts paper published it: movements drawn for one order of axes and carried out in another."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.perturb.artefacts.base import Artefact, Picture, channels, joined
from snellen.perturb.artefacts.k_space import Share, picture_of, segments, spectrum
from snellen.perturb.artefacts.movements import movements


@dataclass(frozen=True)
class MotionAsPublished(Artefact):
    """TorchIO's `Motion` of a slice of 1 × rows × columns voxels, with movements meant for rows × columns × 1.

    A movement turns the slice about the axis of its columns (degrees) and shifts it out of its plane and along its rows
    (pixels), so it leaves the volume but for the few rows near which the turned slice cuts it. What remains of most
    images is the unmoved one without its higher horizontal frequencies.
    """

    name: ClassVar[str] = "motion-as-published"

    degrees: tuple[float, ...]
    translation: tuple[tuple[float, float], ...]
    times: tuple[float, ...]

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Movements that get larger, and beyond weak more, with the severity."""
        return cls(*movements(severity, rng, kind=kind))

    def __call__(self, picture: Picture) -> Picture:
        """The image with the artefact, each colour alike."""
        if not any(self.degrees) and not np.any(self.translation):
            return picture.copy()
        return joined([self._spoilt(plane) for plane in channels(picture)], like=picture)

    def _spoilt(self, plane: Picture) -> Picture:
        width = plane.shape[1]
        stretches = segments(self.times, width)
        late = [index for index, time in enumerate(self.times) if time > 0.5]
        unmoved = late[0] if late else len(self.times)
        # what lies outside has the smallest value: without it, nearly all of the moved slices is 0
        lowest = plane.min()
        raised = plane - lowest
        mixed = np.zeros((len(plane), width // 2 + 1), dtype=np.complex128)
        Share(stretches[unmoved], width).add(spectrum(raised), to=mixed)
        for index, stretch in enumerate(stretches):
            if stretch and index != unmoved:
                rows, cut = self._cut(raised, (index or unmoved) - 1)
                if rows.size:
                    some = mixed[rows]
                    Share(stretch, width).add(spectrum(cut), to=some)
                    mixed[rows] = some
        spoilt: Picture = picture_of(mixed, width) + lowest
        return spoilt

    def _cut(self, plane: Picture, index: int) -> tuple[NDArray[np.intp], Picture]:
        """The rows that a moved slice still has, and what stands in them: linear between the rows of the original."""
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
