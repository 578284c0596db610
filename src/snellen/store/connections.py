"""Connections to the main file of a store and to its shards."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path
from typing import Any

from snellen.files import find_inside
from snellen.store.files import FILE, connect_to_read, damage_error, find_damage, unusable_shard
from snellen.store.shards import Shard, check_kind, check_shard, missing, not_as_written, shards_of


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

    def select_one(self, query: str, *values: Any) -> tuple[Any, ...]:
        """Return the first row of a query; StoreError if there is no row."""
        row: tuple[Any, ...] | None = self.main.execute(query, values).fetchone()
        if row is None:
            raise damage_error(self.path, "a record that its study refers to is missing")
        return row

    def select_number(self, where: str, *values: str) -> int:
        """Return the id of the row that matches; StoreError if there is none."""
        return int(self.select_one(f"SELECT id FROM {where}", *values)[0])  # noqa: S608 - ours
