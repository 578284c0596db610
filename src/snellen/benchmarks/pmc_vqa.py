"""PMC-VQA: four-option questions about figures of open-access articles, from the benchmark's published tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from snellen.benchmarks.answers import as_text, parse_answer, parse_lettered
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads, require_fields
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.items import Benchmark, Item

_NO_NAME = frozenset({"", "Unnamed: 0"})
"""Names of the unnamed column, which has the row's number."""


@loads("pmc-vqa")
def load(source: SplitSource) -> Benchmark:
    """PMC-VQA: four-option questions about figures of open-access articles, from its published tables.

    `test-clean`, `test` and `train` are the first version, `test-2` and `train-2` the second. We have not seen the
    second version's columns, so a table with others raises an error. The key is `Answer_label`, or else the letter or
    text in `Answer` (`Anwser` in the first version). Letters before the choices ("A:") are removed. If `Answer_label`
    and `Answer` name different options, `about["odd"]` has the row. The figure's caption is left out, since it contains
    the answer.
    """
    second = source.split.endswith("-2")
    places = ("images_2", "figures", "images", "") if second else ("images", "figures", "")
    pictures = source.open_pictures(places, ("images_2.zip", "images.zip"))
    odd: list[tuple[str, str]] = []
    source.about = replace(source.about, unverified=second)
    rows = (
        row._replace(fields={name: value for name, value in row.fields.items() if name not in _NO_NAME})
        for row in source.rows()
    )
    made = source.collect(rows, lambda row: _item(row, source.split, pictures, odd))
    return replace(made, about=MappingProxyType({**made.about, "odd": tuple(odd)}))


def _item(row: FileRow, split: str, pictures: Pictures, odd: list[tuple[str, str]]) -> Item:
    fields = row.fields
    choices = {letter: fields.get(f"Choice {letter}") for letter in "ABCD"}
    require_fields(fields, "Figure_path", "Question", *(f"Choice {letter}" for letter in choices))
    bare = {
        letter: re.sub(rf"^\s*{letter}\s*[:.)]\s*", "", as_text(text, "a choice"), flags=re.IGNORECASE).strip()
        for letter, text in choices.items()
    }
    options = parse_lettered(bare)
    _check_letters([str(text) for text in choices.values()])
    told = fields.get("Answer") or fields.get("Anwser")
    if not told and not fields.get("Answer_label"):
        raise DataError(f"it has no 'Answer_label' and no 'Answer'; it has {', '.join(map(repr, fields))}")
    right = parse_answer(str(fields.get("Answer_label") or told).strip(), options)
    item_id = f"pmc-vqa/{split}-{row.number}"
    if told and _bare(str(told)) not in (_bare(options[right].option.text), options[right].label.casefold()):
        odd.append((item_id, f"its label is {options[right].label}, but its answer is {told!r}"))
    figure = as_text(fields["Figure_path"], "its Figure_path").strip()
    return Item(
        id=item_id,
        question=as_text(fields["Question"], "its question").strip(),
        options=tuple(option for _, option in options),
        answer=right,
        images=(pictures.find(figure),),
        cluster=figure,
        metadata=freeze_metadata(article=figure.partition("_")[0] if figure.startswith("PMC") else ""),
    )


def _check_letters(choices: Sequence[str]) -> None:
    """Raise DataError if letters before the choices differ from the order of columns."""
    marks = [match[1] for text in choices if (match := re.match(r"\s*([A-D])\s*[:.)]", text))]
    if len(marks) == len(choices) and marks != sorted(marks) and len(set(marks)) == len(marks):
        raise DataError(f"the letters before its choices are {', '.join(marks)}, expected A, B, C, D")


def _bare(text: str) -> str:
    return " ".join(re.sub(r"^\s*[A-D]\s*[:.)]\s*", "", text).split()).rstrip(" .").casefold()
