"""Cues: marks on an image that suggest an answer or a place, such as a letter in a corner or a red frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from snellen.images import Pixels

Pointer = Literal["arrow", "frame", "heat-map"]
Ends = tuple[int, int, int, int]
"""Left, top, right and bottom end of a box in pixels."""

RED = (255, 0, 0)
LINE = 128
"""Lines are as wide as this part of the image's shorter side."""


@dataclass(frozen=True)
class Written:
    """A step that writes words in white on black, as a workstation burns them in.

    With `corner` they stand in the top right corner, otherwise on a line at the bottom.
    """

    words: str
    corner: bool = False

    def __call__(self, pixels: Pixels) -> Pixels:
        """Return the image with the words over it."""
        import cv2

        height, width = pixels.shape[:2]
        size, font = max(8, height // 16), cv2.FONT_HERSHEY_SIMPLEX
        scale = size / cv2.getTextSize("X", font, 1.0, 1)[0][1]
        thick = max(1, size // 8)
        long = cv2.getTextSize(self.words, font, scale, thick)[0][0] + size
        scale, long = min(scale, scale * width / long), min(long, width)
        strip = np.zeros((2 * size, long), dtype=np.uint8)
        cv2.putText(strip, self.words, (size // 2, 3 * size // 2), font, scale, 255, thick, cv2.LINE_AA)
        written, strip = pixels.copy(), strip[:height]
        place = np.s_[: strip.shape[0], width - long :] if self.corner else np.s_[height - strip.shape[0] :, :long]
        written[place] = strip if pixels.ndim == 2 else strip[..., None]
        return written


@dataclass(frozen=True)
class Pointed:
    """A step that points at a box: a red arrow, a red frame, or red heat that fades from its centre.

    The image becomes RGB. The heat covers half of the image at its centre, with a deviation of a quarter of the box.
    """

    pointer: Pointer
    box: Ends

    def __call__(self, pixels: Pixels) -> Pixels:
        """Return the image in colours, with the mark."""
        shown = np.repeat(pixels[..., None], 3, axis=2) if pixels.ndim == 2 else pixels.copy()
        return _DRAWN_BY[self.pointer](shown, self.box)


def _draw_frame(pixels: Pixels, box: Ends) -> Pixels:
    import cv2

    left, top, right, bottom = box
    cv2.rectangle(pixels, (left, top), (right - 1, bottom - 1), RED, _wide(pixels))
    return pixels


def _draw_arrow(pixels: Pixels, box: Ends) -> Pixels:
    """Draw an arrow to the centre of the box, from the farthest corner's side."""
    import cv2

    height, width = pixels.shape[:2]
    to = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    away = np.array([width if to[0] < width / 2 else 0, height if to[1] < height / 2 else 0]) - to
    start = to + away * min(1.0, 0.25 * min(height, width) / max(1.0, float(np.hypot(*away))))
    ends = [(round(float(x)), round(float(y))) for x, y in (start, to)]
    cv2.arrowedLine(pixels, ends[0], ends[1], RED, _wide(pixels), cv2.LINE_AA, tipLength=0.3)
    return pixels


def _draw_heat(pixels: Pixels, box: Ends) -> Pixels:
    height, width = pixels.shape[:2]
    left, top, right, bottom = box
    y, x = (np.arange(side) + 0.5 for side in (height, width))
    across = np.exp(-0.5 * ((x - (left + right) / 2) / max(1.0, (right - left) / 4)) ** 2)
    down = np.exp(-0.5 * ((y - (top + bottom) / 2) / max(1.0, (bottom - top) / 4)) ** 2)
    heat = 0.5 * np.outer(down, across)[..., None]
    return np.asarray(np.rint((1 - heat) * pixels + heat * np.array(RED)), dtype=np.uint8)


def _wide(pixels: Pixels) -> int:
    return max(1, int(min(pixels.shape[:2])) // LINE)


_DRAWN_BY: dict[str, Callable[[Pixels, Ends], Pixels]] = {
    "arrow": _draw_arrow,
    "frame": _draw_frame,
    "heat-map": _draw_heat,
}
