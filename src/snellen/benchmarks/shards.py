"""Shards: the rows of Parquet files whose pictures stay in them until one is asked for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.benchmarks.rows import Row
from snellen.errors import DataError, ImageError
from snellen.images import Image, Unreadable, check
from snellen.images.stored import InParquet, picture_in, pyarrow_parquet
from snellen.unpacking import iter_batches

SHARD = re.compile(r"(.*?)[-_.]?(\d{4,6})-of-(\d{4,6})(?:-[0-9a-f]+)?")
"""The name of one file of several, without its ending: `test-00001-of-00004`."""


def check_shards(files: Sequence[Path]) -> None:
    """Refuse files of which some are missing: their rows would be, and nothing would say so."""
    there: dict[tuple[Path, str, int], set[int]] = {}
    for file in files:
        if match := SHARD.fullmatch(file.stem):
            there.setdefault((file.parent, match[1], int(match[3])), set()).add(int(match[2]))
    for (folder, name, number), found in there.items():
        if missing := set(range(number)) - found:
            raise DataError(
                f"{folder}: of {number} shards of {name or files[0].name!r}, number {min(missing)} is missing (they "
                "count from 0). Download it, or give the file itself."
            )


class _Cell(NamedTuple):
    """Where a cell is: the file, its column, the group of rows and the row in it."""

    path: Path
    column: str
    group: int
    row: int


def read_shards(files: Sequence[Path], *, keep_unreadable: bool = False) -> Iterator[Row]:
    """The rows of several files, numbered through; in place of a picture's bytes stands its Image, read when needed.

    Every picture is hashed and its header checked while the rows pass, some at a time. The same picture is the same
    Image in every row. One that is damaged breaks its row or, with `keep_unreadable`, is an image that says so.
    """
    known = _Known()
    number = 0
    for path in files:
        for place, (where, row) in enumerate(_rows(path), start=1):
            number += 1
            try:
                shown = {name: _shown(cell, where._replace(column=name), known) for name, cell in row.items()}
            except ImageError as error:
                if not keep_unreadable:
                    yield Row(f"{path.name}, row {place}", number, {}, str(error))
                    continue
                shown = {
                    name: _shown(cell, where._replace(column=name), known, kept=True) for name, cell in row.items()
                }
            yield Row(f"{path.name}, row {place}", number, shown)


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
        raise DataError(f"{path.name} is not a whole Parquet file: {error}") from error


def _shown(value: Any, cell: _Cell, known: _Known, *, kept: bool = False) -> Any:
    """A cell as it is or, where it holds pictures, those as images."""
    if isinstance(value, list) and any(picture_in(each) is not None for each in value):
        return [_shown_one(each, cell, place, known, kept=kept) for place, each in enumerate(value)]
    return _shown_one(value, cell, 0, known, kept=kept)


def _shown_one(value: Any, cell: _Cell, place: int, known: _Known, *, kept: bool) -> Any:
    data = None if isinstance(value, list) else picture_in(value)
    if data is None:
        return value
    found = known.image(data, cell, place)
    if isinstance(found, Image):
        return found
    if kept:
        return Image(Unreadable(f"bytes {hashlib.sha256(data).hexdigest()[:16]}", found))
    raise ImageError(found)


class _Known:
    """The pictures that passed, each once, or what is wrong with them."""

    def __init__(self) -> None:
        self._found: dict[str, Image | str] = {}
        self._last: tuple[bytes | None, Image | str] = (None, "")

    def image(self, data: bytes, cell: _Cell, place: int) -> Image | str:
        # Rows about one picture mostly follow each other, and comparing is much quicker than hashing.
        if data != self._last[0]:
            sha256 = hashlib.sha256(data).hexdigest()
            if sha256 not in self._found:
                self._found[sha256] = _image_or_problem(data, InParquet(*cell, place, sha256))
            self._last = (data, self._found[sha256])
        return self._last[1]


def _image_or_problem(data: bytes, source: InParquet) -> Image | str:
    try:
        check(data, name=source.name)
    except ImageError as error:
        return str(error)
    return Image(source)
