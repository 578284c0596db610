"""Stacks: choose among the many images of a file, and identify the file without its name."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError, SnellenError, UnusableImageError
from snellen.images.image import MAX_PIXELS, Pixels, ViewedImage

MOST = 50
"""Default number of images of one file or series."""
LARGEST = 10_000
"""Largest number of images that settings may request, since a file can claim any number."""
NOTABLE = 0.01
"""Pixels are resampled if the ratio of their sides differs from 1 by more than this."""


class DecodedImage(ABC):
    """Base of images that are decoded from their file when they are drawn."""

    file: str
    """Hash of the file (`mark`)."""

    @property
    def origin(self) -> str:
        """Identity that all images of the file share."""
        return self.file

    def draw(self) -> Pixels:
        """Return the pixels."""
        return self.develop().pixels

    @abstractmethod
    def develop(self) -> ViewedImage:
        """Return the pixels with the rules that were applied."""


@contextmanager
def translate_errors(called: str, *, damaged: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Raise any error in a file as UnusableImageError, which does not name the file."""
    try:
        yield
    except UnusableImageError as error:
        raise UnusableImageError(called, error.why) from error
    except SnellenError:
        raise
    except Exception as error:
        what = "is cut off or damaged" if isinstance(error, damaged) else "cannot be decoded"
        raise UnusableImageError(called, f"{what}: {format_error(error)}") from error


def evenly(count: int, wanted: int) -> tuple[int, ...]:
    """Return the positions of the images shown: all, or the middle of each of `wanted` equal parts.

    >>> evenly(10, 5), evenly(3, 5), evenly(9, 1)
    ((1, 3, 5, 7, 9), (0, 1, 2), (4,))
    """
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 1 <= wanted <= LARGEST:
        raise ImageError(f"expected a number of images from 1 to {LARGEST:,}, got {wanted!r}")
    if wanted >= count:
        return tuple(range(count))
    return tuple((2 * part + 1) * count // (2 * wanted) for part in range(wanted))


def describe_choice(count: int, shown: int, what: str) -> tuple[str, ...]:
    """Describe the rule that chose some of many images; empty if all are shown."""
    return () if shown >= count else (f"of the {what} the middle one of each of {shown:,} equal parts",)


def mark(path: Path) -> str:
    """Return a hash that identifies a file's version without its name.

    It is computed from path, size and time of change, as for other images.
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
    """Raise ImageError if a file has changed since the benchmark was loaded."""
    if mark(path) != known:
        raise ImageError(f"Image {called} has changed since the benchmark was loaded. Load it again.")


def check_size(width: int, height: int, called: str) -> None:
    """Raise UnusableImageError for an image without pixels or with too many, before it is decoded."""
    if width < 1 or height < 1:
        raise UnusableImageError(called, f"has no pixels: it says {width} × {height}")
    if width * height > MAX_PIXELS:
        raise UnusableImageError(
            called, f"is {width} × {height} pixels; at most {MAX_PIXELS:,} are read. Make it smaller first"
        )


def in_proportion(pixels: Pixels, tall: float, wide: float, called: str) -> tuple[Pixels, tuple[str, ...]]:
    """Resample to square pixels, given the height and width of a pixel.

    The second value describes the rule. The side along which pixels are longer gets more of them, by linear
    interpolation, so that no detail is lost.
    """
    import cv2

    if not (tall > 0 and wide > 0 and np.isfinite(tall / wide)) or abs(tall / wide - 1) <= NOTABLE:
        return pixels, ()
    height, width = pixels.shape[:2]
    size = (width, max(1, round(height * tall / wide))) if tall > wide else (max(1, round(width * wide / tall)), height)
    check_size(*size, called)
    stretched: Pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_LINEAR_EXACT)
    return stretched, ("stretched by linear interpolation, since its pixels are not square",)


def format_error(error: Exception) -> str:
    """Return another package's error message on one line."""
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)  # leaves out the file's name
    words = " ".join(told.split()) or type(error).__name__
    return words if len(words) <= 200 else f"{words[:199]}…"


def pick_place(place: float, count: int, what: str) -> int:
    """Return the position that a setting gives: a share between 0 and 1, or a number from 1.

    >>> pick_place(0.5, 41, "slice"), pick_place(12, 40, "slice")
    (20, 11)
    """
    if isinstance(place, int) and not isinstance(place, bool) and 1 <= place <= count:
        return place - 1
    if isinstance(place, float) and 0 <= place <= 1:
        return min(count - 1, int(place * count))
    raise ImageError(f"there are {count:,} {what}s, counted from 1; got {what}={place}")


PLANES = ("sagittal", "coronal", "axial")
"""Planes by the axis perpendicular to them: left to right, front to back, feet to head."""
OBLIQUE = 20.0
"""A plane tilted by more than this, in degrees, is not called by its name."""


def plane_of(normal: NDArray[np.float64]) -> str:
    """Return the plane perpendicular to a direction; "" for an oblique one.

    >>> plane_of(np.array([0.0, 0.1, 1.0])), plane_of(np.array([0.0, 1.0, 1.0]))
    ('axial', '')
    """
    axis = int(np.argmax(np.abs(normal)))
    straight = float(abs(normal[axis]) / np.linalg.norm(normal))
    return PLANES[axis] if straight >= np.cos(np.radians(OBLIQUE)) else ""
