"""JPEG: a file compressed too much, in blocks of eight by eight pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import cv2
import numpy as np
from numpy.random import Generator

from snellen.images import Pixels
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength


@dataclass(frozen=True)
class Jpeg(Artefact):
    """JPEG compression at a quality from 1 to 100; None leaves the image unchanged.

    JPEG has 8 bits, so a 16-bit image has 256 levels afterwards. Values beyond black and white are clipped before
    compression, as in any file.
    """

    name: ClassVar[str] = "jpeg"

    quality: int | None

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Return the quality for a severity, without randomness.

        It is None at severity 0, because even quality 100 loses a little.
        """
        quality = strength("jpeg", severity, kind=kind)
        return cls(round(quality) if severity > 0 else None)

    def __call__(self, picture: Picture) -> Picture:
        """Return the image as its JPEG file shows it."""
        if self.quality is None:
            return picture.copy()
        pixels = np.rint(np.clip(picture, 0, 1) * np.float32(255)).astype(np.uint8)
        shown = (
            _jpeg_round_trip(pixels, self.quality)
            if picture.ndim == 2
            else _jpeg_round_trip(pixels[..., ::-1], self.quality)[..., ::-1]
        )
        return np.asarray(shown, dtype=np.float32) * np.float32(1 / 255)


def _jpeg_round_trip(pixels: Pixels, quality: int) -> Pixels:
    """Compress and read back grey pixels, or colours with blue first."""
    _, file = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    read = cv2.imdecode(file, cv2.IMREAD_GRAYSCALE if pixels.ndim == 2 else cv2.IMREAD_COLOR)
    return np.asarray(read, dtype=np.uint8)
