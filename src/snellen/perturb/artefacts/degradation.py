"""Degradation: artefacts one after the other, from stored pixels to stored pixels."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError
from snellen.perturb.arithmetic import rounded
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.distances import distance

Scale = Literal["kept", "stretched"]


@dataclass(frozen=True)
class Degradation:
    """Artefacts in order, as a step of an image: 8 or 16 bits, grey or RGB, in and out.

    Pixels become fractions once, and pixels again once: clipped to black and white and rounded to the nearest level.
    `scale="stretched"` spreads each result from its darkest to its brightest value over the whole range instead, as
    plotting libraries do when they save a image; one that is the same everywhere becomes black.
    """

    parts: tuple[Artefact, ...]
    scale: Scale = "kept"

    def __call__(self, pixels: NDArray[Any]) -> NDArray[Any]:
        """The degraded pixels, in a new array of the same type."""
        _check(pixels)
        grey = pixels.ndim == 3 and _equal_channels(pixels)
        full = int(np.iinfo(pixels.dtype).max)
        picture = np.multiply(pixels[..., 0] if grey else pixels, np.float32(1 / full), dtype=np.float32)
        for part in self.parts:
            picture = part(picture)
        stored = _stretched(picture, full) if self.scale == "stretched" else _kept(picture, full)
        return cv2.merge([stored] * 3) if grey else stored

    def measure(self, before: NDArray[Any], after: NDArray[Any]) -> dict[str, float | None]:
        """How far the pixels are from what they were, as JSON holds it: an infinite PSNR is None."""
        found = distance(before, after)
        return {"ssim": found.ssim, "psnr": found.psnr if isfinite(found.psnr) else None}


def _check(pixels: NDArray[Any]) -> None:
    shaped = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)
    if pixels.dtype not in (np.uint8, np.uint16) or not shaped or pixels.size == 0:
        raise ImageError(f"Expected 8- or 16-bit grey or RGB pixels, got {pixels.dtype} of shape {pixels.shape}.")


def _equal_channels(pixels: NDArray[Any]) -> bool:
    return np.array_equal(pixels[..., 0], pixels[..., 1]) and np.array_equal(pixels[..., 1], pixels[..., 2])


# In place, both: the fractions at the end of `Degradation` are its own.
def _kept(picture: Picture, full: int) -> NDArray[Any]:
    return rounded(np.multiply(picture, np.float32(full), out=picture), full)


def _stretched(picture: Picture, full: int) -> NDArray[Any]:
    darkest, brightest = float(picture.min()), float(picture.max())
    if darkest == brightest:
        return np.zeros(picture.shape, dtype=np.uint8 if full == 255 else np.uint16)
    np.subtract(picture, np.float32(darkest), out=picture)
    return rounded(np.multiply(picture, np.float32(full / (brightest - darkest)), out=picture), full)
