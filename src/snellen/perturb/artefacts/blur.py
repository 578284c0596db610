"""Blur: out of focus, or a little movement during the exposure."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Self

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.perturb.arithmetic import find_levels
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.strengths import strength

Levels = NDArray[np.uint16]
_COARSE = 5.5  # from this many pixels on, half the resolution is enough: the error is below 1e-4 of white


@dataclass(frozen=True)
class Blur(Artefact):
    """A Gaussian blur of `sigma` pixels at 512 pixels on the longer side.

    Other sizes are scaled in proportion. It is computed in 16-bit integers, so every processor gives the same result.
    Its error is at most 1e-4 of the image's range.
    """

    name: ClassVar[str] = "blur"

    sigma: float

    @classmethod
    def draw(cls, severity: float, rng: Generator, *, kind: str) -> Self:
        """Return the blur's width for a severity, without randomness."""
        return cls(strength("blur", severity, kind=kind))

    def __call__(self, picture: Picture) -> Picture:
        """Return the blurred image; beyond its edges it is reflected."""
        height, width = picture.shape[:2]
        sigma = self.sigma * max(height, width) / 512
        if int(4 * sigma + 0.5) == 0:
            return picture.copy()
        levels = find_levels(picture, 65_535)
        return levels.fractions(_blur(levels.whole.astype(np.uint16), sigma))


def _blur(levels: Levels, sigma: float) -> Levels:
    """Blur 16-bit levels; the image is reflected at its edges."""
    if sigma < _COARSE:
        return _gaussian(levels, sigma)
    margin = 2 * int(2 * sigma + 1)
    wider = cv2.copyMakeBorder(levels, margin, margin, margin, margin, cv2.BORDER_REFLECT)
    return _gaussian(wider, sigma)[margin:-margin, margin:-margin]


def _gaussian(picture: Levels, sigma: float) -> Levels:
    """A Gaussian cut at four sigma; a wide one is computed at half the resolution."""
    blurred: Levels
    if sigma < _COARSE:
        side = 2 * int(4 * sigma + 0.5) + 1
        blurred = cv2.GaussianBlur(picture, (side, side), sigma, borderType=cv2.BORDER_REFLECT)
    else:
        small = _gaussian(cv2.pyrDown(picture), sqrt(sigma**2 - 2) / 2)
        blurred = cv2.pyrUp(small, dstsize=(picture.shape[1], picture.shape[0]))
    return blurred
