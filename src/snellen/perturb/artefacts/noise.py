"""Noise: grain of the detector, normal, the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator

from snellen.perturb.artefacts.base import Artefact, Picture, channels, joined
from snellen.perturb.artefacts.noise_field import SEEDS, noise_field
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Noise(Artefact):
    """Normal noise of mean 0 and standard deviation `sd`; a grey image gets one field, each colour its own."""

    name: ClassVar[str] = "noise"

    sd: float
    seed: int

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """The same field at every severity, louder and louder."""
        return cls(strength("noise", severity, kind=kind), int(rng.integers(SEEDS)))

    def __call__(self, picture: Picture) -> Picture:
        """The image plus noise."""
        planes = channels(picture)
        size = planes[0].size
        field = noise_field(size * len(planes), self.seed)
        field *= np.float32(self.sd)
        noisy = [
            np.add(plane, field[index * size : (index + 1) * size].reshape(plane.shape))
            for index, plane in enumerate(planes)
        ]
        return joined(noisy, like=picture)
