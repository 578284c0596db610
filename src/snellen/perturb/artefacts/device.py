"""Device: an opaque object over the image, shaped like a pacemaker with its leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength

_TONES = {"MRI": 0.0, "OCT": 0.9, "X-ray": 0.9}
_STEPS = np.linspace(0, 1, 49)


@dataclass(frozen=True)
class Device(Artefact):
    """A device of half-length `size` (share of the shorter side) with two leads.

    Its centre is at `down` and `right`, as shares of the sides; it is rotated by `degrees`. `tone` is its brightness:
    metal is bright if it stops rays, and black if it removes the signal of an MRI. Its rim contrasts with it.
    """

    name: ClassVar[str] = "device"

    size: float
    down: float
    right: float
    degrees: float
    tone: float

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Draw a position near the middle and any rotation; the severity gives the size."""
        down, right = rng.uniform(0.35, 0.65, 2).tolist()
        degrees = float(rng.uniform(-180, 180))
        return cls(strength("device", severity, kind=kind), down, right, degrees, _TONES[kind])

    def __call__(self, picture: Picture) -> Picture:
        """Return the image with the device over it."""
        covered = picture.copy()
        if self.size > 0:
            height, width = picture.shape[:2]
            half = self.size * min(height, width)
            can = self._can(height, width)
            covered[self._leads(height, width) <= 0.06 * half] = self.tone
            covered[can <= half**4] = abs(self.tone - 0.25)
            covered[can <= 0.75 * half**4] = self.tone
        return covered

    def _can(self, height: int, width: int) -> NDArray[np.float32]:
        """Distance of each pixel from the device's centre, to the fourth power."""
        across = (np.arange(width, dtype=np.float32) - self.right * (width - 1))[None, :]
        below = (np.arange(height, dtype=np.float32) - self.down * (height - 1))[:, None]
        cosine, sine = np.float32(np.cos(np.radians(self.degrees))), np.float32(np.sin(np.radians(self.degrees)))
        along = np.square(across * cosine - below * sine)
        beside = np.square((across * sine + below * cosine) * np.float32(1 / 0.8))
        return np.asarray(along * along + beside * beside)

    def _leads(self, height: int, width: int) -> NDArray[np.float32]:
        """Distance of each pixel from the nearer lead, in pixels.

        The distance is octagonal, in whole steps along the axes or the diagonals, which every processor computes alike.
        """
        free = np.full((height, width), 255, dtype=np.uint8)
        drawn = _STEPS[: 1 + int(3 * self.size * len(_STEPS))]
        for bend in (0.35, -0.5):
            turn = np.radians(self.degrees) + bend * np.sin(3 * drawn)
            across = self.right * (width - 1) + drawn * min(height, width) * np.cos(turn)
            below = self.down * (height - 1) - drawn * min(height, width) * np.sin(turn)
            path = np.rint(np.stack([across, below], axis=1)).astype(np.int32)
            cv2.polylines(free, [path], isClosed=False, color=0)
        straight = cv2.distanceTransform(free, cv2.DIST_C, cv2.DIST_MASK_3)
        slanting = cv2.distanceTransform(free, cv2.DIST_L1, cv2.DIST_MASK_3)
        return np.asarray(np.maximum(straight, slanting * np.float32(0.5**0.5)))
