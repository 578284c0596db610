"""Exposure: too much light loses the highlights, too little loses the shadows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator

from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Exposure(Artefact):
    """The image times 2 to the power of `stops`: positive is over-exposed, negative under-exposed.

    Values of an over-exposed image beyond white are cut at once, before any later artefact.
    """

    name: ClassVar[str] = "exposure"

    stops: float

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw over- or under-exposure with equal chance; the severity gives the amount."""
        side = "over" if rng.random() < 0.5 else "under"
        stops = strength(f"{side}-exposure", severity, kind=kind)
        return cls(stops if side == "over" else 0.0 - stops)

    def __call__(self, picture: Picture) -> Picture:
        """Return the image, brighter or darker."""
        exposed = np.multiply(picture, np.float32(2.0**self.stops))
        return np.minimum(exposed, np.float32(1), out=exposed) if self.stops > 0 else exposed
