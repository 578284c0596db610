"""Questions of the MMMU family: their subjects, and rows with `<image 1>` places and up to seven images."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.option_lists import listed
from snellen.benchmarks.pictures import shared
from snellen.benchmarks.published import needed
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import Row
from snellen.errors import DataError
from snellen.images import Image
from snellen.items import Item

MEDICAL = (
    "Basic_Medical_Science",
    "Clinical_Medicine",
    "Diagnostics_and_Laboratory_Medicine",
    "Pharmacy",
    "Public_Health",
)
SUBJECTS = (
    *MEDICAL,
    *("Accounting", "Agriculture", "Architecture_and_Engineering", "Art", "Art_Theory", "Biology", "Chemistry"),
    *("Computer_Science", "Design", "Economics", "Electronics", "Energy_and_Power", "Finance", "Geography", "History"),
    *("Literature", "Manage", "Marketing", "Materials", "Math", "Mechanical_Engineering", "Music", "Physics"),
    *("Psychology", "Sociology"),
)
ALL = "all"
_ID = re.compile(r"[^_]+_(.+)_\d+")
_PLACE = re.compile(r"<image (\d+)>")
_IMAGE = re.compile(r"image_(\d+)")


def subjects_named(line: str) -> frozenset[str]:
    """The subjects that a setting names, parted by strokes: `all`, `medical`, or `Pharmacy/Public_Health`.

    >>> sorted(subjects_named("pharmacy/Public_Health"))
    ['Pharmacy', 'Public_Health']
    """
    known = {_plain(subject): frozenset((subject,)) for subject in SUBJECTS}
    known |= {ALL: frozenset(SUBJECTS), "medical": frozenset(MEDICAL)}
    names = [_plain(name) for name in line.split("/")]
    if unknown := [name for name in names if name not in known]:
        raise DataError(f"There is no subject {unknown[0]!r}. Expected all, medical, or some of {', '.join(SUBJECTS)}.")
    return frozenset().union(*(known[name] for name in names))


def subject_of(fields: Mapping[str, Any]) -> str:
    """The subject of a row: its own column, or the middle of its id (`validation_Clinical_Medicine_12`)."""
    named = fields.get("subject")
    found = _ID.fullmatch(str(fields.get("id", "")))
    return str(named) if named else found[1] if found else ""


def of_subjects(rows: Iterator[Row], wanted: frozenset[str]) -> Iterator[Row]:
    """The rows of some subjects; one that does not say its subject is none of them, unless all are wanted."""
    plain = {_plain(subject) for subject in wanted}
    everything = len(wanted) == len(SUBJECTS)
    return (row for row in rows if everything or row.reason or _plain(subject_of(row.fields)) in plain)


def question_of(row: Row, gallery: Gallery) -> Item:
    """The item of a row with `question`, `options`, `answer` and `image_1` to `image_7`; without options it is open."""
    fields = {name: value for name, value in row.fields.items() if value is not None}
    needed(fields, "id", "question", "answer")
    shown = [(int(found[1]), fields.pop(name)) for name in list(fields) if (found := _IMAGE.fullmatch(name))]
    options = listed(fields.pop("options", None), "options")
    if fields["answer"] == "?":
        raise DataError("its answer is not published")
    if options:
        fields["options"] = options
    elif str(fields["answer"]).startswith("["):
        fields["answer"] = listed(fields["answer"], "answers")
    fields["category"] = in_words(subject_of(fields))
    fields.pop("subject", None)
    _check_places(str(fields["question"]), options, {number for number, _ in shown})
    item = item_from(fields, number=row.number, gallery=gallery)
    images = tuple(image_in(cell, gallery) for _, cell in sorted(shown, key=lambda each: each[0]))
    return replace(item, images=images, cluster=shared(None, images[0]) if images else "")


def image_in(cell: object, gallery: Gallery) -> Image:
    """The image of a cell: still in its shard, or wherever its path leads."""
    return cell if isinstance(cell, Image) else gallery.find(cell)


def in_words(subject: str) -> str:
    """A subject as people write it."""
    return subject.replace("_", " ")


def _check_places(question: str, options: list[str], there: set[int]) -> None:
    """Raise where the words speak of an image that the row does not have."""
    meant = {int(number) for text in (question, *options) for number in _PLACE.findall(text)}
    if missing := sorted(meant - there):
        raise DataError(f"it speaks of <image {missing[0]}>, and its column 'image_{missing[0]}' is empty")


def _plain(subject: str) -> str:
    return subject.strip().replace(" ", "_").casefold()
