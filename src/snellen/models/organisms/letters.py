"""Reading letters: an organism's answer if it is asked which letters an image shows.

Each piece of ink is compared with the ten letters at its size. A letter is unreadable if none of the ten fits well, or
if two of them fit equally well.
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
"""Written in place of a letter that cannot be read."""
_SIDE = 20
_FITS = 0.85
"""Lowest correlation at which a piece of ink is read as a letter."""
_APART = 0.03
"""Smallest difference in correlation between the best letter and the second."""
SMALLEST = 8
"""Side of the smallest letters that organisms read, in pixels, so their acuity is known."""
_STANDS_OUT = 5.0
"""Standard deviations of the background by which ink must differ from it."""
_FAINTEST = 4.0
"""The smallest difference from the background that counts as ink, in grey values."""

Grey = NDArray[np.float32]


class Piece(NamedTuple):
    """A connected piece of ink: its box, the letter read there, and how well the letter fits."""

    left: int
    top: int
    width: int
    height: int
    letter: str
    fit: float


def rows_in(pixels: Pixels) -> tuple[str, ...]:
    """Return the rows of letters in an image, from top to bottom."""
    grey = np.asarray(pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
    tries = [pieces for ground in _grounds(grey) for pieces in _pieces(grey.astype(np.float32) - ground)]
    best = max(tries, key=lambda pieces: sum(piece.fit for piece in pieces if piece.letter != UNREAD), default=[])
    if not any(piece.letter != UNREAD for piece in best):
        # Nothing is legible: of dark and bright pieces, those that are fewer are more likely writing.
        best = min((pieces for pieces in tries if pieces), key=len, default=[])
    return tuple("".join(piece.letter for piece in row) for row in _rows(best))


def _grounds(grey: Pixels) -> list[Grey]:
    """Return possible backgrounds of the letters: a single shade, and a slow change of shades."""
    even = np.full(grey.shape, np.median(grey), np.float32)
    scale = 128 / max(grey.shape)
    if scale >= 1:
        return [even]
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    slow = cv2.resize(cv2.medianBlur(small, 31), grey.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return [even, slow.astype(np.float32)]


def _pieces(off: Grey) -> tuple[list[Piece], list[Piece]]:
    """Return the pieces that are darker than the background, and the brighter ones, with letters."""
    step = max(1, max(off.shape) // 300)
    some = off[::step, ::step]
    noise = 1.4826 * float(np.median(np.abs(some - np.median(some))))
    return _find_pieces(-off, noise), _find_pieces(off, noise)


def _find_pieces(off: Grey, noise: float) -> list[Piece]:
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
    """Return the ten letters at a size, cut and scaled like a piece."""
    drawn = []
    for letter in SLOAN:
        ink = glyph(letter, size)
        rows, columns = (np.flatnonzero((ink > 0.5).any(axis=axis)) for axis in (1, 0))
        cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if len(rows) else ink
        drawn.append(cv2.resize(cut, (_SIDE, _SIDE), interpolation=cv2.INTER_LINEAR))
    return _standard(np.stack(drawn))


def _standard(images: Grey) -> Grey:
    """Return each image as a vector of mean 0 and length 1, for correlations."""
    flat = images.reshape(len(images), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6), np.float32)


def _rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Group the pieces into rows, each from left to right, without specks."""
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


READING = Looking(lambda data: rows_in(decode(data, name="to read letters from")))
"""The bundled reader of letters, shared by all organisms."""


async def rows_read(request: Request, reading: Looking[tuple[str, ...]] = READING) -> tuple[str, ...] | None:
    """Return the rows of letters in the images of a request; None without an image."""
    if not request.images:
        return None
    return tuple([row for image in request.images for row in await reading.look_at(image)])


def invent_letters(key: bytes, rows: Sequence[str] = ("?????",)) -> str:
    """Replace the unreadable letters in the rows with invented ones, which differ between requests."""
    drawn = hashlib.sha256(key).digest()
    made = (SLOAN[drawn[at % len(drawn)] % len(SLOAN)] for at in range(10**6))
    return "\n".join("".join(next(made) if each == UNREAD else each for each in row) for row in rows)
