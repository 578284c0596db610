"""Images inside other files, or with confidential names, read on demand.

Each is sent as the file that it is: a JPEG in a Parquet or ZIP file stays that JPEG.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from snellen.errors import ImageError, UnusableImageError
from snellen.images.image import MAX_BYTES, read_file
from snellen.plugins import import_extra

_GROUPS_KEPT = 2
"""Number of row groups of Parquet files in memory, so that reading rows in order decodes each group once."""


@dataclass(frozen=True)
class InParquet:
    """An image in a cell of a Parquet file: row group, row, column and position in the cell."""

    path: Path
    column: str
    group: int
    row: int
    place: int
    sha256: str
    """Hash of its bytes, which alone identifies the image."""

    @property
    def name(self) -> str:
        """Name for error messages."""
        return f"in {self.path.name}, group {self.group}, row {self.row}"

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the image; the same as for its bytes given directly."""
        return f"sha256:{self.sha256}"

    def stored(self) -> bytes:
        """Read the image's file; raise ImageError if it changed since the rows were read."""
        try:
            column = _group(self.path, _time_of_change(self.path), self.group, self.column)
            data = picture_in(column[self.row].as_py(), self.place)
        except (OSError, IndexError, KeyError, ValueError) as error:
            raise ImageError(f"Image {self.name} cannot be read: {error}.") from error
        if data is None or hashlib.sha256(data).hexdigest() != self.sha256:
            raise ImageError(f"Image {self.name} has changed since the rows were read. Load the benchmark again.")
        return data


def picture_in(cell: object, place: int = 0) -> bytes | None:
    """Return the bytes of an image in a cell: direct, under `bytes`, or in a list; None if none."""
    if isinstance(cell, list):
        cell = cell[place] if place < len(cell) else None
    data = cell.get("bytes") if isinstance(cell, dict) else cell
    return data if isinstance(data, bytes) else None


@lru_cache(maxsize=_GROUPS_KEPT)
def _group(path: Path, changed: int, group: int, column: str) -> Any:
    with pyarrow_parquet().ParquetFile(path) as file:
        return file.read_row_group(group, columns=[column]).column(0)


def pyarrow_parquet() -> Any:
    """Import the Parquet reader, which is an extra."""
    return import_extra("pyarrow.parquet", "pyarrow", "parquet")


@dataclass(frozen=True)
class InZip:
    """An image in a ZIP file, identified by name, size and checksum."""

    path: Path
    name: str
    size: int
    checksum: int

    @property
    def fingerprint(self) -> str:
        """Path, name, size and checksum."""
        return f"zip:{self.path.absolute()}:{self.name}:{self.size}:{self.checksum:08x}"

    def stored(self) -> bytes:
        """Read the image's file."""
        if self.size > MAX_BYTES:
            raise ImageError(f"Image {self.name!r} has {self.size:,} bytes; at most {MAX_BYTES:,} are read.")
        try:
            return opened_zip(self.path).read(self.name)
        except (EOFError, zlib.error, zipfile.BadZipFile) as error:
            raise UnusableImageError(
                repr(self.name), "is damaged in its ZIP file. Download the ZIP file again"
            ) from error
        except (OSError, KeyError, RuntimeError, NotImplementedError) as error:
            raise ImageError(f"Image {self.name!r} in {self.path.name} cannot be read: {error}.") from error


@lru_cache(maxsize=8)
def _opened_zip(path: Path, changed: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)


def opened_zip(path: Path) -> zipfile.ZipFile:
    """Return an open ZIP file, cached while it is unchanged."""
    return _opened_zip(path, _time_of_change(path))


def _time_of_change(path: Path) -> int:
    return path.stat().st_mtime_ns


@dataclass(frozen=True)
class Unnamed:
    """An image in a file whose name identifies a patient and is never shown."""

    path: Path = field(repr=False)
    name: str = field(default="in a file whose name is withheld", compare=False)

    @property
    def fingerprint(self) -> str:
        """Hash of its path, size and time of change."""
        try:
            stat = self.path.stat()
        except (OSError, ValueError) as error:
            raise ImageError(f"An image {self.name} cannot be read.") from error
        known = f"{self.path.absolute()}:{stat.st_size}:{stat.st_mtime_ns}"
        return f"unnamed:{hashlib.sha256(known.encode()).hexdigest()}"

    def stored(self) -> bytes:
        """Read the image's file."""
        try:
            return read_file(self.path, name=self.name)
        except UnusableImageError:
            raise
        except ImageError as error:  # its message contains the path
            raise ImageError(f"An image {self.name} cannot be read.") from error
