"""Rows of an Excel workbook's sheets, read within memory limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import repeat
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

from openpyxl import load_workbook

from snellen.errors import DataError, SnellenError
from snellen.unpacking import check_zip

_AT_ONCE = 1 << 16
"""Bytes of a part that are checked at once."""
_MOST_ROWS = 1 << 20
"""Most rows that Excel allows in a sheet."""
_MOST_TAGS = 500_000
"""Most tags of one row, or of a part that is read at once; Excel's 16,384 columns need a fifth of them."""
_READ_BY_ROW = ("xl/worksheets/", "xl/sharedstrings")
_ROW_END = re.compile(rb"</(?:\w+:)?(?:row|si)>")
_DEFINES = b"<!DOCTYPE"
"""Declaration that may define endlessly expanding entities. No program writes it; text contains it only escaped."""


@contextmanager
def open_book(source: IO[bytes], name: str, packed: int) -> Iterator[Any]:
    """Open a workbook in a file; DataError for any error that openpyxl raises."""
    try:
        with ZipFile(source) as archive:
            check_zip(archive, name, packed)
            for info in archive.infolist():
                _check_part(archive, info)
        with closing(load_workbook(source, read_only=True, data_only=True, keep_links=False)) as book:
            yield book
    except Exception as error:
        if isinstance(error, SnellenError) and str(error).startswith(name):
            raise
        raise DataError(f"{name} cannot be read as an Excel workbook: {error}. Save it again, or as .csv.") from error


def rows_of(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a sheet up to the last cell; missing rows are empty."""
    sheet.reset_dimensions()  # a sheet may claim all cells of Excel
    left_out = 0
    for row in sheet.iter_rows(max_row=_MOST_ROWS, values_only=True):
        if row:
            yield from repeat((), left_out)
            left_out = 0
            yield row
        else:
            left_out += 1


def _check_part(archive: ZipFile, info: ZipInfo) -> None:
    """Raise DataError if a part has entities or too many tags."""
    by_row = info.filename.casefold().startswith(_READ_BY_ROW)
    tags, last = 0, b""
    with archive.open(info) as part:
        while piece := part.read(_AT_ONCE):
            if _DEFINES in (last + piece).replace(b"\0", b""):  # in UTF-16, every second byte is 0
                raise DataError(f"its part {info.filename} has a DOCTYPE, which is not allowed")
            last = piece[-2 * len(_DEFINES) :]
            ends = [end.end() for end in _ROW_END.finditer(piece)] if by_row else []
            tags += piece.count(b"<", 0, ends[0] if ends else None)
            if tags > _MOST_TAGS:
                what = "a row" if by_row else "it"
                raise DataError(
                    f"in its part {info.filename}, {what} holds {tags:,} tags or more; at most {_MOST_TAGS:,} are read"
                )
            if ends:
                tags = piece.count(b"<", ends[-1])
