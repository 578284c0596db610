"""Open and check the SQLite files of a store: its main file and its shards."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from snellen.errors import StoreError
from snellen.files import create_file, find_inside
from snellen.store.migrations import is_newer, is_older
from snellen.store.shards import Shard, check_kind, check_shard, missing, not_as_written, shards_of

FILE = "responses.sqlite"
BEING_WRITTEN = 1
"""SQLite's `user_version` while a store is open for writing; 0 after it was closed."""
TYPES = {"INTEGER": "integer", "TEXT": "text", "REAL": "real", "DOUBLE PRECISION": "real", "BLOB": "blob"}
"""What SQLite's `typeof` returns for the values of each column type."""


def connect(path: Path) -> sqlite3.Connection:
    """Open a file for writing in autocommit mode. Its write-ahead log lets other processes read meanwhile."""
    try:
        create_file(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written to: {error.strerror}. Choose another --out.") from error
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a read-only connection that works in folders without write permission."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    log = has_log(path)
    try:
        return open_address(address)
    except sqlite3.OperationalError as error:
        if log:
            raise StoreError(
                f"{path} cannot be read here: some of its responses are still in {path.name}-wal, and SQLite reads "
                "them only in a folder that it can write to. Copy the whole folder to such a place and read the copy."
            ) from error
    # There is no log, so nothing is missed if SQLite takes the file as unchanging.
    return open_address(f"{address}&immutable=1")


def open_address(address: str) -> sqlite3.Connection:
    """Open an address and check that SQLite can read it."""
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=30)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error:
        connection.close()
        raise
    except UnicodeDecodeError as error:  # SQLite's error message is not valid text
        connection.close()
        raise sqlite3.DatabaseError("its list of tables cannot be read") from error
    return connection


def has_log(path: Path) -> bool:
    """Return whether the write-ahead log may hold responses; after a complete study it holds none."""
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


def begin_writing(connection: sqlite3.Connection) -> None:
    """Mark the file as being written, so that an incomplete copy can be recognised."""
    connection.execute(f"PRAGMA user_version = {BEING_WRITTEN}")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def end_writing(connection: sqlite3.Connection) -> None:
    """Move all data into one file and remove the mark. Do nothing if SQLite fails, for instance on a full disk."""
    with suppress(sqlite3.Error):
        connection.rollback()
        connection.execute("PRAGMA user_version = 0")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def check_version(connection: sqlite3.Connection, path: Path, *, write: bool) -> None:
    """Raise StoreError for a file of another program or a later version. Earlier versions are accepted."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "migrations" not in tables:
        if tables or not write:
            came = "is not a store of snellen: it holds tables of another program" if tables else "is empty"
            todo = "Choose another --out" if write else "Give the --out folder of a study"
            raise StoreError(f"{path} {came}. Expected the responses of a study. {todo}.")
        return
    if newer := is_newer(connection):
        raise StoreError(f"{path} was written by a later version of snellen ({', '.join(newer)}). Upgrade to read it.")
    if not write and (older := is_older(connection)):
        raise StoreError(
            f"{path} was written by an earlier version of snellen, or is incomplete (it lacks {', '.join(older)}). "
            f"Run its study again with --out {path.parent} to update it; no question is asked twice."
        )


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError if a store is damaged or lacks its log. Takes one second for 100,000 responses."""
    (written,) = connection.execute("PRAGMA user_version").fetchone()
    if written == BEING_WRITTEN and not has_log(path):
        raise StoreError(
            f"{path} was copied while it was being written, without {path.name}-wal: responses may be missing. Copy it "
            "again after the study has ended, or run the study again here to ask what is missing."
        )
    if found := find_damage(connection):
        raise damage_error(path, found)


def find_damage(connection: sqlite3.Connection) -> str:
    """Return the first damage that SQLite finds in a file; empty if there is none."""
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        return str(found).removeprefix("*** in database main ***").strip()
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return next(filter(None, (_find_foreign_type(connection, name) for (name,) in tables)), "")


def _find_foreign_type(connection: sqlite3.Connection, table: str) -> str:
    """Describe the first column with a value of the wrong type. SQLite itself allows any type."""
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
    return f"the column {list(foreign)[row.index(1)]} of {table} holds a value of the wrong type" if row else ""


def _quote_name(name: str) -> str:
    doubled = str(name).replace('"', '""')
    return f'"{doubled}"'


def damage_error(path: Path, why: str) -> StoreError:
    """Return the error for a store that has lost data."""
    return StoreError(f"{path} is damaged: {why}. Restore it from a copy, or run the study with another --out.")


def unusable(path: Path, error: Exception) -> StoreError:
    """Return the error for a failure of SQLite or of the JSON parser."""
    if _of_the_system(error):
        return StoreError(f"{path} cannot be used: {error}.")
    # SQLite quotes all of the text that it cannot decode; leave that out.
    return damage_error(path, f"{str(error).partition(' with text ')[0]} (or it is not a store of snellen)")


def unusable_shard(path: Path, error: sqlite3.Error) -> StoreError:
    """Return the error for a failure of SQLite on a shard."""
    return unusable(path, error) if _of_the_system(error) else not_as_written(path, f"cannot be read: {error}")


def _of_the_system(error: Exception) -> bool:
    return any(words in str(error) for words in ("full", "I/O", "locked", "unable to open"))


class Connections:
    """Open files of a store; a shard is opened when it is first read."""

    def __init__(self, folder: Path, main: sqlite3.Connection) -> None:
        self.folder = folder
        self.path = folder / FILE
        self.main = main
        self._opened: dict[int, sqlite3.Connection] = {}

    @cached_property
    def _shards(self) -> dict[int, Shard]:
        return {shard.model: shard for shard in shards_of(self.main)}

    @property
    def shard_files(self) -> list[Path]:
        """Paths of the shards; empty if the main file holds the responses."""
        return [find_inside(self.folder, shard.file) for shard in self._shards.values()]

    def check_shards(self) -> None:
        """Raise StoreError if a shard is missing, damaged or not the file that was written."""
        for model, shard in self._shards.items():
            path = self.folder / shard.file
            connection = self.open_for(model)
            try:
                if found := find_damage(connection):
                    raise not_as_written(path, f"is damaged: {found}")
                check_shard(connection, shard, path, of=self.main)
            except sqlite3.Error as error:
                raise unusable_shard(path, error) from error

    def open_for(self, model: int) -> sqlite3.Connection:
        """Return the connection that holds a model's responses: to its shard, or else to the main file."""
        if model not in self._shards:
            return self.main
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

    def open_all(self) -> list[sqlite3.Connection]:
        """Return every connection that holds responses."""
        return [self.open_for(model) for model in self._shards] or [self.main]

    def close(self) -> None:
        """Close all files."""
        for each in self._opened.values():
            each.close()
        self.main.close()

    def has_table(self, name: str) -> bool:
        """Return whether the store has a table; stores of earlier versions lack some."""
        query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return self.main.execute(query, (name,)).fetchone() is not None

    def select_known(self, table: str, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none if an older store lacks the table."""
        return self.main.execute(query, values).fetchall() if self.has_table(table) else []

    def select_one(self, query: str, *values: Any) -> tuple[Any, ...]:
        """Return the first row of a query; StoreError if there is no row."""
        row: tuple[Any, ...] | None = self.main.execute(query, values).fetchone()
        if row is None:
            raise damage_error(self.path, "a record that its study refers to is missing")
        return row

    def select_number(self, where: str, *values: str) -> int:
        """Return the id of the row that matches; StoreError if there is none."""
        return int(self.select_one(f"SELECT id FROM {where}", *values)[0])  # noqa: S608 - ours
