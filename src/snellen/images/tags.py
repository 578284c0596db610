"""Tags: letters in the lower right corner of an image, as a hospital or a scanner might write them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from snellen.images.image import Pixels
from snellen.images.letters import SLOAN, LetterChart, PlacedLetter
from snellen.images.regions import Box

LETTERS = 3
_SMALLEST = 8


def tag_of(text: str) -> str:
    """Return the letters that stand for a text, such as an option.

    >>> tag_of("Pneumothorax"), tag_of("pneumothorax ")
    ('VSH', 'VSH')
    """
    digest = hashlib.sha256(text.strip().casefold().encode()).digest()
    return "".join(SLOAN[byte % len(SLOAN)] for byte in digest[:LETTERS])


def _side(height: int, width: int) -> int:
    """Return the side of a letter: a 32nd of the shorter side of the image."""
    return max(_SMALLEST, min(height, width) // 32)


def find_corner(height: int, width: int) -> Box:
    """Return where the tag is in an image of this size: letters with a quarter of a letter around each.

    >>> find_corner(512, 512)
    Box(x1=448, y1=488, x2=512, y2=512)
    """
    side = _side(height, width)
    gap = side // 4
    return Box(max(0, width - LETTERS * (side + gap) - gap), max(0, height - side - 2 * gap), width, height)


@dataclass(frozen=True)
class CornerTag:
    """A step that writes white letters on black in the lower right corner."""

    letters: str

    def __call__(self, pixels: Pixels) -> Pixels:
        """Return the image with the tag."""
        height, width = pixels.shape[:2]
        side, corner = _side(height, width), find_corner(height, width)
        gap = side // 4
        placed = tuple(PlacedLetter(each, gap + at * (side + gap), gap, side) for at, each in enumerate(self.letters))
        chart = LetterChart(len(placed) * (side + gap) + gap, side + 2 * gap, placed, light_on_dark=True).draw()
        tagged = pixels.copy()
        place = tagged[int(corner.y1) :, int(corner.x1) :]
        shown = chart[-place.shape[0] :, -place.shape[1] :]
        place[:] = shown if pixels.ndim == 2 else shown[:, :, None]
        return tagged
