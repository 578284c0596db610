"""Degradation: several artefacts in order, and the distance from the original (SSIM and PSNR)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log10
from typing import Any, Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError
from snellen.images import Movement
from snellen.images.image import Moving
from snellen.perturb.arithmetic import round_levels
from snellen.perturb.artefacts.base import Artefact, Picture

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
        if self.scale == "stretched":
            stored = _stretch_range(picture, full)
        else:
            stored = round_levels(np.multiply(picture, np.float32(full), out=picture), full)
        return cv2.merge([stored] * 3) if grey else stored

    def movement(self, height: int, width: int) -> Movement:
        """Return where the pixels of an image of this size go after all artefacts."""
        moved = Movement((1, 0, 0), (0, 1, 0), height, width)
        for part in self.parts:
            if isinstance(part, Moving):
                moved = moved.then(part.movement(moved.height, moved.width))
        return moved

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


def _stretch_range(picture: Picture, full: int) -> NDArray[Any]:
    darkest, brightest = float(picture.min()), float(picture.max())
    if darkest == brightest:
        return np.zeros(picture.shape, dtype=np.uint8 if full == 255 else np.uint16)
    np.subtract(picture, np.float32(darkest), out=picture)
    return round_levels(np.multiply(picture, np.float32(full / (brightest - darkest)), out=picture), full)


_SIGMA, _SIDE = 1.5, 11
_LUMINANCE, _CONTRAST = 0.01**2, 0.03**2
_ROWS = 64


class Distance(NamedTuple):
    """SSIM (Wang 2004), 1 for identical images, and PSNR in decibels, infinite for identical images."""

    ssim: float
    psnr: float


def distance(before: NDArray[Any], after: NDArray[Any]) -> Distance:
    """Compute SSIM and PSNR of two images of the same type, relative to its range.

    A degraded image of another size is first resized to the original, as a viewer would show it. SSIM has a Gaussian
    window (sigma 1.5, 11 × 11, population covariances) and is the mean over all positions where the window fits. For an
    image smaller than the window, it is the mean over all pixels, with reflected edges.

    >>> distance(np.zeros((16, 16), dtype=np.uint8), np.zeros((16, 16), dtype=np.uint8))
    Distance(ssim=1.0, psnr=inf)
    """
    if before.dtype != after.dtype or before.ndim != after.ndim or before.dtype not in (np.uint8, np.uint16):
        raise ImageError(
            "Expected two images of 8 or 16 bits, both grey or both RGB, "
            f"got {before.dtype} of shape {before.shape} and {after.dtype} of shape {after.shape}."
        )
    seen = after if after.shape == before.shape else _resize(after, before.shape)
    if np.array_equal(before, seen):
        return Distance(1.0, inf)
    scale = np.float32(1 / np.iinfo(before.dtype).max)
    first, second = (np.multiply(pixels, scale, dtype=np.float32) for pixels in (before, seen))
    error = cv2.norm(first, second, cv2.NORM_L2SQR) / first.size
    return Distance(_ssim(first, second), -10 * log10(error))


def _resize(pixels: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    smaller = shape[0] * shape[1] < pixels.shape[0] * pixels.shape[1]
    interpolation = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
    resized: NDArray[Any] = cv2.resize(pixels, (shape[1], shape[0]), interpolation=interpolation)
    return resized


def _ssim(first: Picture, second: Picture) -> float:
    """Mean over all positions, computed in strips that fit the processor's cache."""
    height, width = first.shape[:2]
    edge = _SIDE // 2 if min(height, width) >= _SIDE else 0
    if not edge:
        return float(_map_likeness(first, second).mean(dtype=np.float64))
    total = 0.0
    for top in range(0, height - 2 * edge, _ROWS):
        rows = slice(top, min(top + _ROWS + 2 * edge, height))
        total += float(_map_likeness(first[rows], second[rows])[edge:-edge, edge:-edge].sum(dtype=np.float64))
    return float(total / ((height - 2 * edge) * (width - 2 * edge) * (first.size // (height * width))))


def _map_likeness(first: Picture, second: Picture) -> Picture:
    """Local similarity per pixel: (2μν + c₁)(2σ₁₂ + c₂) / ((μ² + ν² + c₁)(σ₁² + σ₂² + c₂)). Overwrites its input."""
    mean, other = _blur_window(first), _blur_window(second)
    covariance = _blur_window(first * second)
    squared = first * first
    squared += second * second
    variances = _blur_window(squared)
    product = mean * other
    mean *= mean
    other *= other
    mean += other
    covariance -= product
    variances -= mean
    for each, factor, constant in (
        (product, 2, _LUMINANCE),
        (covariance, 2, _CONTRAST),
        (mean, 1, _LUMINANCE),
        (variances, 1, _CONTRAST),
    ):
        each *= np.float32(factor)
        each += np.float32(constant)
    product *= covariance
    mean *= variances
    product /= mean
    return product


def _blur_window(picture: Picture) -> Picture:
    blurred: Picture = cv2.GaussianBlur(picture, (_SIDE, _SIDE), _SIGMA, borderType=cv2.BORDER_REFLECT)
    return blurred
