"""The look of an image, and whether two images look the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError
from snellen.images import Image, Pixels

Bits = NDArray[np.bool_]
Floats = NDArray[np.float32]

SMALL = 160
"""Pixels across and down of the small copy of an image that is kept."""
SIDE = 96
"""Pixels across and down at which the details of two images are compared."""
FREQUENCIES = 12
"""Frequencies across and down. The hash has one bit for each of them, except the mean."""
BITS = FREQUENCIES**2 - 1
CROPS = (0.0, 0.025, 0.05)
"""How much of each edge is cut off before an image is hashed again, so that a cropped copy is found."""
MOST_BITS = 28
"""Hashes of the same image differ in at most this many bits: see research/audit_images."""
LEAST_CORRELATION = 0.93
"""Minimum correlation between the details of two copies of an image, once aligned."""
LEAST_FINE = 0.92
"""Minimum correlation between their fine details. A shared outline, such as that of a chest, is not enough."""
_COARSE, _FINE = 4, 2
"""Width in pixels of the blur that is subtracted to leave the details, and the fine details."""
_SCALES = (0.97, 0.98, 0.99, 1.0, 1.01, 1.02, 1.03)
_MARGIN = SIDE // 10
_FLAT = 4
"""Grey levels around the median that count as equal, because of noise and compression."""
_NEARLY_ALL = 0.999
_ROWS_AT_ONCE = 512
_THREADS = 4


@dataclass(frozen=True)
class Look:
    """How an image looks: its digest, size, content and hashes."""

    file: str
    """The hash of its bytes; of a drawing, its fingerprint."""
    pixels: str
    """The hash of its pixels, the same whatever the format, the metadata, or whether grey is stored as colour."""
    width: int
    height: int
    flat: float
    """The share of its pixels that have its commonest shade, give or take noise."""
    values: int
    """How many different shades it has."""
    hashes: Bits = field(repr=False, compare=False)
    """A row for each crop, then the mirrored image."""
    small: Pixels = field(repr=False, compare=False)
    """The image in grey, SMALL × SMALL."""

    @property
    def blank(self) -> bool:
        """Whether it is all one shade, or nearly."""
        return self.values == 1 or self.flat >= _NEARLY_ALL


class Unseen(NamedTuple):
    """An image without a look, and why."""

    reason: str


class Likeness(NamedTuple):
    """How alike two images are: differing hash bits and correlations of details."""

    bits: int
    correlation: float
    fine: float = 1.0

    @property
    def close(self) -> bool:
        """Whether the two may be the same image; images that are only similar may pass."""
        return self.bits <= MOST_BITS and self.correlation >= LEAST_CORRELATION

    @property
    def same(self) -> bool:
        """Whether all comparisons say that the two are the same image."""
        return self.close and self.fine >= LEAST_FINE


def look_at(image: Image) -> Look | Unseen:
    """Describe how an image looks; if it cannot be read, say why instead of raising."""
    try:
        file = image.fingerprint if not image.is_file or image.steps else hashlib.sha256(image.read()).hexdigest()
        return look_of(image.pixels(), file)
    except ImageError as error:
        return Unseen(str(error))


def looks_of(images: Iterable[Image], told: Callable[[int, int], None] | None = None) -> dict[str, Look | Unseen]:
    """Describe each distinct image by its fingerprint; each is decoded once, in threads."""
    distinct: dict[str, Image] = {}
    found: dict[str, Look | Unseen] = {}
    for image in images:
        try:
            distinct.setdefault(image.fingerprint, image)
        except ImageError as error:  # a file that has gone since it was loaded
            found[image.name] = Unseen(str(error))
    with ThreadPoolExecutor(_THREADS) as threads:
        for done, (name, look) in enumerate(zip(distinct, threads.map(look_at, distinct.values()), strict=True)):
            found[name] = look
            if told:
                told(done + 1, len(distinct))
    return found


def look_of(pixels: Pixels, file: str = "") -> Look:
    """Describe how these pixels look."""
    import cv2

    grey, plain = _grey(pixels)
    counts = cv2.calcHist([grey], [0], None, [256], [0, 256]).ravel()
    middle = int(np.argmax(counts))
    flat = counts[max(0, middle - _FLAT) : middle + _FLAT + 1].sum() / grey.size
    digest = hashlib.sha256(repr(plain.shape).encode())
    digest.update(np.ascontiguousarray(plain).data)
    named = digest.hexdigest()
    small = cv2.resize(grey, (SMALL, SMALL), interpolation=cv2.INTER_AREA)
    values = (
        int(np.count_nonzero(counts))
        if plain.ndim == 2 or flat < _NEARLY_ALL
        else len(np.unique(plain.reshape(-1, 3), axis=0))
    )
    height, width = grey.shape
    return Look(file or named, named, width, height, float(flat), values, _hashes(small), small)


def _grey(pixels: Pixels) -> tuple[Pixels, Pixels]:
    """Return the image in grey and in its original colours."""
    import cv2

    if pixels.ndim == 2:
        return pixels, pixels
    red = pixels[..., 0]
    if np.array_equal(red, pixels[..., 1]) and np.array_equal(red, pixels[..., 2]):
        return np.ascontiguousarray(red), np.ascontiguousarray(red)
    return cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), pixels


def _hashes(small: Pixels) -> Bits:
    """Hash the coarse waves of an image for each crop and its mirror image."""
    import cv2

    coarse = (cv2.resize(_crop(small, share), (32, 32), interpolation=cv2.INTER_AREA) for share in CROPS)
    views = [cv2.dct(view.astype(np.float32))[:FREQUENCIES, :FREQUENCIES] for view in coarse]
    mirrored = views[0] * np.where(np.arange(FREQUENCIES) % 2, -1, 1)[None, :]
    flat = (each.ravel()[1:] for each in (*views, mirrored))
    return np.array([each > np.median(each) for each in flat])


def _crop(small: Pixels, share: float) -> Pixels:
    edge = round(SMALL * share)
    return np.ascontiguousarray(small[edge : SMALL - edge, edge : SMALL - edge])


def likeness(one: Look, other: Look) -> Likeness:
    """Compare two images, in the nearest crop of either or mirrored."""
    to_other, to_one = ((a.hashes != b.hashes[0]).sum(axis=1) for a, b in ((one, other), (other, one)))
    bits = int(min(to_other.min(), to_one.min()))
    if to_other.min() > to_one.min():
        one, other, to_other = other, one, to_one
    view = int(to_other.argmin())
    views = {0: one.small}  # whole as well: a change of contrast may bring a crop nearer than the image itself
    views[view] = one.small[:, ::-1] if view == len(CROPS) else _crop(one.small, CROPS[view])
    found = Likeness(bits, max(_correlation(_details(each), _details(other.small)) for each in views.values()))
    if not found.close:
        return found._replace(fine=-1.0)
    return found._replace(fine=max(_correlation(_fine(each), _fine(other.small)) for each in views.values()))


def _details(grey: Pixels, around: float = _COARSE) -> Floats:
    """Return an image at SIDE × SIDE without its coarse shades."""
    import cv2

    small = cv2.resize(np.ascontiguousarray(grey), (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.asarray(small - cv2.GaussianBlur(small, (0, 0), around), dtype=np.float32)


def _fine(grey: Pixels) -> Floats:
    """Return the fine details. Their square roots are used, so that strong edges do not dominate."""
    details = _details(grey, _FINE)
    return np.asarray(np.sign(details) * np.sqrt(np.abs(details)), dtype=np.float32)


def _correlation(one: Floats, other: Floats) -> float:
    """Find the best correlation of an image's middle with any place of another."""
    import cv2

    middle, best = one[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN], -1.0
    for scale in _SCALES:
        side = round(middle.shape[0] * scale)
        fitted = cv2.resize(middle, (side, side), interpolation=cv2.INTER_LINEAR)
        found = cv2.matchTemplate(other, fitted, cv2.TM_CCOEFF_NORMED)
        best = max(best, float(np.where(np.isfinite(found), found, -1).max()))
    return min(best, 1.0)


def find_alike(looks: Sequence[Look], others: Sequence[Look] | None = None) -> Iterator[tuple[int, int, Likeness]]:
    """Find pairs of places that may show the same image, in one list or two.

    Blank images look the same as each other, whatever they were meant to be, and are left out.
    """
    within = others is None
    against = looks if others is None else others
    if not looks or not against:
        return
    one, other = (
        np.where(np.array([each.hashes for each in part]), 1, -1).astype(np.float32) for part in (looks, against)
    )
    for start in range(0, len(looks), _ROWS_AT_ONCE):
        rows = one[start : start + _ROWS_AT_ONCE]
        nearest = np.full((len(rows), len(against)), -BITS, dtype=np.float32)
        for view in range(one.shape[1]):
            np.maximum(nearest, rows[:, view] @ other[:, 0].T, out=nearest)
            np.maximum(nearest, rows[:, 0] @ other[:, view].T, out=nearest)
        for row, column in np.argwhere(nearest >= BITS - 2 * MOST_BITS).tolist():
            place = start + row
            if (within and column <= place) or looks[place].blank or against[column].blank:
                continue
            found = likeness(looks[place], against[column])
            if found.close:
                yield place, column, found
