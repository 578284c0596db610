"""Blank images: one tone or noise, in the image's own size or a given one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.random import PCG64

from snellen.errors import StudyError
from snellen.images import Pixels

Fill = Literal["white", "black", "grey", "noise"]
TONES = {"white": 255, "black": 0, "grey": 128}


@dataclass(frozen=True)
class Blanked:
    """A step that keeps only the size of an image and whether it has colour."""

    fill: Fill = "white"
    seed: int = 0

    def __call__(self, pixels: Pixels) -> Pixels:
        """Return blank pixels of the same shape."""
        return _blank(pixels.shape, self.fill, self.seed)


@dataclass(frozen=True)
class Placeholder:
    """A blank image as a replacement. The default of 279 × 175 in white is the Italian paper's."""

    fill: Fill = "white"
    seed: int = 0
    width: int = 279
    height: int = 175

    def draw(self) -> Pixels:
        """Draw the blank image."""
        return _blank((self.height, self.width, 3), self.fill, self.seed)


def _blank(shape: tuple[int, ...], fill: Fill, seed: int) -> Pixels:
    if fill == "noise":
        size = int(np.prod(shape))
        # raw words are the same on every machine and in every version of NumPy
        return PCG64(seed).random_raw(-(-size // 8)).astype("<u8").view(np.uint8)[:size].reshape(shape)
    if fill not in TONES:
        raise StudyError(f"Expected the fill of a blank image to be one of {', '.join(get_args(Fill))}, got {fill!r}.")
    return np.full(shape, TONES[fill], dtype=np.uint8)
