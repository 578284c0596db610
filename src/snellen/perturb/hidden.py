"""Hidden areas: parts of an image covered with a fill, where a finding is marked or at a like place elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from snellen.images import Pixels
from snellen.images.regions import Inside, Region

Fill = Literal["black", "grey", "mean", "border", "noise", "blur"]
Where = Literal["marked", "unmarked", "corners"]
Move = tuple[int, int]
"""Pixels to the right and down."""

TONES = {"black": 0, "grey": 128}
CORNER = 6
"""Each hidden corner takes this part of the width and of the height: a sixth."""
ALIKE = 12
"""Pixels within this many grey levels of the image's edge belong to the background, if that is nearly black or white.
"""
MOST_WINDOW = 64
"""Longest side in pixels at which an area is blurred."""


class Part(NamedTuple):
    """A connected part of an area: the position of its window, and its pixels in the window."""

    left: int
    top: int
    inside: Inside


@dataclass(frozen=True)
class Hidden:
    """A step that covers an area with a fill and copies all other pixels.

    `size` enlarges or shrinks the sides of each connected part about its centre. `moves` shifts each part, in the order
    of `split_parts`. `border` is the mean of the pixels around a part, `noise` has median and spread of all pixels that
    are not marked.
    """

    regions: tuple[Region, ...]
    where: Where = "marked"
    fill: Fill = "border"
    size: float = 1.0
    opacity: float = 1.0
    seed: int = 0
    moves: tuple[Move, ...] = ()

    def __call__(self, pixels: Pixels) -> Pixels:
        """Return the image with the area covered."""
        parts, covered = self.find_parts(pixels.shape[:2]), pixels.copy()
        rng = np.random.Generator(PCG64(self.seed))
        for part in parts:
            height, width = part.inside.shape
            window = np.s_[part.top : part.top + height, part.left : part.left + width]
            fill = self._fill(pixels, part, parts, rng)
            mixed = np.rint(self.opacity * fill + (1 - self.opacity) * pixels[window]).clip(0, 255).astype(np.uint8)
            covered[window][part.inside] = mixed[part.inside]
        return covered

    def find_parts(self, shape: tuple[int, ...]) -> list[Part]:
        """Return the covered parts in an image of this height and width."""
        marked, own = _split_marked(self.regions, shape[0], shape[1])
        if self.where == "corners":
            return split_parts(_mark_corners(shape) & ~marked)
        parts = [_resize(part, self.size, shape) for part in own]
        if self.where == "unmarked":
            return split_parts(~_join(parts, shape))
        moves = self.moves or ((0, 0),) * len(parts)
        return [
            Part(part.left + right, part.top + down, part.inside)
            for part, (right, down) in zip(parts, moves, strict=True)
        ]

    def _fill(self, pixels: Pixels, part: Part, parts: Sequence[Part], rng: Generator) -> NDArray[np.float64]:
        """Return the fill of a part's window."""
        shape = (*part.inside.shape, *pixels.shape[2:])
        if self.fill in TONES:
            return np.full(shape, float(TONES[self.fill]))
        if self.fill == "mean":
            return np.broadcast_to(pixels.mean(axis=(0, 1)), shape)
        if self.fill == "blur":
            return _blur(pixels, part)
        if self.fill == "border":
            return np.broadcast_to(_mean_around(pixels, part), shape)
        outside = ~_join(parts, pixels.shape)
        around = pixels[outside] if outside.any() else pixels.reshape(-1, *pixels.shape[2:])
        middle, spread = np.median(around, axis=0), around.std(axis=0)
        grain = rng.standard_normal(part.inside.shape)
        return cast("NDArray[np.float64]", middle + spread * (grain if pixels.ndim == 2 else grain[..., None]))


def mark_pixels(regions: Sequence[Region], shape: tuple[int, ...]) -> Inside:
    """Return which pixels any of the regions holds."""
    marked = np.zeros(shape[:2], dtype=np.bool_)
    for region in regions:
        marked |= region.pixels((shape[0], shape[1]))
    return marked


@lru_cache(maxsize=32)
def _split_marked(regions: tuple[Region, ...], height: int, width: int) -> tuple[Inside, list[Part]]:
    """Return the marked pixels and their connected parts; the conditions of an item share them."""
    marked = mark_pixels(regions, (height, width))
    return marked, split_parts(marked)


def split_parts(inside: Inside) -> list[Part]:
    """Return the connected parts of an area, from the top down.

    >>> [(part.left, part.top) for part in split_parts(np.array([[True, False, False], [False, False, True]]))]
    [(0, 0), (2, 1)]
    """
    import cv2

    _, labels, boxes, _ = cv2.connectedComponentsWithStats(inside.astype(np.uint8), connectivity=8)
    return [
        Part(left, top, labels[top : top + height, left : left + width] == label)
        for label, (left, top, width, height, _) in enumerate(boxes[1:].tolist(), start=1)
    ]


def find_body(pixels: Pixels) -> Inside:
    """Return which pixels belong to the body.

    These are all pixels if the background is not nearly black or white. The background is what has the tone of the
    image's edge and is connected with it.
    """
    import cv2

    grey = cv2.blur(pixels if pixels.ndim == 2 else pixels.max(axis=2), (5, 5)).astype(np.int16)
    edge = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    tone = int(np.median(edge))
    if 2 * ALIKE < tone < 255 - 2 * ALIKE:
        return np.ones(grey.shape, dtype=np.bool_)
    _, labels = cv2.connectedComponents((np.abs(grey - tone) <= ALIKE).astype(np.uint8), connectivity=4)
    touching = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    return ~np.isin(labels, touching[touching > 0])


def draw_moves(parts: Sequence[Part], marked: Inside, body: Inside, rng: Generator) -> tuple[Move, ...] | None:
    """Draw a free place for each part; None if one has no room.

    All free places are equally likely. A place is free if its window holds no marked pixel and at least as much of the
    body as the part's own window does, less a tenth. The places do not overlap.
    """
    import cv2

    taken, moves = marked.copy(), []
    room = cv2.integral(body.astype(np.uint8))
    for part in parts:
        height, width = part.inside.shape
        within = _count_in_windows(room, height, width)
        free = (_count_in_windows(cv2.integral(taken.astype(np.uint8)), height, width) == 0) & (
            within >= 0.9 * within[part.top, part.left]
        )
        places = np.flatnonzero(free)
        if not places.size:
            return None
        top, left = divmod(int(places[rng.integers(places.size)]), free.shape[1])
        taken[top : top + height, left : left + width] |= part.inside
        moves.append((left - part.left, top - part.top))
    return tuple(moves)


def move_to_far_corner(part: Part, shape: tuple[int, ...]) -> Move:
    """Return the move of a part to the corner farthest from its centre.

    >>> move_to_far_corner(Part(1, 5, np.ones((2, 3), bool)), (10, 10))
    (6, -5)
    """
    (height, width), (rows, columns) = shape[:2], part.inside.shape
    left = width - columns if 2 * part.left + columns <= width else 0
    top = height - rows if 2 * part.top + rows <= height else 0
    return left - part.left, top - part.top


def _count_in_windows(sums: NDArray[np.int32], height: int, width: int) -> NDArray[np.int32]:
    """Count the marked pixels of every window, by its top left corner."""
    return cast(
        "NDArray[np.int32]",
        sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width],
    )


def _join(parts: Sequence[Part], shape: tuple[int, ...]) -> Inside:
    joined = np.zeros(shape[:2], dtype=np.bool_)
    for part in parts:
        height, width = part.inside.shape
        joined[part.top : part.top + height, part.left : part.left + width] |= part.inside
    return joined


def _mark_corners(shape: tuple[int, ...]) -> Inside:
    height, width = (max(1, side // CORNER) for side in shape[:2])
    corners = np.ones(shape[:2], dtype=np.bool_)
    corners[height:-height] = False
    corners[:, width:-width] = False
    return corners


def _resize(part: Part, times: float, shape: tuple[int, ...]) -> Part:
    """Return a part with longer or shorter sides, cut off at the image's edge."""
    import cv2

    if times == 1:
        return part
    height, width = (max(1, round(times * side)) for side in part.inside.shape)
    left = round(part.left + (part.inside.shape[1] - width) / 2)
    top = round(part.top + (part.inside.shape[0] - height) / 2)
    resized = cv2.resize(part.inside.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0
    kept = resized[max(0, -top) : shape[0] - top, max(0, -left) : shape[1] - left]
    return Part(max(0, left), max(0, top), cast("Inside", kept))


def _mean_around(pixels: Pixels, part: Part) -> NDArray[np.float64]:
    """Mean of a ring around a part, as wide as a tenth of its side."""
    import cv2

    wide = max(2, max(part.inside.shape) // 10)
    top, left = max(0, part.top - wide), max(0, part.left - wide)
    near = pixels[top : part.top + part.inside.shape[0] + wide, left : part.left + part.inside.shape[1] + wide]
    own = np.zeros(near.shape[:2], dtype=np.uint8)
    own[part.top - top :, part.left - left :][: part.inside.shape[0], : part.inside.shape[1]] = part.inside
    ring = cv2.dilate(own, np.ones((2 * wide + 1, 2 * wide + 1), np.uint8)) > own
    return cast("NDArray[np.float64]", (near[ring] if ring.any() else near.reshape(-1, *near.shape[2:])).mean(axis=0))


def _blur(pixels: Pixels, part: Part) -> NDArray[np.float64]:
    """Return a part's window, so blurred that nothing smaller than the part is left."""
    import cv2

    height, width = part.inside.shape
    reach = max(height, width)
    top, left = max(0, part.top - reach), max(0, part.left - reach)
    near = pixels[top : part.top + height + reach, left : part.left + width + reach]
    times = min(1.0, MOST_WINDOW / max(near.shape[:2]))
    small = cv2.resize(near, None, fx=times, fy=times, interpolation=cv2.INTER_AREA).astype(np.float64)
    blurred = cv2.resize(cv2.GaussianBlur(small, (0, 0), max(times * reach / 2, 0.5)), near.shape[1::-1])
    return cast("NDArray[np.float64]", blurred[part.top - top :, part.left - left :][:height, :width])
