"""Letters: Sloan's ten optotypes on a plain or X-ray-like ground, for eye charts and delivery checks.

Each letter fills a square with a side of five strokes, as on the charts that people read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.images.image import Pixels

SLOAN = "CDHKNORSVZ"
"""Sloan's letters, which are about equally hard to read."""
_FINE = 1000
"""Pixels on the side of a letter before it is scaled to its size."""

Ink = NDArray[np.float32]
"""Share of each pixel that a letter covers, from 0 to 1."""
_Grid = NDArray[np.float64]
"""Coordinates across as a row or down as a column; broadcasting combines them."""
_Ground = Literal["plain", "x-ray"]


class PlacedLetter(NamedTuple):
    """A letter with its top left corner and its side, in pixels."""

    letter: str
    x: int
    y: int
    size: int


@dataclass(frozen=True)
class LetterChart:
    """Letters on a ground.

    `contrast` is Weber's: the difference between letter and ground, as a share of the largest possible one.

    >>> LetterChart(40, 30, (PlacedLetter("H", 5, 5, 20),)).draw()[15, [4, 6, 15]].tolist()
    [255, 0, 0]
    """

    width: int
    height: int
    letters: tuple[PlacedLetter, ...]
    contrast: float = 1.0
    light_on_dark: bool = False
    ground: _Ground = "plain"
    seed: int = 0
    """Seed of the X-ray-like ground."""

    def draw(self) -> Pixels:
        """Return the pixels, in grey."""
        ground = np.full((self.height, self.width), 0 if self.light_on_dark else 255, np.float32)
        if self.ground == "x-ray":
            ground = xray_ground(self.width, self.height, self.seed)
        ink = np.zeros((self.height, self.width), np.float32)
        for letter, x, y, size in self.letters:
            within = ink[max(0, y) : y + size, max(0, x) : x + size]
            if x < 0 or y < 0 or within.shape != (size, size):
                place = f"{letter!r} of {size} pixels at {x}, {y}"
                raise ValueError(f"Expected letters within {self.width} × {self.height} pixels, got {place}.")
            np.maximum(within, glyph(letter, size), out=within)
        towards = 255.0 if self.light_on_dark else 0.0
        return np.rint(ground + ink * self.contrast * (towards - ground)).astype(np.uint8)


def xray_ground(width: int, height: int, seed: int) -> Ink:
    """Return an X-ray-like ground: two dark fields under rib-like bands, with film grain."""
    import cv2

    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j].astype(np.float32)
    lungs = sum(np.exp(-(((x - at) / 0.2) ** 2) - ((y - 0.5) / 0.42) ** 2) for at in (0.28, 0.72))
    ribs = np.sin(2 * np.pi * (y * rng.uniform(5, 8) + 0.6 * np.abs(x - 0.5) + rng.uniform()))
    grain = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 1)
    shade = 165 - 75 * lungs + 9 * ribs * lungs + 4 * grain / max(float(grain.std()), 1e-6)
    return np.asarray(np.clip(shade, 20, 235), np.float32)


@cache
def glyph(letter: str, size: int) -> Ink:
    """Return the ink of each pixel of a letter. Strokes are a fifth of its size."""
    import cv2

    drawn = np.minimum(cv2.resize(_fine(letter), (size, size), interpolation=cv2.INTER_AREA), np.float32(1))
    drawn.setflags(write=False)
    return np.asarray(drawn, np.float32)


@cache
def _fine(letter: str) -> Ink:
    """Return a letter in high resolution, so that its edges become smooth."""
    if letter not in _SHAPES:
        raise ValueError(f"Expected one of Sloan's letters {SLOAN}, got {letter!r}.")
    places = (np.arange(_FINE) + 0.5) * 5 / _FINE
    return _SHAPES[letter](places[None, :], places[:, None]).astype(np.float32)


def _is_within(x: _Grid, y: _Grid, *corners: tuple[float, float]) -> NDArray[np.bool_]:
    """Return True for points in a convex polygon with clockwise corners."""
    inside = np.ones(np.broadcast_shapes(x.shape, y.shape), bool)
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        inside &= (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) >= 0
    return inside


def _disc(x: _Grid, y: _Grid, at: tuple[float, float], radius: float) -> NDArray[np.bool_]:
    return (x - at[0]) ** 2 + (y - at[1]) ** 2 <= radius**2


def _stadium(x: _Grid, y: _Grid, left: float, right: float, middle: float, radius: float) -> NDArray[np.bool_]:
    """A bar with round ends from `left` to `right`."""
    flat = (x >= left + radius) & (x <= right - radius) & (abs(y - middle) <= radius)
    return flat | _disc(x, y, (left + radius, middle), radius) | _disc(x, y, (right - radius, middle), radius)


def _o(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    return _disc(x, y, (2.5, 2.5), 2.5) & ~_disc(x, y, (2.5, 2.5), 1.5)


def _c(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    return _o(x, y) & ~((x > 2.5) & (abs(y - 2.5) < 0.5))


def _d(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    outer = (x <= 2.5) | _disc(x, y, (2.5, 2.5), 2.5)
    inner = ((x >= 1) & (x <= 2.5) & (abs(y - 2.5) < 1.5)) | (_disc(x, y, (2.5, 2.5), 1.5) & (x > 2.5))
    return outer & ~inner


def _h(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    return (x <= 1) | (x >= 4) | (abs(y - 2.5) <= 0.5)


def _k(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    arm = _is_within(x, y, (0.9, 3.0), (3.6, 0), (5, 0), (0.9, 4.4))
    leg = _is_within(x, y, (1.7, 2.9), (2.6, 2.0), (5, 5), (3.6, 5))
    return (x <= 1) | arm | leg


def _n(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    return (x <= 1) | (x >= 4) | _is_within(x, y, (0, 0), (1.2, 0), (5, 5), (3.8, 5))


def _r(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    bowl = ((x <= 3.5) & (y <= 3)) | _disc(x, y, (3.5, 1.5), 1.5)
    hollow = ((x >= 1) & (x <= 3.5) & (abs(y - 1.5) < 0.5)) | _disc(x, y, (3.5, 1.5), 0.5)
    return (x <= 1) | (bowl & ~hollow) | _is_within(x, y, (2.2, 3), (3.5, 3), (5, 5), (3.7, 5))


def _s(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    def upper(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
        ring = _stadium(x, y, 0, 5, 1.5, 1.5) & ~_stadium(x, y, 1, 4, 1.5, 0.5)
        return ring & ~((x > 2.5) & (y > 1.5))

    return upper(x, y) | upper(5 - x, 5 - y)


def _v(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    left = _is_within(x, y, (0, 0), (1.1, 0), (3.0, 5), (2.0, 5))
    return left | _is_within(x, y, (3.9, 0), (5, 0), (3.0, 5), (2.0, 5))


def _z(x: _Grid, y: _Grid) -> NDArray[np.bool_]:
    return (y <= 1) | (y >= 4) | _is_within(x, y, (3.6, 1), (5, 1), (1.4, 4), (0, 4))


_DRAWN_BY: tuple[Callable[[_Grid, _Grid], NDArray[np.bool_]], ...] = (_c, _d, _h, _k, _n, _o, _r, _s, _v, _z)
_SHAPES = dict(zip(SLOAN, _DRAWN_BY, strict=True))
