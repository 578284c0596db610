"""Folder: your own questions in one JSON Lines, JSON, CSV or Parquet file, with the images beside it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from snellen.datasets.answers import Keys
from snellen.datasets.gallery import Gallery
from snellen.datasets.questions import from_cells, id_of, item_from, keys_in
from snellen.datasets.rows import SUFFIXES, Row, read, suffix
from snellen.datasets.tasks import prompts_in
from snellen.errors import DataError
from snellen.images import EncodedImage, Image
from snellen.items import Benchmark, Collector, Item
from snellen.runtime import write_whole, written_whole

_PLACE = re.compile(r"<image[ _]?(\d{1,3})?>", re.IGNORECASE)
_FIELDS = ("id", "question", "kind", "context", "category", "language", "cluster")


def load(path: str | Path, *, allow_broken: bool = False, keep_unreadable: bool = False) -> Benchmark:
    """The benchmark in a folder that holds one questions file, or in the questions file itself.

    Fields: `id`, `question`, `options`, `answer` (an option's letter or text), `images`, `kind`, `context`,
    `category`, `language`, `cluster`, `metadata`, `substitutes` (images that show what a wrong option says, each with
    `image` and `shows`), or those of an Inspect sample. Questions of the clinical pathway also have `task`, `history`,
    `examination`, `report`, `answers` and `steps`, and a file `prompts.toml` beside them may word each task. Images are
    paths inside the folder, data URIs, or bytes. Every image file is read once here, to see that it is whole (about
    1 ms per MB beyond the reading), and again when it is sent; nothing is decoded or kept. `keep_unreadable` keeps the
    items whose images are missing or unreadable, for an audit.
    """
    given = Path(path)
    file = _questions_file(given)
    ending = suffix(file) or ""
    collector = Collector(file.name[: len(file.name) - len(ending)] if given == file else given.resolve().name)
    gallery, keys = Gallery(file.parent, keep_unreadable=keep_unreadable), keys_in(read(file))
    for row in read(file):
        _collect(row, collector, gallery, keys)
    about: dict[str, Any] = {"file": file.name, "sha256": _sha256(file)}
    if prompts := prompts_in(file.parent):
        about["prompts"] = prompts
    return collector.benchmark(allow_broken=allow_broken, about=about)


def save(items: Iterable[Item], path: str | Path) -> Path:
    """Writes items as `items.jsonl` with their images, as they are sent, in `images/`; `load` gives them back."""
    folder = Path(path)
    file = folder / "items.jsonl"
    if file.exists():
        raise DataError(f"{file} is there already. Give an empty folder, or remove it first.")
    (folder / "images").mkdir(parents=True, exist_ok=True)
    with written_whole(file) as out:
        for item in items:
            lent = [{"images": _write_images(each.images, folder), "shows": each.shows} for each in item.substitutes]
            out.write(_line(item, _write_images(item.images, folder), lent))
    return file


def _questions_file(path: Path) -> Path:
    try:
        if path.is_file():
            return path
        found = sorted(entry for entry in path.iterdir() if suffix(entry) and not entry.name.startswith("."))
    except (OSError, ValueError) as error:
        raise DataError(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    ours = [entry for entry in found if entry.name.startswith("items.")]
    candidates = ours or found
    if len(candidates) != 1:
        names = ", ".join(entry.name for entry in candidates) or "none"
        advice = (
            "Give the file itself, or call it items.jsonl."
            if candidates
            else f"Images in a sub-folder for each class need none: classes:{path}."
        )
        raise DataError(f"{path}: expected one questions file ({', '.join(SUFFIXES)}), found: {names}. {advice}")
    return candidates[0]


def _collect(row: Row, collector: Collector, gallery: Gallery, keys: Keys) -> None:
    if row.reason is not None:
        collector.refuse(row.where, f"row-{row.number}", row.reason)
        return
    item_id = f"row-{row.number}"
    try:
        item_id = id_of(row.fields, row.number)
        fields = from_cells(row.fields) if row.in_table else row.fields
        item = item_from(fields, number=row.number, gallery=gallery, keys=keys)
        if not gallery.keep_unreadable:
            _check_images_given(item)
        collector.add(row.where, item)
    except DataError as error:
        collector.refuse(row.where, item_id, str(error))


def _check_images_given(item: Item) -> None:
    """Raise where the words have a place for an image, as MMMU's `<image 2>`, that the row does not give."""
    places = [
        match for text in (item.question, *(each.text for each in item.options)) for match in _PLACE.finditer(text)
    ]
    for place in places:
        if int(place.group(1) or 1) > len(item.images):
            raise DataError(f"its words hold {place.group()!r}, and it has {len(item.images)} images; add the image")


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _write_images(images: Iterable[Image], folder: Path) -> list[str]:
    return [_write_image(image.encoded(), folder) for image in images]


def _write_image(image: EncodedImage, folder: Path) -> str:
    """An image under its own hash, so that one shown by many questions is written once."""
    name = f"images/{image.sha256[:32]}.{image.media_type.removeprefix('image/')}"
    if not (folder / name).exists():
        write_whole(folder / name, image.data)
    return name


def _line(item: Item, images: list[str], substitutes: list[dict[str, Any]]) -> bytes:
    fields: dict[str, Any] = {name: getattr(item, name) for name in _FIELDS}
    fields["options"] = [
        {"text": option.text, "abstains": True} if option.abstains else option.text for option in item.options
    ]
    fields["answer"] = item.letter if isinstance(item.answer, int) else item.answer
    fields.update(images=images, metadata=dict(item.metadata))
    if substitutes:
        fields["substitutes"] = substitutes
    try:
        return orjson.dumps(fields, default=_plain, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        raise DataError(f"Item {item.id!r} cannot be written as JSON: {error}.") from error


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"no JSON for {type(value).__name__}")
