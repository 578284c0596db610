"""Studies: which models are asked about which benchmarks under which arms."""

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
from snellen.store.files import FILE, Connections
from snellen.store.records import dump_json, item_of, item_record
from snellen.store.shapes import ARM, check_record, read_record
from snellen.store.study_names import StoredStudy, choose_study, name_for, same, studies_in
from snellen.store.transaction import transaction

SCHEMA = 1
"""Version of the format of a study's record. Records without a number are older than version 1."""
NEEDED = ("models", "benchmarks", "sources", "tests", "arms", "epochs", "limit", "parser")
"""Fields that the record of a study needs to be scored."""


class KnownModel(NamedTuple):
    """A model in the store, and the addresses at which it was asked."""

    number: int
    revision: str
    addresses: frozenset[str]


class StoredStudies:
    """Tables of a folder's studies, and of their benchmarks, arms and models."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._folder = connections.folder
        self._main = connections.main

    def add(self, record: Mapping[str, Any], *, name: str = "", stem: str = "") -> str:
        """Store the record of a study, and return the study's name in this store.

        A study that is asked for again keeps its name. Otherwise the name is `name`, or `stem` (with a number if it is
        taken), or `study-1`, `study-2` and so on. StudyError if another study has the name.
        """
        said = _as_stored(record)
        called = name_for(said, self.load_all(), self._folder, given=name, stem=stem)
        values = (time.time(), dump_json({"schema": SCHEMA, **said, "name": called}))
        self._main.execute("INSERT INTO studies (created, record) VALUES (?, ?)", values)
        return called

    def load_all(self) -> list[StoredStudy]:
        """Return every study of this store, in the order in which they were added."""
        rows = self._main.execute("SELECT created, record FROM studies ORDER BY id")
        return studies_in(self._folder, rows)

    def find(self, record: Mapping[str, Any]) -> StoredStudy | None:
        """Return the study with the same content as a record; None if there is none."""
        return same(self.load_all(), _as_stored(record))

    def record(self, name: str | None = None) -> dict[str, Any]:
        """Return the record of a study by name, by default of the latest study."""
        studies = self.load_all()
        if not studies:
            raise StoreError(f"{self._connections.path} holds no study.")
        record = dict(choose_study(studies, name, self._folder).record)
        if said := later(f"The study in {self._connections.path}", record.get("schema"), SCHEMA):
            raise StoreError(said)
        for name in record.get("benchmarks", {}):
            check_record(record.get("arms", {}), {name: dict}, "a study")
        if absent := [part for part in NEEDED if part not in record]:
            raise StoreError(
                f"The study in {self._connections.path} was written by another version of snellen: it lacks "
                f"{', '.join(absent)}. Run or import it again with another --out."
            )
        return record

    def results_folder(self, name: str) -> Path:
        """Return the folder for the results of a study; StoreError if it contains another store."""
        place = choose_study(self.load_all(), name, self._folder).folder
        if place != self._folder and (find_inside(self._folder, place.name) / FILE).is_file():
            raise StoreError(
                f"The results of the study {name!r} cannot be written to {place}: it contains another store."
            )
        return place

    def add_benchmark(self, benchmark: Benchmark) -> tuple[int, str]:
        """Store a benchmark and its items unless they are stored already. Return its number and digest."""
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
        """Load a benchmark: its items without images, with numbers for patients."""
        number, name = self._connections.select_one("SELECT id, name FROM benchmarks WHERE digest = ?", digest)
        rows = self._main.execute("SELECT record FROM items WHERE benchmark = ? ORDER BY ordinal", (number,))
        return Benchmark(name, tuple(item_of(orjson.loads(record)) for (record,) in rows))

    def holds_benchmark(self, digest: str) -> bool:
        """Return whether a benchmark is stored."""
        query = "SELECT 1 FROM benchmarks WHERE digest = ?"
        return self._main.execute(query, (digest,)).fetchone() is not None

    def benchmark_number(self, digest: str) -> int:
        """Return the number of a stored benchmark."""
        return self._connections.select_number("benchmarks WHERE digest = ?", digest)

    def count_items(self, digest: str) -> int:
        """Return how many items a stored benchmark has."""
        query = "SELECT count(*) FROM items WHERE benchmark = ?"
        return int(self._connections.select_one(query, self.benchmark_number(digest))[0])

    def add_arm(self, benchmark: int, name: str, digest: str, record: Mapping[str, Any]) -> int:
        """Store an arm on a benchmark if it is new, and return its number.

        Its digest does not depend on item, model or repeat.
        """
        values = (benchmark, name, digest, dump_json(record))
        self._main.execute("INSERT OR IGNORE INTO arms (benchmark, name, digest, record) VALUES (?, ?, ?, ?)", values)
        return self._connections.select_number("arms WHERE digest = ?", digest)

    def arm(self, digest: str) -> tuple[int, dict[str, Any]]:
        """Return the number and the record of an arm."""
        number, record = self._connections.select_one("SELECT id, record FROM arms WHERE digest = ?", digest)
        return int(number), read_record(record, ARM, "a condition")

    def add_model(self, name: str, revision: str) -> int:
        """Store a model if it is new, and return its number."""
        self._main.execute("INSERT OR IGNORE INTO models (name, revision) VALUES (?, ?)", (name, revision))
        return self.model_number(name, revision)

    def model_number(self, name: str, revision: str) -> int:
        """Return the number of a stored model."""
        return self._connections.select_number("models WHERE name = ? AND revision = ?", name, revision)

    def models_named(self, name: str) -> list[KnownModel]:
        """Return the stored models with this name, the latest last."""
        asked: dict[int, set[str]] = {}
        for model, address in self._connections.select_known("addresses", "SELECT model, address FROM addresses"):
            asked.setdefault(model, set()).add(address)
        rows = self._main.execute("SELECT id, revision FROM models WHERE name = ? ORDER BY id", (name,))
        return [KnownModel(number, revision, frozenset(asked.get(number, ()))) for number, revision in rows]

    def add_address(self, model: int, address: str) -> None:
        """Note an address at which a model was asked."""
        row = (model, address, time.time())
        self._main.execute("INSERT OR IGNORE INTO addresses VALUES (?, ?, ?)", row)

    def add_canary(self, model: int, record: Mapping[str, Any]) -> None:
        """Store what a model read in letter images before a run."""
        values = (model, dump_json(record), time.time())
        self._main.execute("INSERT INTO canaries (model, record, created) VALUES (?, ?, ?)", values)

    def canaries(self, model: int) -> list[dict[str, Any]]:
        """Return what a model read in letter images before each run, the latest last."""
        query = "SELECT record FROM canaries WHERE model = ? ORDER BY id"
        rows = self._connections.select_known("canaries", query, model)
        return [orjson.loads(record) for (record,) in rows]

    def add_consent(self, record: Mapping[str, Any]) -> None:
        """Store a consent to send images (`digest`) to a `host`. The store does not enforce it."""
        values = (record["host"], record["digest"], dump_json(record), time.time())
        self._main.execute("INSERT OR IGNORE INTO consents VALUES (?, ?, ?, ?)", values)


def _as_stored(record: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a study's record to the form in which a store returns it."""
    found: dict[str, Any] = orjson.loads(dump_json(record))
    return found
