"""Variants: each item as an arm changed it, and the images as they were sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import orjson

from snellen.errors import ImageError
from snellen.images import EncodedImage, Image
from snellen.store.files import Connections
from snellen.store.records import dump_json, dump_numbers
from snellen.store.shapes import DRAWN, read_record


class StoredItem(NamedTuple):
    """An item as sent to the model under an arm. If it was not sent, `inapplicable` holds the reason."""

    inapplicable: str | None
    changed: Mapping[str, Any]
    system: str
    text: str
    images: tuple[str, ...]


class StoredVariants:
    """Table of the items as arms changed them; arms and items are given by number."""

    def __init__(self, connections: Connections) -> None:
        self._main = connections.main

    def arms_asked(self) -> set[int]:
        """Return the arms under which an item was asked."""
        query = "SELECT id FROM arms WHERE EXISTS (SELECT 1 FROM variants WHERE arm = arms.id)"
        return {arm for (arm,) in self._main.execute(query)}

    def inapplicable(self, arm: int) -> dict[int, str]:
        """Return the items to which an arm does not apply, with the reasons."""
        query = "SELECT ordinal, inapplicable FROM variants WHERE arm = ? AND inapplicable IS NOT NULL"
        return dict(self._main.execute(query, (arm,)).fetchall())

    def applicable(self, arm: int) -> list[int]:
        """Return the items to which an arm applies, among the items tried so far."""
        query = "SELECT ordinal FROM variants WHERE arm = ? AND inapplicable IS NULL"
        return [ordinal for (ordinal,) in self._main.execute(query, (arm,))]

    def with_images(self, arm: int) -> list[int]:
        """Return the items that an arm sends with an image."""
        query = "SELECT ordinal FROM variants WHERE arm = ? AND images IS NOT NULL"
        return [ordinal for (ordinal,) in self._main.execute(query, (arm,))]

    def images_of(self, arm: int, ordinal: int) -> list[str]:
        """Return the sha256 of the images that an item was sent with under an arm."""
        query = "SELECT images FROM variants WHERE arm = ? AND ordinal = ?"
        row = self._main.execute(query, (arm, ordinal)).fetchone()
        return read_names(row[0]) if row and row[0] else []

    def load_image_hashes(self, arm: int) -> dict[int, tuple[str, ...]]:
        """Return the sha256 of the images sent with each item under an arm."""
        query = "SELECT ordinal, images FROM variants WHERE arm = ? AND images IS NOT NULL"
        return {ordinal: tuple(read_names(images)) for ordinal, images in self._main.execute(query, (arm,))}

    def load_items(self, arm: int, items: Iterable[int] | None = None) -> dict[int, StoredItem]:
        """Load the items of an arm by ordinal: all, or those in `items`."""
        query = "SELECT ordinal, inapplicable, changed, system, text, images FROM variants WHERE arm = ?"
        values: tuple[Any, ...] = (arm,)
        if items is not None:
            query += " AND ordinal IN (SELECT value FROM json_each(?))"
            values = (arm, dump_numbers(items))
        return {
            ordinal: StoredItem(
                reason, _read_object(changed or "{}"), system or "", text or "", tuple(read_names(images or "[]"))
            )
            for ordinal, reason, changed, system, text, images in self._main.execute(query, values)
        }

    def same_words(self, arm: int, ordinal: int, text: str, changed: Mapping[str, Any]) -> bool:
        """Return whether an item is new under this arm or unchanged since it was stored."""
        query = "SELECT text, changed FROM variants WHERE arm = ? AND ordinal = ? AND inapplicable IS NULL"
        row = self._main.execute(query, (arm, ordinal)).fetchone()
        return row is None or (row[0] == text and orjson.loads(row[1] or "{}") == orjson.loads(dump_json(changed)))

    def changes(self, arm: int) -> dict[int, dict[str, Any]]:
        """Return the changed fields of each item under an arm, by ordinal."""
        query = "SELECT ordinal, changed FROM variants WHERE arm = ? AND inapplicable IS NULL"
        rows = self._main.execute(query, (arm,))
        return {ordinal: _read_object(changed) if changed else {} for ordinal, changed in rows}

    def shades(self, arm: int) -> dict[int, list[str]]:
        """Return the items whose unchanged images were sent nearly black or white, with the shades."""
        return {ordinal: drawn.get("shades", []) for ordinal, drawn in self._find_drawn(arm, "shades")}

    def missing_columns(self, arm: int) -> dict[int, list[str]]:
        """Return the items matched by text and images only, with the missing columns."""
        found = self._find_drawn(arm, "without_columns")
        return {ordinal: drawn.get("without_columns", []) for ordinal, drawn in found}

    def lent_images(self, arm: int) -> dict[int, dict[str, Any]]:
        """Return what was drawn for each item that was shown another item's image, by ordinal."""
        return dict(self._find_drawn(arm, "lent_by"))

    def distances(self, arm: int) -> Iterator[tuple[int, dict[str, float]]]:
        """Yield each item with the named distances of its changed images from the originals.

        Each distance is the mean over the item's images. A distance without any value is left out.
        """
        for ordinal, drawn in self._find_drawn(arm, "measured"):
            measured = drawn.get("measured", [])
            names = dict.fromkeys(name for each in measured for name in each)
            found = {name: [each[name] for each in measured if each.get(name) is not None] for name in names}
            yield ordinal, {name: sum(values) / len(values) for name, values in found.items() if values}

    def _find_drawn(self, arm: int, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each item for which a condition drew this value, with all drawn values."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE ?"
        for ordinal, drawn in self._main.execute(query, (arm, f'%"{name}"%')):
            yield ordinal, read_record(drawn, DRAWN, "what a condition drew")


def read_names(text: str) -> list[str]:
    """Parse the list of a question's images."""
    return cast("list[str]", read_record(text, [str], "the images of a question"))


def _read_object(text: str) -> dict[str, Any]:
    return cast("dict[str, Any]", read_record(text, {str: object}, "what a condition changed"))


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
