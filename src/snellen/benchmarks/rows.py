"""Rows of a questions file with line numbers; unreadable rows have a reason.

Formats are JSON Lines (also gzipped), JSON, CSV, TSV, Parquet and Excel, each also in a zip. This module does not know
the meaning of fields.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

import numpy as np
import orjson

from snellen.errors import DataError
from snellen.images.stored import pyarrow_parquet
from snellen.plugins import import_extra
from snellen.unpacking import check_json, check_unpacked, iter_batches, open_gzip

LONGEST_LINE = 32_000_000
DEEPEST = 200
TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
MOST_COLUMNS = 10_000
SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".csv", ".tsv", ".parquet", ".xlsx", ".zip")
Said = Callable[[str], None]
"""Function that receives notes on how a file was read, if it was ambiguous."""


class FileRow(NamedTuple):
    """One row: place, number and fields, or the reason why it is unreadable.

    `in_table`: all fields are text, as in table cells. `part` is the row's sheet, or its list in a JSON file with
    several.
    """

    where: str
    number: int
    fields: dict[str, Any]
    reason: str | None = None
    in_table: bool = False
    part: str = ""


def suffix(path: Path | PurePosixPath) -> str | None:
    """Return the ending of a file that holds rows; None for any other file."""
    return next((ending for ending in SUFFIXES if path.name.lower().endswith(ending)), None)


def silent(sentence: str) -> None:
    """Ignore a note on how a file was read."""


def read(path: Path, *, part: str = "", said: Said = silent) -> Iterator[FileRow]:
    """Yield the rows of a file; DataError if the file is unreadable.

    `part` chooses one of a JSON file's lists, such as `train` and `test`, or a workbook's sheet of that name.
    """
    ending = suffix(path)
    if ending is None:
        raise DataError(f"{path.name} is not a questions file. Expected a name that ends in {', '.join(SUFFIXES)}.")
    try:
        if ending == ".zip":
            with _open_zipped(path, said) as (file, name):
                yield from _READERS[suffix(name) or ""](_File(file, name.name, part, said, path.stat().st_size))
        elif ending == ".jsonl.gz":
            with open_gzip(path) as file:
                yield from _json_lines(_File(file, path.name, part, said))
        else:
            with path.open("rb") as file:
                yield from _READERS[ending](_File(file, path.name, part, said, path.stat().st_size))
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError) as error:
        raise DataError(f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


class _File(NamedTuple):
    """Open file: its bytes, name, wanted part, receiver of notes and size."""

    bytes: IO[bytes]
    name: str
    part: str = ""
    said: Said = silent
    packed: int = 0
    """Size of the file on disk, in bytes."""


@contextmanager
def _open_zipped(path: Path, said: Said) -> Iterator[tuple[IO[bytes], PurePosixPath]]:
    """Open the only questions file in a zip, without unpacking it to disk."""
    with zipfile.ZipFile(path) as packed:
        found = [each for each in packed.infolist() if _is_questions(each)]
        ours = [each for each in found if PurePosixPath(each.filename).name.startswith("items.")]
        if len(chosen := ours or found) != 1:
            names = ", ".join(each.filename for each in chosen[:10]) or "none"
            raise DataError(f"{path.name}: expected one questions file in it, found: {names}. Unpack the one you mean.")
        [one] = chosen
        name = PurePosixPath(one.filename)
        if name.is_absolute() or ".." in name.parts:
            raise DataError(f"{path.name} contains {one.filename!r}, a path outside the zip file.")
        check_unpacked(path.name, one.file_size, path.stat().st_size)
        if one.flag_bits & 0x1:
            raise DataError(f"{path.name} is locked with a password. Unpack it.")
        said(f"read {one.filename!r} in {path.name}; images are looked for beside the zip")
        with packed.open(one) as file:
            yield file, name


def _is_questions(member: zipfile.ZipInfo) -> bool:
    name = PurePosixPath(member.filename)
    hidden = any(part.startswith((".", "__MACOSX")) and part != ".." for part in name.parts)
    return not member.is_dir() and not hidden and suffix(name) not in (None, ".zip", ".jsonl.gz")


def _json_lines(given: _File) -> Iterator[FileRow]:
    file, number = given.bytes, 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = _without_mark(line, given.name)
        where = f"{given.name}, line {number}"
        if len(line) > LONGEST_LINE:
            while (more := file.readline(1_000_000)) and not more.endswith(b"\n"):
                pass
            yield FileRow(where, number, {}, f"the line is longer than {LONGEST_LINE:,} bytes")
        elif line.strip():
            try:
                found = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                yield FileRow(where, number, {}, f"it is not JSON: {error}")
                continue
            deep = is_too_deep(line, found)
            yield FileRow(where, number, {}, TOO_DEEP) if deep else _row_of(found, where, number)


def _without_mark(start: bytes, name: str) -> bytes:
    """Remove a byte order mark; DataError for UTF-16, which Excel calls Unicode."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{name} is written in UTF-16. Save it as UTF-8.")
    return start.removeprefix(b"\xef\xbb\xbf")


def is_too_deep(data: bytes | bytearray, found: Any) -> bool:
    """Return True if JSON data are nested too deeply to be written again."""
    if data.count(b"[") + data.count(b"{") <= DEEPEST:
        return False
    opening = np.frombuffer(data.translate(None, _NO_BRACKETS), np.int8) & 2  # 1 for [ and {, 0 for ] and }
    if np.cumsum(opening - 1, dtype=np.int32).max() <= DEEPEST:
        return False
    within = [found]  # brackets within texts were counted too
    for _ in range(DEEPEST):
        nested = [each for each in within if type(each) is dict or type(each) is list]
        within = [part for each in nested for part in (each.values() if type(each) is dict else each)]
    return bool(within)


def _row_of(value: object, where: str, number: int) -> FileRow:
    if isinstance(value, dict):
        return FileRow(where, number, value)
    return FileRow(where, number, {}, f"expected an object with named fields, got {type(value).__name__}")


def _read_json(given: _File) -> Iterator[FileRow]:
    try:
        data = given.bytes.read()
        if isinstance(given.bytes, zipfile.ZipExtFile):
            check_json(given.name, data, given.packed)
        values = orjson.loads(_without_mark(data, given.name))
    except orjson.JSONDecodeError as error:
        raise DataError(f"{given.name} is not JSON: {error}.") from error
    if is_too_deep(data, values):
        raise DataError(f"{given.name}: {TOO_DEEP}.")
    if isinstance(values, dict):
        yield from _rows_of_object(values, given)
        return
    if not isinstance(values, list):
        raise DataError(f"{given.name}: expected a list of objects, got {type(values).__name__}.")
    for number, value in enumerate(values, start=1):
        yield _row_of(value, f"{given.name}, row {number}", number)


def _rows_of_object(values: Mapping[str, Any], given: _File) -> Iterator[FileRow]:
    """Yield the rows of a JSON object: its only list, or its values by id."""
    lists = [name for name, value in values.items() if isinstance(value, list) and value and _are_objects(value)]
    if given.part and given.part in lists:
        lists = [given.part]
    if len(lists) > 1:
        named = ", ".join(map(repr, lists))
        raise DataError(f"{given.name} holds several lists of rows: {named}. Say which: split={lists[0]}.")
    if lists:
        given.said(f"read the rows under {lists[0]!r} of {given.name}")
        for number, value in enumerate(values[lists[0]], start=1):
            yield _row_of(value, f"{given.name}, {lists[0]} {number}", number)._replace(part=lists[0])
    elif values and _are_objects(values.values()):
        given.said(f"read the keys of {given.name} as the ids of its rows")
        for number, (name, value) in enumerate(values.items(), start=1):
            yield _row_of({"id": name, **value}, f"{given.name}, {name!r}", number)
    else:
        held = ", ".join(map(repr, list(values)[:8])) or "nothing"
        raise DataError(
            f"{given.name}: expected a list of objects, an object with one such list, or an object with one row "
            f"for each id; got an object with {held}."
        )


def _are_objects(values: Iterable[object]) -> bool:
    return all(isinstance(each, dict) for each in values)


_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_QUOTED = re.compile(rb'"[^"]*"?')


def _sign(given: _File) -> str:
    """Find a header's most frequent separator outside quotes; by default a comma."""
    header = _QUOTED.sub(b"", _peek(given).partition(b"\n")[0])
    counted = {sign: header.count(sign.encode()) for sign in (",", ";", "\t")}
    sign = max(counted, key=lambda each: (counted[each], each == ","))
    if sign != ",":
        given.said(f"read the columns of {given.name} as separated by {_SIGNS[sign]}")
    return sign


def _peek(given: _File) -> bytes:
    return cast("io.BufferedReader", given.bytes).peek(65_536)


def _read_table(given: _File, sign: str) -> Iterator[FileRow]:
    _without_mark(_peek(given)[:4], given.name)
    # A cell may hold an image in base64. The limit is that of the whole process; no reader needs a lower one.
    csv.field_size_limit(LONGEST_LINE)
    # Bytes that are not UTF-8 become surrogates, so that their row can be named.
    text = io.TextIOWrapper(given.bytes, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        reader = csv.reader(text, strict=True, delimiter=sign)
        try:
            header = next(reader, [])
        except csv.Error as error:
            raise DataError(f"{given.name}: its header cannot be read: {error}.") from error
        names = _header(header, given.name)
        while (row := _next_csv_row(reader, names, given.name)) is not None:
            yield row
    finally:
        text.detach()  # the caller closes the file


def _header(cells: Iterable[object], name: str) -> list[str]:
    """Return the column names; DataError for too many or duplicates."""
    names = [str("" if cell is None else cell).strip() for cell in cells]
    if len(names) > MOST_COLUMNS:
        raise DataError(f"{name}: its header has {len(names):,} columns; at most {MOST_COLUMNS:,} are read.")
    if twice := sorted(each for each, count in Counter(names).items() if count > 1):
        raise DataError(f"{name}: two columns have the same name: {', '.join(map(repr, twice))}.")
    return names


def _next_csv_row(reader: Any, names: list[str], name: str) -> FileRow | None:
    """Return the next row that is not blank, without its empty cells."""
    cells: list[str] = []
    number = 0
    try:
        while not any(cells):
            number = reader.line_num + 1
            cells = next(reader)
    except StopIteration:
        return None
    except csv.Error as error:
        lost = f"; the lines down to {reader.line_num} cannot be read either" if reader.line_num > number else ""
        return FileRow(f"{name}, line {number}", number, {}, f"it is not CSV: {error}{lost}")
    reason = _problem_of_cells(cells, names, by_tabs=reader.dialect.delimiter == "\t")
    fields: dict[str, Any] = {} if reason else {key: cell for key, cell in zip(names, cells, strict=True) if cell}
    return FileRow(f"{name}, line {number}", number, fields, reason, in_table=True)


def _problem_of_cells(cells: list[str], names: list[str], *, by_tabs: bool = False) -> str | None:
    if len(cells) != len(names):
        return f"it has {len(cells)} cells, the header has {len(names)}"
    if by_tabs and any("\n" in cell and _holds_rows(cell, len(names)) for cell in cells):
        return "one of its cells contains whole rows: a quotation mark is not closed; double or remove this mark"
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:
        return "it is not UTF-8"
    return None


def _holds_rows(cell: str, columns: int) -> bool:
    """Return True if a cell contains several rows, judged by its tabs."""
    first, *between, last = (line.count("\t") for line in cell.split("\n"))
    return columns > 1 and (columns - 1 in between or first + last >= columns - 1)


def _read_parquet(given: _File) -> Iterator[FileRow]:
    parquet = pyarrow_parquet()
    number = 0
    source = given.bytes if given.bytes.seekable() else io.BytesIO(given.bytes.read())
    try:
        with parquet.ParquetFile(source) as file:
            for batch in iter_batches(file, given.name, given.packed):
                for fields in batch.to_pylist():
                    number += 1
                    yield FileRow(f"{given.name}, row {number}", number, _without_nan(fields))
    except (import_module("pyarrow").ArrowException, UnicodeDecodeError) as error:
        raise DataError(f"{given.name} is not a complete Parquet file: {error}") from error


def _without_nan(fields: dict[str, Any]) -> dict[str, Any]:
    """Replace NaN, with which pandas marks missing values, by None."""
    return {name: None if isinstance(value, float) and value != value else value for name, value in fields.items()}


def _read_excel(given: _File) -> Iterator[FileRow]:
    """Read the chosen sheet, or the first with a header and a row.

    Formulas give their last computed value.
    """
    source = given.bytes if given.bytes.seekable() else io.BytesIO(given.bytes.read())
    reading = reading_workbooks()
    with reading.open_book(source, given.name, given.packed) as book:
        filled = [each for each in book.worksheets if each.max_row is None or each.max_row > 1]
        sheets = [each for each in filled if each.title == given.part] or filled
        if not sheets:
            return
        if len(sheets) > 1:
            others = ", ".join(repr(each.title) for each in sheets[1:])
            given.said(f"read the sheet {sheets[0].title!r} of {given.name}, and not {others}")
        for row in _excel_rows(reading.rows_of(sheets[0]), given.name):
            yield row._replace(part=sheets[0].title)


def _excel_rows(lines: Iterator[tuple[object, ...]], name: str) -> Iterator[FileRow]:
    header = list(next(lines, ()))
    while header and header[-1] is None:
        header.pop()
    names = _header(header, name)
    for number, values in enumerate(lines, start=2):
        texts = [_cell(value) for value in values]
        cells: dict[str, Any] = {key: text for key, text in zip(names, texts, strict=False) if text}
        beyond = next(filter(None, texts[len(names) :]), "")
        reason = f"it has more cells than the header: {beyond[:60]!r}" if beyond else None
        if cells or reason:
            yield FileRow(f"{name}, row {number}", number, {} if reason else cells, reason, in_table=True)


def _cell(value: object) -> str:
    """Return a cell as text; whole numbers have no decimals."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value)


def reading_workbooks() -> Any:
    """Import our reader of Excel workbooks, which needs an extra."""
    return import_extra("snellen.benchmarks.workbook", "openpyxl", "excel")


_READERS: dict[str, Callable[[_File], Iterator[FileRow]]] = {
    ".jsonl": _json_lines,
    ".json": _read_json,
    ".csv": lambda given: _read_table(given, _sign(given)),
    ".tsv": lambda given: _read_table(given, "\t"),
    ".parquet": _read_parquet,
    ".xlsx": _read_excel,
}
