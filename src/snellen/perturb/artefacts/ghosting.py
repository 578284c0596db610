"""Ghosting: faint copies across the image, from breathing or pulse during the scan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy
from numpy.random import Generator

from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Ghosting(Artefact):
    """Periodic motion while the lines are read: line k gets the phase 2πk·d·cos(2πk/ghosts).

    d is `amplitude` as a share of the axis (0 down, 1 across). The copies are 1/ghosts of the axis apart. Only phases
    change, and not that of the lowest line, so the image keeps its mean.
    """

    name: ClassVar[str] = "ghosting"

    amplitude: float
    ghosts: int
    axis: int

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw three to eight copies along either axis; the severity gives the amplitude."""
        ghosts, axis = int(rng.integers(3, 9)), int(rng.integers(2))
        return cls(strength("ghosting", severity, kind=kind), ghosts, axis)

    def __call__(self, picture: Picture) -> Picture:
        """Return the image with its ghosts."""
        size = picture.shape[self.axis]
        if size == 1 or self.amplitude == 0:
            return picture.copy()
        line = np.arange(size // 2 + 1)
        phase = -2j * np.pi * self.amplitude * line * np.cos(2 * np.pi * line / self.ghosts)
        shape = [1] * picture.ndim
        shape[self.axis] = len(line)
        # 64 bits: processors differ in the last of them, which 32 bits do not show
        lines = scipy.fft.rfft(picture.astype(np.float64), axis=self.axis)
        lines *= np.exp(phase).reshape(shape)
        return np.asarray(scipy.fft.irfft(lines, n=size, axis=self.axis), dtype=np.float32)
