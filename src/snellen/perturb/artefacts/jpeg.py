"""JPEG: a file compressed too hard, in blocks of eight by eight pixels."""

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
    """Coded as JPEG of a quality from 1 to 100 and read again; no quality leaves the image as it is.

    JPEG has 8 bits: a 16-bit image comes back with 256 levels. What earlier artefacts put beyond black and white is
    clipped before it is coded, as in any file.
    """

    name: ClassVar[str] = "jpeg"

    quality: int | None

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """A quality that only the severity decides; at 0 nothing is coded, as even quality 100 loses a little."""
        quality = strength("jpeg", severity, kind=kind)
        return cls(round(quality) if severity > 0 else None)

    def __call__(self, picture: Picture) -> Picture:
        """The image as its JPEG shows it."""
        if self.quality is None:
            return picture.copy()
        pixels = np.rint(np.clip(picture, 0, 1) * np.float32(255)).astype(np.uint8)
        shown = (
            _coded(pixels, self.quality) if picture.ndim == 2 else _coded(pixels[..., ::-1], self.quality)[..., ::-1]
        )
        return np.asarray(shown, dtype=np.float32) * np.float32(1 / 255)


def _coded(pixels: Pixels, quality: int) -> Pixels:
    """Grey pixels, or colours with blue first, through a file and back."""
    _, file = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    read = cv2.imdecode(file, cv2.IMREAD_GRAYSCALE if pixels.ndim == 2 else cv2.IMREAD_COLOR)
    return np.asarray(read, dtype=np.uint8)
