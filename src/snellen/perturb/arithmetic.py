"""Arithmetic on images that gives the same on every processor, to the bit.

Processors differ in the order in which they add, in whether they join a product and a sum into one rounding, and in the
last bit of functions such as exp. What is left is the same everywhere: single sums, products and quotients, whole
numbers, and longer sums whose every term and partial sum is held exactly. What rests on this is said in
`docs/design/decisions/0027-the-same-on-every-machine.md`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Fractions = NDArray[np.float32]

_STEPS = 1024
"""Powers of e are tabled at so many places between one whole exponent and the next."""
_REACH = 32
"""Up to this exponent on either side: from 1e-14 to 8e13."""

FINE = 255 * 64
"""Levels of 14 bits: 64 for each of 8 bits."""


def exponential(exponents: NDArray[Any]) -> Fractions:
    """Each number as a power of e, to 4e-7 of the result; what lies beyond ±32 stays near what it is there.

    >>> exponential(np.array([0, 1], dtype=np.float32)).tolist() == [1, np.float32(np.e)]
    True
    """
    exact = np.asarray(exponents, dtype=np.float32)
    nearest = np.rint(exact * np.float32(_STEPS))
    place = nearest.astype(np.int32)
    place += _STEPS * _REACH
    power = np.take(_powers(), place, mode="clip")
    # Exact: a whole number of 1024ths, taken from a number that lies next to it.
    nearest *= np.float32(-1 / _STEPS)
    nearest += exact
    nearest *= power
    nearest += power
    return np.asarray(nearest)


@cache
def _powers() -> Fractions:
    """By 64 bits and then rounded to 32: what the last of 64 bits is does not matter."""
    return np.exp(np.arange(-_REACH * _STEPS, _REACH * _STEPS + 1) / _STEPS).astype(np.float32)


def places(origin: NDArray[np.float64], *, height: int, width: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where the pixels of a canvas come from, in 1024ths of a pixel: what its columns and what its rows add to that.

    `origin` says where from: across, then down, as an affine map of across and down. Of the sum, 1/32 of a pixel is
    kept; the 16 that the rows have more make what is cut off there the nearest.
    """
    across = np.rint(origin[..., 0, None] * np.arange(width) * 1024)
    down = np.rint((origin[..., 1, None] * np.arange(height) + origin[..., 2, None]) * 1024) + 16
    return across.astype(np.int32), down.astype(np.int32)


def turned(
    picture: Fractions, origin: NDArray[np.float64], *, height: int, width: int, beyond: float | None = 0.0
) -> Fractions:
    """A canvas whose pixels come from elsewhere in a image (see `places`), linear between its pixels.

    `beyond` is what lies around the image, or None where its edge goes on. Places are rounded to 1/32 of a pixel and
    values to 1/64 of a level of 255.
    """
    levels = levelled(picture, FINE)
    outside = None if beyond is None else round((beyond - levels.darkest) / levels.step)
    return levels.fractions(moved(levels.whole, origin, height=height, width=width, outside=outside))


def moved(
    levels: Fractions, origin: NDArray[np.float64], *, height: int, width: int, outside: int | None = 0
) -> Fractions:
    """The same for whole numbers up to 2¹⁴: 32 bits hold every product with weights of 1/32, and all their sums."""
    steps = (each.astype(np.float32) / np.float32(32) for each in places(origin, height=height, width=width))
    right, bottom = (_floored(along[None, :] + below[:, None]) for along, below in zip(*steps, strict=True))
    edge = cv2.BORDER_REPLICATE if outside is None else cv2.BORDER_CONSTANT
    beyond = (outside or 0,) * 3
    canvas: Fractions = cv2.remap(levels, right, bottom, cv2.INTER_LINEAR, borderMode=edge, borderValue=beyond)
    return canvas


def _floored(places: Fractions) -> Fractions:
    """Whole 32nds of a pixel, as pixels; in place."""
    np.floor(places, out=places)
    return np.multiply(places, np.float32(1 / 32), out=places)


class Levels(NamedTuple):
    """A image in whole numbers from 0 up: what 0 stands for, and what one step is worth."""

    whole: Fractions
    darkest: float
    step: float

    def fractions(self, levels: NDArray[Any]) -> Fractions:
        """What levels of this scale stand for."""
        fractions: Fractions = np.multiply(levels, np.float32(self.step), dtype=np.float32)
        fractions += np.float32(self.darkest)
        return fractions


def levelled(picture: Fractions, full: int) -> Levels:
    """The nearest of `full` steps between black and white; between its own extremes where a image goes beyond them.

    >>> levelled(np.array([[0.0, 0.5, 1.0]], dtype=np.float32), 200).whole.tolist()
    [[0.0, 100.0, 200.0]]
    """
    darkest, brightest = min(0.0, float(picture.min())), max(1.0, float(picture.max()))
    whole = np.subtract(picture, np.float32(darkest), dtype=np.float32)
    whole *= np.float32(full / (brightest - darkest))
    return Levels(np.rint(whole, out=whole), darkest, (brightest - darkest) / full)


def rounded(levels: Fractions, full: int = 255) -> NDArray[Any]:
    """Each number as the nearest whole level from 0 to `full`; the numbers themselves are used up.

    >>> rounded(np.array([-3, 0.6, 254.4, 300], dtype=np.float32)).tolist()
    [0, 1, 254, 255]
    """
    np.clip(levels, 0, full, out=levels)
    np.rint(levels, out=levels)
    return levels.astype(np.uint8 if full == 255 else np.uint16)
