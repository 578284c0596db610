"""Responses, each stored once by its request's key, and the cells that they answer.

A "cell" is one wanted response: model, arm, item and repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.models.base import MOST_TOKENS
from snellen.store.files import Connections, damage_error
from snellen.store.records import dump_numbers
from snellen.store.variants import read_names


class ResponseCell(NamedTuple):
    """Position of one response in a study: model, arm, item and repeat."""

    model: int
    arm: int
    ordinal: int
    replicate: int


class StoredResponse(NamedTuple):
    """One stored response with its item, repeat and number."""

    ordinal: int
    replicate: int
    response: int
    text: str
    finish: str
    reasoning: str
    reasoning_tokens: int | None = None


class Bill(NamedTuple):
    """Facts that decide a response's price: prompt, images, token counts and the server's model name."""

    ordinal: int
    replicate: int
    words: int
    """Hash of the prompt's text."""
    images: tuple[str, ...]
    input_tokens: int | None
    image_tokens: int | None
    served_by: str


class StoredResponses:
    """Tables of the models' responses and of failed calls."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._main = connections.main

    def is_empty(self) -> bool:
        """Return whether no response is stored yet."""
        query = "SELECT 1 FROM responses LIMIT 1"
        return all(each.execute(query).fetchone() is None for each in self._connections.open_all())

    def load_answered(self, model: int, arm: int) -> NDArray[np.int64]:
        """Return item and repeat of a model's responses under an arm, as two columns."""
        query = "SELECT ordinal << 20 | replicate FROM trials WHERE model = ? AND arm = ? ORDER BY ordinal, replicate"
        cells = np.fromiter(
            (cell for (cell,) in self._connections.open_for(model).execute(query, (model, arm))), dtype=np.int64
        )
        return np.stack((cells >> 20, cells & 0xFFFFF), axis=1)

    def answered_under(self, arm_digest: str, model: str, revision: str) -> NDArray[np.int64]:
        """Return item and repeat of a model's responses to an arm. Empty if the store lacks the model or the arm."""
        arms = "SELECT id FROM arms WHERE digest = ?"
        models = "SELECT id FROM models WHERE name = ? AND revision = ?"
        arm = self._main.execute(arms, (arm_digest,)).fetchone()
        number = self._main.execute(models, (model, revision)).fetchone()
        return self.load_answered(number[0], arm[0]) if arm and number else np.empty((0, 2), dtype=np.int64)

    def find_known(self, keys: list[bytes]) -> dict[bytes, int]:
        """Return the keys that have a stored response, with the number of that response."""
        found: dict[bytes, int] = {}
        for start in range(0, len(keys), 1000):
            some = keys[start : start + 1000]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, id FROM responses WHERE key IN ({marks})"  # noqa: S608 - only question marks
            for each in self._connections.open_all():
                found.update(each.execute(query, some).fetchall())
        return found

    def replies(self, model: int, arm: int, items: Iterable[int] | None = None) -> Iterator[StoredResponse]:
        """Yield a model's responses under an arm, by item and repeat."""
        columns = {name for _, name, *_ in self._main.execute("PRAGMA table_info(responses)")}
        counted = select_count("reasoning_tokens") if "reasoning_tokens" in columns else "NULL"
        query = (
            f"SELECT t.ordinal, t.replicate, r.id, r.text, r.finish, r.reasoning, {counted} "  # noqa: S608 - ours
            "FROM trials t LEFT JOIN responses r ON r.id = t.response WHERE t.model = ? AND t.arm = ?"
        )
        values: tuple[Any, ...] = (model, arm)
        if items is not None:
            query += " AND t.ordinal IN (SELECT value FROM json_each(?))"
            values = (model, arm, dump_numbers(items))
        query += " ORDER BY t.ordinal, t.replicate"
        for row in self._connections.open_for(model).execute(query, values):
            if row[2] is None:
                raise damage_error(self._connections.path, "a stored response is missing")
            yield StoredResponse._make(row)

    def text(self, response: int) -> str:
        """Return the text of a response, given its number."""
        query = "SELECT text FROM responses WHERE id = ?"
        found = (each.execute(query, (response,)).fetchone() for each in self._connections.open_all())
        return str(next(row for row in found if row is not None)[0])

    def served_by(self, model: int) -> set[str]:
        """Return the model names that servers reported in a model's responses."""
        query = "SELECT DISTINCT r.served_by FROM trials t JOIN responses r ON r.id = t.response WHERE t.model = ?"
        return {name for (name,) in self._connections.open_for(model).execute(query, (model,))}

    def bills(self, model: int, arm: int) -> Iterator[Bill]:
        """Yield prompt, images and token counts of each response of a model under an arm."""
        query = (
            "SELECT ordinal, coalesce(system, '') || char(10) || text, images FROM variants "
            "WHERE arm = ? AND inapplicable IS NULL"
        )
        asked = {
            ordinal: (hash(words), tuple(read_names(images)) if images else ())
            for ordinal, words, images in self._main.execute(query, (arm,))
        }
        read, of_images = select_count("input_tokens"), select_count("image_tokens")
        query = (
            f"SELECT t.ordinal, t.replicate, {read}, {of_images}, r.served_by "  # noqa: S608 - ours
            "FROM trials t JOIN responses r ON r.id = t.response WHERE t.model = ? AND t.arm = ?"
        )
        for ordinal, replicate, *counted in self._connections.open_for(model).execute(query, (model, arm)):
            if ordinal in asked:
                yield Bill(ordinal, replicate, *asked[ordinal], *counted)

    def failures(self, model: int, arm: int, *, items: int, runs: Sequence[int] | None = None) -> dict[str, int]:
        """Count the responses that are missing after failed attempts, by kind of error. Each kind has its last message.

        `runs` is the number of repeats wanted for each item; without it, every repeat counts.
        """
        query = (
            "SELECT ordinal, replicate, error, message, max(id) FROM attempts a"
            " WHERE model = ? AND arm = ? AND ordinal < ? AND NOT EXISTS ("
            "   SELECT 1 FROM trials t WHERE t.model = a.model AND t.arm = a.arm AND t.ordinal = a.ordinal"
            "   AND t.replicate = a.replicate"
            " ) GROUP BY ordinal, replicate ORDER BY max(id)"
        )
        counts: dict[str, int] = {}
        last: dict[str, str] = {}
        for ordinal, replicate, error, message, _ in self._connections.open_for(model).execute(
            query, (model, arm, items)
        ):
            if runs is None or replicate < runs[ordinal]:
                counts[error], last[error] = counts.get(error, 0) + 1, message
        return {f"{error}: {last[error]}": counts[error] for error in sorted(counts)}

    def failed_cells(self, model: int, arm: int) -> list[tuple[int, int, str]]:
        """Return item, repeat and last error message of every failed call that has no response."""
        query = (
            "SELECT ordinal, replicate, message, max(id) FROM attempts a WHERE model = ? AND arm = ? AND NOT EXISTS ("
            "  SELECT 1 FROM trials t WHERE t.model = a.model AND t.arm = a.arm AND t.ordinal = a.ordinal"
            "  AND t.replicate = a.replicate) GROUP BY ordinal, replicate"
        )
        return [row[:3] for row in self._connections.open_for(model).execute(query, (model, arm))]


def select_count(name: str) -> str:
    """Return SQL for a token count; it gives NULL if the number is impossible."""
    return f"CASE WHEN typeof(r.{name}) = 'integer' AND r.{name} BETWEEN 0 AND {MOST_TOKENS} THEN r.{name} END"
