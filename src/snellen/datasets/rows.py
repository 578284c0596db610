"""Rows of a questions file, each with the line it stands on; a row that cannot be read is a row with a reason.

JSON Lines (also gzipped), JSON, CSV and Parquet. Nothing here knows what a question is.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import orjson

from snellen.errors import DataError, MissingExtraError

LONGEST_LINE = 32_000_000
SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".csv", ".parquet")


class Row(NamedTuple):
    """One row: where it stands, its number, and its fields; or the reason why it has none.

    `in_table`: every field is text, since a table's cell can hold nothing else.
    """

    where: str
    number: int
    fields: dict[str, Any]
    reason: str | None = None
    in_table: bool = False


def suffix(path: Path) -> str | None:
    """The ending of a file that holds rows, or None for any other file."""
    return next((ending for ending in SUFFIXES if path.name.lower().endswith(ending)), None)


def read(path: Path) -> Iterator[Row]:
    """The rows of a file, in order; DataError if the file as a whole cannot be read."""
    reader = _READERS.get(suffix(path) or "")
    if reader is None:
        raise DataError(f"{path.name} is not a questions file. Expected a name that ends in {', '.join(SUFFIXES)}.")
    try:
        yield from reader(path)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _read_jsonl(path: Path) -> Iterator[Row]:
    with path.open("rb") as file:
        yield from _json_lines(file, path)


def _read_gzipped_jsonl(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rb") as file:
        yield from _json_lines(cast("IO[bytes]", file), path)


def _json_lines(file: IO[bytes], path: Path) -> Iterator[Row]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = _without_mark(line, path)
        where = f"{path.name}, line {number}"
        if len(line) > LONGEST_LINE:
            _skip_line(file)
            yield Row(where, number, {}, f"the line is longer than {LONGEST_LINE:,} bytes")
        elif line.strip():
            yield _json_row(line, where, number)


def _skip_line(file: IO[bytes]) -> None:
    while (more := file.readline(1_000_000)) and not more.endswith(b"\n"):
        pass


def _without_mark(start: bytes, path: Path) -> bytes:
    """The file's start without a byte order mark; UTF-16, which Excel calls Unicode, is refused by name."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{path.name} is written in UTF-16. Save it as UTF-8.")
    return start.removeprefix(b"\xef\xbb\xbf")


def _json_row(line: bytes, where: str, number: int) -> Row:
    try:
        return _row_of(orjson.loads(line), where, number)
    except orjson.JSONDecodeError as error:
        return Row(where, number, {}, f"it is not JSON: {error}")


def _row_of(value: object, where: str, number: int) -> Row:
    if isinstance(value, dict):
        return Row(where, number, value)
    return Row(where, number, {}, f"expected an object with named fields, got {type(value).__name__}")


def _read_json(path: Path) -> Iterator[Row]:
    try:
        values = orjson.loads(_without_mark(path.read_bytes(), path))
    except orjson.JSONDecodeError as error:
        raise DataError(f"{path.name} is not JSON: {error}.") from error
    if not isinstance(values, list):
        raise DataError(f"{path.name}: expected a list of objects, got {type(values).__name__}.")
    for number, value in enumerate(values, start=1):
        yield _row_of(value, f"{path.name}, row {number}", number)


def _read_csv(path: Path) -> Iterator[Row]:
    with path.open("rb") as file:
        _without_mark(file.read(2), path)
    # Bytes that are not UTF-8 survive decoding as surrogates, so that the row they stand in can be named.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            header = next(reader, [])
        except csv.Error as error:
            raise DataError(f"{path.name}: its header cannot be read: {error}.") from error
        names = [name.strip() for name in header]
        if len(names) == 1 and re.search("[;\t]", names[0]):
            raise DataError(f"{path.name}: expected columns parted by commas, got {names[0]!r}. Save it with commas.")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise DataError(f"{path.name}: two columns have the same name: {', '.join(map(repr, twice))}.")
        while (row := _next_csv_row(reader, names, path.name)) is not None:
            yield row


def _next_csv_row(reader: Any, names: list[str], name: str) -> Row | None:
    """The next row that is not blank. An empty cell is a field that is not there."""
    cells: list[str] = []
    number = 0
    try:
        while not cells:
            number = reader.line_num + 1
            cells = next(reader)
    except StopIteration:
        return None
    except csv.Error as error:
        lost = f"; everything down to line {reader.line_num} is lost with it" if reader.line_num > number else ""
        return Row(f"{name}, line {number}", number, {}, f"it is not CSV: {error}{lost}")
    reason = _problem_of_cells(cells, names)
    fields = {} if reason else {key: cell for key, cell in zip(names, cells, strict=True) if cell}
    return Row(f"{name}, line {number}", number, dict(fields), reason, in_table=True)


def _problem_of_cells(cells: list[str], names: list[str]) -> str | None:
    if len(cells) != len(names):
        return f"it has {len(cells)} cells, the header has {len(names)}"
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:
        return "it is not UTF-8"
    return None


def _read_parquet(path: Path) -> Iterator[Row]:
    parquet = _parquet()
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            # Few at a time: a row may hold its images.
            for batch in file.iter_batches(batch_size=64):
                for fields in batch.to_pylist():
                    number += 1
                    yield Row(f"{path.name}, row {number}", number, fields)
    except (_arrow_error(), UnicodeDecodeError) as error:
        raise DataError(f"{path.name} is not a whole Parquet file: {error}") from error


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    return pyarrow.parquet


def _arrow_error() -> type[Exception]:
    import pyarrow

    return cast("type[Exception]", pyarrow.ArrowException)


_READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": _read_jsonl,
    ".jsonl.gz": _read_gzipped_jsonl,
    ".json": _read_json,
    ".csv": _read_csv,
    ".parquet": _read_parquet,
}
