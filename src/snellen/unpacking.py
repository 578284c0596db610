"""Reading of packed files within limits, since a megabyte may unpack to gigabytes.

Every file may unpack to 100 MB or to 10 times its size. Larger files may unpack to 200 times their size, but at most 2
GB. The user can allow another size.
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
"""Largest ratio of unpacked to packed size. Texts and tables rarely exceed a ratio of 20."""
COPIES = 3
"""Copies of a JSON document in memory while it is read: its text, the reader's copy, and its strings."""
VALUE_SIZE = 100
"""Approximate bytes of memory of one value in a JSON document, without its text."""
AT_ONCE = 1_000_000
"""Bytes unpacked at once; reading lines from gzip itself takes several times as long."""
_ROWS_AT_ONCE = 64
_SIZE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([KMGT]?)B?", re.IGNORECASE)
_allowed: ContextVar[int | None] = ContextVar("allowed", default=None)


@contextmanager
def allow_unpacked(most: int | None) -> Iterator[None]:
    """Let packed files unpack to `most` bytes in a block; None keeps usual limits."""
    before = _allowed.set(most)
    try:
        yield
    finally:
        _allowed.reset(before)


def parse_size(text: str) -> int:
    """Return the number of bytes that a text such as 4GB names.

    >>> parse_size("4GB"), parse_size("1.5 mb"), parse_size("300")
    (4000000000, 1500000, 300)
    """
    if (found := _SIZE.fullmatch(text.strip())) is None:
        raise ValueError(f"expected a size such as 500MB or 4GB, got {text!r}")
    return int(float(found[1]) * 1000 ** " KMGT".index(found[2].upper() or " "))


def most_unpacked(packed: int) -> int:
    """Return the most bytes to which a file of this size may unpack."""
    if (allowed := _allowed.get()) is not None:
        return allowed
    return max(ALWAYS_UNPACKED, ALWAYS_TIMES * packed, min(MOST_TIMES * packed, MOST_UNPACKED))


def check_unpacked(name: str, size: int, packed: int) -> None:
    """Raise DataError if a file unpacks to more than its size allows."""
    if size > (most := most_unpacked(packed)):
        raise DataError(
            f"{name} has {packed:,} bytes and unpacks to {size:,} or more; at most {most:,} are read. "
            f"If you trust the file, allow more: --max-unpacked {_round_up(max(2 * size, MOST_UNPACKED))}."
        )


def check_json(name: str, data: bytes | bytearray, packed: int) -> None:
    """Raise DataError if a packed JSON document would take too much memory."""
    values = data.count(b",") + data.count(b"[") + data.count(b"{")
    size = COPIES * len(data) + VALUE_SIZE * values
    if size > max(_allowed.get() or 0, ALWAYS_TIMES * packed, MOST_UNPACKED):
        raise DataError(
            f"{name} unpacks to {len(data):,} bytes with up to {values:,} values, about {_round_up(size)} of memory. "
            f"If you trust the file, allow more: --max-unpacked {_round_up(size)}."
        )


def read_json_bytes(path: Path) -> bytes | bytearray:
    """Return the text of a JSON document, unpacked if its name ends in .gz."""
    if path.suffix != ".gz":
        return path.read_bytes()
    data = bytearray()
    with open_gzip(path) as file:
        while piece := file.read(AT_ONCE):
            data += piece
    check_json(path.name, data, path.stat().st_size)
    return data


def open_gzip(path: Path) -> io.BufferedReader:
    """Open a gzipped file for reading its unpacked content."""
    return io.BufferedReader(_Unpacked(path), AT_ONCE)


def check_zip(archive: ZipFile, name: str, packed: int) -> None:
    """Raise DataError if a zip unpacks to more than its size allows."""
    check_unpacked(name, sum(member.file_size for member in archive.infolist()), packed)


def iter_batches(file: Any, name: str, packed: int, **which: Any) -> Iterator[Any]:
    """Yield the rows of an open Parquet file in small batches."""
    groups = [file.metadata.row_group(at) for at in range(file.metadata.num_row_groups)]
    check_unpacked(name, sum(group.total_byte_size for group in groups), packed)
    chunks = (group.column(at).total_uncompressed_size for group in groups for at in range(group.num_columns))
    # Parquet may store a value once and repeat it in every row.
    rows = max(1, min(_ROWS_AT_ONCE, most_unpacked(packed) // max((1, *chunks))))
    size = 0
    for batch in file.iter_batches(batch_size=rows, **which):
        size += batch.nbytes
        check_unpacked(name, size, packed)
        yield batch


class _Unpacked(io.RawIOBase):
    """Unpacked content of a gzipped file, up to the limit."""

    def __init__(self, path: Path) -> None:
        self._name, self._packed = path.name, path.stat().st_size
        self._file = gzip.open(path)  # noqa: SIM115 - closed together with this object

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
    """Format a size in MB or GB, rounded up."""
    unit, word = (1_000_000_000, "GB") if size >= 1_000_000_000 else (1_000_000, "MB")
    return f"{-(-size // unit)}{word}"
