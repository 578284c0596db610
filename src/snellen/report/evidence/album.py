"""Album: the images of the page as they were sent, made small, each kept once and within a limit."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from markupsafe import Markup

from snellen.errors import ImageError
from snellen.images import check, preview
from snellen.store import Store

Each = TypeVar("Each")

SIDE = 320
MAX_EMBEDDED = 12_000_000
"""Bytes of all embedded images together, as base64."""
MAX_OF_MANY = 2_400_000
"""The same where many arms have images of their own, as those that degrade images do."""
MAX_DECODED = 500_000_000
"""Pixels read for one page, so that large images do not make it slow to draw."""

MOST_SHOWN = 6
"""Images of one item that are shown; a video has more."""

FULL = "not shown: this page already holds as many images as it may; it is in responses.sqlite or its own file"


@dataclass(frozen=True)
class AlbumPicture:
    """An image as it was sent; `data` is its small copy, or else `problem` says why there is none."""

    sha256: str
    about: str = ""
    data: bytes = b""
    media_type: str = ""
    problem: str = ""
    width: int = 0
    height: int = 0

    @property
    def short(self) -> str:
        """Enough of the hash to find the image."""
        return self.sha256[:12]

    @cached_property
    def link(self) -> str:
        """The small copy as a data URL; nothing where there is none."""
        return f"data:{self.media_type};base64,{b64encode(self.data).decode()}" if self.data else ""

    def draw(self, alt: str, *, height: int = 0) -> Markup:
        """The image where the page shows it, so high if that is given; `alt` is read out to those who do not see it."""
        size = (
            Markup(' height="{}" width="{}"').format(height, round(height * self.width / self.height)) if height else ""
        )
        drawing = Markup('<svg viewBox="0 0 {} {}"{} role="img" aria-label="{}"><use href="#image-{}"/></svg>')
        return drawing.format(self.width, self.height, size, alt, self.short)


class Album:
    """The page's images by their hash; one asked for again is the same one."""

    def __init__(self, store: Store, *, max_embedded: int = MAX_EMBEDDED, max_decoded: int = MAX_DECODED) -> None:
        self._store = store
        self._bytes_left = max_embedded
        self._pixels_left = max_decoded
        self._pictures: dict[str, AlbumPicture] = {}
        self._shown: dict[str, None] = {}

    def picture(self, sha256: str) -> AlbumPicture:
        """The image of that hash, which the page shows."""
        self._shown[sha256] = None
        return self.small(sha256)

    @staticmethod
    def some(images: Sequence[str]) -> tuple[str, ...]:
        """Those of an item's images that are shown."""
        return some_of(images)

    def small(self, sha256: str) -> AlbumPicture:
        """The same for whoever keeps it elsewhere; read and made small the first time it is asked for."""
        if sha256 not in self._pictures:
            self._pictures[sha256] = self._made(sha256)
        return self._pictures[sha256]

    @property
    def embedded(self) -> list[AlbumPicture]:
        """The images that the page shows and holds."""
        return [picture for picture in map(self.small, self._shown) if picture.data]

    @property
    def left_out(self) -> int:
        """How many images the limits kept out."""
        return sum(picture.problem == FULL for picture in self._pictures.values())

    def _made(self, sha256: str) -> AlbumPicture:
        if self._bytes_left <= 0 or self._pixels_left <= 0:
            return AlbumPicture(sha256, problem=FULL)
        try:
            data = self._store.images.data(sha256)
            header = check(data, name=sha256[:12])
            small = preview(data, SIDE, name=sha256[:12])
        except ImageError as error:
            return AlbumPicture(sha256, problem=without_folders(str(error)))
        about = (
            f"{header.width} × {header.height} pixels, {len(data):,} bytes, {header.media_type}{self._origin(sha256)}"
        )
        made = AlbumPicture(sha256, about, small.data, small.media_type, width=small.width, height=small.height)
        self._pixels_left -= header.width * header.height
        self._bytes_left -= len(made.link)
        return AlbumPicture(sha256, about, problem=FULL) if self._bytes_left < 0 else made

    def _origin(self, sha256: str) -> str:
        """How large the original is, and by which rule it is shown, where it was not sent as it is."""
        picture = self._store.images.pictures([sha256]).get(sha256)
        if picture is None or not picture.rule:
            return ""
        return f"; the original is {picture.original[0]} × {picture.original[1]}: {picture.rule}"


def some_of(images: Sequence[Each], most: int = MOST_SHOWN) -> tuple[Each, ...]:
    """So many images of an item as are shown, evenly over all, the first and the last among them.

    >>> some_of(range(1, 51)), some_of("ab")
    ((1, 11, 21, 30, 40, 50), ('a', 'b'))
    """
    last = len(images) - 1
    return tuple(images) if last < most else tuple(images[round(at * last / (most - 1))] for at in range(most))


def without_folders(message: str) -> str:
    """A message with files named without their folders: those say where a study was run, or whose image it was.

    >>> without_folders("Image '/data/ward 3/1.png' cannot be read: No such file or directory.")
    "Image '…/1.png' cannot be read: No such file or directory."
    """
    return re.sub(r"(?:[A-Za-z]:)?[/\\](?:[^:\n]*[/\\])?", "…/", message)
