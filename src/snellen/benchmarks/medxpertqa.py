"""MedXpertQA-MM: five-option questions of medical exams with images, from the benchmark's published file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import Source, first_matching, loads
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import SUFFIXES, Row, suffix
from snellen.errors import DataError
from snellen.items import Benchmark, Item


@loads("medxpertqa")
def load(source: Source) -> Benchmark:
    """MedXpertQA-MM: five-option questions of medical exams with images, from its published file or the hub's copy.

    A folder holds one such file, or the split's in its folder `MM`, as JSON Lines or Parquet. Images are looked for in
    `images` beside the file or above it, in `images.zip`, else in the file's own folder. The question prints its
    options at its end; that list is taken out of it, and `metadata["options_in_question"]` says so. The category is the
    body system. The files name no patient. `keep_unreadable` keeps the questions whose images are missing or damaged,
    for an audit.
    """
    tables = _tables(source)
    source.told["file"] = tables[0].name
    return source.collect(source.rows(tables), partial(_item, _pictures(source, tables[0]), Gallery(tables[0].parent)))


def _tables(source: Source) -> list[Path]:
    """The file of a split as the hub lays it out, its shards, or the one file of a folder."""
    folder = source.folder
    if folder.is_file():
        return [folder]
    if found := first_matching(folder, source.patterns):
        return found
    found = [each for each in sorted(folder.glob("*")) if suffix(each)]
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise DataError(
            f"Expected MedXpertQA's file of questions ({', '.join(SUFFIXES)}), a folder with one, or the hub's copy "
            f"with its folder MM, got {folder}: found {names}. Name the file itself."
        )
    return found


def _pictures(source: Source, table: Path) -> Pictures:
    """Where the images are: in `images` beside the file or in the folder, in images.zip, or beside the file."""
    places = (table.parent, source.folder)
    if home := next((place for place in places if (place / "images").is_dir()), None):
        return Pictures(home, folders=("images",), keep_unreadable=source.keep_unreadable)
    packed = next((place for place in places if (place / "images.zip").is_file()), table.parent)
    return Pictures(packed, zips=("images.zip",), keep_unreadable=source.keep_unreadable)


def _item(pictures: Pictures, nothing: Gallery, row: Row) -> Item:
    fields: dict[str, Any] = dict(row.fields)
    fields["answer"] = _one_letter(fields.pop("label"))
    fields["options"] = _texts(fields["options"])
    fields["category"] = str(fields.get("body_system") or "")
    shown = fields.pop("images", None)
    images = tuple(map(pictures.find, map(_reference, shown if isinstance(shown, list) else [shown] if shown else [])))
    return replace(item_from(fields, number=row.number, gallery=nothing), images=images)


def _reference(image: object) -> object:
    """The file writes `{"image_path": …}`, the hub's copy the name itself."""
    return image["image_path"] if isinstance(image, Mapping) and "image_path" in image else image


def _one_letter(label: object) -> object:
    """The file writes `["A"]`, the hub's copy `"A"`."""
    if isinstance(label, list) and len(label) != 1:
        raise DataError(f"its label is {label!r}, expected one letter")
    return label[0] if isinstance(label, list) else label


def _texts(options: object) -> object:
    """The options as a list of texts or by letter; the file writes objects with `letter` and `content`."""
    if isinstance(options, list) and all(isinstance(each, Mapping) and "content" in each for each in options):
        return {str(each.get("letter")): each["content"] for each in options}
    return options
