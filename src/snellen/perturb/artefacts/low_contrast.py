"""Low contrast: light and dark drawn together, as by a wrong window or a veil of stray light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator

from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class LowContrast(Artefact):
    """Every value drawn towards mid-grey until only `contrast`, from 1 (all) to 0 (none), of its distance is left."""

    name: ClassVar[str] = "low-contrast"

    contrast: float

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """A contrast that only the severity decides."""
        return cls(strength("low-contrast", severity, kind=kind))

    def __call__(self, picture: Picture) -> Picture:
        """The image, flattened."""
        flat = picture * np.float32(self.contrast)
        flat += np.float32(0.5 * (1 - self.contrast))
        return flat
