"""Workbook: the rows of an Excel workbook's sheets, as openpyxl reads them, in a fraction of its time and memory.

Nearly all cells of a log are plain texts, for each of which openpyxl makes several objects. Here such a text is taken
as it stands; every other cell is left to openpyxl.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import IO, Any
from xml.etree.ElementTree import Element, TreeBuilder, XMLParser, iterparse
from zipfile import ZipFile

from openpyxl.cell.text import Text
from openpyxl.reader.excel import SHARED_STRINGS, ExcelReader
from openpyxl.utils import column_index_from_string
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._reader import DATA_TAG, DIMENSION_TAG, INLINE_STRING, ROW_TAG, VALUE_TAG, WorkSheetParser
from openpyxl.worksheet.dimensions import SheetDimension

from snellen.errors import DataError, SnellenError
from snellen.unpacking import check_zip

_TEXT_TAG = INLINE_STRING.removesuffix("is") + "t"
_STRING_TAG = INLINE_STRING.removesuffix("is") + "si"
_DIGITS = "0123456789"
_AT_ONCE = 1 << 16
"""Bytes of a sheet that are read together."""
_MOST_ROWS = 1 << 20
"""Rows that Excel allows in a sheet."""
_MOST_TAGS = 500_000
"""Tags of one row, or of a part that is read whole; Excel's 16,384 columns need a fifth of them."""
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>)?\s*<[A-Za-z_]")
"""How every program begins a part: with an element and no DOCTYPE, which could define what expands without end."""


class _Cells(WorkSheetParser):  # type: ignore[misc]
    """openpyxl's reading of cells, with a short way for plain texts and whole numbers."""

    def values(self, row: Element, width: int | None) -> tuple[int, tuple[Any, ...]]:
        """The number of a row and its values up to its last cell, at most as many as the sheet is wide."""
        number = row.get("r", "")
        self.row_counter = int(number) if number.isdecimal() else self.parse_row(row)[0]
        self.col_counter = 0
        cells: list[tuple[int, Any]] = []
        strings = self.shared_strings
        for element in row:
            place: str | None = element.get("r")
            value: Any = None
            if place and len(element) == 1:  # a text or a whole number and nothing else, as nearly all cells
                kind, inside = element.get("t"), element[0]
                if kind == "inlineStr":
                    if inside.tag == INLINE_STRING and len(inside) == 1 and inside[0].tag == _TEXT_TAG:
                        value = inside[0].text
                elif inside.tag == VALUE_TAG and (text := inside.text):
                    if kind == "s":
                        value = strings[int(text)]
                    elif kind in (None, "n") and element.get("s") is None and text.isascii() and text.isdecimal():
                        value = int(text)
            if place and value is not None:
                column = self.col_counter = _column(place.rstrip(_DIGITS))
            else:
                cell = self.parse_cell(element)
                column, value = cell["column"], cell["value"]
            cells.append((column, value))
        last = max([column for column, _ in cells], default=0)
        width = min(last, width or last)
        values: list[Any] = [None] * width
        for column, value in cells:
            if 0 < column <= width:
                values[column - 1] = value
        return self.row_counter, tuple(values)


@lru_cache(maxsize=1000)
def _column(letters: str) -> int:
    return column_index_from_string(letters)  # type: ignore[no-any-return]


class _Sheet(ReadOnlyWorksheet):  # type: ignore[misc]
    """A sheet that looks for its size before its cells alone: where none is told, openpyxl reads every cell first."""

    def _get_size(self) -> None:
        with self._get_source() as source:
            for _, element in iterparse(source, ("start",)):  # noqa: S314 - see below
                if element.tag == DIMENSION_TAG:
                    bounds = SheetDimension.from_tree(element).boundaries
                    self._min_column, self._min_row, self._max_column, self._max_row = bounds
                if element.tag in (DIMENSION_TAG, DATA_TAG):
                    return


class _Parts(ZipFile):
    """The parts of a workbook; those that openpyxl reads whole are small."""

    def open(self, *named: Any, **how: Any) -> Any:
        """Open a part that begins as every program writes it."""
        part: Any = super().open(*named, **how)
        if not _START.match(part.peek(1000)):
            raise DataError(f"its part {named[0]!s} does not begin with an element of XML in UTF-8")
        return part

    def read(self, *named: Any, **how: Any) -> bytes:
        """The content of a part."""
        data = super().read(*named, **how)
        _check_tags(data.count(b"<"), f"its part {named[0]!s}")
        return data


class _Book(ExcelReader):  # type: ignore[misc]
    """openpyxl's reading of a workbook, with such sheets and parts; without charts."""

    def __init__(self, source: IO[bytes]) -> None:
        super().__init__(source, read_only=True, data_only=True, keep_links=False)
        self.archive = _Parts(source)

    def read_strings(self) -> None:
        if (listed := self.package.find(SHARED_STRINGS)) is not None:
            with self.archive.open(listed.PartName[1:]) as source:
                self.shared_strings = [_shared_text(each) for each in _children(source, "*", _STRING_TAG)]

    def read_worksheets(self) -> None:
        for sheet, rel in self.parser.find_sheets():
            if rel.target in self.valid_files and "chartsheet" not in rel.Type:
                self.wb._sheets.append(_Sheet(self.wb, sheet.name, rel.target, self.shared_strings))


def _shared_text(element: Element) -> str:
    """A text that cells share, as openpyxl reads it."""
    plain = len(element) == 1 and element[0].tag == _TEXT_TAG
    text: str = (element[0].text or "") if plain else Text.from_tree(element).content
    return text.replace("x005F_", "")


def _check_tags(tags: int, what: str) -> None:
    if tags > _MOST_TAGS:
        raise DataError(f"{what} holds {tags:,} tags or more; at most {_MOST_TAGS:,} are read")


def _children(source: IO[bytes], parent: str, tag: str) -> Iterator[Element]:
    """The elements of a tag below a parent, none kept once the next are read; without an event for every cell."""
    builder = TreeBuilder()
    above = builder.start("above", {})
    parser = XMLParser(target=builder)  # noqa: S314 - no part has a DOCTYPE, so that no entity is defined
    whole = False
    tags = 0
    while not whole:
        some = source.read(_AT_ONCE)
        parser.feed(some) if some else parser.close()
        whole = not some
        tags += some.count(b"<")
        for holder in above.iterfind(parent):
            found = holder[:] if whole else holder[:-1]  # the last may go on
            if found:
                tags = 0
            yield from (each for each in found if each.tag == tag)
            del holder[: len(found)]
        _check_tags(tags, "a row of its sheet")


@contextmanager
def open_book(source: IO[bytes], name: str, packed: int) -> Iterator[Any]:
    """The workbook in an opened file; DataError for whatever openpyxl raises on odd ones."""
    try:
        with ZipFile(source) as archive:
            check_zip(archive, name, packed)
        reader = _Book(source)
        with reader.archive:
            reader.read()
            yield reader.wb
    except Exception as error:
        if isinstance(error, SnellenError) and str(error).startswith(name):
            raise
        raise DataError(f"{name} cannot be read as an Excel workbook: {error}. Save it again, or as .csv.") from error


def rows_of(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a sheet, each up to its last cell; a row that the file leaves out is empty."""
    book = sheet.parent
    width, height = sheet.max_column, min(sheet.max_row or _MOST_ROWS, _MOST_ROWS)
    due = 1
    with sheet._get_source() as source:
        cells = _Cells(
            source,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        for element in _children(source, f"*/{DATA_TAG}", ROW_TAG):
            number, values = cells.values(element, width)
            if number > height:
                break
            for _ in range(due, number):
                yield ()
            if due <= number:
                yield values
                due = number + 1
