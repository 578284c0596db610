"""Noise: grain of the detector, with the same normal distribution everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator

from snellen.perturb.artefacts.base import Artefact, Picture, channels, join_planes
from snellen.perturb.artefacts.noise_field import SEEDS, noise_field
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Noise(Artefact):
    """Normal noise of mean 0 and SD `sd`. Grey images have one field, others one per colour channel."""

    name: ClassVar[str] = "noise"

    sd: float
    seed: int

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw noise; its SD grows with severity, and its field stays the same."""
        return cls(strength("noise", severity, kind=kind), int(rng.integers(SEEDS)))

    def __call__(self, picture: Picture) -> Picture:
        """Return the image plus noise."""
        planes = channels(picture)
        size = planes[0].size
        field = noise_field(size * len(planes), self.seed)
        field *= np.float32(self.sd)
        noisy = [
            np.add(plane, field[index * size : (index + 1) * size].reshape(plane.shape))
            for index, plane in enumerate(planes)
        ]
        return join_planes(noisy, like=picture)
