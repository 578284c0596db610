"""Sent size: how large an image will be when it is sent, told from its file's header and without making it."""

from __future__ import annotations

from typing import Any, Protocol, cast, runtime_checkable

from snellen.images.image import EncodedImage, Image, Unreadable, check

LOOKED_AT = 3
"""Images of each chain of steps, and of each kind of drawing, that are made to see how large they come out."""

Size = tuple[int, int]


@runtime_checkable
class Sized(Protocol):
    """A drawing that knows how large it comes out before it is made."""

    @property
    def drawn_size(self) -> Size:
        """Width and height."""
        ...


class SentSizes:
    """The sizes of images as they are sent, scaled down where the longer side has more than `side` pixels.

    Steps that left the size of the first few images as it was are taken to leave it always; of others, the mean change
    of those few is taken for all. Each condition is looked at by itself.
    """

    def __init__(self, side: int | None) -> None:
        self._side = side
        self._files: dict[Any, Size] = {}
        self._drawn: dict[type, list[Size]] = {}
        self._changes: dict[tuple[type, ...], list[tuple[float, float]]] = {}

    def under_a_condition(self) -> SentSizes:
        """The same for the images of one condition, whose steps may change sizes as no other's do."""
        own = SentSizes(self._side)
        own._files, own._drawn = self._files, self._drawn
        return own

    def __call__(self, image: Image) -> EncodedImage:
        """The image with its size and no bytes; ImageError where it cannot be read."""
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
