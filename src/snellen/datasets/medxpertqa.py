"""MedXpertQA-MM: five-option questions of medical exams with images, from the benchmark's published file.

Zuo et al., "MedXpertQA: Benchmarking expert-level medical reasoning and understanding", 2025.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.datasets.gallery import Gallery
from snellen.datasets.published import Published
from snellen.datasets.questions import id_of, item_from
from snellen.datasets.rows import SUFFIXES, Row, read, suffix
from snellen.errors import DataError
from snellen.items import Benchmark, Collector, Item

ABOUT = Published(
    name="medxpertqa-mm",
    title="MedXpertQA-MM",
    asks="five-option questions of medical exams with images",
    tier="public",
    get="download TsinghuaC3I/MedXpertQA from the hub, or use `medxpertqa:hf`.",
    licence="MIT",
    citation='Zuo et al., "MedXpertQA: Benchmarking expert-level medical reasoning and understanding", 2025',
    splits=MappingProxyType({"test": 2000}),
    clusters="none named; questions that share an image",
    hub="TsinghuaC3I/MedXpertQA",
    prompt="mirage-medxpertqa-mm",
)

_NEEDED = ("question", "options", "label")


def load(path: str | Path, *, allow_broken: bool = False, keep_unreadable: bool = False) -> Benchmark:
    """The questions of a published file, or of the one such file in a folder, with the images beside it.

    Images are looked for in `images/` beside the file, else in the file's own folder. The question prints its options
    at its end; that list is taken out of it, and `metadata["options_in_question"]` says so. The category is the body
    system. The files name no patient. `keep_unreadable` keeps the questions whose images are missing or damaged, for an
    audit.
    """
    file = _file(Path(path))
    images = file.parent / "images"
    gallery = Gallery(images if images.is_dir() else file.parent, keep_unreadable=keep_unreadable)
    collector = Collector("medxpertqa-mm")
    for row in read(file):
        item_id = id_of(row.fields, row.number)
        try:
            collector.add(row.where, _item(row, gallery))
        except DataError as error:
            collector.refuse(row.where, item_id, str(error))
    return collector.benchmark(allow_broken=allow_broken, about={"file": file.name})


def _file(path: Path) -> Path:
    if path.is_file():
        return path
    found = [each for each in sorted(path.glob("*")) if suffix(each)] if path.is_dir() else []
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise DataError(
            f"Expected MedXpertQA's file of questions ({', '.join(SUFFIXES)}), or a folder with one, got {path}: "
            f"found {names}. Name the file itself."
        )
    return found[0]


def _item(row: Row, gallery: Gallery) -> Item:
    if row.reason:
        raise DataError(row.reason)
    fields: dict[str, Any] = dict(row.fields)
    if missing := [name for name in _NEEDED if not fields.get(name)]:
        raise DataError(f"it has no {' and no '.join(missing)}")
    fields["answer"] = _one_letter(fields.pop("label"))
    fields["options"] = _texts(fields["options"])
    fields["category"] = str(fields.get("body_system") or "")
    return item_from(fields, number=row.number, gallery=gallery)


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
