"""Blur: out of focus, or moved a little during the exposure."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Self

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.perturb.arithmetic import levelled
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength

Levels = NDArray[np.uint16]
_COARSE = 5.5  # from this many pixels on, half the resolution is enough: off by less than 1e-4 of white


@dataclass(frozen=True)
class Blur(Artefact):
    """A Gaussian of `sigma` pixels where the longer side has 512, and in proportion elsewhere: alike to the eye.

    It is done in whole numbers of 16 bits, which every processor adds alike: right to 1e-4 of the image's range.
    """

    name: ClassVar[str] = "blur"

    sigma: float

    @classmethod
    def drawn(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """A width that only the severity decides."""
        return cls(strength("blur", severity, kind=kind))

    def __call__(self, picture: Picture) -> Picture:
        """The image, blurred; it is continued beyond its edges by its reflection."""
        height, width = picture.shape[:2]
        sigma = self.sigma * max(height, width) / 512
        if int(4 * sigma + 0.5) == 0:
            return picture.copy()
        levels = levelled(picture, 65_535)
        return levels.fractions(_blurred(levels.whole.astype(np.uint16), sigma))


def _blurred(levels: Levels, sigma: float) -> Levels:
    """Levels of 16 bits, continued beyond their edges by their reflection."""
    if sigma < _COARSE:
        return _gaussian(levels, sigma)
    margin = 2 * int(2 * sigma + 1)
    wider = cv2.copyMakeBorder(levels, margin, margin, margin, margin, cv2.BORDER_REFLECT)
    return _gaussian(wider, sigma)[margin:-margin, margin:-margin]


def _gaussian(picture: Levels, sigma: float) -> Levels:
    """A Gaussian up to four sigma; a wide one at half the resolution: going down and up blurs by 1 + 1 of sigma²."""
    blurred: Levels
    if sigma < _COARSE:
        side = 2 * int(4 * sigma + 0.5) + 1
        blurred = cv2.GaussianBlur(picture, (side, side), sigma, borderType=cv2.BORDER_REFLECT)
    else:
        small = _gaussian(cv2.pyrDown(picture), sqrt(sigma**2 - 2) / 2)
        blurred = cv2.pyrUp(small, dstsize=(picture.shape[1], picture.shape[0]))
    return blurred
