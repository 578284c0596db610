"""Workbook: the rows of an Excel workbook's first sheet, as openpyxl reads them, in a fraction of its time.

Nearly all cells of a log are plain texts, for each of which openpyxl makes several objects. Here such a text is taken
as it stands; every other cell, and the width of a row, is left to openpyxl.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import Element, TreeBuilder, XMLParser, iterparse

from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import column_index_from_string
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._reader import DATA_TAG, DIMENSION_TAG, INLINE_STRING, ROW_TAG, VALUE_TAG, WorkSheetParser
from openpyxl.worksheet.dimensions import SheetDimension

_TEXT_TAG = INLINE_STRING.removesuffix("is") + "t"
_DIGITS = "0123456789"
_AT_ONCE = 1 << 16
"""Bytes of a sheet that are read together."""


class _Cells(WorkSheetParser):  # type: ignore[misc]
    """openpyxl's reading of cells, with a short way for plain texts and whole numbers."""

    def values(self, row: Element, width: int | None) -> tuple[int, tuple[Any, ...]]:
        """The number of a row and its values, as many as said, else up to the last cell; as openpyxl has them."""
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
        width = width or (cells[-1][0] if cells else 0)
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


class _Book(ExcelReader):  # type: ignore[misc]
    """openpyxl's reading of a workbook, with such sheets."""

    def read_worksheets(self) -> None:
        for sheet, rel in self.parser.find_sheets():
            if rel.target not in self.valid_files:
                continue
            if "chartsheet" in rel.Type:
                self.read_chartsheet(sheet, rel)
            else:
                self.wb._sheets.append(_Sheet(self.wb, sheet.name, rel.target, self.shared_strings))


def _rows(source: IO[bytes]) -> Iterator[Element]:
    """The elements of a sheet's rows, none of them kept once the next are read; without an event for every cell."""
    builder = TreeBuilder()
    above = builder.start("above", {})
    parser = XMLParser(target=builder)  # noqa: S314 - expat itself stops entities that expand without end
    whole = False
    while not whole:
        some = source.read(_AT_ONCE)
        parser.feed(some) if some else parser.close()
        whole = not some
        for data in above.iterfind(f"*/{DATA_TAG}"):
            found = data[:] if whole else data[:-1]  # the last may go on
            yield from (each for each in found if each.tag == ROW_TAG)
            del data[: len(found)]


def rows_of(path: Path) -> Iterator[tuple[Any, ...]]:
    """The rows of the first sheet, each as wide as the sheet says it is; a row that the file leaves out is empty."""
    reader = _Book(path, read_only=True, data_only=True)
    reader.read()
    book = reader.wb
    try:
        sheet = book.worksheets[0]
        width, height = sheet.max_column, sheet.max_row
        empty = (None,) * (width or 0)
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
            for element in _rows(source):
                number, values = cells.values(element, width)
                if height is not None and number > height:
                    break
                for _ in range(due, number):
                    yield empty
                if due <= number:
                    yield values
                    due = number + 1
    finally:
        book.close()
