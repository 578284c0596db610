"""JAMA Clinical Challenge: cases with four options, mostly with an image."""

from __future__ import annotations

from functools import partial
from typing import Any

from snellen.benchmarks.answers import parse_options, strip_letters
from snellen.benchmarks.files_beside import PICTURES, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import SplitSource, loads
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.items import LETTERS, Benchmark, Item

_OPTIONS = ("opa", "opb", "opc", "opd")


@loads("jama-challenge")
def load(source: SplitSource, *, images: str = "needed") -> Benchmark:
    """JAMA Clinical Challenge: cases with images named by article number or row.

    A case without an image is a broken row, since the scraper fetches no images. `images=none` asks all cases as text.
    The category is the field of medicine.
    """
    if images not in ("needed", "none"):
        raise DataError(f"Expected images=needed or images=none, got images={images!r}.")
    place = source.files[0].parent
    pictures = FilesBeside(place, PICTURES) if images == "needed" else None
    return source.collect(source.rows(source.files[:1]), partial(_item, source.open_gallery(place), pictures))


def _item(gallery: Gallery, pictures: FilesBeside | None, row: FileRow) -> Item:
    fields = {name: value for name, value in row.fields.items() if value not in (None, "")}
    number = str(fields["link"]).rstrip("/").rpartition("/")[2]
    printed = parse_options([str(fields.pop(name)) for name in _OPTIONS])
    options = [option.text for _, option in strip_letters(printed).options]
    letter, text = str(fields.pop("answer_idx")).strip().upper(), str(fields.pop("answer", "")).strip()
    _check_key(letter, text, options)
    given = [fields.pop(name) for name in ("image", "images") if name in fields]
    made: dict[str, Any] = {
        "id": f"jama-{number}",
        "question": fields.pop("question"),
        "options": options,
        "answer": letter,
        "category": str(fields.pop("field", "")),
        "images": [] if pictures is None else _images(given, pictures.find_numbered(number), number),
    }
    fields.pop("id", None)
    return item_from({**made, "metadata": fields}, number=row.number, gallery=gallery)


def _check_key(letter: str, text: str, options: list[str]) -> None:
    """Raise DataError if letter and text of the answer name different options."""
    places = LETTERS[: len(options)]
    if letter not in places or len(letter) != 1:
        raise DataError(f"its answer_idx is {letter!r}, expected a letter from A to {places[-1]}")
    meant = options[places.index(letter)]
    if text and _plain(text) not in (_plain(meant), _plain(f"{letter}. {meant}")):
        raise DataError(f"its answer_idx {letter} means {meant!r}, but its answer is {text!r}")


def _images(given: list[Any], found: list[str], number: str) -> list[Any]:
    named = [each for one in given for each in (one if isinstance(one, list) else [one])]
    if not (named or found):
        raise DataError(f"there is no image file {number}; put it beside the file, or set images=none")
    return named or found


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
