"""MedXpertQA-MM: five-option questions of medical exams with images, from the benchmark's published file.

Zuo et al., "MedXpertQA: Benchmarking expert-level medical reasoning and understanding", 2025.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import Published
from snellen.benchmarks.questions import id_of, item_from
from snellen.benchmarks.rows import SUFFIXES, Row, read, suffix
from snellen.benchmarks.shards import check_shards, read_shards
from snellen.errors import DataError
from snellen.items import Benchmark, Collector, Item

ABOUT = Published(
    name="medxpertqa-mm",
    title="MedXpertQA-MM",
    asks="five-option questions of medical exams with images",
    tier="public",
    get="download TsinghuaC3I/MedXpertQA from the hub (folder MM, images.zip) and write medxpertqa:FOLDER, or write "
    "medxpertqa:hf.",
    licence="MIT",
    citation='Zuo et al., "MedXpertQA: Benchmarking expert-level medical reasoning and understanding", 2025',
    splits=MappingProxyType({"test": 2000, "dev": None}),
    clusters="none named; questions that share an image",
    hub="TsinghuaC3I/MedXpertQA",
    prompt="mirage-medxpertqa-mm",
)

_NEEDED = ("question", "options", "label")


def load(
    path: str | Path, *, split: str = "test", allow_broken: bool = False, keep_unreadable: bool = False
) -> Benchmark:
    """MedXpertQA-MM: five-option questions of medical exams with images, from its published file or the hub's copy.

    A folder holds one such file, or the split's in its folder `MM`, as JSON Lines or Parquet. Images are looked for in
    `images` beside the file or above it, in `images.zip`, else in the file's own folder. The question prints its
    options at its end; that list is taken out of it, and `metadata["options_in_question"]` says so. The category is the
    body system. The files name no patient. `keep_unreadable` keeps the questions whose images are missing or damaged,
    for an audit.
    """
    ABOUT.split(split)
    folder = ABOUT.folder(path)
    files = _files(folder, split)
    collector = Collector("medxpertqa-mm")
    pictures = _pictures(folder, files[0], keep_unreadable=keep_unreadable)
    nothing = Gallery(files[0].parent)
    for row in _rows(files, keep_unreadable=keep_unreadable):
        item_id = id_of(row.fields, row.number)
        try:
            collector.add(row.where, _item(row, pictures, nothing))
        except DataError as error:
            collector.refuse(row.where, item_id, str(error))
    about = {"file": files[0].name, "split": split, "licence": ABOUT.licence, "citation": ABOUT.citation}
    return collector.benchmark(allow_broken=allow_broken, about=about)


def _files(folder: Path, split: str) -> list[Path]:
    """The file of a split as the hub lays it out, its shards, or the one file of a folder."""
    if folder.is_file():
        return [folder]
    for place in ("MM", "data/MM", "data"):
        for pattern in (f"{split}.jsonl", f"{split}.json", f"{split}-*.parquet", f"{split}.parquet"):
            if found := sorted((folder / place).glob(pattern)):
                check_shards(found)
                return found
    found = [each for each in sorted(folder.glob("*")) if suffix(each)]
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise DataError(
            f"Expected MedXpertQA's file of questions ({', '.join(SUFFIXES)}), a folder with one, or the hub's copy "
            f"with its folder MM, got {folder}: found {names}. Name the file itself."
        )
    return found


def _rows(files: list[Path], *, keep_unreadable: bool) -> Iterator[Row]:
    if suffix(files[0]) == ".parquet":
        return read_shards(files, keep_unreadable=keep_unreadable)
    return (row for file in files for row in read(file))


def _pictures(folder: Path, file: Path, *, keep_unreadable: bool) -> Pictures:
    """Where the images are: in `images` beside the file or in the folder, in images.zip, or beside the file."""
    home = next((place for place in (file.parent, folder) if (place / "images").is_dir()), None)
    if home is not None:
        return Pictures(home, folders=("images",), keep_unreadable=keep_unreadable)
    packed = next((place for place in (file.parent, folder) if (place / "images.zip").is_file()), file.parent)
    return Pictures(packed, folders=("",), zips=("images.zip",), keep_unreadable=keep_unreadable)


def _item(row: Row, pictures: Pictures, nothing: Gallery) -> Item:
    if row.reason:
        raise DataError(row.reason)
    fields: dict[str, Any] = dict(row.fields)
    if missing := [name for name in _NEEDED if not fields.get(name)]:
        raise DataError(f"it has no {' and no '.join(missing)}")
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
