"""JAMA Clinical Challenge: cases with four options and mostly an image, from the file that the public scraper writes.

Chen et al., "Benchmarking large language models on answering and explaining challenging medical questions", NAACL 2025.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.answers import parse_options, unmarked
from snellen.benchmarks.files_beside import PICTURES, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import Published, collected, files_of, needed, rows_of
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import Row
from snellen.errors import DataError
from snellen.items import LETTERS, Benchmark, Item

_OPTIONS = ("opa", "opb", "opc", "opd")

ABOUT = Published(
    name="jama-challenge",
    title="JAMA Clinical Challenge",
    asks="what is wrong or what to do next in a clinical case, with four options",
    tier="gated",
    get="with a licence to the journal, run the scraper of HanjieChen/ChallengeClinicalQA on GitHub, which writes "
    "jama_raw.json, and put each article's images into images/, called by the number at the end of its link "
    "(2822206.jpg, 2822206_2.jpg).",
    licence="cases and images are the journal's (American Medical Association); no licence to pass them on",
    citation='Chen et al., "Benchmarking large language models on answering and explaining challenging medical '
    'questions", NAACL 2025',
    splits=MappingProxyType({"all": None}),
    clusters="none named; each case has one question",
    modalities="photographs, X-ray, CT, MRI, histology, and others",
    unverified=True,
    columns=frozenset(
        (*("id", "link", "question", *_OPTIONS, "diagnosis", "answer_idx", "answer", "explanation", "field"), "image")
    )
    | {"images", "publication_year"},
)


def load(
    path: str | Path,
    *,
    split: str = "all",
    images: str = "needed",
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """The cases of the file, each with the images that are called by its article's number or named in its row.

    A case without an image is a broken row, since the scraper fetches none; `images=none` asks all of them as text.
    The category is the field.
    """
    if images not in ("needed", "none"):
        raise DataError(f"Images are needed or none, got images={images!r}.")
    folder = ABOUT.folder(path)
    ABOUT.split(split)
    [file, *_] = files_of(folder, "jama_raw.json", "jama_raw.csv", "jama*.json", "jama*.csv", what="the cases")
    pictures = FilesBeside(file.parent, PICTURES) if images == "needed" else None
    gallery = Gallery(file.parent, keep_unreadable=keep_unreadable)
    return collected(
        ABOUT, rows_of([file]), lambda row: _item(row, gallery, pictures), allow_broken=allow_broken, images=images
    )


def _item(row: Row, gallery: Gallery, pictures: FilesBeside | None) -> Item:
    fields = {name: value for name, value in row.fields.items() if value not in (None, "")}
    needed(fields, "link", "question", *_OPTIONS, "answer_idx")
    number = str(fields["link"]).rstrip("/").rpartition("/")[2]
    printed = parse_options([str(fields.pop(name)) for name in _OPTIONS])
    options = [option.text for _, option in unmarked(printed).options]
    letter, text = str(fields.pop("answer_idx")).strip().upper(), str(fields.pop("answer", "")).strip()
    _check_key(letter, text, options)
    given = [fields.pop(name) for name in ("image", "images") if name in fields]
    made: dict[str, Any] = {
        "id": f"jama-{number}",
        "question": fields.pop("question"),
        "options": options,
        "answer": letter,
        "category": str(fields.pop("field", "")),
        "images": [] if pictures is None else _images(given, pictures.numbered(number), number),
    }
    fields.pop("id", None)
    return item_from({**made, "metadata": fields}, number=row.number, gallery=gallery)


def _check_key(letter: str, text: str, options: list[str]) -> None:
    """Raise where the letter and the words of the right answer do not mean the same option."""
    places = LETTERS[: len(options)]
    if letter not in places or len(letter) != 1:
        raise DataError(f"its answer_idx is {letter!r}, expected a letter from A to {places[-1]}")
    meant = options[places.index(letter)]
    if text and _plain(text) not in (_plain(meant), _plain(f"{letter}. {meant}")):
        raise DataError(f"its answer_idx {letter} means {meant!r}, and its answer is {text!r}")


def _images(given: list[Any], found: list[str], number: str) -> list[Any]:
    named = [each for one in given for each in (one if isinstance(one, list) else [one])]
    if not (named or found):
        raise DataError(f"none of the images is called {number}; put it beside the file, or set images=none")
    return named or found


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
