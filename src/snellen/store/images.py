"""Images exactly as they were sent, each stored once under its sha256."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.errors import ImageError
from snellen.images import EncodedImage, Image
from snellen.store.connections import Connections
from snellen.store.variants import StoredVariants


class SentImage(NamedTuple):
    """An image as sent, its original size, and the rule that made its pixels."""

    sha256: str
    width: int
    height: int
    original: tuple[int, int]
    rule: str


class StoredImages:
    """Table of the images that were sent."""

    def __init__(self, connections: Connections, variants: StoredVariants) -> None:
        self._folder = connections.folder
        self._main = connections.main
        self._variants = variants

    def load_encoded(self, sha256: str) -> EncodedImage:
        """Load an image as it was sent, to send it again."""
        query = "SELECT media_type, width, height FROM images WHERE sha256 = ?"
        data = self.data(sha256)
        media_type, width, height = self._main.execute(query, (sha256,)).fetchone()
        return EncodedImage(data, media_type, width, height)

    def data(self, sha256: str) -> bytes:
        """Return the bytes of a sent image; ImageError if its file has changed since."""
        query = f"SELECT path, data, {'side' if self._knows_origins else 'NULL'} FROM images WHERE sha256 = ?"  # noqa: S608
        row = self._main.execute(query, (sha256,)).fetchone()
        if row is None:
            raise ImageError(f"No image {sha256[:12]} is stored in {self._folder}.")
        path, data, side = row
        data = data if data is not None else Image(Path(path)).encoded(side).data
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ImageError(f"Image {path} has changed since it was sent, or was sent by another version of snellen.")
        return bytes(data)

    def sizes(self) -> dict[str, int]:
        """Return the number of pixels of each stored image, by sha256."""
        return dict(self._main.execute("SELECT sha256, width * height FROM images").fetchall())

    def pictures(self, shown: Iterable[str] | None = None) -> dict[str, SentImage]:
        """Return the stored images by sha256, or only those in `shown`.

        Stores of earlier versions lack original sizes and rules.
        """
        known = "original_width, original_height, rule" if self._knows_origins else "NULL, NULL, NULL"
        query = f"SELECT sha256, width, height, {known} FROM images"  # noqa: S608 - ours
        values: tuple[Any, ...] = ()
        if shown is not None:
            query += " WHERE sha256 IN (SELECT value FROM json_each(?))"
            values = (orjson.dumps(list(shown)).decode(),)
        return {
            sha256: SentImage(sha256, width, height, (before or width, tall or height), rule or "")
            for sha256, width, height, before, tall, rule in self._main.execute(query, values)
        }

    def sent_before(self, arm: int, ordinal: int) -> list[SentImage]:
        """Return the images that an item was sent with under an arm. Empty if it was not sent."""
        images = self._variants.images_of(arm, ordinal)
        found = self.pictures(images) if images else {}
        return [found[sha256] for sha256 in images if sha256 in found]

    @property
    def _knows_origins(self) -> bool:
        return "side" in {name for _, name, *_ in self._main.execute("PRAGMA table_info(images)")}
