"""ReXVQA: four-option questions about chest X-ray studies of several views, from the benchmark's published files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from snellen.benchmarks.answers import LabelledOption, as_text, parse_answer, parse_lettered
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError, ImageError
from snellen.images import Image, Unreadable, check
from snellen.images.stored import Unnamed
from snellen.items import LETTERS, Benchmark, Item

_PREFIX = re.compile(r"\s*\(?([A-Z])\)?\s*[.):]\s*(.*)", re.DOTALL)
_ROLES = MappingProxyType(
    {
        **dict.fromkeys(("PA", "AP", "FRONTAL", "POSTERO-ANTERIOR", "ANTERO-POSTERIOR"), "frontal"),
        **dict.fromkeys(("LATERAL", "LAT", "LL", "RL", "LEFT LATERAL", "RIGHT LATERAL"), "lateral"),
    }
)
_IDENTIFYING = ("PatientID", "StudyInstanceUid", "study_id", "AccessionNumber")


@loads("rexvqa")
def load(source: SplitSource) -> Benchmark:
    """ReXVQA: four-option questions about chest X-ray studies of several views, from its published folder.

    The role of an image is its view (`frontal`, `lateral`). The category is the task, the cluster a hash of the
    patient. Patient, study, dates and file names are in no item, message or report. The original report is left out,
    since the answers were made from it.
    """
    root = source.home
    pictures = Pictures(root, folders=("", "..") if root.name == "metadata" else ("", "images"))
    return source.collect(_rows(source.files[0]), partial(_item, pictures, source.keep_unreadable))


def _rows(file: Path) -> Iterator[FileRow]:
    """Yield the rows of a JSON object with ids as keys, and number them."""
    try:
        rows = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"{file.name} cannot be read as JSON: {error}.") from error
    if not isinstance(rows, dict):
        raise DataError(f"{file.name}: expected an object with a row under each id, got {type(rows).__name__}.")
    for number, (key, fields) in enumerate(rows.items(), start=1):
        where = f"{file.name}, row {number}"
        if isinstance(fields, dict):
            yield FileRow(where, number, {**fields, "id": _id_of(key, fields)})
        else:
            yield FileRow(where, number, {}, f"expected an object with named fields, got {type(fields).__name__}")


def _id_of(key: str, fields: Mapping[str, Any]) -> str:
    """Return the id of a question, or a hash if it may identify a patient."""
    named = [str(fields[name]) for name in _IDENTIFYING if fields.get(name)]
    return f"rexvqa/{_hash_text(key) if any(each in key for each in named) else key}"


def _item(pictures: Pictures, keep_unreadable: bool, row: FileRow) -> Item:
    fields = row.fields
    options = parse_lettered(_by_letter(fields["options"]))
    task = str(fields.get("task_name") or "")
    return Item(
        id=fields["id"],
        question=as_text(fields["question"], "its question").strip(),
        options=tuple(option for _, option in options),
        answer=_right(fields["correct_answer"], options),
        images=tuple(_views(fields, pictures, keep_unreadable)),
        category=task,
        cluster=f"patient-{_hash_text(str(fields['PatientID']))}",
        metadata=freeze_metadata(
            modality="X-ray",
            body_part="chest",
            topic=fields.get("category"),
            subcategory=fields.get("subcategory"),
            answer_class=fields.get("class"),
        ),
    )


def _views(fields: Mapping[str, Any], pictures: Pictures, keep_unreadable: bool) -> Iterator[Image]:
    paths, views = fields["ImagePath"], fields.get("ImageViewPosition") or []
    paths = paths if isinstance(paths, list) else [paths]
    views = views if isinstance(views, list) else [views]
    if len(views) != len(paths):
        views = [""] * len(paths)
    for place, (path, view) in enumerate(zip(paths, views, strict=True), start=1):
        role = _ROLES.get(str(view).strip().upper(), "")
        yield replace(_view(str(path), f"image {place} of {len(paths)}", pictures, keep_unreadable), role=role)


def _view(path: str, name: str, pictures: Pictures, keep_unreadable: bool) -> Image:
    """Return one view; errors do not name its file."""
    try:
        found = pictures.find(re.sub(r"^(?:\.\.?/)+", "", path))
        if keep_unreadable:
            check(found.read(), name=name)
    except ImageError:
        reason = f"its {name} is missing or cannot be read (its path is not shown, because it names the patient)"
        if not keep_unreadable:
            raise ImageError(reason) from None
        return Image(Unreadable(name, reason))
    return Image(Unnamed(found.source)) if isinstance(found.source, Path) else found


def _by_letter(options: object) -> dict[str, object]:
    """Return options by letter, if each begins with its letter: "A. Cardiomegaly"."""
    if not isinstance(options, list):
        raise DataError(f"its options are {options!r}, expected a list")
    found = [_PREFIX.fullmatch(as_text(option, "an option")) for option in options]
    letters = [match[1] for match in found if match]
    if letters == list(LETTERS[: len(options)]):
        return {match[1]: match[2].strip() for match in found if match}
    if letters:
        raise DataError(f"its options are lettered {', '.join(letters)}, expected A, B, C, … in this order")
    return dict(zip(LETTERS, options, strict=False))


def _right(answer: object, options: tuple[LabelledOption, ...]) -> int:
    """Return the index of an answer such as "B. Cardiomegaly".

    DataError if the text after the letter is another option's.
    """
    text = as_text(answer, "its correct_answer").strip()
    match = _PREFIX.fullmatch(text)
    found = parse_answer(match[1] if match else text, options)
    said = match[2].strip().casefold() if match else ""
    if said in {each.text.casefold() for at, (_, each) in enumerate(options) if at != found}:
        raise DataError(f"in its correct_answer {text!r}, letter and text belong to different options")
    return found


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
