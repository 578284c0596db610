"""Album: small copies of the sent images that a page shows, up to a limit."""

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
"""Largest size of all embedded images together, in bytes of base64."""
MAX_OF_MANY = 2_400_000
"""The same limit if many conditions have images of their own, as those that degrade images do."""
MAX_DECODED = 500_000_000
"""Largest number of pixels read for one page, because large images take time."""

MOST_SHOWN = 6
"""Largest number of images shown per item; a video has more frames."""

FULL = "not shown: this page has reached its image limit; the image is in responses.sqlite or its own file"


OutlinedBox = Sequence[float]
"""Left, top, right and bottom end of a box, as shares of the image's sides."""


@dataclass(frozen=True)
class AlbumPicture:
    """A sent image with its small copy (`data`), or why there is none (`problem`)."""

    sha256: str
    about: str = ""
    data: bytes = b""
    media_type: str = ""
    problem: str = ""
    width: int = 0
    height: int = 0

    @property
    def short(self) -> str:
        """First characters of the hash, used as an id."""
        return self.sha256[:12]

    @cached_property
    def link(self) -> str:
        """The small copy as a data URL; "" if there is none."""
        return f"data:{self.media_type};base64,{b64encode(self.data).decode()}" if self.data else ""

    def draw(self, alt: str, *, height: int = 0, outlines: Sequence[OutlinedBox] = ()) -> Markup:
        """Draw the image, with alternative text and perhaps a height and boxes."""
        size = (
            Markup(' height="{}" width="{}"').format(height, round(height * self.width / self.height)) if height else ""
        )
        drawing = Markup('<svg viewBox="0 0 {} {}"{} role="img" aria-label="{}"><use href="#image-{}"/>{}</svg>')
        boxes = Markup("").join(self._outline(each) for each in outlines)
        return drawing.format(self.width, self.height, size, alt, self.short, boxes)

    def _outline(self, box: OutlinedBox) -> Markup:
        left, top, right, bottom = box
        sides = self.width * left, self.height * top, self.width * (right - left), self.height * (bottom - top)
        return Markup('<rect class="outlined" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(*sides)


class Album:
    """Images of a page by hash; each is prepared once."""

    def __init__(self, store: Store, *, max_embedded: int = MAX_EMBEDDED, max_decoded: int = MAX_DECODED) -> None:
        self._store = store
        self._bytes_left = max_embedded
        self._pixels_left = max_decoded
        self._pictures: dict[str, AlbumPicture] = {}
        self._shown: dict[str, None] = {}

    def picture(self, sha256: str) -> AlbumPicture:
        """Return an image and embed it in the page."""
        self._shown[sha256] = None
        return self.small(sha256)

    @staticmethod
    def choose_images(images: Sequence[str]) -> tuple[str, ...]:
        """Choose the images of an item that are shown."""
        return some_of(images)

    def small(self, sha256: str) -> AlbumPicture:
        """Return the small copy of an image; it is made at first use."""
        if sha256 not in self._pictures:
            self._pictures[sha256] = self._build_picture(sha256)
        return self._pictures[sha256]

    @property
    def embedded(self) -> list[AlbumPicture]:
        """The images that the page embeds."""
        return [picture for picture in map(self.small, self._shown) if picture.data]

    def _build_picture(self, sha256: str) -> AlbumPicture:
        if self._bytes_left <= 0 or self._pixels_left <= 0:
            return AlbumPicture(sha256, problem=FULL)
        try:
            data = self._store.images.data(sha256)
            header = check(data, name=sha256[:12])
            small = preview(data, SIDE, name=sha256[:12])
        except ImageError as error:
            return AlbumPicture(sha256, problem=without_folders(str(error)))
        about = f"{header.width} × {header.height} pixels, {len(data):,} bytes, {header.media_type}"
        sent = self._store.images.pictures([sha256]).get(sha256)
        if sent is not None and sent.rule:
            about += f"; the original is {sent.original[0]} × {sent.original[1]}: {sent.rule}"
        made = AlbumPicture(sha256, about, small.data, small.media_type, width=small.width, height=small.height)
        self._pixels_left -= header.width * header.height
        self._bytes_left -= len(made.link)
        return AlbumPicture(sha256, about, problem=FULL) if self._bytes_left < 0 else made


def some_of(images: Sequence[Each], most: int = MOST_SHOWN) -> tuple[Each, ...]:
    """Choose up to `most` images of an item, evenly spaced, with the first and last.

    >>> some_of(range(1, 51)), some_of("ab")
    ((1, 11, 21, 30, 40, 50), ('a', 'b'))
    """
    last = len(images) - 1
    return tuple(images) if last < most else tuple(images[round(at * last / (most - 1))] for at in range(most))


def without_folders(message: str) -> str:
    """Remove folder names from a message, because they may identify people.

    >>> without_folders("Image '/data/ward 3/1.png' cannot be read: No such file or directory.")
    "Image '…/1.png' cannot be read: No such file or directory."
    """
    return re.sub(r"(?:[A-Za-z]:)?[/\\](?:[^:\n]*[/\\])?", "…/", message)
