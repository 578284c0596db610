"""Live view: read a store, even while another process writes to it, without changing any file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.errors import StoreChangedError, StoreError
from snellen.items import Item
from snellen.store.files import FILE, check_version, connect_to_read, damage_error, has_log, open_address, unusable
from snellen.store.lock import being_written
from snellen.store.records import as_changed, item_of
from snellen.store.responses import select_count
from snellen.store.store import Store

RECENT = 1000
"""Number of newest responses from which the pace of a run is computed."""
_READ, _WRITTEN = select_count("input_tokens"), select_count("output_tokens")
SHARED = 10
"""Rows that are searched per newest response, since several rows may share one response."""


class StoreState(NamedTuple):
    """Size and time of a store's files, and whether a process is writing."""

    writing: bool
    files: tuple[tuple[int, int], ...]


class WantedResponses(NamedTuple):
    """Responses that a study wants of one model under one arm: `items` items with `epochs` repeats each."""

    model: int
    arm: int
    items: int
    epochs: int


class Failed(NamedTuple):
    """Failed responses of one model and arm with the same kind of error."""

    model: int
    arm: int
    error: str
    responses: int
    attempt: int
    """The number of the last failed attempt; later attempts have higher numbers."""
    message: str


class Latest(NamedTuple):
    """One of the newest responses, with its model, arm, item and repeat."""

    response: int
    model: int
    arm: int
    ordinal: int
    replicate: int
    text: str
    finish: str
    reasoning: str
    created: float


class ResponseRate(NamedTuple):
    """The number of recent responses, and the times of the first and the last one."""

    responses: int
    first: float
    last: float


class Counted(NamedTuple):
    """Number of responses with these token counts (input and output). None if the server reported no count."""

    read: int | None
    written: int | None
    responses: int
    in_batch: bool = False
    """True if they came from a batch API."""


class Tokens(NamedTuple):
    """Sums of input and output tokens of some responses. None if the server reported no counts."""

    read: int | None
    written: int | None


def mark(folder: Path) -> StoreState:
    """Return the state of a store's files, without reading them."""
    writing = being_written(folder)
    files = []
    for name in (FILE, f"{FILE}-wal"):
        with suppress(OSError):
            about = (folder / name).stat()
            if about.st_size:
                files.append((about.st_size, about.st_mtime_ns))
    return StoreState(writing, tuple(files))


@contextmanager
def open_view(folder: Path, *, checked: bool = False) -> Iterator[Store]:
    """Open a consistent read-only view of the store; StoreError if it changed meanwhile.

    If no process is writing, the files are read as unchanging: the database and its log, without SQLite's index of the
    log. While another process writes, that index (`-shm`) exists and is shared, as SQLite needs it. `checked` looks for
    damage first, which takes up to a second for 100,000 responses.
    """
    path = folder / FILE
    if not Store.is_in(folder):
        raise StoreError(f"There are no responses in {folder}: expected {path}.")
    before = mark(folder)
    problem: Exception | None = None
    try:
        with closing(_connect(path, before)) as connection:
            connection.execute("BEGIN")
            check_version(connection, path, write=False)
            store = Store(folder, connection)
            if checked:
                store.check()
            try:
                yield store
            finally:
                store.close()
    except (sqlite3.Error, StoreError) as error:
        problem = error
    if not before.writing and mark(folder) != before:
        raise StoreChangedError(f"{path} changed while it was read.") from problem
    if isinstance(problem, sqlite3.Error):
        raise unusable(path, problem) from problem
    if problem is not None:
        raise problem


def _connect(path: Path, state: StoreState) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode=ro"
    if state.writing:
        return connect_to_read(path)
    if not has_log(path):
        return open_address(f"{address}&immutable=1")
    try:
        return open_address(f"{address}&readonly_shm=1")
    except sqlite3.OperationalError:  # the log has no index, so SQLite creates one next to it
        return connect_to_read(path)


# Queries -----------------------------------------------------------------------------------------------------------


_CELLS = """
WITH wanted (model, arm, items, epochs) AS (VALUES {}),
given AS (
  SELECT t.* FROM wanted w JOIN trials t
  ON t.model = w.model AND t.arm = w.arm AND t.ordinal < w.items AND t.replicate < w.epochs
)
"""


def _ask(store: Store, wanted: Sequence[WantedResponses], query: str, *values: int) -> list[tuple[Any, ...]]:
    """Return the rows of a query on `wanted` (these responses) and `given` (stored ones)."""
    found = []
    for connection in store.connections.open_all():
        some = [each for each in wanted if store.connections.open_for(each.model) is connection]
        rows = ", ".join(f"({each.model:d}, {each.arm:d}, {each.items:d}, {each.epochs:d})" for each in some)
        found += connection.execute(_CELLS.format(rows or "(0, 0, 0, 0)") + query, values).fetchall()
    return found


def model_numbers(store: Store) -> dict[tuple[str, str], int]:
    """Return the number of every model, by its name and revision."""
    rows = store.connections.main.execute("SELECT name, revision, id FROM models")
    return {(name, revision): number for name, revision, number in rows}


def arm_numbers(store: Store) -> dict[str, int]:
    """Return the number of every arm, by its digest."""
    return dict(store.connections.main.execute("SELECT digest, id FROM arms").fetchall())


def count_stored(store: Store, wanted: Sequence[WantedResponses]) -> dict[tuple[int, int], int]:
    """Count the wanted responses that are stored, by model and arm."""
    rows = _ask(store, wanted, "SELECT model, arm, count(*) FROM given GROUP BY 1, 2")
    return {(model, arm): count for model, arm, count in rows}


def count_inapplicable(store: Store, wanted: Sequence[WantedResponses]) -> dict[int, int]:
    """Count the wanted items to which each arm does not apply, as far as known."""
    query = "SELECT count(*) FROM variants WHERE arm = ? AND ordinal < ? AND inapplicable IS NOT NULL"
    found = {each.arm: 0 for each in wanted}
    for arm, items in {(each.arm, each.items) for each in wanted}:
        found[arm] += store.connections.main.execute(query, (arm, items)).fetchone()[0]
    return {arm: count for arm, count in found.items() if count}


def failures(store: Store, wanted: Sequence[WantedResponses]) -> list[Failed]:
    """Return the failed responses that never succeeded later, by model, arm and kind of error. The latest last."""
    query = (
        "SELECT f.model, f.arm, f.error, f.responses, f.last, a.message FROM ("
        "  SELECT t.model, t.arm, t.error, count(*) AS responses, max(t.id) AS last FROM ("
        "    SELECT model, arm, ordinal, replicate, error, max(id) AS id FROM attempts GROUP BY 1, 2, 3, 4"
        "  ) t JOIN wanted w"
        "  ON t.model = w.model AND t.arm = w.arm AND t.ordinal < w.items AND t.replicate < w.epochs"
        "  WHERE NOT EXISTS ("
        "    SELECT 1 FROM trials d WHERE d.model = t.model AND d.arm = t.arm AND d.ordinal = t.ordinal"
        "    AND d.replicate = t.replicate"
        "  ) GROUP BY 1, 2, 3"
        ") f JOIN attempts a ON a.id = f.last ORDER BY f.last"
    )
    return sorted((Failed._make(row) for row in _ask(store, wanted, query)), key=lambda each: each.attempt)


def newest(store: Store, wanted: Sequence[WantedResponses], most: int) -> list[Latest]:
    """Return the latest wanted responses, newest first, each once."""
    query = "SELECT response, model, arm, ordinal, replicate FROM given ORDER BY response DESC LIMIT ?"
    latest_first = sorted(_ask(store, wanted, query, SHARED * most), key=lambda row: -row[0])
    cells = {row[0]: row for row in latest_first}
    said = "SELECT text, finish, reasoning, created FROM responses WHERE id = ?"
    few = list(cells.values())[:most]
    return [Latest(*cell, *store.connections.open_for(cell[1]).execute(said, cell[:1]).fetchone()) for cell in few]


def item_under(store: Store, arm: int, ordinal: int) -> Item:
    """Return an item as an arm changed it."""
    query = (
        "SELECT i.record, v.changed FROM arms a JOIN items i ON i.benchmark = a.benchmark AND i.ordinal = ? "
        "LEFT JOIN variants v ON v.arm = a.id AND v.ordinal = i.ordinal WHERE a.id = ?"
    )
    row = store.connections.main.execute(query, (ordinal, arm)).fetchone()
    if row is None:
        raise damage_error(store.folder / FILE, "an item with a response is missing")
    return as_changed(item_of(orjson.loads(row[0])), orjson.loads(row[1] or "{}"))


def pace(store: Store, since: float) -> ResponseRate:
    """Return the rate of the newest responses that arrived after a time."""
    query = (
        "SELECT count(*), coalesce(min(created), 0), coalesce(max(created), 0) "
        "FROM (SELECT created FROM responses ORDER BY id DESC LIMIT ?) WHERE created >= ?"
    )
    found = [
        ResponseRate._make(each.execute(query, (RECENT, since)).fetchone()) for each in store.connections.open_all()
    ]
    there = [each for each in found if each.responses] or found[:1]
    return ResponseRate(
        sum(each.responses for each in there), min(each.first for each in there), max(each.last for each in there)
    )


def last_begun(store: Store) -> float:
    """Return the time when the latest study was last started."""
    (created,) = store.connections.main.execute("SELECT created FROM studies ORDER BY id DESC LIMIT 1").fetchone()
    return float(created)


def tokens(store: Store, wanted: Sequence[WantedResponses]) -> dict[int, Tokens]:
    """Return the token counts of each model's wanted responses; each response counts once."""
    query = (
        f"SELECT g.model, sum({_READ}), sum({_WRITTEN}) FROM (SELECT DISTINCT model, response FROM given) g "  # noqa: S608 - ours
        "JOIN responses r ON r.id = g.response GROUP BY 1"
    )
    return {model: Tokens(*counted) for model, *counted in _ask(store, wanted, query)}


def count_tokens(store: Store, wanted: Sequence[WantedResponses]) -> list[Counted]:
    """Count the wanted responses by their token counts; each response counts once."""
    has = store.connections.has_table("batch_requests")
    in_batch = "r.key IN (SELECT key FROM batch_requests)" if has else "0"
    query = (
        f"SELECT {_READ}, {_WRITTEN}, count(*), {in_batch} FROM (SELECT DISTINCT response FROM given) g "  # noqa: S608
        "JOIN responses r ON r.id = g.response GROUP BY 1, 2, 4"
    )
    return [Counted(read, written, count, bool(batch)) for read, written, count, batch in _ask(store, wanted, query)]


def served_as(store: Store, name: str, revision: str) -> str:
    """Return the model name that the server reported last; empty if there is no response."""
    query = (
        "SELECT r.served_by FROM trials t JOIN responses r ON r.id = t.response "
        "WHERE t.model = (SELECT id FROM models WHERE name = ? AND revision = ?) ORDER BY r.id DESC LIMIT 1"
    )
    rows = (each.execute(query, (name, revision)).fetchone() for each in store.connections.open_all())
    return next((str(row[0]) for row in rows if row), "")


def written_by(store: Store, name: str, revision: str) -> Counted:
    """Return token sums of a model's responses, and how many have output counts."""
    query = (
        f"SELECT sum({_READ}), sum({_WRITTEN}), count({_WRITTEN}) FROM ("  # noqa: S608 - ours
        "  SELECT DISTINCT response FROM trials WHERE model = (SELECT id FROM models WHERE name = ? AND revision = ?)"
        ") t JOIN responses r ON r.id = t.response"
    )
    found = [Counted(*each.execute(query, (name, revision)).fetchone()) for each in store.connections.open_all()]
    return next((each for each in found if each.responses), found[0])
