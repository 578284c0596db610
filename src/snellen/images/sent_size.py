"""Sent size: compute the size of a sent image from the header of its file."""

from __future__ import annotations

from typing import Any, Protocol, cast, runtime_checkable

from snellen.images.image import EncodedImage, Image, Unreadable, check

LOOKED_AT = 3
"""Number of images drawn to find their size, per chain of steps and per kind of drawing."""

Size = tuple[int, int]


@runtime_checkable
class Sized(Protocol):
    """A drawing that knows its size before it is drawn."""

    @property
    def drawn_size(self) -> Size:
        """Width and height."""
        ...


class SentSizes:
    """Sizes of images as sent, with at most `side` pixels on the longer side.

    The first few images are drawn for each chain of steps. Their mean change of size is assumed for all others,
    separately for each condition.
    """

    def __init__(self, side: int | None) -> None:
        self._side = side
        self._files: dict[Any, Size] = {}
        self._drawn: dict[type, list[Size]] = {}
        self._changes: dict[tuple[type, ...], list[tuple[float, float]]] = {}

    def under_a_condition(self) -> SentSizes:
        """Return a copy for one condition, whose steps may change sizes."""
        own = SentSizes(self._side)
        own._files, own._drawn = self._files, self._drawn
        return own

    def __call__(self, image: Image) -> EncodedImage:
        """Return the image with its size and without bytes. Raise ImageError if it cannot be read."""
        width, height = self._after_steps(image, self._before_steps(image))
        scale = min(1.0, self._side / max(width, height)) if self._side else 1.0
        return EncodedImage(b"", "image/png", max(1, round(width * scale)), max(1, round(height * scale)))

    def _before_steps(self, image: Image) -> Size:
        source = image.source
        if image.is_file or isinstance(source, Unreadable):
            if source not in self._files:
                header = check(image.read(), name=image.name)
                self._files[cast("Any", source)] = (header.width, header.height)
            return self._files[cast("Any", source)]
        if isinstance(source, Sized):
            return source.drawn_size
        drawn = self._drawn.setdefault(type(source), [])
        if len(drawn) < LOOKED_AT:
            drawn.append(_size_of(Image(source)))
            return drawn[-1]
        return max(drawn)

    def _after_steps(self, image: Image, before: Size) -> Size:
        if not image.steps:
            return before
        changes = self._changes.setdefault(tuple(map(type, image.steps)), [])
        if len(changes) < LOOKED_AT:
            after = _size_of(image)
            changes.append((after[0] / before[0], after[1] / before[1]))
            return after
        wider, taller = (sum(each) / len(changes) for each in zip(*changes, strict=True))
        return round(before[0] * wider), round(before[1] * taller)


def _size_of(image: Image) -> Size:
    pixels = image.pixels()
    return pixels.shape[1], pixels.shape[0]
