"""EuropeMedQA: the questions of Italy's exam for residency (SSM), some with an image, from the published workbook.

EuropeMedQA, arXiv 2604.14306. The Italian paper used the 60 questions with an image.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.datasets.files_beside import PICTURES, FilesBeside
from snellen.datasets.gallery import Gallery
from snellen.datasets.published import Published, collected, files_of, needed
from snellen.datasets.questions import item_from
from snellen.datasets.rows import Row
from snellen.errors import DataError, MissingExtraError
from snellen.items import Benchmark, Item

SHEET = "SSM_Q_ITA"
_LETTERS = "abcde"

ABOUT = Published(
    name="europemedqa",
    title="EuropeMedQA (Italian SSM)",
    asks="five-option questions of Italy's exam for residency, in Italian, 60 of them with an image",
    tier="gated",
    get=f"ask its authors (arXiv 2604.14306) for EuropeMedQA_Dataset.xlsx (sheet {SHEET}) and its images, and put "
    "these into a folder beside it.",
    licence="as its authors say",
    citation="EuropeMedQA, arXiv 2604.14306",
    splits=MappingProxyType({"all": 1120, "images": 60}),
    clusters="questions that share an image",
    modalities="ECG, X-ray, CT, photographs, and others",
    unverified=True,
    columns=frozenset(
        (
            *("questionID", "question_text", "correct_option", "picture_link", "domain", "subdomain"),
            *(f"option_{letter}" for letter in _LETTERS),
            *("test_year", "number_in_test", "nullified"),
        )
    ),
)


def load(
    path: str | Path, *, split: str = "all", allow_broken: bool = False, keep_unreadable: bool = False
) -> Benchmark:
    """The questions of the sheet SSM_Q_ITA, all of them or those with an image (`images`).

    An image is looked for below the workbook's folder by its `picture_link`, in any case, or as `image_` and the
    question's id. A question that the examiners took back is a broken row. The category is the domain.
    """
    folder = ABOUT.folder(path)
    [book, *_] = files_of(folder, "EuropeMedQA*.xlsx", "*.xlsx", "*/*.xlsx", what="the workbook")
    pictured = ABOUT.split(split) == "images"
    pictures = FilesBeside(book.parent, PICTURES)
    gallery = Gallery(book.parent, keep_unreadable=keep_unreadable)
    rows = (row for row in _rows(book) if not pictured or row.fields.get("picture_link"))
    return collected(ABOUT, rows, lambda row: _item(row, gallery, pictures), allow_broken=allow_broken, split=split)


def _item(row: Row, gallery: Gallery, pictures: FilesBeside) -> Item:
    fields = {name: value for name, value in row.fields.items() if value is not None}
    needed(fields, "questionID", "question_text", "correct_option")
    if _is_true(fields.pop("nullified", "")):
        raise DataError("its examiners took the question back, so that no answer counts")
    item_id = fields.pop("questionID")
    made: dict[str, Any] = {
        "id": item_id,
        "question": fields.pop("question_text"),
        "options": {letter.upper(): fields.pop(f"option_{letter}", "") for letter in _LETTERS},
        "answer": str(fields.pop("correct_option")).strip().upper(),
        "category": fields.pop("domain", ""),
        "language": "it",
        "metadata": fields,
    }
    if link := str(fields.get("picture_link", "")).strip():
        made |= {"images": [pictures.called(link, f"image_{item_id}") or link], "cluster": link.casefold()}
    return item_from(made, number=row.number, gallery=gallery)


def _is_true(value: object) -> bool:
    return str(value).strip().casefold() in ("true", "1", "yes", "si", "sì", "x")


def _rows(book: Path) -> Iterator[Row]:
    """The rows of the sheet, each with its number; cells that are empty are left out."""
    openpyxl = _openpyxl()
    try:
        opened = openpyxl.load_workbook(book, read_only=True, data_only=True)
    except Exception as error:
        raise DataError(f"{book.name} is no workbook that can be read: {error}.") from error
    try:
        if SHEET not in opened.sheetnames:
            raise DataError(f"{book.name}: expected the sheet {SHEET}, found {', '.join(opened.sheetnames)}.")
        lines = opened[SHEET].iter_rows(values_only=True)
        header = [str(name or "").strip() for name in next(lines, ())]
        for number, values in enumerate(lines, start=2):
            cells = dict(zip(header, values, strict=False))
            fields = {name: str(value).strip() for name, value in cells.items() if value not in (None, "")}
            if fields:
                yield Row(f"{book.name}, row {number}", number, fields, in_table=True)
    finally:
        opened.close()


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError("openpyxl", "excel") from error
    return openpyxl
