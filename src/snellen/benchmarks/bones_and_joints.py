"""Bones & Joints: seven tasks of the clinical pathway in orthopaedics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import SplitSource, loads
from snellen.benchmarks.questions import from_cells, item_from, keys_in
from snellen.benchmarks.rows import SUFFIXES, FileRow, read, suffix
from snellen.benchmarks.tasks import task_named
from snellen.errors import DataError
from snellen.items import Benchmark, Item
from snellen.prompts import TASKS

_ROMAN = dict(zip("12345678", (task.number for task in TASKS), strict=True))
_NUMBERED = re.compile(r"task[ _-]*([ivx]+|\d)(?![a-z\d])", re.IGNORECASE)


@loads("bones-and-joints")
def load(source: SplitSource) -> Benchmark:
    """Bones and Joints: questions of all tasks, or of one such as `diagnosis`.

    A row or its file (`task_IV.json`) names its task by name, number or title. Only the columns that the paper mentions
    are accepted. The cluster is the `case`; the `region` is the category, and the body part unless a column gives
    another. The `report` replaces the image for models without images. The condition `mismatched-image` makes task VIII
    of the pathway from these questions.
    """
    folder, split = source.folder, source.split
    tables = [folder] if folder.is_file() else [each for each in sorted(folder.rglob("*")) if suffix(each)]
    if not tables:
        raise DataError(f"{folder}: expected tables of questions ({', '.join(SUFFIXES)}), found none.")
    rows = (row for row in _rows(tables) if split == "all" or row.reason or row.fields["task"] == split)
    return source.collect(rows, partial(_item, source.open_gallery()))


def _rows(files: list[Path]) -> Iterator[FileRow]:
    for file in files:
        said = _NUMBERED.search(file.stem)
        for row in read(file):
            try:
                named = row.fields.get("task") or (said[1] if said else "")
                task = task_named(_ROMAN.get(str(named).strip(), str(named)))
                if task is None and not row.reason:
                    raise DataError(f"its task is {named!r}, expected a name, number or title of the pathway's tasks")
                yield row._replace(fields={**row.fields, "task": task.name if task else ""})
            except DataError as error:
                yield row._replace(reason=str(error))


def _item(gallery: Gallery, row: FileRow) -> Item:
    fields: dict[str, Any] = from_cells(row.fields) if row.in_table else dict(row.fields)
    task = fields["task"]
    case = str(fields.pop("case", "") or "")
    region = str(fields.pop("region", "") or "")
    fields |= {"cluster": case, "category": region, "body_part": fields.get("body_part") or region or None}
    fields["id"] = f"{task}/{fields.get('id') or case or row.number}"
    item = item_from(fields, number=row.number, gallery=gallery, keys=keys_in([row]))
    if not item.images and next(each.image for each in TASKS if each.name == task):
        raise DataError("its task needs an image, but it has none")
    return item
