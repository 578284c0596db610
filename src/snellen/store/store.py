"""Store: what was asked and what came back, in the one SQLite file of a folder."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from snellen.errors import ImageError, StoreBusyError, StoreError
from snellen.files import create_file, create_folder, find_inside, open_handle
from snellen.images import EncodedImage, Image
from snellen.items import Benchmark
from snellen.models.base import MOST_TOKENS
from snellen.schemas import later
from snellen.store.migrations import is_newer, is_older, migrate, transaction
from snellen.store.records import dump_json, item_of, item_record
from snellen.store.shapes import ARM, DRAWN, check_record, read_record
from snellen.store.shards import check_kind, check_shard, missing, not_as_written, shards_of
from snellen.store.studies import StoredStudy, chosen, name_for, same, studies_in

try:
    import fcntl
except ImportError:  # Windows: what is stored can be read there, but no second writer could be kept out
    fcntl = None  # type: ignore[assignment]

FILE = "responses.sqlite"
BEING_WRITTEN = 1
TYPES = {"INTEGER": "integer", "TEXT": "text", "REAL": "real", "DOUBLE PRECISION": "real", "BLOB": "blob"}
"""What SQLite calls the values of a column of each type."""
"""SQLite's `user_version` of a store that is open for writing; 0 once it was closed."""
TRIES, BETWEEN_TRIES = 5, 0.01
"""How often the right to write is tried for, and the seconds between: who looks whether somebody has it holds it for
microseconds."""
SCHEMA = 1
"""The form of a study's record; one that names none was written before there were numbers."""
REVIEW_SCHEMA = 1
"""The form of what clinicians said to a task."""
NEEDED = ("models", "benchmarks", "sources", "tests", "arms", "epochs", "limit", "parser")
"""What the record of a study must say to be scored."""


class Cell(NamedTuple):
    """One response that is wanted: which model, under which arm, on which item, as which replicate."""

    model: int
    arm: int
    ordinal: int
    replicate: int


class Reply(NamedTuple):
    """One stored response and where it belongs."""

    ordinal: int
    replicate: int
    response: int
    text: str
    finish: str
    reasoning: str
    reasoning_tokens: int | None = None


class KnownModel(NamedTuple):
    """A model in the store, and where it was asked."""

    number: int
    revision: str
    addresses: frozenset[str]


class StoredBatch(NamedTuple):
    """A batch that was, or was about to be, handed in to a provider."""

    number: int
    tag: str
    provider_id: str
    """Empty where nobody knows whether it was handed in."""
    created: float


class Label(NamedTuple):
    """What people say of one stored response."""

    model: int
    arm: int
    ordinal: int
    replicate: int
    label: str


@dataclass(frozen=True)
class Sampled:
    """The responses of one model under one arm that a review drew cases from, and those that it labelled."""

    ranges: tuple[tuple[int, int, int], ...]
    """Replicate, first item, and one past the last."""
    labelled: frozenset[tuple[int, int]]

    def __contains__(self, run: object) -> bool:
        """Whether the response to an item in a repeat could have been drawn."""
        ordinal, replicate = run if isinstance(run, tuple) else (-1, -1)
        return any(replicate == at and first <= ordinal < end for at, first, end in self.ranges)


class Bill(NamedTuple):
    """What one response was asked with, and what the server counted for it and called itself."""

    ordinal: int
    replicate: int
    words: int
    """Equal for equal words."""
    images: tuple[str, ...]
    input_tokens: int | None
    image_tokens: int | None
    served_by: str


class Picture(NamedTuple):
    """An image as it was sent, its original's size, and the rule by which its pixels were made, if there is one."""

    sha256: str
    width: int
    height: int
    original: tuple[int, int]
    rule: str


class Asked(NamedTuple):
    """What an arm made of an item and how it was put to the model; `inapplicable` holds the reason if it was not."""

    inapplicable: str | None
    changed: Mapping[str, Any]
    system: str
    text: str
    images: tuple[str, ...]


class Store:
    """The stored studies in a folder. Any number may read; one process at a time may write."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        self.folder = folder
        self.connection = connection
        self._lock = lock
        self._shards = {shard.model: shard for shard in shards_of(connection)} if lock is None else {}
        self._opened: dict[int, sqlite3.Connection] = {}

    @classmethod
    def open(cls, folder: Path | str, *, write: bool = False, check: bool = True) -> Store:
        """The store of a folder; made there if it is to be written and there is none.

        Whoever has just checked that it is whole need not `check` it again.
        """
        folder = Path(folder)
        path = folder / FILE
        if not write and not cls.is_in(folder):
            raise StoreError(
                f"There are no answers in {folder}: expected {path}. Run a study with --out {folder} first."
            )
        lock = _lock(folder) if write else None
        connection = None
        try:
            connection = connect(path) if write else connect_to_read(path)
            check_version(connection, path, write=write)
            if write:
                _refuse_shards(connection, folder)
                migrate(connection)
                _begin_writing(connection)
            elif check:
                check_whole(connection, path)
            store = cls(folder, connection, lock)
        except (sqlite3.Error, StoreError) as error:
            if connection is not None:
                connection.close()
            if lock is not None:
                os.close(lock)
            raise error if isinstance(error, StoreError) else unusable(path, error) from error
        if check and not write:
            try:
                store.check_shards()
            except BaseException:
                store.close()
                raise
        return store

    @staticmethod
    def is_in(folder: Path | str) -> bool:
        """Whether a folder holds a store."""
        return (Path(folder) / FILE).is_file()

    def close(self) -> None:
        """Let go of the file and of the right to write to it; what was written is then in the one file."""
        if self._lock is not None:
            _end_writing(self.connection)
        for each in self._opened.values():
            each.close()
        self.connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        # What SQLite or JSON finds wrong while a store is in use is said here, whoever was reading.
        if kind in (sqlite3.DatabaseError, sqlite3.OperationalError, orjson.JSONDecodeError):
            raise unusable(self.folder / FILE, cast("Exception", error)) from error

    # Where the responses are ------------------------------------------------------------------------------------

    @property
    def shard_files(self) -> list[Path]:
        """The files that hold the responses, where those are apart by model."""
        return [find_inside(self.folder, shard.file) for shard in self._shards.values()]

    def check_shards(self) -> None:
        """StoreError where a shard is missing, damaged or not the one that was written."""
        for model, shard in self._shards.items():
            path = self.folder / shard.file
            connection = self.holding(model)
            try:
                if found := damage(connection):
                    raise not_as_written(path, f"is damaged: {found}")
                check_shard(connection, shard, path, of=self.connection)
            except sqlite3.Error as error:
                raise unusable_shard(path, error) from error

    def holding(self, model: int) -> sqlite3.Connection:
        """What holds the responses of a model: this file, or the model's shard."""
        if model not in self._shards:
            return self.connection
        if model not in self._opened:
            path = find_inside(self.folder, self._shards[model].file)
            if not path.is_file():
                raise missing(path)
            try:
                self._opened[model] = connect_to_read(path)
                check_kind(self._opened[model], path)
            except sqlite3.Error as error:
                raise unusable_shard(path, error) from error
        return self._opened[model]

    def everywhere(self) -> list[sqlite3.Connection]:
        """All that hold responses."""
        return [self.holding(model) for model in self._shards] or [self.connection]

    # What was asked for -------------------------------------------------------------------------------------------

    def add_study(self, record: Mapping[str, Any], *, name: str = "", stem: str = "") -> str:
        """Note what is to be done, and return the name that it has here.

        A study that is asked for again keeps its name. A new one is called `name`; where none is given, `stem` with a
        number if that is taken, or `study-1`, `study-2` and so on. StudyError for a name that another study has.
        """
        said = _as_stored(record)
        called = name_for(said, self.studies(), self.folder, given=name, stem=stem)
        values = (time.time(), dump_json({"schema": SCHEMA, **said, "name": called}))
        self.connection.execute("INSERT INTO studies (created, record) VALUES (?, ?)", values)
        return called

    def is_empty(self) -> bool:
        """Whether no response is stored yet."""
        query = "SELECT 1 FROM responses LIMIT 1"
        return all(each.execute(query).fetchone() is None for each in self.everywhere())

    def has_study(self) -> bool:
        """Whether anything was asked for yet."""
        return self.connection.execute("SELECT 1 FROM studies LIMIT 1").fetchone() is not None

    def studies(self) -> list[StoredStudy]:
        """Every study of this store, in the order in which they were added."""
        rows = self.connection.execute("SELECT created, record FROM studies ORDER BY id")
        return studies_in(self.folder, rows)

    def find_study(self, record: Mapping[str, Any]) -> StoredStudy | None:
        """The study that asks for the same as a record, if it is here."""
        return same(self.studies(), _as_stored(record))

    def study(self, name: str | None = None) -> dict[str, Any]:
        """The record of the study of that name, by default of the one that was asked for last."""
        if not self.has_study():
            raise StoreError(f"{self.folder / FILE} holds no study.")
        record = dict(chosen(self.studies(), name, self.folder).record)
        if said := later(f"The study in {self.folder / FILE}", record.get("schema"), SCHEMA):
            raise StoreError(said)
        for name in record.get("benchmarks", {}):
            check_record(record.get("arms", {}), {name: dict}, "a study")
        if absent := [part for part in NEEDED if part not in record]:
            raise StoreError(
                f"The study in {self.folder / FILE} was written by another version of snellen: it does not say "
                f"{', '.join(absent)}. Run or import it again with another --out."
            )
        return record

    def latest_study(self) -> dict[str, Any]:
        """The record of the study that was asked for last."""
        return self.study()

    def results_folder(self, name: str) -> Path:
        """The folder in which the results of a study lie."""
        place = chosen(self.studies(), name, self.folder).folder
        if place != self.folder and self.is_in(find_inside(self.folder, place.name)):
            raise StoreError(f"The results of the study {name!r} would lie in {place}, which holds responses itself.")
        return place

    def add_benchmark(self, benchmark: Benchmark) -> tuple[int, str]:
        """The benchmark's number and digest; its items are stored unless they are there already."""
        digest = benchmark.digest
        row = self.connection.execute("SELECT id FROM benchmarks WHERE digest = ?", (digest,)).fetchone()
        if row is not None:
            return int(row[0]), digest
        patients: dict[str, str] = {}
        with transaction(self.connection):
            values = (benchmark.name, digest)
            number = self.connection.execute("INSERT INTO benchmarks (name, digest) VALUES (?, ?)", values).lastrowid
            assert number is not None
            self.connection.executemany(
                "INSERT INTO items VALUES (?, ?, ?, ?)",
                ((number, i, item.id, item_record(item, patients)) for i, item in enumerate(benchmark.items)),
            )
        return number, digest

    def add_arm(self, benchmark: int, name: str, digest: str, record: Mapping[str, Any]) -> int:
        """The number of an arm on a benchmark; everything but item, model and replicate is in its digest."""
        values = (benchmark, name, digest, dump_json(record))
        self.connection.execute(
            "INSERT OR IGNORE INTO arms (benchmark, name, digest, record) VALUES (?, ?, ?, ?)", values
        )
        return self._number("arms WHERE digest = ?", digest)

    def add_model(self, name: str, revision: str) -> int:
        """The number of a model, a new one where it is new."""
        self.connection.execute("INSERT OR IGNORE INTO models (name, revision) VALUES (?, ?)", (name, revision))
        return self.model(name, revision)

    def add_address(self, model: int, address: str) -> None:
        """A model was asked at an address."""
        row = (model, address, time.time())
        self.connection.execute("INSERT OR IGNORE INTO addresses VALUES (?, ?, ?)", row)

    def add_batch(self, model: int, tag: str, keys: Sequence[bytes]) -> int:
        """Note, before it is handed in, which requests a batch holds."""
        row = (model, tag, "", "handing in", time.time())
        with transaction(self.connection):
            number = self.connection.execute(
                "INSERT INTO batches (model, tag, provider_id, state, created) VALUES (?, ?, ?, ?, ?)", row
            ).lastrowid
            rows = ((number, at, key) for at, key in enumerate(keys))
            self.connection.executemany("INSERT INTO batch_requests VALUES (?, ?, ?)", rows)
        return int(number or 0)

    def note_batch(self, number: int, *, provider_id: str, state: str) -> None:
        """What became of a batch."""
        values = (provider_id, state, number)
        self.connection.execute("UPDATE batches SET provider_id = ?, state = ? WHERE id = ?", values)

    def forget_batch(self, number: int, state: str) -> None:
        """A batch came to nothing: its requests may be handed in again."""
        self.drop_from_batch(number, self.batch_keys(number))
        self.note_batch(number, provider_id="", state=state)

    def open_batches(self, model: int) -> list[StoredBatch]:
        """A model's batches that are not fetched yet, nor known to have come to nothing."""
        query = "SELECT id, tag, provider_id, created FROM batches WHERE model = ? AND state IN (?, ?) ORDER BY id"
        return [StoredBatch(*row) for row in self.connection.execute(query, (model, "handing in", "open"))]

    def batch_keys(self, number: int) -> dict[int, bytes]:
        """The keys of a batch's requests by their places in it, without those that came to nothing."""
        query = "SELECT number, key FROM batch_requests WHERE batch = ? ORDER BY number"
        return dict(self.connection.execute(query, (number,)))

    def drop_from_batch(self, number: int, places: Iterable[int]) -> None:
        """Requests of a batch came to nothing, and may be handed in again."""
        rows = [(number, place) for place in places]
        with transaction(self.connection):
            self.connection.executemany("DELETE FROM batch_requests WHERE batch = ? AND number = ?", rows)

    def handed_in(self, model: int) -> frozenset[bytes]:
        """The keys of a model's requests that its provider holds, or may hold, in a batch that is not fetched yet."""
        return frozenset(key for each in self.open_batches(model) for key in self.batch_keys(each.number).values())

    def batch_ids(self) -> frozenset[str]:
        """What providers call the batches of this store."""
        return frozenset(each for (each,) in self.connection.execute("SELECT provider_id FROM batches") if each)

    def models_named(self, name: str) -> list[KnownModel]:
        """The models that were asked or imported by a name, the latest last."""
        asked: dict[int, set[str]] = {}
        if self._has("addresses"):
            for model, address in self.connection.execute("SELECT model, address FROM addresses"):
                asked.setdefault(model, set()).add(address)
        rows = self.connection.execute("SELECT id, revision FROM models WHERE name = ? ORDER BY id", (name,))
        return [KnownModel(number, revision, frozenset(asked.get(number, ()))) for number, revision in rows]

    def served_by(self, model: int) -> set[str]:
        """What the servers that answered for a model called it."""
        query = "SELECT DISTINCT r.served_by FROM trials t JOIN responses r ON r.id = t.response WHERE t.model = ?"
        return {name for (name,) in self.holding(model).execute(query, (model,))}

    def model(self, name: str, revision: str) -> int:
        """The number of a model that is there."""
        return self._number("models WHERE name = ? AND revision = ?", name, revision)

    def _number(self, where: str, *values: str) -> int:
        return int(self._one(f"SELECT id FROM {where}", *values)[0])  # noqa: S608 - ours

    def _one(self, query: str, *values: Any) -> tuple[Any, ...]:
        """The row that a study needs to be there."""
        row: tuple[Any, ...] | None = self.connection.execute(query, values).fetchone()
        if row is None:
            raise damaged(self.folder / FILE, "something that its study names is not in it")
        return row

    # What is there ------------------------------------------------------------------------------------------------

    def answered(self, model: int, arm: int) -> NDArray[np.int64]:
        """Ordinal and replicate of every response of a model under an arm, as two columns."""
        query = "SELECT ordinal << 20 | replicate FROM trials WHERE model = ? AND arm = ? ORDER BY ordinal, replicate"
        cells = np.fromiter((cell for (cell,) in self.holding(model).execute(query, (model, arm))), dtype=np.int64)
        return np.stack((cells >> 20, cells & 0xFFFFF), axis=1)

    def answered_under(self, arm_digest: str, model: str, revision: str) -> NDArray[np.int64]:
        """The same of an arm and a model by what they are known by; none where the store knows neither."""
        arms = "SELECT id FROM arms WHERE digest = ?"
        models = "SELECT id FROM models WHERE name = ? AND revision = ?"
        arm = self.connection.execute(arms, (arm_digest,)).fetchone()
        number = self.connection.execute(models, (model, revision)).fetchone()
        return self.answered(number[0], arm[0]) if arm and number else np.empty((0, 2), dtype=np.int64)

    def inapplicable(self, arm: int) -> dict[int, str]:
        """The items an arm has no meaning for, with the reason."""
        query = "SELECT ordinal, inapplicable FROM variants WHERE arm = ? AND inapplicable IS NOT NULL"
        return dict(self.connection.execute(query, (arm,)).fetchall())

    def applicable(self, arm: int) -> list[int]:
        """The items that an arm has a meaning for, of those that it was put to."""
        query = "SELECT ordinal FROM variants WHERE arm = ? AND inapplicable IS NULL"
        return [ordinal for (ordinal,) in self.connection.execute(query, (arm,))]

    def with_images(self, arm: int) -> list[int]:
        """The items that an arm shows with an image."""
        query = "SELECT ordinal FROM variants WHERE arm = ? AND images IS NOT NULL"
        return [ordinal for (ordinal,) in self.connection.execute(query, (arm,))]

    def known(self, keys: list[bytes]) -> dict[bytes, int]:
        """Those of the keys that are answered, with the number of the response."""
        found: dict[bytes, int] = {}
        for start in range(0, len(keys), 1000):
            some = keys[start : start + 1000]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, id FROM responses WHERE key IN ({marks})"  # noqa: S608 - only question marks
            for each in self.everywhere():
                found.update(each.execute(query, some).fetchall())
        return found

    def benchmark(self, digest: str) -> Benchmark:
        """A stored benchmark: its items without their images, patients under numbers."""
        number, name = self._one("SELECT id, name FROM benchmarks WHERE digest = ?", digest)
        rows = self.connection.execute("SELECT record FROM items WHERE benchmark = ? ORDER BY ordinal", (number,))
        return Benchmark(name, tuple(item_of(orjson.loads(record)) for (record,) in rows))

    def holds(self, digest: str) -> bool:
        """Whether a benchmark is stored."""
        query = "SELECT 1 FROM benchmarks WHERE digest = ?"
        return self.connection.execute(query, (digest,)).fetchone() is not None

    def benchmark_number(self, digest: str) -> int:
        """The number of a stored benchmark."""
        return self._number("benchmarks WHERE digest = ?", digest)

    def count_items(self, digest: str) -> int:
        """How many items a stored benchmark has."""
        query = "SELECT count(*) FROM items WHERE benchmark = ?"
        return int(self._one(query, self.benchmark_number(digest))[0])

    def images_of(self, arm: int, ordinal: int) -> list[str]:
        """The images an item was sent with under an arm, by their sha256."""
        query = "SELECT images FROM variants WHERE arm = ? AND ordinal = ?"
        row = self.connection.execute(query, (arm, ordinal)).fetchone()
        return _read_names(row[0]) if row and row[0] else []

    def arm(self, digest: str) -> tuple[int, dict[str, Any]]:
        """An arm's number and record."""
        number, record = self._one("SELECT id, record FROM arms WHERE digest = ?", digest)
        return int(number), read_record(record, ARM, "a condition")

    def arms_asked(self) -> set[int]:
        """The arms under which something was asked."""
        query = "SELECT id FROM arms WHERE EXISTS (SELECT 1 FROM variants WHERE arm = arms.id)"
        return {arm for (arm,) in self.connection.execute(query)}

    def same_words(self, arm: int, ordinal: int, text: str, changed: Mapping[str, Any]) -> bool:
        """Whether an item under an arm, if it was asked before, was asked in these words with this answer."""
        query = "SELECT text, changed FROM variants WHERE arm = ? AND ordinal = ? AND inapplicable IS NULL"
        row = self.connection.execute(query, (arm, ordinal)).fetchone()
        return row is None or (row[0] == text and orjson.loads(row[1] or "{}") == orjson.loads(dump_json(changed)))

    def asked(self, arm: int, items: Iterable[int] | None = None) -> dict[int, Asked]:
        """What an arm made of all or of some items, by ordinal."""
        query = "SELECT ordinal, inapplicable, changed, system, text, images FROM variants WHERE arm = ?"
        values: tuple[Any, ...] = (arm,)
        if items is not None:
            query += " AND ordinal IN (SELECT value FROM json_each(?))"
            values = (arm, _as_list(items))
        return {
            ordinal: Asked(
                reason, _read_object(changed or "{}"), system or "", text or "", tuple(_read_names(images or "[]"))
            )
            for ordinal, reason, changed, system, text, images in self.connection.execute(query, values)
        }

    def changes(self, arm: int) -> dict[int, dict[str, Any]]:
        """What an arm changed of the words of each item it applies to, by ordinal; all that grading needs."""
        query = "SELECT ordinal, changed FROM variants WHERE arm = ? AND inapplicable IS NULL"
        rows = self.connection.execute(query, (arm,))
        return {ordinal: _read_object(changed) if changed else {} for ordinal, changed in rows}

    def replies(self, model: int, arm: int, items: Iterable[int] | None = None) -> Iterator[Reply]:
        """The responses of a model under an arm, to all or to some items, by item and replicate."""
        query = (
            f"SELECT t.ordinal, t.replicate, r.id, r.text, r.finish, r.reasoning, {self._reasoning_tokens} "  # noqa: S608
            "FROM trials t LEFT JOIN responses r ON r.id = t.response WHERE t.model = ? AND t.arm = ?"
        )
        values: tuple[Any, ...] = (model, arm)
        if items is not None:
            query += " AND t.ordinal IN (SELECT value FROM json_each(?))"
            values = (model, arm, _as_list(items))
        query += " ORDER BY t.ordinal, t.replicate"
        for row in self.holding(model).execute(query, values):
            if row[2] is None:
                raise damaged(self.folder / FILE, "a response that was stored is not in it")
            yield Reply._make(row)

    @property
    def _reasoning_tokens(self) -> str:
        """Where a response's reasoning tokens stand; nowhere in a store of an earlier version that is only read."""
        columns = {name for _, name, *_ in self.connection.execute("PRAGMA table_info(responses)")}
        return select_count("reasoning_tokens") if "reasoning_tokens" in columns else "NULL"

    def bills(self, model: int, arm: int) -> Iterator[Bill]:
        """What each response of a model under an arm was asked with, and what the server counted and called itself."""
        query = (
            "SELECT ordinal, coalesce(system, '') || char(10) || text, images FROM variants "
            "WHERE arm = ? AND inapplicable IS NULL"
        )
        asked = {
            ordinal: (hash(words), tuple(_read_names(images)) if images else ())
            for ordinal, words, images in self.connection.execute(query, (arm,))
        }
        read, of_images = select_count("input_tokens"), select_count("image_tokens")
        query = (
            f"SELECT t.ordinal, t.replicate, {read}, {of_images}, r.served_by "  # noqa: S608 - ours
            "FROM trials t JOIN responses r ON r.id = t.response WHERE t.model = ? AND t.arm = ?"
        )
        for ordinal, replicate, *counted in self.holding(model).execute(query, (model, arm)):
            if ordinal in asked:
                yield Bill(ordinal, replicate, *asked[ordinal], *counted)

    def failed_with_image(self, model: int, arm: int) -> int:
        """How many responses to questions with an image never came after failed attempts."""
        query = (
            "SELECT DISTINCT a.ordinal, a.replicate FROM attempts a WHERE a.model = ? AND a.arm = ? AND NOT EXISTS ("
            "  SELECT 1 FROM trials t WHERE t.model = a.model AND t.arm = a.arm AND t.ordinal = a.ordinal"
            "  AND t.replicate = a.replicate)"
        )
        shown = set(self.with_images(arm))
        return sum(ordinal in shown for ordinal, _ in self.holding(model).execute(query, (model, arm)))

    def image_sizes(self) -> dict[str, int]:
        """How many pixels each stored image has, by its sha256."""
        return dict(self.connection.execute("SELECT sha256, width * height FROM images").fetchall())

    def pictures(self, shown: Iterable[str] | None = None) -> dict[str, Picture]:
        """All stored images or some of them, by their sha256; a store of an earlier version knows nothing of rules."""
        known = "original_width, original_height, rule" if self._knows_origins else "NULL, NULL, NULL"
        query = f"SELECT sha256, width, height, {known} FROM images"  # noqa: S608 - ours
        values: tuple[Any, ...] = ()
        if shown is not None:
            query += " WHERE sha256 IN (SELECT value FROM json_each(?))"
            values = (orjson.dumps(list(shown)).decode(),)
        return {
            sha256: Picture(sha256, width, height, (before or width, tall or height), rule or "")
            for sha256, width, height, before, tall, rule in self.connection.execute(query, values)
        }

    def shown(self, arm: int) -> dict[int, tuple[str, ...]]:
        """The images that each item was sent with under an arm, by their sha256; without those that had none."""
        query = "SELECT ordinal, images FROM variants WHERE arm = ? AND images IS NOT NULL"
        return {ordinal: tuple(_read_names(images)) for ordinal, images in self.connection.execute(query, (arm,))}

    def sent_before(self, arm: int, ordinal: int) -> list[Picture]:
        """The images that an item was sent with under an arm, if it was."""
        images = self.images_of(arm, ordinal)
        found = self.pictures(images) if images else {}
        return [found[sha256] for sha256 in images if sha256 in found]

    def shades(self, arm: int) -> dict[int, list[str]]:
        """The items whose own images went out nearly black or white under an arm, with what each of them was."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"shades\"%'"
        rows = self.connection.execute(query, (arm,))
        return {ordinal: _read_drawn(drawn).get("shades", []) for ordinal, drawn in rows}

    def missing_columns(self, arm: int) -> dict[int, list[str]]:
        """The items that were related to others by their text under an arm, with the columns that they lack."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"without_columns\"%'"
        rows = self.connection.execute(query, (arm,))
        return {ordinal: _read_drawn(drawn).get("without_columns", []) for ordinal, drawn in rows}

    def lent_images(self, arm: int) -> dict[int, dict[str, Any]]:
        """What was drawn for the items to which an arm lent the image of another item, by their place."""
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"lent_by\"%'"
        return {ordinal: _read_drawn(drawn) for ordinal, drawn in self.connection.execute(query, (arm,))}

    @property
    def _knows_origins(self) -> bool:
        return "side" in {name for _, name, *_ in self.connection.execute("PRAGMA table_info(images)")}

    def text(self, response: int) -> str:
        """The text of a response, by its number."""
        query = "SELECT text FROM responses WHERE id = ?"
        found = (each.execute(query, (response,)).fetchone() for each in self.everywhere())
        return str(next(row for row in found if row is not None)[0])

    def failures(self, model: int, arm: int, *, items: int, runs: Sequence[int] | None = None) -> dict[str, int]:
        """How many of the wanted responses are missing after failed attempts, by kind of error with its last words.

        `runs` says how often each item is wanted; without it, any repeat of an item is.
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
        for ordinal, replicate, error, message, _ in self.holding(model).execute(query, (model, arm, items)):
            if runs is None or replicate < runs[ordinal]:
                counts[error], last[error] = counts.get(error, 0) + 1, message
        return {f"{error}: {last[error]}": counts[error] for error in sorted(counts)}

    def failed_cells(self, model: int, arm: int) -> list[tuple[int, int, str]]:
        """Item, replicate and last error of every call under an arm that failed and was never answered."""
        query = (
            "SELECT ordinal, replicate, message, max(id) FROM attempts a WHERE model = ? AND arm = ? AND NOT EXISTS ("
            "  SELECT 1 FROM trials t WHERE t.model = a.model AND t.arm = a.arm AND t.ordinal = a.ordinal"
            "  AND t.replicate = a.replicate) GROUP BY ordinal, replicate"
        )
        return [row[:3] for row in self.holding(model).execute(query, (model, arm))]

    def distances(self, arm: int) -> Iterator[tuple[int, dict[str, float]]]:
        """How far the images of an arm were from the item's, as measured when they were made, by the item's place.

        Each distance is the mean over the item's images, without those that no image has a number for.
        """
        query = "SELECT ordinal, drawn FROM variants WHERE arm = ? AND drawn LIKE '%\"measured\"%'"
        for ordinal, drawn in self.connection.execute(query, (arm,)):
            measured = _read_drawn(drawn).get("measured", [])
            names = dict.fromkeys(name for each in measured for name in each)
            found = {name: [each[name] for each in measured if each.get(name) is not None] for name in names}
            yield ordinal, {name: sum(values) / len(values) for name, values in found.items() if values}

    def judgements(self, arm_digest: str) -> list[tuple[str, int, int, str, bool]]:
        """Who judged which item and replicate, what was said, and whether an image was sent along; the latest last."""
        query = (
            "SELECT m.name, t.ordinal, t.replicate, r.text, r.delivered != '[]', r.id FROM arms a "
            "JOIN trials t ON t.arm = a.id JOIN responses r ON r.id = t.response JOIN models m ON m.id = t.model "
            "WHERE a.digest = ? ORDER BY r.id"
        )
        rows = [row for each in self.everywhere() for row in each.execute(query, (arm_digest,))]
        return [row[:5] for row in sorted(rows, key=lambda row: row[5])]

    # What was shown before a run ----------------------------------------------------------------------------------

    def add_canary(self, model: int, record: Mapping[str, Any]) -> None:
        """Note what a model read of the letters that it was shown before a run."""
        values = (model, dump_json(record), time.time())
        self.connection.execute("INSERT INTO canaries (model, record, created) VALUES (?, ?, ?)", values)

    def canaries(self, model: int) -> list[dict[str, Any]]:
        """What a model read before each run, the latest last."""
        if not self._has("canaries"):
            return []
        rows = self.connection.execute("SELECT record FROM canaries WHERE model = ? ORDER BY id", (model,))
        return [orjson.loads(record) for (record,) in rows]

    def add_consent(self, record: Mapping[str, Any]) -> None:
        """Note that the images of a benchmark (`digest`) may go to a `host`; a record, which allows nothing."""
        values = (record["host"], record["digest"], dump_json(record), time.time())
        self.connection.execute("INSERT OR IGNORE INTO consents VALUES (?, ?, ?, ?)", values)

    # What people say ----------------------------------------------------------------------------------------------

    def add_qualification(self, record: Mapping[str, Any]) -> None:
        """Note how far a judge agrees with people on one of its questions (`judge`, `question`, `version`)."""
        known = (record["judge"], record["question"], record["version"])
        values = (*known, dump_json(record), time.time())
        self.connection.execute(
            "INSERT INTO judge_qualifications (judge, question, version, record, created) VALUES (?, ?, ?, ?, ?)",
            values,
        )

    def qualifications(self) -> list[dict[str, Any]]:
        """The records of all qualifications of judges, the latest last."""
        if not self._has("judge_qualifications"):
            return []
        rows = self.connection.execute("SELECT record FROM judge_qualifications ORDER BY id")
        return [orjson.loads(record) for (record,) in rows]

    def add_labels(self, question: str, labels: Iterable[Label]) -> None:
        """Note what people answer to a judge's question about stored responses; a later label replaces an earlier."""
        now = time.time()
        with transaction(self.connection):
            self.connection.executemany(
                "INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(question, *label, now) for label in labels],
            )

    def drop_labels(self, question: str, cells: Iterable[Cell]) -> None:
        """Forget what people answered to a judge's question about some responses, since they no longer agree on it."""
        with transaction(self.connection):
            self.connection.executemany(
                "DELETE FROM labels WHERE question = ? AND model = ? AND arm = ? AND ordinal = ? AND replicate = ?",
                [(question, *cell) for cell in cells],
            )

    def labels(self, question: str) -> list[Label]:
        """What people answer to a judge's question, by model, arm, item and replicate."""
        if not self._has("labels"):
            return []
        query = "SELECT model, arm, ordinal, replicate, label FROM labels WHERE question = ? ORDER BY 1, 2, 3, 4"
        return [Label._make(row) for row in self.connection.execute(query, (question,))]

    def add_review(self, record: Mapping[str, Any]) -> None:
        """Note what clinicians said to a `task` of a review of a `study`."""
        values = (record["task"], dump_json(record), time.time())
        self.connection.execute("INSERT INTO reviews (task, record, created) VALUES (?, ?, ?)", values)

    def reviews(self, study: str) -> dict[str, dict[str, Any]]:
        """The latest record of each task of a study's review, by the task's name."""
        if not self._has("reviews"):
            return {}
        rows = self.connection.execute("SELECT task, record FROM reviews ORDER BY id")
        found = ((task, orjson.loads(record)) for task, record in rows)
        kept = {task: record for task, record in found if record.get("study") == study}
        for task, record in kept.items():
            if said := later(f"The review {task!r} in {self.folder / FILE}", record.get("schema"), REVIEW_SCHEMA):
                raise StoreError(said)
        return kept

    def find_sampled(self, task: str) -> dict[tuple[int, int], Sampled]:
        """By model and arm, from which responses the latest review of a task drew, and which it labelled."""
        found: dict[tuple[int, int], Sampled] = {}
        if not self._has("reviews"):
            return found
        rows = self.connection.execute("SELECT record FROM reviews WHERE task = ? ORDER BY id", (task,))
        for record in (orjson.loads(text) for (text,) in rows):
            ranges = [tuple(each) for each in record.get("among", ())]
            for model, arm in dict.fromkeys(each[:2] for each in ranges):
                labelled = {tuple(cell[2:]) for cell in record["labelled"] if tuple(cell[:2]) == (model, arm)}
                of_arm = tuple(each[2:] for each in ranges if each[:2] == (model, arm))
                found[model, arm] = Sampled(of_arm, frozenset(labelled))
        return found

    def _has(self, table: str) -> bool:
        """Whether a store has a table that those of earlier versions lack."""
        query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return self.connection.execute(query, (table,)).fetchone() is not None

    def sent(self, sha256: str) -> EncodedImage:
        """An image as it was sent, to be sent again."""
        query = "SELECT media_type, width, height FROM images WHERE sha256 = ?"
        data = self.image(sha256)
        media_type, width, height = self.connection.execute(query, (sha256,)).fetchone()
        return EncodedImage(data, media_type, width, height)

    def image(self, sha256: str) -> bytes:
        """An image as it was sent; one that was a file is read again and must still be the same."""
        query = f"SELECT path, data, {'side' if self._knows_origins else 'NULL'} FROM images WHERE sha256 = ?"  # noqa: S608
        row = self.connection.execute(query, (sha256,)).fetchone()
        if row is None:
            raise ImageError(f"No image {sha256[:12]} is stored in {self.folder}.")
        path, data, side = row
        data = data if data is not None else Image(Path(path)).encoded(side).data
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ImageError(f"Image {path} has changed since it was sent, or was sent by another version of snellen.")
        return bytes(data)


def _read_names(text: str) -> list[str]:
    """The images that a question was sent with."""
    return cast("list[str]", read_record(text, [str], "the images of a question"))


def _read_object(text: str) -> dict[str, Any]:
    """What a condition changed of a question."""
    return cast("dict[str, Any]", read_record(text, {str: object}, "what a condition changed"))


def _read_drawn(text: str) -> dict[str, Any]:
    """What was drawn and measured for a question."""
    return cast("dict[str, Any]", read_record(text, DRAWN, "what a condition drew"))


def _as_list(items: Iterable[int]) -> str:
    return orjson.dumps(sorted(items)).decode()


def _as_stored(record: Mapping[str, Any]) -> dict[str, Any]:
    """A study's record as it comes back out of a store."""
    found: dict[str, Any] = orjson.loads(dump_json(record))
    return found


def _refuse_shards(connection: sqlite3.Connection, folder: Path) -> None:
    if shards_of(connection):
        raise StoreError(
            f"The responses in {folder} are apart in shards, which are only read. Ask, judge and review in the folder "
            "that they were exported from, and export it again."
        )


def connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode; the write-ahead log lets others read while one writes."""
    try:
        create_file(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written to: {error.strerror}. Choose another --out.") from error
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, so that a finished study can be read where nothing can be written."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    log = has_log(path)
    try:
        return opened(address)
    except sqlite3.OperationalError as error:
        if log:
            raise StoreError(
                f"{path} cannot be read here: some of its responses are still in {path.name}-wal, and to read those "
                "SQLite writes a file beside them. Copy the whole folder to where you may write, and read the copy."
            ) from error
    # Without a log nothing is overlooked if SQLite is told that nobody writes.
    return opened(f"{address}&immutable=1")


def opened(address: str) -> sqlite3.Connection:
    """A connection to an address that can be read."""
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=30)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error:
        connection.close()
        raise
    except UnicodeDecodeError as error:  # what SQLite complains of is no text
        connection.close()
        raise sqlite3.DatabaseError("its list of tables cannot be read") from error
    return connection


def has_log(path: Path) -> bool:
    """Whether responses may be in the write-ahead log, which is empty or gone after a study that ended."""
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


def _begin_writing(connection: sqlite3.Connection) -> None:
    """Mark the file itself, so that a copy of it without its log can be known by its mark."""
    connection.execute(f"PRAGMA user_version = {BEING_WRITTEN}")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _end_writing(connection: sqlite3.Connection) -> None:
    """Bring everything into the one file and take the mark off; on a full disk the mark stays, and says so."""
    with suppress(sqlite3.Error):
        connection.rollback()
        connection.execute("PRAGMA user_version = 0")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def check_version(connection: sqlite3.Connection, path: Path, *, write: bool) -> None:
    """Refuse what another program or a later version wrote; an earlier version's, and an empty file, can be written."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "migrations" not in tables:
        if tables or not write:
            came = "is not a store of snellen: it holds tables of another program" if tables else "is empty"
            todo = "Choose another --out" if write else "Give the folder that a study was run with as --out"
            raise StoreError(f"{path} {came}. Expected the responses of a study. {todo}.")
        return
    if newer := is_newer(connection):
        raise StoreError(f"{path} was written by a later version of snellen ({', '.join(newer)}). Upgrade to read it.")
    if not write and (older := is_older(connection)):
        raise StoreError(
            f"{path} was written by an earlier version of snellen, or never begun (it lacks {', '.join(older)}). Run "
            f"its study again with --out {path.parent}: that brings it up to date, and asks nothing twice."
        )


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a store that is damaged or lacks its log (a second for 100,000 responses): none is left out in silence."""
    (written,) = connection.execute("PRAGMA user_version").fetchone()
    if written == BEING_WRITTEN and not has_log(path):
        raise StoreError(
            f"{path} was copied while it was being written, without {path.name}-wal: responses may be missing. Copy it "
            "again once the study has ended, or run the study again here: it asks what is missing."
        )
    if found := damage(connection):
        raise damaged(path, found)


def damage(connection: sqlite3.Connection) -> str:
    """The first damage that SQLite finds in a file; empty where there is none."""
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        return str(found).removeprefix("*** in database main ***").strip()
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return next(filter(None, (_find_foreign_type(connection, name) for (name,) in tables)), "")


def _find_foreign_type(connection: sqlite3.Connection, table: str) -> str:
    """The first value of a table that is not of its column's type: SQLite stores any."""
    columns = [row[1:3] for row in connection.execute("SELECT * FROM pragma_table_info(?)", (table,))]
    foreign = {
        name: f"(typeof({_quote_name(name)}) != '{TYPES[kind]}' AND {_quote_name(name)} IS NOT NULL)"
        for name, kind in columns
        if kind in TYPES
    }
    if not foreign:
        return ""
    found, any_ = ", ".join(foreign.values()), " OR ".join(foreign.values())
    row = connection.execute(f"SELECT {found} FROM {_quote_name(table)} WHERE {any_}").fetchone()  # noqa: S608
    return f"the column {list(foreign)[row.index(1)]} of {table} holds a value of another type" if row else ""


def _quote_name(name: str) -> str:
    doubled = str(name).replace('"', '""')
    return f'"{doubled}"'


def damaged(path: Path, why: str) -> StoreError:
    """The error for a store of which something is lost."""
    return StoreError(f"{path} is damaged: {why}. Restore it from a copy, or run the study with another --out.")


def select_count(name: str) -> str:
    """SQL for a response's count of tokens; NULL for one that no server can mean, as earlier versions stored it."""
    return f"CASE WHEN typeof(r.{name}) = 'integer' AND r.{name} BETWEEN 0 AND {MOST_TOKENS} THEN r.{name} END"


def unusable(path: Path, error: Exception) -> StoreError:
    """The error for what SQLite or JSON finds wrong."""
    if _of_the_system(error):
        return StoreError(f"{path} cannot be used: {error}.")
    # SQLite quotes the text it cannot decode, all of it.
    return damaged(path, f"{str(error).partition(' with text ')[0]} (or it is not a store of snellen)")


def unusable_shard(path: Path, error: sqlite3.Error) -> StoreError:
    """The error for what SQLite finds wrong with a shard."""
    return unusable(path, error) if _of_the_system(error) else not_as_written(path, f"cannot be read: {error}")


def _of_the_system(error: Exception) -> bool:
    return any(words in str(error) for words in ("full", "I/O", "locked", "unable to open"))


def _lock(folder: Path) -> int:
    """The right to write, held until the process ends however it ends."""
    if fcntl is None:
        raise StoreError(
            f"No answers can be written to {folder}: Snellen writes on Linux and macOS only. On Windows, run it under "
            "WSL; what is stored already can be read and reported here."
        )
    try:
        create_folder(folder)
        handle = open_handle(lock := folder / f"{FILE}.lock", os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written to: {error.strerror}. Choose another --out.") from error
    for left in reversed(range(TRIES)):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError:
            if left:
                time.sleep(BETWEEN_TRIES)
    else:
        holder = os.read(handle, 32).decode(errors="replace").strip()
        os.close(handle)
        raise StoreBusyError(
            f"Another process (pid {holder or 'unknown'}) is writing to {folder}. "
            "Wait for it to end, or choose another --out."
        )
    if (found := os.read(handle, 32).strip()) and not found.isdigit():
        os.close(handle)
        raise StoreError(f"{lock} holds other text than a lock does, and is not overwritten. Choose another --out.")
    os.ftruncate(handle, 0)
    os.pwrite(handle, str(os.getpid()).encode(), 0)
    return handle


def being_written(folder: Path) -> bool:
    """Whether a process holds the right to write.

    Where none does, it is taken and given back within microseconds; a writer that starts just then tries again.
    """
    lock = folder / f"{FILE}.lock"
    if fcntl is None or not lock.is_file():  # nobody has written here yet, or this is a copy without the lock
        return False
    try:
        handle = os.open(lock, os.O_RDONLY)
    except OSError:  # another user's: what changes while it is read is noticed all the same
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
