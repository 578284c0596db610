"""Studies: what was to be asked of which models, under which conditions, on which benchmarks."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.errors import StoreError
from snellen.files import find_inside
from snellen.items import Benchmark
from snellen.schemas import later
from snellen.store.connections import Connections
from snellen.store.files import FILE
from snellen.store.records import dump_json, item_of, item_record
from snellen.store.shapes import ARM, check_record, read_record
from snellen.store.study_names import StoredStudy, chosen, name_for, same, studies_in
from snellen.store.transaction import transaction

SCHEMA = 1
"""The form of a study's record; one that names none was written before there were numbers."""
NEEDED = ("models", "benchmarks", "sources", "tests", "arms", "epochs", "limit", "parser")
"""What the record of a study must say to be scored."""


class KnownModel(NamedTuple):
    """A model in the store, and where it was asked."""

    number: int
    revision: str
    addresses: frozenset[str]


class StoredStudies:
    """The studies of a folder, and the benchmarks, arms and models that they name."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._folder = connections.folder
        self._main = connections.main

    def add(self, record: Mapping[str, Any], *, name: str = "", stem: str = "") -> str:
        """Note what is to be done, and return the name that it has here.

        A study that is asked for again keeps its name. A new one is called `name`; where none is given, `stem` with a
        number if that is taken, or `study-1`, `study-2` and so on. StudyError for a name that another study has.
        """
        said = _as_stored(record)
        called = name_for(said, self.all(), self._folder, given=name, stem=stem)
        values = (time.time(), dump_json({"schema": SCHEMA, **said, "name": called}))
        self._main.execute("INSERT INTO studies (created, record) VALUES (?, ?)", values)
        return called

    def all(self) -> list[StoredStudy]:
        """Every study of this store, in the order in which they were added."""
        rows = self._main.execute("SELECT created, record FROM studies ORDER BY id")
        return studies_in(self._folder, rows)

    def find(self, record: Mapping[str, Any]) -> StoredStudy | None:
        """The study that asks for the same as a record, if it is here."""
        return same(self.all(), _as_stored(record))

    def record(self, name: str | None = None) -> dict[str, Any]:
        """The record of the study of that name, by default of the one that was asked for last."""
        studies = self.all()
        if not studies:
            raise StoreError(f"{self._connections.path} holds no study.")
        record = dict(chosen(studies, name, self._folder).record)
        if said := later(f"The study in {self._connections.path}", record.get("schema"), SCHEMA):
            raise StoreError(said)
        for name in record.get("benchmarks", {}):
            check_record(record.get("arms", {}), {name: dict}, "a study")
        if absent := [part for part in NEEDED if part not in record]:
            raise StoreError(
                f"The study in {self._connections.path} was written by another version of snellen: it does not say "
                f"{', '.join(absent)}. Run or import it again with another --out."
            )
        return record

    def results_folder(self, name: str) -> Path:
        """The folder in which the results of a study lie."""
        place = chosen(self.all(), name, self._folder).folder
        if place != self._folder and (find_inside(self._folder, place.name) / FILE).is_file():
            raise StoreError(f"The results of the study {name!r} would lie in {place}, which holds responses itself.")
        return place

    def add_benchmark(self, benchmark: Benchmark) -> tuple[int, str]:
        """The benchmark's number and digest; its items are stored unless they are there already."""
        digest = benchmark.digest
        row = self._main.execute("SELECT id FROM benchmarks WHERE digest = ?", (digest,)).fetchone()
        if row is not None:
            return int(row[0]), digest
        patients: dict[str, str] = {}
        with transaction(self._main):
            values = (benchmark.name, digest)
            number = self._main.execute("INSERT INTO benchmarks (name, digest) VALUES (?, ?)", values).lastrowid
            assert number is not None
            self._main.executemany(
                "INSERT INTO items VALUES (?, ?, ?, ?)",
                ((number, i, item.id, item_record(item, patients)) for i, item in enumerate(benchmark.items)),
            )
        return number, digest

    def benchmark(self, digest: str) -> Benchmark:
        """A stored benchmark: its items without their images, patients under numbers."""
        number, name = self._connections.select_one("SELECT id, name FROM benchmarks WHERE digest = ?", digest)
        rows = self._main.execute("SELECT record FROM items WHERE benchmark = ? ORDER BY ordinal", (number,))
        return Benchmark(name, tuple(item_of(orjson.loads(record)) for (record,) in rows))

    def holds_benchmark(self, digest: str) -> bool:
        """Whether a benchmark is stored."""
        query = "SELECT 1 FROM benchmarks WHERE digest = ?"
        return self._main.execute(query, (digest,)).fetchone() is not None

    def benchmark_number(self, digest: str) -> int:
        """The number of a stored benchmark."""
        return self._connections.select_number("benchmarks WHERE digest = ?", digest)

    def count_items(self, digest: str) -> int:
        """How many items a stored benchmark has."""
        query = "SELECT count(*) FROM items WHERE benchmark = ?"
        return int(self._connections.select_one(query, self.benchmark_number(digest))[0])

    def add_arm(self, benchmark: int, name: str, digest: str, record: Mapping[str, Any]) -> int:
        """The number of an arm on a benchmark; everything but item, model and replicate is in its digest."""
        values = (benchmark, name, digest, dump_json(record))
        self._main.execute("INSERT OR IGNORE INTO arms (benchmark, name, digest, record) VALUES (?, ?, ?, ?)", values)
        return self._connections.select_number("arms WHERE digest = ?", digest)

    def arm(self, digest: str) -> tuple[int, dict[str, Any]]:
        """An arm's number and record."""
        number, record = self._connections.select_one("SELECT id, record FROM arms WHERE digest = ?", digest)
        return int(number), read_record(record, ARM, "a condition")

    def add_model(self, name: str, revision: str) -> int:
        """The number of a model, a new one where it is new."""
        self._main.execute("INSERT OR IGNORE INTO models (name, revision) VALUES (?, ?)", (name, revision))
        return self.model_number(name, revision)

    def model_number(self, name: str, revision: str) -> int:
        """The number of a model that is there."""
        return self._connections.select_number("models WHERE name = ? AND revision = ?", name, revision)

    def models_named(self, name: str) -> list[KnownModel]:
        """The models that were asked or imported by a name, the latest last."""
        asked: dict[int, set[str]] = {}
        if self._connections.has_table("addresses"):
            for model, address in self._main.execute("SELECT model, address FROM addresses"):
                asked.setdefault(model, set()).add(address)
        rows = self._main.execute("SELECT id, revision FROM models WHERE name = ? ORDER BY id", (name,))
        return [KnownModel(number, revision, frozenset(asked.get(number, ()))) for number, revision in rows]

    def add_address(self, model: int, address: str) -> None:
        """A model was asked at an address."""
        row = (model, address, time.time())
        self._main.execute("INSERT OR IGNORE INTO addresses VALUES (?, ?, ?)", row)

    def add_canary(self, model: int, record: Mapping[str, Any]) -> None:
        """Note what a model read of the letters that it was shown before a run."""
        values = (model, dump_json(record), time.time())
        self._main.execute("INSERT INTO canaries (model, record, created) VALUES (?, ?, ?)", values)

    def canaries(self, model: int) -> list[dict[str, Any]]:
        """What a model read before each run, the latest last."""
        if not self._connections.has_table("canaries"):
            return []
        rows = self._main.execute("SELECT record FROM canaries WHERE model = ? ORDER BY id", (model,))
        return [orjson.loads(record) for (record,) in rows]

    def add_consent(self, record: Mapping[str, Any]) -> None:
        """Note that the images of a benchmark (`digest`) may go to a `host`; a record, which allows nothing."""
        values = (record["host"], record["digest"], dump_json(record), time.time())
        self._main.execute("INSERT OR IGNORE INTO consents VALUES (?, ?, ?, ?)", values)


def _as_stored(record: Mapping[str, Any]) -> dict[str, Any]:
    """A study's record as it comes back out of a store."""
    found: dict[str, Any] = orjson.loads(dump_json(record))
    return found
