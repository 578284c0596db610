"""Drawing tools of phantoms: shapes, outlines, smooth fields and grain.

Coordinates are pixels of the finished 512 × 512 image. Soft anatomy is drawn at half that resolution and enlarged,
which looks the same and takes a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import cast

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.images import Pixels
from snellen.perturb.arithmetic import round_levels, turn_canvas

Field = NDArray[np.float32]
Points = NDArray[np.float64]
Spot = tuple[float, float]

SIZE = 512
HALF = SIZE // 2
_SUBPIXEL = 4


def sides(shown: Phantom) -> tuple[str, ...]:
    """Return the affected sides, one or two."""
    return ("left", "right") if shown.side == "both" else (shown.side,)


def place_on(side: str, spot: Spot, axis: float) -> Spot:
    """Mirror a spot of the patient's right side if the side is left."""
    return (2 * axis - spot[0], spot[1]) if side == "left" else spot


def grid() -> tuple[Field, Field]:
    """Return x and y of the half-resolution canvas, in full-resolution pixels, for broadcasting."""
    line = np.arange(HALF, dtype=np.float32) * 2 + 0.5
    return line[None, :], line[:, None]


def smooth_field(rng: Generator, cells: int, height: int = HALF) -> Field:
    """Return a smooth random surface of unit variance with `cells` bumps across.

    Points and weights are whole 1024ths, so sums in 32 bits are exact in any order of addition.
    """
    points = _in_1024ths(rng.standard_normal((cells + 3, cells + 3)))
    return _interpolate_rows(_in_1024ths(_interpolate_rows(points.T, HALF)).T, height)


def _in_1024ths(values: NDArray[np.floating]) -> Field:
    return np.asarray(np.rint(values * 1024) / 1024, dtype=np.float32)


def _interpolate_rows(points: Field, size: int) -> Field:
    """Interpolate rows of points to pixels, in one thread."""
    return cast("Field", (_cubic(len(points), size) @ points).reshape(size, -1))


@cache
def _cubic(points: int, size: int) -> Field:
    """Return the weights of the points in each of `size` pixels."""
    place = (np.arange(size) + 0.5) * (points / size) - 0.5
    around = np.floor(place) + np.arange(-1, 3)[:, None]
    away = np.abs(place - around)
    near, far = (1.25 * away - 2.25) * away * away + 1, ((-0.75 * away + 3.75) * away - 6) * away + 3
    weights = np.zeros((size, points))
    for point, weight in zip(np.clip(around, 0, points - 1).astype(int), np.where(away <= 1, near, far), strict=True):
        weights[np.arange(size), point] += weight
    return _in_1024ths(weights).reshape(size // 16, 16, points)


def fractal_field(rng: Generator, cells: Sequence[int] = (5, 11, 23, 47)) -> Field:
    """Return a cloud-like texture: smooth surfaces of growing fineness and falling weight."""
    total = smooth_field(rng, cells[0])
    for octave, fineness in enumerate(cells[1:], start=1):
        total = total + smooth_field(rng, fineness) * np.float32(0.6**octave)
    return total


@cache
def _noise_bank() -> Field:
    return np.random.default_rng(20).standard_normal((2 * SIZE, 2 * SIZE)).astype(np.float32)


def grain(rng: Generator) -> Field:
    """Return pixel noise of unit variance: a random window of a large sheet."""
    top, left = rng.integers(0, SIZE, 2)
    return _noise_bank()[top : top + SIZE, left : left + SIZE]


@cache
def _speckle_bank() -> Field:
    bank = _noise_bank()
    ahead = np.roll(bank, -1, axis=1)
    return (np.roll(bank, 1, axis=1) + bank + ahead) * np.float32(1 / 3)


def speckle(rng: Generator) -> Field:
    """Return speckle of a scan: grain averaged over three pixels across."""
    top, left = rng.integers(0, SIZE, 2)
    return _speckle_bank()[top : top + SIZE, left : left + SIZE]


def with_noise(levels: Field, rng: Generator, *, noise: float) -> Pixels:
    """Add grain with this standard deviation to 8-bit levels, and clip them."""
    noisy = grain(rng) * np.float32(noise)
    noisy += levels
    return round_levels(noisy)


def _soften_edges(mask: NDArray[np.uint8], blur: float) -> Field:
    if blur > 0:
        mask = cast("NDArray[np.uint8]", cv2.GaussianBlur(mask, (0, 0), blur / 2))
    return mask.astype(np.float32) * np.float32(1 / 255)


def _fixed_point(points: Points) -> NDArray[np.int32]:
    return np.rint(np.asarray(points) / 2 * (1 << _SUBPIXEL)).astype(np.int32)


def polygon(points: Points, *, blur: float = 2.0) -> Field:
    """Draw a filled outline with soft edges, from 0 outside to 1 inside."""
    return polygons([points], blur=blur)


def polygons(outlines: Sequence[Points], *, blur: float = 2.0) -> Field:
    """Draw several filled outlines on one canvas."""
    mask = np.zeros((HALF, HALF), np.uint8)
    for points in outlines:
        cv2.fillPoly(mask, [_fixed_point(points)], 255, cv2.LINE_AA, _SUBPIXEL)
    return _soften_edges(mask, blur)


def lines(paths: Sequence[Points], *, width: float, blur: float = 1.5) -> Field:
    """Draw open curves of one width, from 0 outside to 1 on the curve."""
    mask = np.zeros((HALF, HALF), np.uint8)
    cv2.polylines(
        mask, [_fixed_point(path) for path in paths], False, 255, max(1, round(width / 2)), cv2.LINE_AA, _SUBPIXEL
    )
    return _soften_edges(mask, blur)


def ellipse(centre: Sequence[float], axes: Sequence[float], *, angle: float = 0.0) -> Points:
    """Return the outline of an ellipse; `axes` are half-widths, `angle` is in degrees."""
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    x, y = axes[0] * np.cos(turn), axes[1] * np.sin(turn)
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.stack([centre[0] + c * x - s * y, centre[1] + s * x + c * y], axis=1)


def blob(
    rng: Generator, centre: Sequence[float], radius: float, *, roughness: float = 0.1, stretch: float = 1.0
) -> Points:
    """Return an irregular roundish outline: a circle whose radius varies a little."""
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    waves = np.arange(2, 7)
    height = rng.normal(0, roughness, waves.size) / np.sqrt(waves)
    phase = rng.uniform(0, 2 * np.pi, waves.size)
    reach = radius * (1 + (height[:, None] * np.cos(waves[:, None] * turn + phase[:, None])).sum(axis=0))
    return np.stack([centre[0] + stretch * reach * np.cos(turn), centre[1] + reach * np.sin(turn) / stretch], axis=1)


def curve(knots: Sequence[Sequence[float]] | Points, *, closed: bool = False, steps: int = 12) -> Points:
    """Return a smooth curve through the knots (Catmull-Rom)."""
    at = np.asarray(knots, float)
    ends = (at[-1:], at[:2]) if closed else (2 * at[:1] - at[1:2], 2 * at[-1:] - at[-2:-1])
    around = np.concatenate([ends[0], at, ends[1]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    squared, cubed = t * t, t * t * t
    weights = (-t + 2 * squared - cubed, 2 - 5 * squared + 3 * cubed, t + 4 * squared - 3 * cubed, cubed - squared)
    spans = len(around) - 3
    pieces = [sum(w * around[i + k] for k, w in enumerate(weights)) / 2 for i in range(spans)]
    return np.concatenate([*pieces, around[-2:-1]]) if not closed else np.concatenate(pieces)


def mirror_outline(points: Points, axis: float) -> Points:
    """Reflect an outline in the vertical line x = axis."""
    return np.stack([2 * axis - points[:, 0], points[:, 1]], axis=1)


def enlarge_canvas(field: Field, *, angle: float = 0.0, scale: float = 1.0) -> Field:
    """Enlarge a half-resolution canvas, rotated by `angle` degrees and scaled about its centre."""
    return rotate_canvas(field, angle=angle, scale=2 * scale, beyond=None)


def rotate_canvas(field: Field, *, angle: float, scale: float = 1.0, beyond: float | None = 0.0) -> Field:
    """Rotate a square canvas counter-clockwise and scale it about its centre, at full resolution."""
    along, aside = np.cos(np.radians(angle)) / scale, np.sin(np.radians(angle)) / scale
    middle, centre = (SIZE - 1) / 2, (field.shape[0] - 1) / 2
    start = (centre - (along - aside) * middle, centre - (aside + along) * middle)
    origin = np.array([[along, -aside, start[0]], [aside, along, start[1]]])
    return turn_canvas(field, origin, height=SIZE, width=SIZE, beyond=beyond)


def double_canvas(field: Field, *, axis: int) -> Field:
    """Double the height (axis 0) or width (axis 1), with linear interpolation."""
    near, far = field * np.float32(0.75), field * np.float32(0.25)
    before = np.concatenate([far.take([0], axis), far.take(range(far.shape[axis] - 1), axis)], axis)
    after = np.concatenate([far.take(range(1, far.shape[axis]), axis), far.take([-1], axis)], axis)
    shape = tuple(2 * size if axis == along else size for along, size in enumerate(field.shape))
    return np.stack([near + before, near + after], axis=axis + 1).reshape(shape)


def towards(picture: Field, mask: Field, level: float, strength: float = 1.0) -> Field:
    """Change an image towards a brightness where the mask is."""
    return cast("Field", picture + mask * (np.float32(level) - picture) * np.float32(strength))


def chosen_spots(rng: Generator, spots: Sequence[Spot], count: int, *, apart: float) -> Points:
    """Draw `count` different spots in random order, each moved a little.

    Neighbours at the distance `apart` stay separate.
    """
    order = rng.permutation(len(spots))[:count]
    jitter = max(2.0, (apart - 4) / 2.9)
    return np.asarray(spots, float)[order] + rng.uniform(-jitter, jitter, (count, 2))


def on_both_sides(rng: Generator, spots: Sequence[Spot], count: int) -> list[Spot]:
    """Draw `count` spots with at least one from each half of the list."""
    half = len(spots) // 2
    first, second = rng.permutation(half), half + rng.permutation(half)
    rest = rng.permutation(np.concatenate([first[1:], second[1:]]))[: count - 2]
    return [spots[index] for index in (first[0], second[0], *rest)]
