"""Temporary file for imported responses, which are stored only after all files are read."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType

from snellen.errors import StoreError
from snellen.store import Said

AT_ONCE = 500


Entry = tuple[str, str, str, str, int, str, Said | None, str, bytes]
"""A response or failed call: model, benchmark, arm, item id, repeat, place, text, error, key."""


class DiskQueue:
    """Queue of entries in an unnamed temporary file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - it is closed with this object
        self._source = 0
        self._entries: list[Entry] = []

    def __enter__(self) -> DiskQueue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, entry: Entry) -> None:
        """Add an entry."""
        self._entries.append(entry)
        if len(self._entries) == AT_ONCE:
            self._put_away()

    def next_source(self) -> None:
        """Count all following entries as of a new source."""
        self._put_away()
        self._source += 1

    def _put_away(self) -> None:
        if not self._entries:
            return
        try:
            pickle.dump((self._source, self._entries), self._file, pickle.HIGHEST_PROTOCOL)
        except OSError as error:
            raise StoreError(
                f"The import cannot write to {self._folder}: {error.strerror or error}. Nothing is imported."
            ) from error
        self._entries = []

    def batches(self) -> Iterator[tuple[int, list[Entry]]]:
        """Yield all entries in batches, with the number of their source."""
        self._put_away()
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield pickle.load(self._file)  # noqa: S301 - only this process can write to the file
