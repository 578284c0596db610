"""MedXpertQA-MM: five-option questions of medical exams with images, from the benchmark's published file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import SplitSource, first_matching, loads
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import SUFFIXES, FileRow, suffix
from snellen.errors import DataError
from snellen.items import Benchmark, Item


@loads("medxpertqa")
def load(source: SplitSource) -> Benchmark:
    """MedXpertQA-MM: five-option exam questions with images.

    A folder holds one questions file, or the split's file in its folder `MM`, as JSON Lines or Parquet. Images are
    searched in `images` in the file's folder or the one above, in `images.zip`, or else in the file's own folder. The
    question ends with its options; this list is removed, and `metadata["options_in_question"]` records it. The category
    is the body system. The files name no patient. `keep_unreadable` keeps questions whose images are missing or
    damaged, for an audit.
    """
    tables = _tables(source)
    source.told["file"] = tables[0].name
    return source.collect(source.rows(tables), partial(_item, _pictures(source, tables[0]), Gallery(tables[0].parent)))


def _tables(source: SplitSource) -> list[Path]:
    """Return the file of a split, its shards, or a folder's only file."""
    folder = source.folder
    if folder.is_file():
        return [folder]
    if found := first_matching(folder, source.patterns):
        return found
    found = [each for each in sorted(folder.glob("*")) if suffix(each)]
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise DataError(
            f"{folder}: expected one questions file of MedXpertQA ({', '.join(SUFFIXES)}) or the hub's folder MM, "
            f"found: {names}. Name the file itself."
        )
    return found


def _pictures(source: SplitSource, table: Path) -> Pictures:
    """Return the images in `images`, in images.zip, or in the file's folder."""
    places = (table.parent, source.folder)
    if home := next((place for place in places if (place / "images").is_dir()), None):
        return Pictures(home, folders=("images",), keep_unreadable=source.keep_unreadable)
    packed = next((place for place in places if (place / "images.zip").is_file()), table.parent)
    return Pictures(packed, zips=("images.zip",), keep_unreadable=source.keep_unreadable)


def _item(pictures: Pictures, nothing: Gallery, row: FileRow) -> Item:
    fields: dict[str, Any] = dict(row.fields)
    label = fields.pop("label")  # ["A"] in the file, "A" in the hub's copy
    if isinstance(label, list) and len(label) != 1:
        raise DataError(f"its label is {label!r}, expected one letter")
    fields["answer"] = label[0] if isinstance(label, list) else label
    fields["options"] = _texts(fields["options"])
    fields["category"] = str(fields.get("body_system") or "")
    shown = fields.pop("images", None)
    images = tuple(map(pictures.find, map(_reference, shown if isinstance(shown, list) else [shown] if shown else [])))
    return replace(item_from(fields, number=row.number, gallery=nothing), images=images)


def _reference(image: object) -> object:
    """Return an image's name: the file has `{"image_path": …}`, the hub's copy the name."""
    return image["image_path"] if isinstance(image, Mapping) and "image_path" in image else image


def _texts(options: object) -> object:
    """Return the options as they are, or by letter from objects with `letter` and `content`."""
    if isinstance(options, list) and all(isinstance(each, Mapping) and "content" in each for each in options):
        return {str(each.get("letter")): each["content"] for each in options}
    return options
