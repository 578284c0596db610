"""Stacks: a file that holds many pictures; which of them are shown, and how it is known again without its name."""

from __future__ import annotations

import hashlib
from pathlib import Path
from stat import S_ISDIR, S_ISREG

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError, UnusableImageError
from snellen.images.image import MAX_PIXELS

Pixels = NDArray[np.uint8]
MOST = 50
"""Pictures of one file or series, unless its settings ask for another number."""
LARGEST = 10_000
"""Pictures that settings may ask for: a file can say that it has any number."""
NOTABLE = 0.01
"""By how much a pixel may be longer than wide before the picture is stretched."""


def evenly(count: int, wanted: int) -> tuple[int, ...]:
    """Which of so many pictures are shown: all, or the middle one of each of `wanted` equal parts.

    >>> evenly(10, 5), evenly(3, 5), evenly(9, 1)
    ((1, 3, 5, 7, 9), (0, 1, 2), (4,))
    """
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 1 <= wanted <= LARGEST:
        raise ImageError(f"the number of pictures is a whole number from 1 to {LARGEST:,}, got {wanted!r}")
    if wanted >= count:
        return tuple(range(count))
    return tuple((2 * part + 1) * count // (2 * wanted) for part in range(wanted))


def chosen(count: int, shown: int, what: str) -> tuple[str, ...]:
    """The rule by which some of many pictures were chosen; none where all are shown."""
    return () if shown >= count else (f"of the {what} the middle one of each of {shown:,} equal parts",)


def mark(path: Path) -> str:
    """What tells a file, and a change of it, from all others, and does not say its name.

    Taken from the path, the size and the time of change, as those of other pictures are.
    """
    try:
        stat = path.stat()
        if not (S_ISREG(stat.st_mode) or S_ISDIR(stat.st_mode)):
            raise ValueError("it is not a plain file")
    except (OSError, ValueError) as error:
        raise ImageError(f"a file cannot be read: {getattr(error, 'strerror', None) or error}") from error
    told = f"{path.absolute()}\0{stat.st_size}\0{stat.st_mtime_ns}"
    return hashlib.sha256(told.encode(errors="surrogateescape")).hexdigest()[:32]


def check_unchanged(path: Path, known: str, called: str) -> None:
    """ImageError where a file is not what it was when the benchmark was loaded."""
    if mark(path) != known:
        raise ImageError(f"Image {called} has changed since the benchmark was loaded. Load it again.")


def check_size(width: int, height: int, called: str) -> None:
    """UnusableImageError for a picture without pixels or with too many, before any is decoded."""
    if width < 1 or height < 1:
        raise UnusableImageError(called, f"has no pixels: it says {width} × {height}")
    if width * height > MAX_PIXELS:
        raise UnusableImageError(
            called, f"is {width} × {height} pixels; at most {MAX_PIXELS:,} are read. Make it smaller first"
        )


def in_proportion(pixels: Pixels, tall: float, wide: float, called: str) -> tuple[Pixels, tuple[str, ...]]:
    """Pixels made square that are so tall and so wide in millimetres, or in any other unit; and the rule.

    The side on which pixels are longer gets more of them, by linear interpolation: nothing that was told apart is lost.
    """
    import cv2

    if not (tall > 0 and wide > 0 and np.isfinite(tall / wide)) or abs(tall / wide - 1) <= NOTABLE:
        return pixels, ()
    height, width = pixels.shape[:2]
    size = (width, max(1, round(height * tall / wide))) if tall > wide else (max(1, round(width * wide / tall)), height)
    check_size(*size, called)
    stretched: Pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_LINEAR_EXACT)
    return stretched, ("stretched by linear interpolation, since its pixels are not square",)


def said(error: Exception) -> str:
    """What another's code says went wrong, on one line."""
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)  # not the file's name
    words = " ".join(told.split()) or type(error).__name__
    return words if len(words) <= 200 else f"{words[:199]}…"


def picked(place: float, count: int, what: str) -> int:
    """Which of so many a setting names: a share between 0 and 1, or a number from 1 on.

    >>> picked(0.5, 41, "slice"), picked(12, 40, "slice")
    (20, 11)
    """
    if isinstance(place, int) and not isinstance(place, bool) and 1 <= place <= count:
        return place - 1
    if isinstance(place, float) and 0 <= place <= 1:
        return min(count - 1, int(place * count))
    raise ImageError(f"there are {count:,} {what}s, counted from 1; got {what}={place}")


PLANES = ("sagittal", "coronal", "axial")
"""The planes by the axis that is normal to them: between left and right, front and back, feet and head."""
OBLIQUE = 20.0
"""Degrees by which a plane may lean before it is no longer called by its name."""


def plane_of(normal: NDArray[np.float64]) -> str:
    """The plane that a direction is normal to; empty for an oblique one.

    >>> plane_of(np.array([0.0, 0.1, 1.0])), plane_of(np.array([0.0, 1.0, 1.0]))
    ('axial', '')
    """
    axis = int(np.argmax(np.abs(normal)))
    straight = float(abs(normal[axis]) / np.linalg.norm(normal))
    return PLANES[axis] if straight >= np.cos(np.radians(OBLIQUE)) else ""
