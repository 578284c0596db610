"""Store: everything that a folder's studies asked, sent and received, in one SQLite file."""

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
from snellen.store.files import (
    FILE,
    Connections,
    begin_writing,
    check_version,
    check_whole,
    connect,
    connect_to_read,
    end_writing,
    unusable,
)
from snellen.store.labels import StoredLabels
from snellen.store.lock import take_lock
from snellen.store.migrations import migrate
from snellen.store.responses import StoredResponses
from snellen.store.shards import shards_of
from snellen.store.studies import StoredStudies
from snellen.store.transaction import transaction
from snellen.store.variants import StoredImages, StoredVariants


class Store:
    """Stored studies of a folder. Any number of processes may read, but only one at a time may write."""

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
        """Open the store of a folder, and create it if `write` is set.

        A caller that has just checked the files can pass `check=False`.
        """
        folder = Path(folder)
        path = folder / FILE
        if not write and not cls.is_in(folder):
            raise StoreError(
                f"There are no responses in {folder}: expected {path}. Run a study with --out {folder} first."
            )
        with ExitStack() as opened:
            lock = take_lock(folder) if write else None
            if lock is not None:
                opened.callback(os.close, lock)
            try:
                connection = opened.enter_context(closing(connect(path) if write else connect_to_read(path)))
                check_version(connection, path, write=write)
                if write:
                    if shards_of(connection):
                        raise StoreError(
                            f"The responses in {folder} are split into shards, which are read-only. Ask, judge and "
                            "review in the folder that they were exported from, then export it again."
                        )
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
        """Return whether a folder contains a store."""
        return (Path(folder) / FILE).is_file()

    def check(self) -> None:
        """Raise StoreError if a file is damaged, incomplete or not the one that was written."""
        check_whole(self.connections.main, self.connections.path)
        self.connections.check_shards()

    def transaction(self) -> AbstractContextManager[None]:
        """Commit everything written within the block, or nothing. A `Writer` waits until the end of the block."""
        return transaction(self.connections.main)

    def close(self) -> None:
        """Close the files and release the lock; all data is then in one file."""
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
        # Errors of SQLite or JSON while the store is in use become StoreErrors here, for every caller.
        if kind in (sqlite3.DatabaseError, sqlite3.OperationalError, orjson.JSONDecodeError):
            raise unusable(self.connections.path, cast("Exception", error)) from error
