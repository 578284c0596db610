"""Rows of Parquet files in several shards; their images are read when needed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError, ImageError
from snellen.images import Image, Unreadable, check
from snellen.images.stored import InParquet, picture_in, pyarrow_parquet
from snellen.unpacking import iter_batches

SHARD = re.compile(r"(.*?)[-_.]?(\d{4,6})-of-(\d{4,6})(?:-[0-9a-f]+)?")
"""Name of one file of several, without its ending: `test-00001-of-00004`."""


def check_shards(files: Sequence[Path]) -> None:
    """Raise DataError if a shard is missing, since its rows would be too."""
    there: dict[tuple[Path, str, int], set[int]] = {}
    for file in files:
        if match := SHARD.fullmatch(file.stem):
            there.setdefault((file.parent, match[1], int(match[3])), set()).add(int(match[2]))
    for (folder, name, number), found in there.items():
        if missing := set(range(number)) - found:
            raise DataError(
                f"{folder}: shard {min(missing)} of {name or files[0].name!r} is missing ({number} shards, counted "
                "from 0). Download it, or give the file itself."
            )


class _Cell(NamedTuple):
    """Place of a cell: file, column, row group and row."""

    path: Path
    column: str
    group: int
    row: int


def read_shards(files: Sequence[Path], *, keep_unreadable: bool = False) -> Iterator[FileRow]:
    """Yield the rows of several files, numbered continuously, with Image in place of bytes.

    Every image is hashed and its header checked; its bytes are read again when needed. Equal images are the same Image
    in every row. A damaged one makes its row broken or, with `keep_unreadable`, is an `Unreadable`.
    """
    known = _CheckedImages()
    number = 0
    for path in files:
        for place, (where, row) in enumerate(_rows(path), start=1):
            number += 1
            try:
                shown = {name: _open_cell(cell, where._replace(column=name), known) for name, cell in row.items()}
            except ImageError as error:
                if not keep_unreadable:
                    yield FileRow(f"{path.name}, row {place}", number, {}, str(error))
                    continue
                shown = {
                    name: _open_cell(cell, where._replace(column=name), known, kept=True) for name, cell in row.items()
                }
            yield FileRow(f"{path.name}, row {place}", number, shown)


def _rows(path: Path) -> Iterator[tuple[_Cell, dict[str, Any]]]:
    try:
        with pyarrow_parquet().ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                at = 0
                for batch in iter_batches(file, path.name, path.stat().st_size, row_groups=[group]):
                    for row in batch.to_pylist():
                        yield _Cell(path, "", group, at), row
                        at += 1
    except (OSError, ValueError) as error:
        raise DataError(f"{path.name} is not a complete Parquet file: {error}") from error


def _open_cell(value: Any, cell: _Cell, known: _CheckedImages, *, kept: bool = False) -> Any:
    """Return a cell's value; image bytes become Image."""
    if isinstance(value, list) and any(picture_in(each) is not None for each in value):
        return [_open_one(each, cell, place, known, kept=kept) for place, each in enumerate(value)]
    return _open_one(value, cell, 0, known, kept=kept)


def _open_one(value: Any, cell: _Cell, place: int, known: _CheckedImages, *, kept: bool) -> Any:
    data = None if isinstance(value, list) else picture_in(value)
    if data is None:
        return value
    found = known.image(data, cell, place)
    if isinstance(found, Image):
        return found
    if kept:
        return Image(Unreadable(f"bytes {hashlib.sha256(data).hexdigest()[:16]}", found))
    raise ImageError(found)


class _CheckedImages:
    """Images that were checked, or their errors, each once."""

    def __init__(self) -> None:
        self._found: dict[str, Image | str] = {}
        self._last: tuple[bytes | None, Image | str] = (None, "")

    def image(self, data: bytes, cell: _Cell, place: int) -> Image | str:
        # Rows about one image mostly follow each other, and comparing is much faster than hashing.
        if data != self._last[0]:
            sha256 = hashlib.sha256(data).hexdigest()
            if sha256 not in self._found:
                source = InParquet(*cell, place, sha256)
                try:
                    check(data, name=source.name)
                    self._found[sha256] = Image(source)
                except ImageError as error:
                    self._found[sha256] = str(error)
            self._last = (data, self._found[sha256])
        return self._last[1]
