"""How far the images of an arm were from those of the item, as measured when they were made."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from snellen.store.store import Store


def distances(store: Store, arm: int) -> Iterator[tuple[int, dict[str, float]]]:
    """By the item's place: each distance, the mean over its images; without those that no image has a number for."""
    query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"measured\"%'"
    for ordinal, drawn in store.connection.execute(query, (arm,)):
        measured = orjson.loads(drawn).get("measured", [])
        names = dict.fromkeys(name for each in measured for name in each)
        found = {name: [each[name] for each in measured if each.get(name) is not None] for name in names}
        yield ordinal, {name: sum(values) / len(values) for name, values in found.items() if values}
