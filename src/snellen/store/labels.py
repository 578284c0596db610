"""Labels that raters gave to stored responses, and the qualifications of judges.

A judge is qualified on a question by its agreement with raters.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from snellen.errors import StoreError
from snellen.schemas import later
from snellen.store.files import Connections
from snellen.store.records import dump_json
from snellen.store.responses import ResponseCell
from snellen.store.transaction import transaction

REVIEW_SCHEMA = 1
"""Version of the format of a review's record."""


class Label(NamedTuple):
    """The label that raters gave to one stored response."""

    model: int
    arm: int
    ordinal: int
    replicate: int
    label: str


@dataclass(frozen=True)
class Sampled:
    """Responses from which a review drew cases, and responses that raters labelled."""

    ranges: tuple[tuple[int, int, int], ...]
    """Ranges drawn from: repeat, first item, and last item plus one."""
    labelled: frozenset[tuple[int, int]]

    def __contains__(self, run: object) -> bool:
        """Return whether the review could have drawn the response to this item in this repeat."""
        ordinal, replicate = run if isinstance(run, tuple) else (-1, -1)
        return any(replicate == at and first <= ordinal < end for at, first, end in self.ranges)


class StoredLabels:
    """Tables of raters' labels, reviews and judges' qualifications."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._main = connections.main

    def add(self, question: str, labels: Iterable[Label]) -> None:
        """Store raters' labels for a judge's question; a later label replaces an earlier one."""
        now = time.time()
        with transaction(self._main):
            self._main.executemany(
                "INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(question, *label, now) for label in labels],
            )

    def drop(self, question: str, cells: Iterable[ResponseCell]) -> None:
        """Delete the labels of responses on which raters no longer agree."""
        with transaction(self._main):
            self._main.executemany(
                "DELETE FROM labels WHERE question = ? AND model = ? AND arm = ? AND ordinal = ? AND replicate = ?",
                [(question, *cell) for cell in cells],
            )

    def load(self, question: str) -> list[Label]:
        """Load the raters' labels for a judge's question, by model, arm, item and repeat."""
        query = "SELECT model, arm, ordinal, replicate, label FROM labels WHERE question = ? ORDER BY 1, 2, 3, 4"
        return [Label._make(row) for row in self._connections.select_known("labels", query, question)]

    def add_review(self, record: Mapping[str, Any]) -> None:
        """Store the record of what raters answered in one task of a review."""
        values = (record["task"], dump_json(record), time.time())
        self._main.execute("INSERT INTO reviews (task, record, created) VALUES (?, ?, ?)", values)

    def reviews(self, study: str) -> dict[str, dict[str, Any]]:
        """Return the latest record of each task of a study's review, by the task's name."""
        rows = self._connections.select_known("reviews", "SELECT task, record FROM reviews ORDER BY id")
        found = ((task, orjson.loads(record)) for task, record in rows)
        kept = {task: record for task, record in found if record.get("study") == study}
        for task, record in kept.items():
            if said := later(f"The review {task!r} in {self._connections.path}", record.get("schema"), REVIEW_SCHEMA):
                raise StoreError(said)
        return kept

    def find_sampled(self, task: str) -> dict[tuple[int, int], Sampled]:
        """Return the responses that the latest review drew from and labelled, by model and arm."""
        found: dict[tuple[int, int], Sampled] = {}
        query = "SELECT record FROM reviews WHERE task = ? ORDER BY id"
        rows = self._connections.select_known("reviews", query, task)
        for record in (orjson.loads(text) for (text,) in rows):
            ranges = [tuple(each) for each in record.get("among", ())]
            for model, arm in dict.fromkeys(each[:2] for each in ranges):
                labelled = {tuple(cell[2:]) for cell in record["labelled"] if tuple(cell[:2]) == (model, arm)}
                of_arm = tuple(each[2:] for each in ranges if each[:2] == (model, arm))
                found[model, arm] = Sampled(of_arm, frozenset(labelled))
        return found

    def add_qualification(self, record: Mapping[str, Any]) -> None:
        """Store a judge's agreement with raters on one question."""
        known = (record["judge"], record["question"], record["version"])
        values = (*known, dump_json(record), time.time())
        self._main.execute(
            "INSERT INTO judge_qualifications (judge, question, version, record, created) VALUES (?, ?, ?, ?, ?)",
            values,
        )

    def qualifications(self) -> list[dict[str, Any]]:
        """Return the records of all qualifications of judges, the latest last."""
        query = "SELECT record FROM judge_qualifications ORDER BY id"
        rows = self._connections.select_known("judge_qualifications", query)
        return [orjson.loads(record) for (record,) in rows]

    def judgements(self, arm_digest: str) -> list[tuple[str, int, int, str, bool]]:
        """Return a judge's responses under an arm, the latest last.

        Each row holds the judge's name, item, repeat, text, and whether the judge got images.
        """
        query = (
            "SELECT m.name, t.ordinal, t.replicate, r.text, r.delivered != '[]', r.id FROM arms a "
            "JOIN trials t ON t.arm = a.id JOIN responses r ON r.id = t.response JOIN models m ON m.id = t.model "
            "WHERE a.digest = ? ORDER BY r.id"
        )
        rows = [row for each in self._connections.open_all() for row in each.execute(query, (arm_digest,))]
        return [row[:5] for row in sorted(rows, key=lambda row: row[5])]
