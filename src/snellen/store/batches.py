"""Batches: what was handed in to providers, noted before it is handed in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snellen.store.connections import Connections
from snellen.store.transaction import transaction


class StoredBatch(NamedTuple):
    """A batch that was, or was about to be, handed in to a provider."""

    number: int
    tag: str
    provider_id: str
    """Empty where nobody knows whether it was handed in."""
    created: float


class StoredBatches:
    """The batches of requests that providers hold or held."""

    def __init__(self, connections: Connections) -> None:
        self._main = connections.main

    def add(self, model: int, tag: str, keys: Sequence[bytes]) -> int:
        """Note, before it is handed in, which requests a batch holds."""
        row = (model, tag, "", "handing in", time.time())
        with transaction(self._main):
            number = self._main.execute(
                "INSERT INTO batches (model, tag, provider_id, state, created) VALUES (?, ?, ?, ?, ?)", row
            ).lastrowid
            rows = ((number, at, key) for at, key in enumerate(keys))
            self._main.executemany("INSERT INTO batch_requests VALUES (?, ?, ?)", rows)
        return int(number or 0)

    def note(self, number: int, *, provider_id: str, state: str) -> None:
        """What became of a batch."""
        values = (provider_id, state, number)
        self._main.execute("UPDATE batches SET provider_id = ?, state = ? WHERE id = ?", values)

    def forget(self, number: int, state: str) -> None:
        """A batch came to nothing: its requests may be handed in again."""
        with transaction(self._main):
            self.drop(number, self.keys(number))
            self.note(number, provider_id="", state=state)

    def find_open(self, model: int) -> list[StoredBatch]:
        """A model's batches that are not fetched yet, nor known to have come to nothing."""
        query = "SELECT id, tag, provider_id, created FROM batches WHERE model = ? AND state IN (?, ?) ORDER BY id"
        return [StoredBatch(*row) for row in self._main.execute(query, (model, "handing in", "open"))]

    def keys(self, number: int) -> dict[int, bytes]:
        """The keys of a batch's requests by their places in it, without those that came to nothing."""
        query = "SELECT number, key FROM batch_requests WHERE batch = ? ORDER BY number"
        return dict(self._main.execute(query, (number,)))

    def drop(self, number: int, places: Iterable[int]) -> None:
        """Requests of a batch came to nothing, and may be handed in again."""
        rows = [(number, place) for place in places]
        with transaction(self._main):
            self._main.executemany("DELETE FROM batch_requests WHERE batch = ? AND number = ?", rows)

    def handed_in(self, model: int) -> frozenset[bytes]:
        """The keys of a model's requests that its provider holds, or may hold, in a batch that is not fetched yet."""
        return frozenset(key for each in self.find_open(model) for key in self.keys(each.number).values())

    def provider_ids(self) -> frozenset[str]:
        """What providers call the batches of this store."""
        return frozenset(each for (each,) in self._main.execute("SELECT provider_id FROM batches") if each)
