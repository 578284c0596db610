"""Degradation: several artefacts in order, from stored pixels to stored pixels."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError
from snellen.perturb.arithmetic import round_levels
from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.distances import distance

Scale = Literal["kept", "stretched"]


@dataclass(frozen=True)
class Degradation:
    """Artefacts in order as one step of an image: 8 or 16 bits, grey or RGB.

    Pixels are converted to fractions once, and back once: clipped to black and white and rounded to the nearest level.
    `scale="stretched"` instead spreads each result from its darkest to its brightest value over the whole range.
    Plotting libraries do the same when they save an image. An image with one value everywhere becomes black.
    """

    parts: tuple[Artefact, ...]
    scale: Scale = "kept"

    def __call__(self, pixels: NDArray[Any]) -> NDArray[Any]:
        """Return the degraded pixels in a new array of the same type."""
        _check(pixels)
        grey = pixels.ndim == 3 and _equal_channels(pixels)
        full = int(np.iinfo(pixels.dtype).max)
        picture = np.multiply(pixels[..., 0] if grey else pixels, np.float32(1 / full), dtype=np.float32)
        for part in self.parts:
            picture = part(picture)
        stored = _stretch_range(picture, full) if self.scale == "stretched" else _keep_range(picture, full)
        return cv2.merge([stored] * 3) if grey else stored

    def measure(self, before: NDArray[Any], after: NDArray[Any]) -> dict[str, float | None]:
        """Measure SSIM and PSNR against the original, for JSON; an infinite PSNR becomes None."""
        found = distance(before, after)
        return {"ssim": found.ssim, "psnr": found.psnr if isfinite(found.psnr) else None}


def _check(pixels: NDArray[Any]) -> None:
    shaped = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)
    if pixels.dtype not in (np.uint8, np.uint16) or not shaped or pixels.size == 0:
        raise ImageError(f"Expected 8- or 16-bit grey or RGB pixels, got {pixels.dtype} of shape {pixels.shape}.")


def _equal_channels(pixels: NDArray[Any]) -> bool:
    return np.array_equal(pixels[..., 0], pixels[..., 1]) and np.array_equal(pixels[..., 1], pixels[..., 2])


# The next two functions work in place: `Degradation` owns these fractions.
def _keep_range(picture: Picture, full: int) -> NDArray[Any]:
    return round_levels(np.multiply(picture, np.float32(full), out=picture), full)


def _stretch_range(picture: Picture, full: int) -> NDArray[Any]:
    darkest, brightest = float(picture.min()), float(picture.max())
    if darkest == brightest:
        return np.zeros(picture.shape, dtype=np.uint8 if full == 255 else np.uint16)
    np.subtract(picture, np.float32(darkest), out=picture)
    return round_levels(np.multiply(picture, np.float32(full / (brightest - darkest)), out=picture), full)
