"""Batches of requests that were sent to the batch API of a provider. Each is noted before it is sent."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snellen.store.files import Connections
from snellen.store.transaction import transaction


class StoredBatch(NamedTuple):
    """A batch that was sent to a provider, or was about to be sent."""

    number: int
    tag: str
    provider_id: str
    """The provider's id for the batch; empty if it is unknown whether the batch arrived."""
    created: float


class StoredBatches:
    """Table of the batches that were sent to providers."""

    def __init__(self, connections: Connections) -> None:
        self._main = connections.main

    def add(self, model: int, tag: str, keys: Sequence[bytes]) -> int:
        """Note which requests a batch holds, before it is sent. Return the number of the batch."""
        row = (model, tag, "", "handing in", time.time())
        with transaction(self._main):
            number = self._main.execute(
                "INSERT INTO batches (model, tag, provider_id, state, created) VALUES (?, ?, ?, ?, ?)", row
            ).lastrowid
            rows = ((number, at, key) for at, key in enumerate(keys))
            self._main.executemany("INSERT INTO batch_requests VALUES (?, ?, ?)", rows)
        return int(number or 0)

    def note(self, number: int, *, provider_id: str, state: str) -> None:
        """Store the provider's id and the state of a batch."""
        values = (provider_id, state, number)
        self._main.execute("UPDATE batches SET provider_id = ?, state = ? WHERE id = ?", values)

    def forget(self, number: int, state: str) -> None:
        """Give up a batch: its requests may be sent again."""
        with transaction(self._main):
            self.drop(number, self.keys(number))
            self.note(number, provider_id="", state=state)

    def find_open(self, model: int) -> list[StoredBatch]:
        """Return a model's batches whose responses are not fetched yet. Batches that were given up are left out."""
        query = "SELECT id, tag, provider_id, created FROM batches WHERE model = ? AND state IN (?, ?) ORDER BY id"
        return [StoredBatch(*row) for row in self._main.execute(query, (model, "handing in", "open"))]

    def keys(self, number: int) -> dict[int, bytes]:
        """Return the keys of a batch's requests by their place in it. Dropped requests are left out."""
        query = "SELECT number, key FROM batch_requests WHERE batch = ? ORDER BY number"
        return dict(self._main.execute(query, (number,)))

    def drop(self, number: int, places: Iterable[int]) -> None:
        """Drop requests from a batch because they failed; they may be sent again."""
        rows = [(number, place) for place in places]
        with transaction(self._main):
            self._main.executemany("DELETE FROM batch_requests WHERE batch = ? AND number = ?", rows)

    def handed_in(self, model: int) -> frozenset[bytes]:
        """Return the keys of a model's requests in all batches that are not fetched yet."""
        return frozenset(key for each in self.find_open(model) for key in self.keys(each.number).values())

    def provider_ids(self) -> frozenset[str]:
        """Return the providers' ids of all batches in this store."""
        return frozenset(each for (each,) in self._main.execute("SELECT provider_id FROM batches") if each)
