"""An Excel workbook comes out as openpyxl reads it, cell by cell."""

from datetime import datetime, time
from zipfile import ZipFile

import openpyxl
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from snellen.benchmarks.workbook import open_book, rows_of

ROWS = (
    ("index", "question", "A", "prediction"),
    (1, 2.5, None, "text"),
    (2.0, True, "", " spaces \nand lines_x000D_ é "),
    (datetime(2026, 3, 4), datetime(2026, 3, 4, 5, 6), time(3, 4), "004"),
    (10**15, 1e-7, "=1+1", "#N/A"),
    (None, None, None, None),
    (None, CellRichText("a ", TextBlock(InlineFont(b=True), "bold"), " word"), "late"),
)


def as_openpyxl_reads(path):
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    rows = list(book.worksheets[0].iter_rows(values_only=True))
    book.close()
    return rows


def first_sheet(path):
    """The rows of the first sheet, each as wide as the widest."""
    with path.open("rb") as file, open_book(file, path.name, path.stat().st_size) as book:
        rows = list(rows_of(book.worksheets[0]))
    width = max(map(len, rows))
    return [row + (None,) * (width - len(row)) for row in rows]


def typed(rows):
    return [[(type(value), value) for value in row] for row in rows]


def test_values_of_every_kind_are_those_of_openpyxl(tmp_path):
    """Numbers, dates, formulas, errors, formatted texts, empty cells and rows that the file leaves out."""
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.active["B12"] = "far below"
    book.create_sheet("another").append(["not read"])
    book.save(tmp_path / "a.xlsx")
    found = first_sheet(tmp_path / "a.xlsx")
    assert typed(found) == typed(as_openpyxl_reads(tmp_path / "a.xlsx"))
    assert (found[1], found[-1]) == ((1, 2.5, None, "text"), (None, "far below", None, None))


def test_texts_that_cells_share_are_found(tmp_path):
    """As Excel and pandas write them: the cell holds a number, and the text stands in a list of its own."""
    openpyxl.Workbook().save(tmp_path / "empty.xlsx")
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    texts = f"<sst {space}><si><t>index</t></si><si><r><t>two </t></r><r><t>parts</t></r></si></sst>"
    cells = '<c r="A1" t="s"><v>0</v></c><c t="s"><v>1</v></c><c r="D1" t="s"><v></v></c><c r="E1" t="str"><v>x</v></c>'
    written = {
        "xl/sharedStrings.xml": texts,
        "xl/worksheets/sheet1.xml": f'<worksheet {space}><sheetData><row r="1">{cells}</row></sheetData></worksheet>',
    }
    listed = (
        '<Override PartName="/xl/sharedStrings.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
    )
    with ZipFile(tmp_path / "empty.xlsx") as empty, ZipFile(tmp_path / "a.xlsx", "w") as archive:
        for name in {*empty.namelist(), *written}:
            text = written[name] if name in written else empty.read(name).decode()
            archive.writestr(name, text.replace("</Types>", listed) if "sharedStrings" not in text else text)
    assert first_sheet(tmp_path / "a.xlsx") == as_openpyxl_reads(tmp_path / "a.xlsx")
    assert first_sheet(tmp_path / "a.xlsx") == [("index", "two parts", None, None, "x")]
