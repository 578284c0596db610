"""Variants: each item as an arm changed it, and as it was sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import orjson

from snellen.store.connections import Connections
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
        """Return the items whose own images were sent nearly black or white, with shades."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"shades\"%'"
        rows = self._main.execute(query, (arm,))
        return {ordinal: _read_drawn(drawn).get("shades", []) for ordinal, drawn in rows}

    def missing_columns(self, arm: int) -> dict[int, list[str]]:
        """Return the items related to others by text only, with the columns that they lack."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"without_columns\"%'"
        rows = self._main.execute(query, (arm,))
        return {ordinal: _read_drawn(drawn).get("without_columns", []) for ordinal, drawn in rows}

    def lent_images(self, arm: int) -> dict[int, dict[str, Any]]:
        """Return what was drawn for each item that was shown another item's image, by ordinal."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"lent_by\"%'"
        return {ordinal: _read_drawn(drawn) for ordinal, drawn in self._main.execute(query, (arm,))}

    def distances(self, arm: int) -> Iterator[tuple[int, dict[str, float]]]:
        """Yield each item with the named distances of its changed images from the originals.

        Each distance is the mean over the item's images. A distance without any value is left out.
        """
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"measured\"%'"
        for ordinal, drawn in self._main.execute(query, (arm,)):
            measured = _read_drawn(drawn).get("measured", [])
            names = dict.fromkeys(name for each in measured for name in each)
            found = {name: [each[name] for each in measured if each.get(name) is not None] for name in names}
            yield ordinal, {name: sum(values) / len(values) for name, values in found.items() if values}


def read_names(text: str) -> list[str]:
    """Parse the list of a question's images."""
    return cast("list[str]", read_record(text, [str], "the images of a question"))


def _read_object(text: str) -> dict[str, Any]:
    return cast("dict[str, Any]", read_record(text, {str: object}, "what a condition changed"))


def _read_drawn(text: str) -> dict[str, Any]:
    return cast("dict[str, Any]", read_record(text, DRAWN, "what a condition drew"))
