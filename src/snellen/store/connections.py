"""Connections: to the file of a store, and to its shards, if the responses are apart by model."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path
from typing import Any

from snellen.files import find_inside
from snellen.store.files import FILE, connect_to_read, damaged, find_damage, unusable_shard
from snellen.store.shards import Shard, check_kind, check_shard, missing, not_as_written, shards_of


class Connections:
    """The open files of a store. A shard is opened when it is first read."""

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
        """The files that hold the responses, where those are apart by model."""
        return [find_inside(self.folder, shard.file) for shard in self._shards.values()]

    def check_shards(self) -> None:
        """StoreError where a shard is missing, damaged or not the one that was written."""
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
        """What holds the responses of a model: the main file, or the model's shard."""
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
        """All that hold responses."""
        return [self.open_for(model) for model in self._shards] or [self.main]

    def close(self) -> None:
        """Close all files."""
        for each in self._opened.values():
            each.close()
        self.main.close()

    def has_table(self, name: str) -> bool:
        """Whether the store has a table that those of earlier versions lack."""
        query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return self.main.execute(query, (name,)).fetchone() is not None

    def select_one(self, query: str, *values: Any) -> tuple[Any, ...]:
        """The row that a study needs to be there."""
        row: tuple[Any, ...] | None = self.main.execute(query, values).fetchone()
        if row is None:
            raise damaged(self.path, "something that its study names is not in it")
        return row

    def select_number(self, where: str, *values: str) -> int:
        """The number of what a study names."""
        return int(self.select_one(f"SELECT id FROM {where}", *values)[0])  # noqa: S608 - ours
