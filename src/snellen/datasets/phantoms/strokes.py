"""The strokes the phantoms are drawn with: soft shapes, irregular outlines, smooth fields and grain.

Coordinates are pixels of the finished 512 × 512 picture. Soft anatomy is drawn at half that resolution and enlarged,
which looks the same and takes a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar, cast

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.images import Pixels

Field = NDArray[np.float32]
Points = NDArray[np.float64]
Canvas = TypeVar("Canvas", Field, NDArray[np.uint8])

SIZE = 512
HALF = SIZE // 2
_SUBPIXEL = 4


def grid() -> tuple[Field, Field]:
    """The x and y coordinates of the half-resolution canvas, in full-resolution pixels, ready to broadcast."""
    line = np.arange(HALF, dtype=np.float32) * 2 + 0.5
    return line[None, :], line[:, None]


def smooth_field(rng: Generator, cells: int, size: int = HALF) -> Field:
    """A smooth random surface of about unit variance with `cells` bumps across."""
    coarse = rng.standard_normal((cells + 3, cells + 3), dtype=np.float32)
    return cast("Field", cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC))


def fractal_field(rng: Generator, cells: Sequence[int] = (5, 11, 23, 47)) -> Field:
    """Cloud-like texture: smooth surfaces of growing fineness and falling weight."""
    total = smooth_field(rng, cells[0])
    for octave, fineness in enumerate(cells[1:], start=1):
        total = total + smooth_field(rng, fineness) * np.float32(0.6**octave)
    return total


@cache
def _noise_bank() -> Field:
    return np.random.default_rng(20).standard_normal((2 * SIZE, 2 * SIZE), dtype=np.float32)


def grain(rng: Generator) -> Field:
    """Pixel noise of zero mean and unit variance: a random window of one large sheet, much faster than fresh draws."""
    top, left = rng.integers(0, SIZE, 2)
    return _noise_bank()[top : top + SIZE, left : left + SIZE]


def with_noise(picture: Field, rng: Generator, *, gain: float, offset: float = 0.0, noise: float) -> Pixels:
    """The picture times `gain` plus `offset` and grain, cut to the range of 8 bits."""
    return cast("Pixels", cv2.addWeighted(picture, gain, grain(rng), noise, offset, dtype=cv2.CV_8U))


def _softened(mask: NDArray[np.uint8], blur: float) -> Field:
    if blur > 0:
        mask = cast("NDArray[np.uint8]", cv2.GaussianBlur(mask, (0, 0), blur / 2))
    return mask.astype(np.float32) * np.float32(1 / 255)


def _fixed_point(points: Points) -> NDArray[np.int32]:
    return np.rint(np.asarray(points) / 2 * (1 << _SUBPIXEL)).astype(np.int32)


def polygon(points: Points, *, blur: float = 2.0) -> Field:
    """A filled outline with soft edges, from 0 outside to 1 inside."""
    return polygons([points], blur=blur)


def polygons(outlines: Sequence[Points], *, blur: float = 2.0) -> Field:
    """Several filled outlines on one canvas."""
    mask = np.zeros((HALF, HALF), np.uint8)
    for points in outlines:
        cv2.fillPoly(mask, [_fixed_point(points)], 255, cv2.LINE_AA, _SUBPIXEL)
    return _softened(mask, blur)


def lines(paths: Sequence[Points], *, width: float, blur: float = 1.5) -> Field:
    """Open curves of one width, from 0 outside to 1 on the curve."""
    mask = np.zeros((HALF, HALF), np.uint8)
    cv2.polylines(
        mask, [_fixed_point(path) for path in paths], False, 255, max(1, round(width / 2)), cv2.LINE_AA, _SUBPIXEL
    )
    return _softened(mask, blur)


def ellipse(centre: Sequence[float], axes: Sequence[float], *, angle: float = 0.0) -> Points:
    """The outline of an ellipse; `axes` are its half-widths, `angle` its turn in degrees."""
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    x, y = axes[0] * np.cos(turn), axes[1] * np.sin(turn)
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.stack([centre[0] + c * x - s * y, centre[1] + s * x + c * y], axis=1)


def blob(
    rng: Generator, centre: Sequence[float], radius: float, *, roughness: float = 0.1, stretch: float = 1.0
) -> Points:
    """An irregular roundish outline: a circle whose radius waves a little."""
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    waves = np.arange(2, 7)
    height = rng.normal(0, roughness, waves.size) / np.sqrt(waves)
    phase = rng.uniform(0, 2 * np.pi, waves.size)
    reach = radius * (1 + (height[:, None] * np.cos(waves[:, None] * turn + phase[:, None])).sum(axis=0))
    return np.stack([centre[0] + stretch * reach * np.cos(turn), centre[1] + reach * np.sin(turn) / stretch], axis=1)


def curve(knots: Sequence[Sequence[float]] | Points, *, closed: bool = False, steps: int = 12) -> Points:
    """A smooth curve through the knots (Catmull-Rom)."""
    at = np.asarray(knots, float)
    ends = (at[-1:], at[:2]) if closed else (2 * at[:1] - at[1:2], 2 * at[-1:] - at[-2:-1])
    around = np.concatenate([ends[0], at, ends[1]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    weights = (-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2)
    spans = len(around) - 3
    pieces = [sum(w * around[i + k] for k, w in enumerate(weights)) / 2 for i in range(spans)]
    return np.concatenate([*pieces, around[-2:-1]]) if not closed else np.concatenate(pieces)


def mirrored(points: Points, axis: float) -> Points:
    """The outline reflected in the vertical line x = axis."""
    return np.stack([2 * axis - points[:, 0], points[:, 1]], axis=1)


def enlarged(field: Canvas, *, angle: float = 0.0, scale: float = 1.0) -> Canvas:
    """A half-resolution canvas at full resolution, turned by `angle` degrees and scaled about its centre."""
    matrix = cv2.getRotationMatrix2D((HALF / 2 - 0.5, HALF / 2 - 0.5), angle, 2 * scale)
    matrix[:, 2] += SIZE / 2 - HALF / 2
    turned = cv2.warpAffine(field, matrix, (SIZE, SIZE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cast("Canvas", turned)


def towards(picture: Field, mask: Field, level: float, strength: float = 1.0) -> Field:
    """The picture drawn towards a brightness where the mask is."""
    return cast("Field", picture + mask * (np.float32(level) - picture) * np.float32(strength))


Spot = tuple[float, float]


def chosen_spots(rng: Generator, spots: Sequence[Spot], count: int, *, apart: float) -> Points:
    """`count` different spots in random order, each moved a little, so that neighbours `apart` cannot touch."""
    order = rng.permutation(len(spots))[:count]
    jitter = max(2.0, (apart - 4) / 2.9)
    return np.asarray(spots, float)[order] + rng.uniform(-jitter, jitter, (count, 2))


def on_both_sides(rng: Generator, spots: Sequence[Spot], count: int) -> list[Spot]:
    """`count` of the spots, at least one from the first half of the list and one from the second."""
    half = len(spots) // 2
    first, second = rng.permutation(half), half + rng.permutation(half)
    rest = rng.permutation(np.concatenate([first[1:], second[1:]]))[: count - 2]
    return [spots[index] for index in (first[0], second[0], *rest)]
