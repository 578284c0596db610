"""Regions: where in an image a finding lies, as a box, a polygon or a mask.

All are in pixels of the image as a person sees it, before any step, with the origin at the top left. Pixel 0 reaches
from 0 to 1. A pixel belongs to a region if its centre does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError
from snellen.images.image import Image, Pixels

if TYPE_CHECKING:
    from collections.abc import Sequence

Inside = NDArray[np.bool_]
"""Height × width; True for the pixels of a region."""
Point = tuple[float, float]


@dataclass(frozen=True)
class Movement:
    """An affine map of points to an image of another height and width.

    >>> Movement((-1, 0, 10), (0, 1, 0), height=5, width=10).points([(1, 2)])
    ((9.0, 2.0),)
    """

    across: tuple[float, float, float]
    """Factors of x and y, and a shift, that give the new x."""
    down: tuple[float, float, float]
    """Factors of x and y, and a shift, that give the new y."""
    height: int
    width: int

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The map as a 3 × 3 matrix."""
        return np.array([self.across, self.down, (0, 0, 1)], dtype=np.float64)

    def points(self, points: Sequence[Point]) -> tuple[Point, ...]:
        """Return where points go."""
        moved = np.column_stack([points, np.ones(len(points))]) @ self.matrix[:2].T
        return tuple((float(x), float(y)) for x, y in moved)

    def then(self, later: Movement) -> Movement:
        """Return this movement followed by another."""
        across, down, _ = (later.matrix @ self.matrix).tolist()
        return replace(later, across=tuple(across), down=tuple(down))

    def __call__(self, pixels: Pixels) -> Pixels:
        """Move pixels without mixing their values; what comes from outside is 0."""
        rows, columns = np.indices((self.height, self.width)) + 0.5
        back = np.linalg.inv(self.matrix)
        x, y = (np.floor(a * columns + b * rows + shift).astype(int) for a, b, shift in back[:2])
        height, width = pixels.shape[:2]
        known = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        moved = np.zeros((self.height, self.width, *pixels.shape[2:]), pixels.dtype)
        moved[known] = pixels[y[known], x[known]]
        return moved


class Box(NamedTuple):
    """A rectangle from x1 and y1 up to, and without, x2 and y2."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def bounds(self) -> Box:
        """The box itself."""
        return self

    @property
    def corners(self) -> tuple[Point, ...]:
        """The four corners in order."""
        return (self.x1, self.y1), (self.x2, self.y1), (self.x2, self.y2), (self.x1, self.y2)

    def pixels(self, size: tuple[int, int]) -> Inside:
        """Return which pixels lie inside, in an image of this height and width."""
        return Polygon(self.corners).pixels(size)

    def move(self, movement: Movement) -> Box | Polygon:
        """Return the box after a movement; an oblique rotation makes it a polygon."""
        turned = Polygon(self.corners).move(movement)
        upright = 0 in movement.across[:2] and 0 in movement.down[:2]
        return turned.bounds if upright else turned


class Polygon(NamedTuple):
    """A closed outline through points; where it crosses itself, every second area is inside."""

    points: tuple[Point, ...]

    @property
    def bounds(self) -> Box:
        """The smallest box around it."""
        x, y = zip(*self.points, strict=True)
        return Box(min(x), min(y), max(x), max(y))

    def pixels(self, size: tuple[int, int]) -> Inside:
        """Return which pixels lie inside, in an image of this height and width."""
        height, width = size
        crossings = np.zeros((height, width + 1), dtype=np.int32)
        for (x1, y1), (x2, y2) in zip(self.points, (*self.points[1:], self.points[0]), strict=True):
            first, last = (int(np.clip(np.ceil(y - 0.5), 0, height)) for y in sorted((y1, y2)))
            rows = np.arange(first, last)
            x = x1 + (rows + 0.5 - y1) * (x2 - x1) / (y2 - y1 or 1)
            np.add.at(crossings, (rows, np.clip(np.ceil(x - 0.5), 0, width).astype(int)), 1)
        return cast("Inside", crossings.cumsum(axis=1)[:, :width] % 2 == 1)

    def move(self, movement: Movement) -> Polygon:
        """Return the polygon after a movement."""
        return Polygon(movement.points(self.points))


@dataclass(frozen=True)
class Mask:
    """All pixels that are not black in an image of the same size: a PNG file, its bytes or a boolean array."""

    image: Image

    def __init__(self, image: Any) -> None:
        if isinstance(image, np.ndarray) and image.dtype == np.bool_:
            image = image.astype(np.uint8) * 255
        object.__setattr__(self, "image", image if isinstance(image, Image) else Image(image))

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        height, width = self._read_marked().shape
        return height, width

    @property
    def bounds(self) -> Box:
        """The smallest box around its pixels; an empty box if it has none."""
        inside = self._read_marked()
        y, x = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
        return Box(*map(float, (x[0], y[0], x[-1] + 1, y[-1] + 1))) if x.size else Box(0, 0, 0, 0)

    def pixels(self, size: tuple[int, int]) -> Inside:
        """Return which pixels lie inside. Raise ImageError if the mask has another height or width."""
        if self.size != tuple(size):
            sizes = (f"{width:,} × {height:,}" for height, width in (size, self.size))
            raise ImageError("Expected a mask of {} pixels, as its image has, got {}.".format(*sizes))
        return self._read_marked()

    def move(self, movement: Movement) -> Mask:
        """Return the mask after a movement."""
        return Mask(self.image.then(movement))

    def _read_marked(self) -> Inside:
        pixels = self.image.pixels()
        return cast("Inside", (pixels if pixels.ndim == 2 else pixels.max(axis=2)) > 0)


@dataclass(frozen=True)
class Region:
    """Where a finding lies, and who marked it.

    >>> Region("nodule", Box(1, 0, 3, 1)).pixels((2, 4)).astype(int).tolist()
    [[0, 1, 1, 0], [0, 0, 0, 0]]
    """

    finding: str
    shape: Box | Polygon | Mask
    reader: str = ""

    @property
    def bounds(self) -> Box:
        """The smallest box around the region. After a step, part of it may lie outside the image."""
        return self.shape.bounds

    def pixels(self, size: tuple[int, int]) -> Inside:
        """Return which pixels belong to the region. `size` is the image's height and width, as in `pixels.shape[:2]`.

        A mask of another size raises ImageError.
        """
        return self.shape.pixels(size)

    def problem(self, size: tuple[int, int]) -> str | None:
        """Return why the region does not fit an image of this size, or None.

        >>> Region("nodule", Box(5, 90, 8, 95)).problem((10, 100))
        "its region 'nodule' (x 5 to 8, y 90 to 95) fits its image of 100 × 10 pixels only with x and y exchanged"
        """
        height, width = size
        try:
            x1, y1, x2, y2 = self.bounds
        except ImageError as error:
            return f"its region {self.finding!r} has no readable mask: {error}"
        called = f"its region {self.finding!r} (x {x1:,g} to {x2:,g}, y {y1:,g} to {y2:,g})"
        image = f"its image of {width:,} × {height:,} pixels"
        if not np.isfinite((x1, y1, x2, y2)).all() or x1 > x2 or y1 > y2:
            return f"{called} runs backwards; expected x1 below x2 and y1 below y2, in pixels"
        if isinstance(self.shape, Mask) and (self.shape.size != tuple(size)):
            drawn = f"{self.shape.size[1]:,} × {self.shape.size[0]:,}"
            return f"its region {self.finding!r} is a mask of {drawn} pixels on {image}; use a mask of the same size"
        if min(x1, y1) < 0 or x2 > width or y2 > height:
            if min(x1, y1) >= 0 and x2 <= height and y2 <= width:
                return f"{called} fits {image} only with x and y exchanged"
            return f"{called} is outside {image}; if it was drawn on another size of the image, scale it to this one"
        return None if self.pixels(size).any() else f"{called} is empty: it holds no pixel of {image}"

    def move(self, movement: Movement) -> Region:
        """Return the region after a movement."""
        return replace(self, shape=self.shape.move(movement))
