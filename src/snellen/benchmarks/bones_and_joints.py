"""Bones & Joints: seven tasks of the clinical pathway in orthopaedics, from knowledge to treatment, from its files.

Wang et al., "The illusion of clinical reasoning: A benchmark reveals the pervasive gap in vision-language models for
clinical competency", 2025. The paper describes the questions; their files were not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import Published, collected, needed
from snellen.benchmarks.questions import from_cells, item_from, keys_in
from snellen.benchmarks.rows import SUFFIXES, Row, read, suffix
from snellen.benchmarks.tasks import task_named
from snellen.errors import DataError
from snellen.items import Benchmark, Item
from snellen.prompts import MISMATCH, TASKS

_COUNTS = MappingProxyType({"knowledge": 129, "note": 101, "image": 203})

ABOUT = Published(
    name="bones-and-joints",
    title="Bones & Joints",
    asks="seven tasks in orthopaedics: knowledge, notes, images, diagnosis and treatment, each with its reasons",
    tier="public",
    get="download PUTH2025/Bones_and_Joints_Benchmark from the hub, or use `bones-and-joints:hf`.",
    licence="as its page on the hub says",
    citation='Wang et al., "The illusion of clinical reasoning: A benchmark reveals the pervasive gap in '
    'vision-language models for clinical competency", 2025',
    splits=MappingProxyType(
        {"all": 1245, **{task.name: _COUNTS.get(task.name, 203) for task in TASKS if task.name != MISMATCH}}
    ),
    kinds=("choice", "open"),
    clusters="the patient's case",
    modalities="X-ray, CT, MRI",
    hub="PUTH2025/Bones_and_Joints_Benchmark",
    prompt="pathway",
    unverified=True,
    columns=frozenset(
        (
            *("id", "task", "case", "region", "question", "options", "choices", *"ABCDE"),
            *(f"option_{letter}" for letter in "ABCDE"),
            *("answer", "answers", "steps", "image", "images", "history", "examination", "laboratory", "language"),
            *("report", "radiology_report", "modality", "body_part"),
        )
    ),
)

_NUMBERED = re.compile(r"task[ _-]*([ivx]+|\d)(?![a-z\d])", re.IGNORECASE)


def load(
    path: str | Path, *, split: str = "all", allow_broken: bool = False, keep_unreadable: bool = False
) -> Benchmark:
    """The questions of all tasks, or of one by its name, such as `diagnosis`, in the tables of the folder.

    A row says its `task` by name, number or title, or its file does (`task_IV.json`). The columns are those that the
    paper speaks of; any other is refused. The cluster is the `case`; the `region` is the category, and the body part
    unless a column says another. A `report` stands in for the image where a model takes words alone. The pathway's task
    VIII is made of these by `mismatched-image`.
    """
    folder = ABOUT.folder(path)
    ABOUT.split(split)
    files = [folder] if folder.is_file() else [each for each in sorted(folder.rglob("*")) if suffix(each)]
    if not files:
        raise DataError(f"{folder}: expected tables of questions ({', '.join(SUFFIXES)}), found none.")
    gallery = Gallery(folder if folder.is_dir() else folder.parent, keep_unreadable=keep_unreadable)
    rows = (row for row in _rows(files) if split == "all" or row.reason or row.fields["task"] == split)
    return collected(ABOUT, rows, lambda row: _item(row, gallery), allow_broken=allow_broken, split=split)


def _rows(files: list[Path]) -> Iterator[Row]:
    """The rows of all files, each with the name of its task; without one it has a reason."""
    for file in files:
        said = _NUMBERED.search(file.stem)
        for row in read(file):
            try:
                named = row.fields.get("task") or (said[1] if said else "")
                task = task_named(_roman(str(named)))
                if task is None and not row.reason:
                    raise DataError(f"its task is {named!r}, expected a name, number or title of the pathway's tasks")
                yield row._replace(fields={**row.fields, "task": task.name if task else ""})
            except DataError as error:
                yield row._replace(reason=str(error))


def _roman(number: str) -> str:
    return dict(zip("12345678", (task.number for task in TASKS), strict=True)).get(number.strip(), number)


def _item(row: Row, gallery: Gallery) -> Item:
    fields: dict[str, Any] = from_cells(row.fields) if row.in_table else dict(row.fields)
    needed(fields, "question")
    task = fields["task"]
    case = str(fields.pop("case", "") or "")
    region = str(fields.pop("region", "") or "")
    fields |= {"cluster": case, "category": region, "body_part": fields.get("body_part") or region or None}
    fields["id"] = f"{task}/{fields.get('id') or case or row.number}"
    item = item_from(fields, number=row.number, gallery=gallery, keys=keys_in([row]))
    if not item.images and next(each.image for each in TASKS if each.name == task):
        raise DataError("its task shows an image, and it has none")
    return item
