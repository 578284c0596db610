"""Store: what was asked and what came back, in the one SQLite file of a folder."""

from __future__ import annotations

import os
import sqlite3
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import cast

import orjson

from snellen.errors import StoreError
from snellen.store.batches import StoredBatches
from snellen.store.connections import Connections
from snellen.store.files import (
    FILE,
    begin_writing,
    check_version,
    check_whole,
    connect,
    connect_to_read,
    end_writing,
    unusable,
)
from snellen.store.images import StoredImages
from snellen.store.labels import StoredLabels
from snellen.store.lock import take_lock
from snellen.store.migrations import migrate
from snellen.store.responses import StoredResponses
from snellen.store.shards import shards_of
from snellen.store.studies import StoredStudies
from snellen.store.transaction import transaction
from snellen.store.variants import StoredVariants


class Store:
    """The stored studies in a folder. Any number may read; one process at a time may write."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.folder = folder
        self.connections = Connections(folder, connection)
        self.studies = StoredStudies(self.connections)
        self.variants = StoredVariants(self.connections)
        self.images = StoredImages(self.connections, self.variants)
        self.responses = StoredResponses(self.connections)
        self.batches = StoredBatches(self.connections)
        self.labels = StoredLabels(self.connections)
        self._lock = lock

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
        with ExitStack() as opened:
            lock = take_lock(folder) if write else None
            if lock is not None:
                opened.callback(os.close, lock)
            try:
                connection = opened.enter_context(closing(connect(path) if write else connect_to_read(path)))
                check_version(connection, path, write=write)
                if write:
                    _refuse_shards(connection, folder)
                    migrate(connection)
                    begin_writing(connection)
                store = cls(folder, connection, lock)
                opened.callback(store.connections.close)
                if check and not write:
                    store.check()
            except sqlite3.Error as error:
                raise unusable(path, error) from error
            opened.pop_all()
        return store

    @staticmethod
    def is_in(folder: Path | str) -> bool:
        """Whether a folder holds a store."""
        return (Path(folder) / FILE).is_file()

    def check(self) -> None:
        """StoreError where the file or a shard is damaged, lacks its log, or is not the one that was written."""
        check_whole(self.connections.main, self.connections.path)
        self.connections.check_shards()

    def transaction(self) -> AbstractContextManager[None]:
        """Commit all that is written through this store within, or nothing of it; a `Writer` waits for its end."""
        return transaction(self.connections.main)

    def close(self) -> None:
        """Let go of the file and of the right to write to it; what was written is then in the one file."""
        if self._lock is not None:
            end_writing(self.connections.main)
        self.connections.close()
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
            raise unusable(self.connections.path, cast("Exception", error)) from error


def _refuse_shards(connection: sqlite3.Connection, folder: Path) -> None:
    if shards_of(connection):
        raise StoreError(
            f"The responses in {folder} are apart in shards, which are only read. Ask, judge and review in the folder "
            "that they were exported from, and export it again."
        )
