"""EuropeMedQA: the questions of Italy's exam for residency (SSM), some with an image, from the published workbook.

EuropeMedQA, arXiv 2604.14306. The Italian paper used the 60 questions with an image.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.files_beside import PICTURES, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import Published, collected, files_of, needed
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import Row, read
from snellen.errors import DataError
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
    rows = (row for row in read(book, part=SHEET) if not pictured or row.fields.get("picture_link"))
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
