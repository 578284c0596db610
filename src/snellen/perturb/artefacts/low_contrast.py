"""Low contrast: values moved towards grey, as by a wrong window or stray light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator

from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class LowContrast(Artefact):
    """Values moved towards mid-grey; `contrast`, from 1 to 0, is the share that is left."""

    name: ClassVar[str] = "low-contrast"

    contrast: float

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Return the contrast for a severity, without randomness."""
        return cls(strength("low-contrast", severity, kind=kind))

    def __call__(self, picture: Picture) -> Picture:
        """Return the image with less contrast."""
        flat = picture * np.float32(self.contrast)
        flat += np.float32(0.5 * (1 - self.contrast))
        return flat
