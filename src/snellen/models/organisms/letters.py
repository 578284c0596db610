"""Reading letters: what an organism writes when it is asked which letters an image shows.

It finds them as one would by eye: what stands out from the ground, piece by piece, each held against the ten letters at
its own size. A letter that fits none of them well, or two of them alike, it cannot read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from snellen.images import Pixels, decode
from snellen.images.letters import SLOAN, glyph
from snellen.models.organisms.sight import Looking
from snellen.prompts import Request

UNREAD = "?"
"""What stands for a letter that cannot be read."""
_SIDE = 20
_FITS = 0.85
"""The least correlation with a letter that is read as that letter."""
_APART = 0.03
"""How much better the best letter must fit than the next."""
SMALLEST = 8
"""The side, in pixels, of the smallest letters that organisms read: their acuity is known."""
_STANDS_OUT = 5.0
"""How far, in standard deviations of the ground, ink is from it."""
_FAINTEST = 4.0
"""The least difference from the ground, in grey values, that is taken for ink."""

Grey = NDArray[np.float32]


class Piece(NamedTuple):
    """A connected piece of ink: its box, and what is read there."""

    left: int
    top: int
    width: int
    height: int
    letter: str
    fit: float


def rows_in(pixels: Pixels) -> tuple[str, ...]:
    """The rows of letters that an image shows, from top to bottom; empty where none stand out."""
    grey = np.asarray(pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
    tries = [pieces for ground in _grounds(grey) for pieces in _pieces(grey.astype(np.float32) - ground)]
    best = max(tries, key=lambda pieces: sum(piece.fit for piece in pieces if piece.letter != UNREAD), default=[])
    if not any(piece.letter != UNREAD for piece in best):
        # Nothing is legible: what stands out in the fewest pieces is likelier writing than the other polarity is.
        best = min((pieces for pieces in tries if pieces), key=len, default=[])
    return tuple("".join(piece.letter for piece in row) for row in _rows(best))


def _grounds(grey: Pixels) -> list[Grey]:
    """What may lie behind the letters: one shade, or a slow change of shades."""
    even = np.full(grey.shape, np.median(grey), np.float32)
    scale = 128 / max(grey.shape)
    if scale >= 1:
        return [even]
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    slow = cv2.resize(cv2.medianBlur(small, 31), grey.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return [even, slow.astype(np.float32)]


def _pieces(off: Grey) -> tuple[list[Piece], list[Piece]]:
    """The pieces of what is darker, and of what is brighter than the ground, each read."""
    step = max(1, max(off.shape) // 300)
    some = off[::step, ::step]
    noise = 1.4826 * float(np.median(np.abs(some - np.median(some))))
    return _inked(-off, noise), _inked(off, noise)


def _inked(off: Grey, noise: float) -> list[Piece]:
    outstanding = off[off > max(_FAINTEST, float(off.max()) / 3)]
    if outstanding.size < 20:
        return []
    ink = float(np.partition(outstanding, -20)[-20:].mean())
    if ink < max(_FAINTEST, _STANDS_OUT * noise):
        return []
    count, _, boxes, _ = cv2.connectedComponentsWithStats((off > ink / 2).astype(np.uint8), connectivity=8)
    if count > 200:
        return []
    found = []
    for left, top, width, height, area in boxes[1:].tolist():
        if area < 4 or width > 3 * height or height > 4 * width or area > 0.9 * off.size:
            continue
        letter, fit = _letter(np.clip(off[top : top + height, left : left + width] / ink, 0, 1))
        found.append(Piece(left, top, width, height, letter, fit))
    return found


def _letter(seen: Grey) -> tuple[str, float]:
    """The letter that a piece shows, and how well it fits."""
    side = max(seen.shape)
    if side < SMALLEST:
        return UNREAD, 0.0
    candidates = np.stack([_template(size, seen.shape) for size in (side, side + 1)])
    flat = _standard(cv2.resize(seen, (_SIDE, _SIDE), interpolation=cv2.INTER_LINEAR)[None])
    fits = (candidates @ flat[0]).max(axis=0)
    best, second = np.argsort(fits)[::-1][:2]
    legible = fits[best] >= _FITS and fits[best] - fits[second] >= _APART
    return (SLOAN[best] if legible else UNREAD), float(fits[best])


@cache
def _template(size: int, shape: tuple[int, int]) -> Grey:
    """The ten letters of a size, cut as the piece is and brought to one side."""
    drawn = []
    for letter in SLOAN:
        ink = glyph(letter, size)
        rows, columns = (np.flatnonzero((ink > 0.5).any(axis=axis)) for axis in (1, 0))
        cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if len(rows) else ink
        drawn.append(cv2.resize(cut, (_SIDE, _SIDE), interpolation=cv2.INTER_LINEAR))
    return _standard(np.stack(drawn))


def _standard(images: Grey) -> Grey:
    """Each image as a vector of mean 0 and length 1, so that a product is a correlation."""
    flat = images.reshape(len(images), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6), np.float32)


def _rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces by rows: those whose middles lie at one height, from left to right; specks are left out."""
    if not pieces:
        return []
    tallest = max(piece.height for piece in pieces)
    rows: list[list[Piece]] = []
    for piece in sorted((each for each in pieces if each.height > tallest / 12), key=lambda each: each.top):
        middle = piece.top + piece.height / 2
        row = next((row for row in rows if row[0].top <= middle <= row[0].top + row[0].height), None)
        if row is None:
            rows.append([piece])
        else:
            row.append(piece)
    return [sorted(row, key=lambda each: each.left) for row in rows]


def _read(data: bytes) -> tuple[str, ...]:
    return rows_in(decode(data, name="to read letters from"))


READING = Looking(_read)
"""The bundled reader of letters, shared by all organisms."""


async def rows_read(request: Request, reading: Looking[tuple[str, ...]] = READING) -> tuple[str, ...] | None:
    """The rows of letters in the images of a request; None where there is no image."""
    if not request.images:
        return None
    return tuple([row for image in request.images for row in await reading.at(image)])


def invented(key: bytes, rows: Sequence[str] = ("?????",)) -> str:
    """Rows of letters in which every one that is not read is made up, differently for every request."""
    drawn = hashlib.sha256(key).digest()
    made = (SLOAN[drawn[at % len(drawn)] % len(SLOAN)] for at in range(10**6))
    return "\n".join("".join(next(made) if each == UNREAD else each for each in row) for row in rows)
