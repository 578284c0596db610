"""Unpacking: the one bounded way to read packed files, since a megabyte may hold gigabytes.

Every file may unpack to 100 MB or to 10 times its size. More is read up to 200 times its size and up to 2 GB, or up to
the size that the user allows.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from snellen.errors import DataError

ALWAYS_UNPACKED = 100_000_000
ALWAYS_TIMES = 10
MOST_UNPACKED = 2_000_000_000
MOST_TIMES = 200
"""Texts and tables are rarely packed to less than a twentieth of their size."""
COPIES = 3
"""How often a JSON document is held while it is read: its text, the reader's copy, and the texts in it."""
VALUE_SIZE = 100
"""Bytes of memory that a value of a JSON document takes, its text aside; a few more or less."""
AT_ONCE = 1_000_000
"""Bytes that are unpacked together: a gzipped file's own way to read lines takes several times as long."""
_ROWS_AT_ONCE = 64
_SIZE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([KMGT]?)B?", re.IGNORECASE)
_allowed: ContextVar[int | None] = ContextVar("allowed", default=None)


@contextmanager
def allow_unpacked(most: int | None) -> Iterator[None]:
    """Let packed files unpack to this many bytes, however small they are; None keeps the usual limits."""
    before = _allowed.set(most)
    try:
        yield
    finally:
        _allowed.reset(before)


def parse_size(text: str) -> int:
    """A number of bytes, from a text such as 4GB.

    >>> parse_size("4GB"), parse_size("1.5 mb"), parse_size("300")
    (4000000000, 1500000, 300)
    """
    if (found := _SIZE.fullmatch(text.strip())) is None:
        raise ValueError(f"expected a size such as 500MB or 4GB, got {text!r}")
    return int(float(found[1]) * 1000 ** " KMGT".index(found[2].upper() or " "))


def most_unpacked(packed: int) -> int:
    """The number of bytes to which a file of this size may unpack."""
    if (allowed := _allowed.get()) is not None:
        return allowed
    return max(ALWAYS_UNPACKED, ALWAYS_TIMES * packed, min(MOST_TIMES * packed, MOST_UNPACKED))


def check_unpacked(name: str, size: int, packed: int) -> None:
    """Refuse a file that unpacks to more than its size explains."""
    if size > (most := most_unpacked(packed)):
        raise DataError(
            f"{name} has {packed:,} bytes and unpacks to {size:,} or more; at most {most:,} are read. "
            f"If you trust the file, allow more: --max-unpacked {_round_up(max(2 * size, MOST_UNPACKED))}."
        )


def check_json(name: str, data: bytes | bytearray, packed: int) -> None:
    """Refuse a packed JSON document that would take more memory than its file explains."""
    values = data.count(b",") + data.count(b"[") + data.count(b"{")
    size = COPIES * len(data) + VALUE_SIZE * values
    if size > max(_allowed.get() or 0, ALWAYS_TIMES * packed, MOST_UNPACKED):
        raise DataError(
            f"{name} unpacks to {len(data):,} bytes with up to {values:,} values, about {_round_up(size)} of memory. "
            f"If you trust the file, allow more: --max-unpacked {_round_up(size)}."
        )


def read_json_bytes(path: Path) -> bytes | bytearray:
    """The text of a JSON document, unpacked if its name ends in .gz."""
    if path.suffix != ".gz":
        return path.read_bytes()
    data = bytearray()
    with open_gzip(path) as file:
        while piece := file.read(AT_ONCE):
            data += piece
    check_json(path.name, data, path.stat().st_size)
    return data


def open_gzip(path: Path) -> io.BufferedReader:
    """A gzipped file to read from as if it were not packed."""
    return io.BufferedReader(_Unpacked(path), AT_ONCE)


def check_zip(archive: ZipFile, name: str, packed: int) -> None:
    """Refuse a zip whose members unpack to more than its size explains; no member gives more than it states."""
    check_unpacked(name, sum(member.file_size for member in archive.infolist()), packed)


def iter_batches(file: Any, name: str, packed: int, **which: Any) -> Iterator[Any]:
    """The rows of an opened Parquet file, a few at a time: a row may hold its images."""
    groups = [file.metadata.row_group(at) for at in range(file.metadata.num_row_groups)]
    check_unpacked(name, sum(group.total_byte_size for group in groups), packed)
    chunks = (group.column(at).total_uncompressed_size for group in groups for at in range(group.num_columns))
    # A value may be stored once and stand in every row.
    rows = max(1, min(_ROWS_AT_ONCE, most_unpacked(packed) // max((1, *chunks))))
    size = 0
    for batch in file.iter_batches(batch_size=rows, **which):
        size += batch.nbytes
        check_unpacked(name, size, packed)
        yield batch


class _Unpacked(io.RawIOBase):
    """The content of a gzipped file, up to the limit."""

    def __init__(self, path: Path) -> None:
        self._name, self._packed = path.name, path.stat().st_size
        self._file = gzip.open(path)  # noqa: SIM115 - it is closed with this

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any, /) -> int:
        data = self._file.read(len(buffer))
        check_unpacked(self._name, self._file.tell(), self._packed)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def _round_up(size: int) -> str:
    """A size in words that is at least as large."""
    unit, word = (1_000_000_000, "GB") if size >= 1_000_000_000 else (1_000_000, "MB")
    return f"{-(-size // unit)}{word}"
