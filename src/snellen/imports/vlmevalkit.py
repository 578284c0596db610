"""Predictions of VLMEvalKit: `MODEL_DATASET.xlsx` or `.tsv`, a row a question, with the dataset's columns.

A circular dataset asks every question once for each order of its options: the options are moved on by one place each
time, and the index by a million. The first of these orders is `options-shuffled`, as the test of option order asks it;
each further one is a condition of its own, since one condition asks a question in one way.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from snellen.benchmarks.rows import reading_workbooks
from snellen.conditions import OptionsShuffled
from snellen.errors import BrokenRow, DataError
from snellen.imports.answer import AS_ASKED, Answer
from snellen.imports.asked import Questions, Record
from snellen.imports.fields import without_last_blanks
from snellen.imports.given import Given
from snellen.imports.importer import Importer
from snellen.items import LETTERS
from snellen.models.base import Response

FILES = ("*.xlsx", "*.tsv")
ROTATIONS = tuple(f"options-rotated-{turn}" for turn in range(2, len(LETTERS)))
_TURN = 1_000_000
_FAILED, _SKIPPED = "Failed to obtain answer via API.", "Failed to obtain answer:"
_LONGEST_CELL = 32_767
_COLUMNS = LETTERS[:12]
_EMPTY = frozenset((None, ""))
_NOT_ASKED = ("prediction", "thinking", "index")
_GRADED = ("_result", "_openai_result", "_exact_matching_result", "_judge", "_score")


class Line(NamedTuple):
    """A row: where it stands, its index, and its cells by column."""

    where: str
    item_id: str
    cells: Mapping[str, Any]
    letters: str
    """Those of the columns that may hold an option, up to the last that the table has."""
    read: list[tuple[str, ...]]
    """The options, once they were read."""

    @property
    def options(self) -> tuple[str, ...]:
        """The options that have a column each; DataError where an empty one stands before others."""
        if not self.read:
            get = self.cells.get
            self.read.append(tuple(without_last_blanks([_text(get(letter)) for letter in self.letters])))
        return self.read[0]


def read_vlmevalkit(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """The predictions of a file; model and dataset are named by the file and the folder it lies in."""
    model, dataset = _named(path, given)
    lines = list(_lines(path))
    questions = Questions(path.parent, given)
    given.note("Files of VLMEvalKit do not say what was sent: whether an image was is not known.")
    first = {line.item_id: line for line in lines}
    for line in lines:
        try:
            yield _answer(line, first, questions, given, model=model, benchmark=given.name or dataset)
        except DataError as error:
            yield BrokenRow(line.where, line.item_id, str(error))


def _named(path: Path, given: Given) -> tuple[str, str]:
    """The model and the dataset: the file is called MODEL_DATASET and lies in a folder called MODEL."""
    stem = path.name[: -len(path.suffix)]
    homes = [folder.name for folder in path.resolve().parents][:3]
    model = given.model or next((home for home in homes if stem.startswith(f"{home}_")), None)
    if model is None and given.name and stem.endswith(f"_{given.name}"):
        model = stem.removesuffix(f"_{given.name}")
    if model is None:
        raise DataError(
            f"{path.name}: expected a file MODEL_DATASET in the folder MODEL, as VLMEvalKit writes it; where the "
            "model's name ends cannot be told. Name the model, or both: --model NAME --as BENCHMARK."
        )
    rest = stem.removeprefix(f"{model}_") if stem.startswith(f"{model}_") else stem
    if rest.endswith(_GRADED):
        given.note(f"{path.name} looks like predictions that were graded; its grades are not read.")
    return model, rest


def _answer(
    line: Line,
    first: Mapping[str, Line],
    questions: Questions,
    given: Given,
    *,
    model: str,
    benchmark: str,
) -> Answer:
    cells = line.cells
    item_id, turn = _turned(line, first)
    arm = given.arm_of()
    if turn:
        if arm != AS_ASKED:
            raise DataError(f"it is a circular row, and its condition is {arm!r}; circular rows have one of their own")
        arm = OptionsShuffled.name if turn == 1 else ROTATIONS[turn - 2]
    prediction = _text(cells.get("prediction"))
    if prediction is None:
        raise DataError("it has no prediction")
    if len(prediction) >= _LONGEST_CELL:
        raise DataError(f"its prediction fills its cell ({_LONGEST_CELL:,} characters), so that its end is lost")
    fields = dict(cells)
    for name in _NOT_ASKED:
        fields.pop(name, None)
    ids = questions.ids_in(fields) if given.known or questions.id_is_said else ()
    record = Record(item_id, fields=fields, options=line.options, target=_text(cells.get("answer")), ids=ids)
    item, has_image = questions.find(record, benchmark=benchmark, arm=arm)
    failed = _FAILED in prediction or prediction.startswith(_SKIPPED)
    return Answer(
        model=model,
        benchmark=benchmark,
        arm=arm,
        item=item,
        response=None
        if failed
        else Response.of_fields(text=prediction, finish="", reasoning=_text(cells.get("thinking")) or ""),
        error=prediction if failed else "",
        image_sent=None,
        has_image=has_image or _text(cells.get("image")) is not None or _text(cells.get("image_path")) is not None,
        where=line.where,
    )


def _turned(line: Line, first: Mapping[str, Line]) -> tuple[str, int]:
    """The question that a row asks, and how often its options were moved on; 0 where it is no circular row."""
    if not line.item_id.isdecimal() or (number := int(line.item_id)) < _TURN:
        return line.item_id, 0
    base, turn = str(number % _TURN), number // _TURN
    if base not in first:
        return line.item_id, 0
    options, before = line.options, first[base].options
    if sorted(options) != sorted(before) or turn > len(ROTATIONS):
        raise DataError(
            f"its index makes it a circular row of question {base}, and its options are others: {list(options)}, "
            f"expected {list(before)} in another order"
        )
    if (key := _right(line.cells)) != (earlier := _right(first[base].cells)):
        raise DataError(
            f"it is a circular row of question {base}, and its right answer is {key!r}; there it is {earlier!r}. "
            "One of them is wrong"
        )
    return base, turn


def _right(cells: Mapping[str, Any]) -> str | None:
    """The text of the option whose letter the answer is; else the answer itself."""
    answer = _text(cells.get("answer"))
    return _text(cells.get(answer)) if answer is not None and len(answer) == 1 and answer in LETTERS else answer


def _text(value: object) -> str | None:
    """A cell as text; None for an empty one, and for what pandas writes in the place of nothing."""
    if type(value) is not str:
        if value is None or value != value:
            return None
        value = str(int(value) if isinstance(value, float) and value.is_integer() else value)
    text = value.strip()
    return text if text and text != "nan" else None


# --- Tables


def _lines(path: Path) -> Iterator[Line]:
    """The rows of a table; DataError where it has not the columns of a prediction file."""
    rows = _cells_of_workbook(path) if path.suffix.lower() == ".xlsx" else _cells_of_tsv(path)
    _, head = next(rows, (0, ()))
    names = [str(name).strip() if name is not None else "" for name in head]
    if lacking := [name for name in ("index", "prediction") if name not in names]:
        raise DataError(
            f"{path.name} has no column {' and no column '.join(map(repr, lacking))}; expected a prediction file of "
            f"VLMEvalKit, got the columns {names[:20]}."
        )
    file, letters = path.name, _COLUMNS
    while letters and letters[-1] not in names:
        letters = letters[:-1]
    for number, row in rows:
        cells = {name: value for name, value in zip_longest(names, row[: len(names)]) if name}
        if not _EMPTY.issuperset(cells.values()):
            yield Line(f"{file}, row {number}", _text(cells.get("index")) or f"row-{number}", cells, letters, [])


def _cells_of_workbook(path: Path) -> Iterator[tuple[int, Sequence[Any]]]:
    reading = reading_workbooks()
    with path.open("rb") as file, reading.open_book(file, path.name, path.stat().st_size) as book:
        yield from enumerate(reading.rows_of(book.worksheets[0]), 1)


def _cells_of_tsv(path: Path) -> Iterator[tuple[int, Sequence[Any]]]:
    csv.field_size_limit(1_000_000_000)  # an image in base64 may stand in a cell
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from enumerate(csv.reader(file, delimiter="\t"), 1)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path.name} cannot be read as a table of tabs: {error}.") from error


IMPORTER = Importer("a prediction file of VLMEvalKit", read_vlmevalkit, FILES, ROTATIONS)
