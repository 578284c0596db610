"""PMC-VQA: four-option questions about figures of open-access articles, from the benchmark's published tables.

Zhang et al., "PMC-VQA: Visual instruction tuning for medical visual question answering", 2023.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from snellen.benchmarks.answers import as_text, lettered, parse_answer
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import Published, collected, files_of, frozen, needed, rows_of
from snellen.benchmarks.rows import Row
from snellen.errors import DataError
from snellen.items import Benchmark, Item

ABOUT = Published(
    name="pmc-vqa",
    title="PMC-VQA",
    asks="four-option questions about figures of open-access articles",
    tier="public",
    get="download RadGenome/PMC-VQA from the hub (the tables, images.zip, images_2.zip) and write pmc-vqa:FOLDER, or "
    "write pmc-vqa:hf.",
    licence="as its page on the hub says; each figure has that of its article",
    citation='Zhang et al., "PMC-VQA: Visual instruction tuning for medical visual question answering", 2023',
    splits=MappingProxyType({"test-clean": 2000, "test": None, "train": None, "test-2": 33430, "train-2": 152603}),
    clusters="the figure",
    modalities="figures of all kinds",
    hub="RadGenome/PMC-VQA",
    columns=frozenset(
        {"index", "Figure_path", "Caption", "Question", "Answer", "Anwser", "Answer_label", "split"}
        | {f"Choice {letter}" for letter in "ABCD"}
    ),
)

_NO_NAME = frozenset({"", "Unnamed: 0"})
"""What a table calls the number of a row."""


def load(
    path: str | Path, *, split: str = "test-clean", allow_broken: bool = False, keep_unreadable: bool = False
) -> Benchmark:
    """PMC-VQA: four-option questions about figures of open-access articles, from its published tables.

    `test-clean`, `test` and `train` are the first version, `test-2` and `train-2` the second; the columns of the second
    were not seen by us, and a table with others is refused. The key is `Answer_label`, else the letter or text in
    `Answer` (`Anwser` in the first version). Letters before the choices ("A:") are taken off. A label that is not the
    option that `Answer` names is told in `about["odd"]`. The figure's caption is left out: it tells the answer.
    """
    table = ABOUT.split(split).replace("-", "_")
    folder = ABOUT.folder(path)
    second = table.endswith("_2")
    files = files_of(folder, f"{table}.csv", f"*/{table}.csv", what=f"PMC-VQA's table of the split {split!r}")
    places = ("images_2", "figures", "images", "") if second else ("images", "figures", "")
    pictures = Pictures(folder, folders=places, zips=("images_2.zip", "images.zip"), keep_unreadable=keep_unreadable)
    odd: list[tuple[str, str]] = []
    about = replace(ABOUT, unverified=second)
    rows = (row._replace(fields={k: v for k, v in row.fields.items() if k not in _NO_NAME}) for row in rows_of(files))
    made = collected(
        about, rows, lambda row: _item(row, split, pictures, odd), allow_broken=allow_broken, split=split, odd=odd
    )
    return replace(made, about=MappingProxyType({**made.about, "odd": tuple(odd)}))


def _item(row: Row, split: str, pictures: Pictures, odd: list[tuple[str, str]]) -> Item:
    fields = row.fields
    choices = {letter: fields.get(f"Choice {letter}") for letter in "ABCD"}
    needed(fields, "Figure_path", "Question", *(f"Choice {letter}" for letter in choices))
    options = lettered({letter: _without_letter(as_text(text, "a choice"), letter) for letter, text in choices.items()})
    _check_letters([str(text) for text in choices.values()])
    told = fields.get("Answer") or fields.get("Anwser")
    if not told and not fields.get("Answer_label"):
        raise DataError(f"it has no 'Answer_label' and no 'Answer'; it has {', '.join(map(repr, fields))}")
    right = parse_answer(str(fields.get("Answer_label") or told).strip(), options)
    item_id = f"pmc-vqa/{split}-{row.number}"
    if told and _bare(str(told)) not in (_bare(options[right].option.text), options[right].label.casefold()):
        odd.append((item_id, f"its label is {options[right].label}, its answer reads {told!r}"))
    figure = as_text(fields["Figure_path"], "its Figure_path").strip()
    return Item(
        id=item_id,
        question=as_text(fields["Question"], "its question").strip(),
        options=tuple(option for _, option in options),
        answer=right,
        images=(pictures.find(figure),),
        cluster=figure,
        metadata=frozen(article=figure.partition("_")[0] if figure.startswith("PMC") else ""),
    )


def _check_letters(choices: Sequence[str]) -> None:
    """Raise where the letters before the choices are in another order than their columns."""
    marks = [match[1] for text in choices if (match := re.match(r"\s*([A-D])\s*[:.)]", text))]
    if len(marks) == len(choices) and marks != sorted(marks) and len(set(marks)) == len(marks):
        raise DataError(f"the letters before its choices are {', '.join(marks)}, expected A, B, C, D")


def _without_letter(text: str, letter: str) -> str:
    return re.sub(rf"^\s*{letter}\s*[:.)]\s*", "", text, flags=re.IGNORECASE).strip()


def _bare(text: str) -> str:
    return " ".join(re.sub(r"^\s*[A-D]\s*[:.)]\s*", "", text).split()).rstrip(" .").casefold()
