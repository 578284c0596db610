"""Pictures whose files lie inside another file, or may not be named: read when they are needed, known without reading.

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

from snellen.errors import ImageError, MissingExtraError, UnusableImageError
from snellen.images.image import MAX_BYTES, read_file

_GROUPS_KEPT = 2
"""Row groups of Parquet files that stay in memory, so that asking in the order of the rows decodes each once."""


@dataclass(frozen=True)
class InParquet:
    """A picture in a cell of a Parquet file: in which group of rows, which row of it and column, which of a list."""

    path: Path
    column: str
    group: int
    row: int
    place: int
    sha256: str
    """The hash of its bytes: that alone says which picture it is."""

    @property
    def name(self) -> str:
        """What an error calls it."""
        return f"in {self.path.name}, group {self.group}, row {self.row}"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the same bytes given as such."""
        return f"sha256:{self.sha256}"

    def stored(self) -> bytes:
        """The picture's file; ImageError where it is no longer what it was when the rows were read."""
        try:
            column = _group(self.path, _changed(self.path), self.group, self.column)
            data = picture_in(column[self.row].as_py(), self.place)
        except (OSError, IndexError, KeyError, ValueError) as error:
            raise ImageError(f"Image {self.name} cannot be read: {error}.") from error
        if data is None or hashlib.sha256(data).hexdigest() != self.sha256:
            raise ImageError(f"Image {self.name} is not what it was when the rows were read. Load them again.")
        return data


def picture_in(cell: object, place: int = 0) -> bytes | None:
    """The bytes of a picture in a cell: as they are, under `bytes` in a record, or at a place of a list of those."""
    if isinstance(cell, list):
        cell = cell[place] if place < len(cell) else None
    data = cell.get("bytes") if isinstance(cell, dict) else cell
    return data if isinstance(data, bytes) else None


@lru_cache(maxsize=_GROUPS_KEPT)
def _group(path: Path, changed: int, group: int, column: str) -> Any:
    with pyarrow_parquet().ParquetFile(path) as file:
        return file.read_row_group(group, columns=[column]).column(0)


def pyarrow_parquet() -> Any:
    """What reads Parquet files, which is an extra."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    return pyarrow.parquet


@dataclass(frozen=True)
class InZip:
    """A picture in a ZIP file, known by its name there, its size and its checksum."""

    path: Path
    name: str
    size: int
    checksum: int

    @property
    def fingerprint(self) -> str:
        """Its place and checksum."""
        return f"zip:{self.path.absolute()}:{self.name}:{self.size}:{self.checksum:08x}"

    def stored(self) -> bytes:
        """The picture's file."""
        if self.size > MAX_BYTES:
            raise ImageError(f"Image {self.name!r} has {self.size:,} bytes; at most {MAX_BYTES:,} are read.")
        try:
            return opened_zip(self.path).read(self.name)
        except (EOFError, zlib.error, zipfile.BadZipFile) as error:
            raise UnusableImageError(repr(self.name), "is damaged in its ZIP file. Download that again") from error
        except (OSError, KeyError, RuntimeError, NotImplementedError) as error:
            raise ImageError(f"Image {self.name!r} in {self.path.name} cannot be read: {error}.") from error


@lru_cache(maxsize=8)
def _opened_zip(path: Path, changed: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)


def opened_zip(path: Path) -> zipfile.ZipFile:
    """A ZIP file, opened once as long as nobody changes it: its table of contents may be long."""
    return _opened_zip(path, _changed(path))


def _changed(path: Path) -> int:
    """When a file was last changed."""
    return path.stat().st_mtime_ns


@dataclass(frozen=True)
class Unnamed:
    """A picture in a file whose name tells of a patient, and is therefore told to nobody."""

    path: Path = field(repr=False)
    name: str = field(default="in a file that is not named", compare=False)

    @property
    def fingerprint(self) -> str:
        """The hash of its place, size and time of change."""
        try:
            stat = self.path.stat()
        except (OSError, ValueError) as error:
            raise ImageError(f"An image {self.name} cannot be read.") from error
        known = f"{self.path.absolute()}:{stat.st_size}:{stat.st_mtime_ns}"
        return f"unnamed:{hashlib.sha256(known.encode()).hexdigest()}"

    def stored(self) -> bytes:
        """The picture's file."""
        try:
            return read_file(self.path, name=self.name)
        except UnusableImageError:
            raise
        except ImageError as error:  # its words hold the path
            raise ImageError(f"An image {self.name} cannot be read.") from error
