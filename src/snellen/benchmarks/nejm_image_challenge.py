"""NEJM Image Challenge: weekly images with five options and readers' votes."""

from __future__ import annotations

from functools import partial
from typing import Any

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.files_beside import PICTURES, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads, require_fields
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.items import Benchmark, Item

_LETTERS = "ABCDE"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@loads("nejm-image-challenge")
def load(source: SplitSource) -> Benchmark:
    """NEJM Image Challenge: questions of the collected file; the split `context` keeps those about a described patient.

    `metadata["votes"]` has the share of readers that chose each option. Columns that you add to the file, such as
    `category`, `modality` and `body_part`, are kept, so that questions need not be related by their text.
    `keep_unreadable` keeps questions whose images are missing or unreadable, for an audit.
    """
    place = source.files[0].parent
    told = source.split == "context"
    rows = (row for row in source.rows(source.files[:1]) if not told or row.fields.get("relevant_context") == "yes")
    return source.collect(rows, partial(_item, source, FilesBeside(place, PICTURES), source.open_gallery(place)))


def _item(source: SplitSource, pictures: FilesBeside, gallery: Gallery, row: FileRow) -> Item:
    fields, known = row.fields, source.about.columns
    question = fields.get("question") or fields.get("prompt")
    require_fields({**fields, "question": question}, "question")
    number, day = as_text(fields["image_id"], "its image_id"), _day(fields.get("date"))
    names = [name for name in (day and f"IC{day}", day, number.zfill(4), number) if name]
    texts = {letter: fields.get(f"option_{letter}") for letter in _LETTERS}
    votes = {letter: _share(fields.get(f"option_{letter}_votes")) for letter in _LETTERS}
    made: dict[str, Any] = {
        "id": f"nejm-{number}",
        "question": question,
        "options": {letter: text for letter, text in texts.items() if text},
        "answer": fields["correct_answer"],
        "images": [pictures.find_file(*names) or f"images/{names[0]}.jpg"],
        "category": as_text(fields.get("category") or "", "its category"),
        "metadata": dict(
            freeze_metadata(
                date=fields.get("date"),
                relevant_context=fields.get("relevant_context"),
                votes={letter: share for letter, share in votes.items() if share is not None},
                total_votes=fields.get("total_number_votes"),
                brier_score=fields.get("brier_score"),
                **{name: value for name, value in fields.items() if name not in known and isinstance(value, str)},
            )
        ),
    }
    return item_from(made, number=row.number, gallery=gallery)


def _day(date: object) -> str:
    """Return the date in the form used in image names.

    >>> _day("apr-01-2010")
    '20100401'
    """
    if not date:
        return ""
    month, _, rest = str(date).strip().casefold().partition("-")
    day, _, year = rest.partition("-")
    if month[:3] not in _MONTHS or not (day.isdigit() and year.isdigit()):
        raise DataError(f"its date is {date!r}, expected one such as 'apr-01-2010'")
    return f"{year}{_MONTHS.index(month[:3]) + 1:02d}{day:>02}"


def _share(votes: object) -> float | None:
    """Return the share of readers from a text such as `62%`, or None."""
    text = str(votes or "").strip().removesuffix("%")
    return float(text) / 100 if text.replace(".", "", 1).isdigit() else None
