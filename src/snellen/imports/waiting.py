"""Waiting: responses that were read, kept on disk until all files are known to be usable and every item has a place."""

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
"""A response or a failed call: model, benchmark, arm, item id, replicate, where it stands, what was said, error, key.

The key is a hash of it, empty if the call failed. Plain tuples: of anything else, Python's own code would have to take
every single one apart to keep it on disk.
"""


class Waiting:
    """Entries in the order in which they came, in a file without a name: it is gone when this process is."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - it is closed with this
        self._source = 0
        self._entries: list[Entry] = []

    def __enter__(self) -> Waiting:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, entry: Entry) -> None:
        """Keep an entry."""
        self._entries.append(entry)
        if len(self._entries) == AT_ONCE:
            self._put_away()

    def next_source(self) -> None:
        """What comes from here on is of another source."""
        self._put_away()
        self._source += 1

    def _put_away(self) -> None:
        if not self._entries:
            return
        try:
            pickle.dump((self._source, self._entries), self._file, pickle.HIGHEST_PROTOCOL)
        except OSError as error:
            raise StoreError(
                f"What is imported cannot be kept in {self._folder}: {error.strerror or error}. Nothing is imported."
            ) from error
        self._entries = []

    def batches(self) -> Iterator[tuple[int, list[Entry]]]:
        """All entries, many at once, with the number of their source: 0, 1 and so on."""
        self._put_away()
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield pickle.load(self._file)  # noqa: S301 - this process wrote it, and no other can
