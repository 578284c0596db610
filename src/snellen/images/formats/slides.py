"""Whole slides: a thumbnail without the label; the only access to OpenSlide."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from snellen.errors import ImageError, UnusableImageError
from snellen.images.formats.stacks import DecodedImage, check_size, check_unchanged, mark, translate_errors
from snellen.images.image import USUAL_SIDE, Image, Pixels, ViewedImage, shrink
from snellen.plugins import import_extra

CALLED = "of a whole slide"
MOST_AT_ONCE = 64_000_000
"""Largest number of pixels of a slide's level that are read for a thumbnail."""


@dataclass(frozen=True)
class SlideThumbnail(DecodedImage):
    """A slide thumbnail, identified by a hash, so that its file name is never stored."""

    path: Path = field(repr=False)
    file: str
    side: int
    """Largest number of pixels on the longer side."""

    called = CALLED

    def develop(self) -> ViewedImage:
        """Scale down the smallest level of the slide that is large enough. Return it with the rule."""
        check_unchanged(self.path, self.file, self.called)
        with closing(_open_slide(self.path)) as slide, translate_errors(self.called):
            level, size = _level(slide, self.side)
            region = np.asarray(slide.read_region((0, 0), level, size))
            original = slide.dimensions
            pixels = shrink(_laid_on(region, _background(slide)), self.side)
        rule = f"a thumbnail of the whole slide, at most {self.side:,} pixels on the longer side"
        return ViewedImage(pixels, (int(original[0]), int(original[1])), (rule,))


def images_of(path: Path, *, side: int = USUAL_SIDE) -> tuple[Image, ...]:
    """Return the thumbnail of a slide, with at most `side` pixels on the longer side."""
    if not 16 <= side <= 8192:
        raise ImageError(f"the side of a thumbnail is 16 to 8192 pixels, got {side}")
    known = mark(path)
    with closing(_open_slide(path)) as slide:
        _level(slide, side)
    return (Image(SlideThumbnail(path, known, side)),)


def _open_slide(path: Path) -> Any:
    openslide = import_extra("openslide", "openslide-python", "slides")
    try:
        return openslide.OpenSlide(path)
    except openslide.OpenSlideUnsupportedFormatError as error:
        raise UnusableImageError(CALLED, "has a format that OpenSlide does not read") from error
    except Exception as error:
        # its message may quote the path
        raise UnusableImageError(CALLED, f"cannot be opened by OpenSlide ({type(error).__name__})") from error


def _level(slide: Any, side: int) -> tuple[int, tuple[int, int]]:
    """Return the smallest level with enough pixels for the thumbnail, or the largest level."""
    sizes = [(int(width), int(height)) for width, height in slide.level_dimensions]
    enough = [at for at, size in enumerate(sizes) if max(size) >= side]
    level = enough[-1] if enough else 0
    width, height = sizes[level]
    if width * height > MOST_AT_ONCE:
        raise UnusableImageError(
            CALLED,
            f"is {width} × {height} pixels at its smallest level that is large enough; at most "
            f"{MOST_AT_ONCE:,} pixels are read. Save it with more levels (a pyramid), or ask for a smaller side",
        )
    check_size(width, height, CALLED)
    return level, (width, height)


def _background(slide: Any) -> tuple[int, int, int]:
    """Return the colour of unscanned areas; white unless the slide states another."""
    stated = str(slide.properties.get("openslide.background-color") or "FFFFFF")
    try:
        red, green, blue = bytes.fromhex(stated)
    except ValueError:
        return 255, 255, 255
    return red, green, blue


def _laid_on(region: Any, background: tuple[int, int, int]) -> Pixels:
    """Blend a region with the background, according to its transparency."""
    if (region[..., 3] == 255).all():
        return np.ascontiguousarray(region[..., :3])
    alpha = region[..., 3:].astype(np.uint16)
    mixed = region[..., :3] * alpha + np.array(background, dtype=np.uint16) * (255 - alpha)
    laid: Pixels = ((mixed + 127) // 255).astype(np.uint8)
    return laid
