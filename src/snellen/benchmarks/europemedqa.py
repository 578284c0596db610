"""EuropeMedQA: Italy's residency exam (SSM), some questions with an image."""

from __future__ import annotations

from functools import partial
from typing import Any

from snellen.benchmarks.files_beside import PICTURES, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import SplitSource, loads
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import FileRow, read
from snellen.errors import DataError
from snellen.items import Benchmark, Item

SHEET = "SSM_Q_ITA"
_LETTERS = "abcde"


@loads("europemedqa")
def load(source: SplitSource) -> Benchmark:
    """EuropeMedQA: Italian exam questions from the sheet SSM_Q_ITA, with or without images.

    An image is searched below the workbook's folder by its `picture_link`, in upper or lower case, or as `image_` and
    the question's id. A question that the examiners withdrew is a broken row. The category is the domain.
    """
    book = source.files[0]
    pictured = source.split == "images"
    rows = (row for row in read(book, part=SHEET) if not pictured or row.fields.get("picture_link"))
    return source.collect(rows, partial(_item, source.open_gallery(book.parent), FilesBeside(book.parent, PICTURES)))


def _item(gallery: Gallery, pictures: FilesBeside, row: FileRow) -> Item:
    fields = {name: value for name, value in row.fields.items() if value is not None}
    if str(fields.pop("nullified", "")).strip().casefold() in ("true", "1", "yes", "si", "sì", "x"):
        raise DataError("its examiners withdrew the question, so it has no correct answer")
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
        made |= {"images": [pictures.find_file(link, f"image_{item_id}") or link], "cluster": link.casefold()}
    return item_from(made, number=row.number, gallery=gallery)
