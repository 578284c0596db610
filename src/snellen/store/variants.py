"""Variants: what each arm made of each item, and how it was put to the models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import orjson

from snellen.store.connections import Connections
from snellen.store.records import dump_json, dump_numbers
from snellen.store.shapes import DRAWN, read_record


class Asked(NamedTuple):
    """What an arm made of an item and how it was put to the model; `inapplicable` holds the reason if it was not."""

    inapplicable: str | None
    changed: Mapping[str, Any]
    system: str
    text: str
    images: tuple[str, ...]


class StoredVariants:
    """What arms made of items; arms and items are numbers."""

    def __init__(self, connections: Connections) -> None:
        self._main = connections.main

    def arms_asked(self) -> set[int]:
        """The arms under which something was asked."""
        query = "SELECT id FROM arms WHERE EXISTS (SELECT 1 FROM variants WHERE arm = arms.id)"
        return {arm for (arm,) in self._main.execute(query)}

    def inapplicable(self, arm: int) -> dict[int, str]:
        """The items an arm has no meaning for, with the reason."""
        query = "SELECT ordinal, inapplicable FROM variants WHERE arm = ? AND inapplicable IS NOT NULL"
        return dict(self._main.execute(query, (arm,)).fetchall())

    def applicable(self, arm: int) -> list[int]:
        """The items that an arm has a meaning for, of those that it was put to."""
        query = "SELECT ordinal FROM variants WHERE arm = ? AND inapplicable IS NULL"
        return [ordinal for (ordinal,) in self._main.execute(query, (arm,))]

    def with_images(self, arm: int) -> list[int]:
        """The items that an arm shows with an image."""
        query = "SELECT ordinal FROM variants WHERE arm = ? AND images IS NOT NULL"
        return [ordinal for (ordinal,) in self._main.execute(query, (arm,))]

    def images_of(self, arm: int, ordinal: int) -> list[str]:
        """The images an item was sent with under an arm, by their sha256."""
        query = "SELECT images FROM variants WHERE arm = ? AND ordinal = ?"
        row = self._main.execute(query, (arm, ordinal)).fetchone()
        return read_names(row[0]) if row and row[0] else []

    def shown(self, arm: int) -> dict[int, tuple[str, ...]]:
        """The images that each item was sent with under an arm, by their sha256; without those that had none."""
        query = "SELECT ordinal, images FROM variants WHERE arm = ? AND images IS NOT NULL"
        return {ordinal: tuple(read_names(images)) for ordinal, images in self._main.execute(query, (arm,))}

    def asked(self, arm: int, items: Iterable[int] | None = None) -> dict[int, Asked]:
        """What an arm made of all or of some items, by ordinal."""
        query = "SELECT ordinal, inapplicable, changed, system, text, images FROM variants WHERE arm = ?"
        values: tuple[Any, ...] = (arm,)
        if items is not None:
            query += " AND ordinal IN (SELECT value FROM json_each(?))"
            values = (arm, dump_numbers(items))
        return {
            ordinal: Asked(
                reason, _read_object(changed or "{}"), system or "", text or "", tuple(read_names(images or "[]"))
            )
            for ordinal, reason, changed, system, text, images in self._main.execute(query, values)
        }

    def same_words(self, arm: int, ordinal: int, text: str, changed: Mapping[str, Any]) -> bool:
        """Whether an item under an arm, if it was asked before, was asked in these words with this answer."""
        query = "SELECT text, changed FROM variants WHERE arm = ? AND ordinal = ? AND inapplicable IS NULL"
        row = self._main.execute(query, (arm, ordinal)).fetchone()
        return row is None or (row[0] == text and orjson.loads(row[1] or "{}") == orjson.loads(dump_json(changed)))

    def changes(self, arm: int) -> dict[int, dict[str, Any]]:
        """What an arm changed of the words of each item it applies to, by ordinal; all that grading needs."""
        query = "SELECT ordinal, changed FROM variants WHERE arm = ? AND inapplicable IS NULL"
        rows = self._main.execute(query, (arm,))
        return {ordinal: _read_object(changed) if changed else {} for ordinal, changed in rows}

    def shades(self, arm: int) -> dict[int, list[str]]:
        """The items whose own images went out nearly black or white under an arm, with what each of them was."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"shades\"%'"
        rows = self._main.execute(query, (arm,))
        return {ordinal: _read_drawn(drawn).get("shades", []) for ordinal, drawn in rows}

    def missing_columns(self, arm: int) -> dict[int, list[str]]:
        """The items that were related to others by their text under an arm, with the columns that they lack."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"without_columns\"%'"
        rows = self._main.execute(query, (arm,))
        return {ordinal: _read_drawn(drawn).get("without_columns", []) for ordinal, drawn in rows}

    def lent_images(self, arm: int) -> dict[int, dict[str, Any]]:
        """What was drawn for the items to which an arm lent the image of another item, by their place."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"lent_by\"%'"
        return {ordinal: _read_drawn(drawn) for ordinal, drawn in self._main.execute(query, (arm,))}

    def distances(self, arm: int) -> Iterator[tuple[int, dict[str, float]]]:
        """How far the images of an arm were from the item's, as measured when they were made, by the item's place.

        Each distance is the mean over the item's images, without those that no image has a number for.
        """
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"measured\"%'"
        for ordinal, drawn in self._main.execute(query, (arm,)):
            measured = _read_drawn(drawn).get("measured", [])
            names = dict.fromkeys(name for each in measured for name in each)
            found = {name: [each[name] for each in measured if each.get(name) is not None] for name in names}
            yield ordinal, {name: sum(values) / len(values) for name, values in found.items() if values}


def read_names(text: str) -> list[str]:
    """The images that a question was sent with."""
    return cast("list[str]", read_record(text, [str], "the images of a question"))


def _read_object(text: str) -> dict[str, Any]:
    """What a condition changed of a question."""
    return cast("dict[str, Any]", read_record(text, {str: object}, "what a condition changed"))


def _read_drawn(text: str) -> dict[str, Any]:
    """What was drawn and measured for a question."""
    return cast("dict[str, Any]", read_record(text, DRAWN, "what a condition drew"))
