"""Shards: one SQLite file per model with its responses; together they are read as one store.

The folder's `responses.sqlite` then holds everything except the responses, and lists the shards. A shard has the same
schema, and the same numbers for models, arms and responses. An export writes the shards; after that they are only read.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from snellen.errors import StoreError
from snellen.files import create_file
from snellen.store.migrations import apply_change, is_newer, is_older, migrate

FOLDER = "shards"
OF_A_MODEL = ("responses", "trials", "attempts", "batch_requests")
"""Tables whose rows are in the shards."""
IN_ALL = ("models", "arms")
"""Small tables that every shard has in full. So a shard can be read without the main file."""


class Shard(NamedTuple):
    """File with a model's responses, and the row counts that it must have."""

    model: int
    file: str
    trials: int
    attempts: int


def shards_of(connection: sqlite3.Connection) -> list[Shard]:
    """Return the shards that a store lists; empty if it holds its responses itself."""
    has = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'shards'").fetchone()
    if has is None:
        return []
    return [
        Shard(*row) for row in connection.execute("SELECT model, file, trials, attempts FROM shards ORDER BY model")
    ]


def check_kind(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError if a file is not a shard or this version cannot read it."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "migrations" not in tables:
        raise not_as_written(path, "holds tables of another program" if tables else "is empty")
    if newer := is_newer(connection):
        raise StoreError(f"{path} was written by a later version of snellen ({', '.join(newer)}). Upgrade to read it.")
    if older := is_older(connection):
        raise not_as_written(path, f"was written by an earlier version of snellen (it lacks {', '.join(older)})")


def check_shard(connection: sqlite3.Connection, shard: Shard, path: Path, *, of: sqlite3.Connection) -> None:
    """Raise StoreError if a shard lacks rows, or belongs to another store than `of`."""
    query = "SELECT name, revision FROM models WHERE id = ?"
    wanted, came = (each.execute(query, (shard.model,)).fetchone() for each in (of, connection))
    if came != wanted:
        raise not_as_written(path, f"holds the responses of {_name_model(came)}, not of {_name_model(wanted)}")
    counts = [
        connection.execute(f"SELECT count(*) FROM {table} WHERE model = ?", (shard.model,)).fetchone()[0]  # noqa: S608
        for table in ("trials", "attempts")
    ]
    if counts != [shard.trials, shard.attempts]:
        raise not_as_written(
            path,
            f"holds {counts[0]:,} responses and {counts[1]:,} failed attempts, but {shard.trials:,} and "
            f"{shard.attempts:,} were written to it",
        )


def _name_model(model: tuple[str, str] | None) -> str:
    return "an unknown model" if model is None else f"{model[0]} ({model[1]})"


def not_as_written(path: Path, came: str) -> StoreError:
    """Return the error for a file that is not the shard that was written there."""
    return StoreError(
        f"The shard {path} {came}. Expected the responses of one model as `snellen export OUT --to shards` wrote them. "
        "Copy the file again from the exported folder, or export it again. The study cannot be scored without it."
    )


def missing(path: Path) -> StoreError:
    """Return the error for a missing shard."""
    return StoreError(
        f"The shard {path} is missing: the responses of one model are in it. Copy it back, with the whole folder "
        f"{path.parent.name}. The study cannot be scored without it."
    )


def models_in(store: sqlite3.Connection) -> list[tuple[int, str]]:
    """Return number and name of the models with responses or failed attempts in a store."""
    return store.execute(
        "SELECT id, name FROM models m WHERE EXISTS (SELECT 1 FROM trials t WHERE t.model = m.id) "
        "OR EXISTS (SELECT 1 FROM attempts a WHERE a.model = m.id) ORDER BY id"
    ).fetchall()


def file_of(model: int, name: str) -> str:
    """Return the file name of a model's shard.

    >>> file_of(3, "openai/gpt-5")
    'shards/0003-openai-gpt-5.sqlite'
    """
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:80]
    return f"{FOLDER}/{model:04d}-{plain}.sqlite"


def write_shard(source: Path, path: Path, model: int) -> None:
    """Write the rows of one model to a new file. The caller moves it into place."""
    with closing(_fresh(path, source)) as connection:
        of_model = "response FROM source.trials WHERE model = ?"
        for table in IN_ALL:
            _copy(connection, table)
        _copy(connection, "responses", f"WHERE id IN (SELECT {of_model})", model)
        _copy(connection, "trials", "WHERE model = ?", model)
        _copy(connection, "attempts", "WHERE model = ?", model)
        _copy(connection, "batch_requests", "WHERE key IN (SELECT key FROM main.responses)")
        connection.execute("COMMIT")


def write_head(source: Path, path: Path, made: list[tuple[int, str]]) -> None:
    """Write the main file: everything that is not in the shards, and the list of shards."""
    with closing(_fresh(path, source)) as connection:
        apply_change(connection, "shards", applied=0)
        tables = [name for (name,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")]
        for table in tables:
            if table not in (*OF_A_MODEL, "shards", "migrations") and not table.startswith("sqlite_"):
                _copy(connection, table)
        for model, file in made:
            counts = [
                connection.execute(f"SELECT count(*) FROM source.{table} WHERE model = ?", (model,)).fetchone()[0]  # noqa: S608
                for table in ("trials", "attempts")
            ]
            connection.execute("INSERT INTO shards VALUES (?, ?, ?, ?)", (model, file, *counts))
        connection.execute("COMMIT")


def _fresh(path: Path, source: Path) -> sqlite3.Connection:
    """Create a shard or main file with the store's schema, in an open transaction.

    `source` is attached, to copy from.
    """
    path.unlink(missing_ok=True)
    create_file(path)
    connection = sqlite3.connect(path, isolation_level=None, uri=True)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -200000")
    migrate(connection)
    connection.execute("ATTACH ? AS source", (f"{source.absolute().as_uri()}?mode=ro",))
    connection.execute("BEGIN")
    return connection


def _copy(connection: sqlite3.Connection, table: str, where: str = "", *values: int) -> None:
    """Copy the rows of a table; columns that an earlier version lacks stay empty."""
    there = {name for _, name, *_ in connection.execute(f"PRAGMA source.table_info({table})")}
    names = ", ".join(name for _, name, *_ in connection.execute(f"PRAGMA main.table_info({table})") if name in there)
    if names:
        connection.execute(
            f"INSERT INTO main.{table} ({names}) SELECT {names} FROM source.{table} {where}",  # noqa: S608 - ours
            values,
        )
