"""Arithmetic on images that gives the same result on every processor, to the bit.

Processors differ in the order of addition, and in rounding a product and a sum together. They also differ in the last
bit of functions such as exp. Single sums, products, quotients and whole numbers are the same everywhere. Longer sums
are the same if every term and partial sum is exact. `docs/design/decisions/0027-the-same-on-every-machine.md` names
what depends on this.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Fractions = NDArray[np.float32]

_STEPS = 1024
"""Number of tabulated powers of e from one whole exponent to the next."""
_REACH = 32
"""Largest tabulated exponent, positive and negative: powers from 1e-14 to 8e13."""

FINE = 255 * 64
"""Number of 14-bit levels: 64 for each 8-bit level."""


def exponential(exponents: NDArray[Any]) -> Fractions:
    """Compute powers of e, with an error of at most 4e-7 of the result.

    Exponents beyond ±32 are limited to ±32.

    >>> exponential(np.array([0, 1], dtype=np.float32)).tolist() == [1, np.float32(np.e)]
    True
    """
    exact = np.asarray(exponents, dtype=np.float32)
    nearest = np.rint(exact * np.float32(_STEPS))
    place = nearest.astype(np.int32)
    place += _STEPS * _REACH
    power = np.take(_powers(), place, mode="clip")
    # exact: a whole number of 1024ths, subtracted from a number close to it
    nearest *= np.float32(-1 / _STEPS)
    nearest += exact
    nearest *= power
    nearest += power
    return np.asarray(nearest)


@cache
def _powers() -> Fractions:
    """Table computed in 64 bits and rounded to 32, so that all processors agree."""
    return np.exp(np.arange(-_REACH * _STEPS, _REACH * _STEPS + 1) / _STEPS).astype(np.float32)


def places(origin: NDArray[np.float64], *, height: int, width: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the origin of each pixel in 1024ths, by column and by row.

    `origin` is an affine map of across and down; its first row gives across, its second down. Callers add both and
    round down to 1/32 of a pixel. The rows contain an extra 16, so that this rounds to the nearest.
    """
    across = np.rint(origin[..., 0, None] * np.arange(width) * 1024)
    down = np.rint((origin[..., 1, None] * np.arange(height) + origin[..., 2, None]) * 1024) + 16
    return across.astype(np.int32), down.astype(np.int32)


def turn_canvas(
    picture: Fractions, origin: NDArray[np.float64], *, height: int, width: int, beyond: float | None = 0.0
) -> Fractions:
    """Draw a canvas with pixels from elsewhere in an image (see `places`), by linear interpolation.

    `beyond` is the value around the image; None continues its edge. Positions are rounded to 1/32 of a pixel and values
    to 1/64 of one of 255 levels.
    """
    levels = find_levels(picture, FINE)
    outside = None if beyond is None else round((beyond - levels.darkest) / levels.step)
    return levels.fractions(move_canvas(levels.whole, origin, height=height, width=width, outside=outside))


def move_canvas(
    levels: Fractions, origin: NDArray[np.float64], *, height: int, width: int, outside: int | None = 0
) -> Fractions:
    """Do the same as `turn_canvas` with whole numbers up to 2¹⁴, exactly in 32 bits."""
    steps = (each.astype(np.float32) / np.float32(32) for each in places(origin, height=height, width=width))
    right, bottom = (_floor(along[None, :] + below[:, None]) for along, below in zip(*steps, strict=True))
    edge = cv2.BORDER_REPLICATE if outside is None else cv2.BORDER_CONSTANT
    beyond = (outside or 0,) * 3
    canvas: Fractions = cv2.remap(levels, right, bottom, cv2.INTER_LINEAR, borderMode=edge, borderValue=beyond)
    return canvas


def _floor(places: Fractions) -> Fractions:
    """Round 32nds of a pixel down and convert them to pixels, in place."""
    np.floor(places, out=places)
    return np.multiply(places, np.float32(1 / 32), out=places)


class Levels(NamedTuple):
    """An image in whole numbers, with the value of 0 and of a step."""

    whole: Fractions
    darkest: float
    step: float

    def fractions(self, levels: NDArray[Any]) -> Fractions:
        """Convert levels to fractions."""
        fractions: Fractions = np.multiply(levels, np.float32(self.step), dtype=np.float32)
        fractions += np.float32(self.darkest)
        return fractions


def find_levels(picture: Fractions, full: int) -> Levels:
    """Round an image to `full` steps between black and white.

    If values are outside 0 to 1, the steps span these values too.

    >>> find_levels(np.array([[0.0, 0.5, 1.0]], dtype=np.float32), 200).whole.tolist()
    [[0.0, 100.0, 200.0]]
    """
    darkest, brightest = min(0.0, float(picture.min())), max(1.0, float(picture.max()))
    whole = np.subtract(picture, np.float32(darkest), dtype=np.float32)
    whole *= np.float32(full / (brightest - darkest))
    return Levels(np.rint(whole, out=whole), darkest, (brightest - darkest) / full)


def round_levels(levels: Fractions, full: int = 255) -> NDArray[Any]:
    """Round to whole levels from 0 to `full`; the input is overwritten.

    >>> round_levels(np.array([-3, 0.6, 254.4, 300], dtype=np.float32)).tolist()
    [0, 1, 254, 255]
    """
    np.clip(levels, 0, full, out=levels)
    np.rint(levels, out=levels)
    return levels.astype(np.uint8 if full == 255 else np.uint16)
