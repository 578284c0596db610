"""Importer for VLMEvalKit: `MODEL_DATASET.xlsx` or `.tsv`, with one row per question.

A circular dataset asks every question once for each rotation of its options; the index rises by a million each time.
The first rotation is imported as `options-shuffled`, which the test of option order needs. Each further one is a
condition of its own, since a condition asks a question in one way only.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

from snellen.benchmarks.rows import reading_workbooks
from snellen.conditions import OptionsShuffled
from snellen.errors import BrokenRow, DataError
from snellen.imports.answer import AS_ASKED, Answer
from snellen.imports.asked import FileQuestions, Record
from snellen.imports.fields import Given, without_last_blanks
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


@dataclass
class PredictionRow:
    """Row of a prediction file: its place, index, and cells by column."""

    where: str
    item_id: str
    cells: Mapping[str, Any]
    letters: str
    """Letters of the columns that may hold an option, up to the last that the table has."""

    @cached_property
    def options(self) -> tuple[str, ...]:
        """Options from one column each; DataError for an empty option before others."""
        return tuple(without_last_blanks([_text(self.cells.get(letter)) for letter in self.letters]))


def read_vlmevalkit(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """Yield the predictions of a file, with model and dataset from its path."""
    model, dataset = _name_model_and_dataset(path, given)
    lines = list(_lines(path))
    questions = FileQuestions(path.parent, given)
    given.note("Files of VLMEvalKit do not contain the requests: it is not known if an image was sent.")
    first = {line.item_id: line for line in lines}
    for line in lines:
        try:
            yield _answer(line, first, questions, given, model=model, benchmark=given.name or dataset)
        except DataError as error:
            yield BrokenRow(line.where, line.item_id, str(error))


def _name_model_and_dataset(path: Path, given: Given) -> tuple[str, str]:
    stem = path.name[: -len(path.suffix)]
    homes = [folder.name for folder in path.resolve().parents][:3]
    model = given.model or next((home for home in homes if stem.startswith(f"{home}_")), None)
    if model is None and given.name and stem.endswith(f"_{given.name}"):
        model = stem.removesuffix(f"_{given.name}")
    if model is None:
        raise DataError(
            f"{path.name}: expected a file MODEL_DATASET in the folder MODEL, as VLMEvalKit writes it. "
            "Name the model, or the model and the benchmark: --model NAME --as BENCHMARK."
        )
    rest = stem.removeprefix(f"{model}_") if stem.startswith(f"{model}_") else stem
    if rest.endswith(_GRADED):
        given.note(f"{path.name} looks like predictions that were graded; its grades are not read.")
    return model, rest


def _answer(
    line: PredictionRow,
    first: Mapping[str, PredictionRow],
    questions: FileQuestions,
    given: Given,
    *,
    model: str,
    benchmark: str,
) -> Answer:
    cells = line.cells
    item_id, turn = _undo_rotation(line, first)
    arm = given.arm_of()
    if turn:
        if arm != AS_ASKED:
            raise DataError(
                f"it is a row of CircularEval, so it cannot have the condition {arm!r}; import it without --condition"
            )
        arm = OptionsShuffled.name if turn == 1 else ROTATIONS[turn - 2]
    if (prediction := _text(cells.get("prediction"))) is None:
        raise DataError("it has no prediction")
    if len(prediction) >= _LONGEST_CELL:
        raise DataError(
            f"its prediction has {_LONGEST_CELL:,} characters, the most that a cell holds, so its end is lost"
        )
    fields = dict(cells)
    for name in _NOT_ASKED:
        fields.pop(name, None)
    ids = questions.ids_in(fields) if given.known or questions.id_is_said else ()
    record = Record(item_id, fields=fields, options=line.options, target=_text(cells.get("answer")), ids=ids)
    item, has_image = questions.find(record, benchmark=benchmark, arm=arm)
    failed = _FAILED in prediction or prediction.startswith(_SKIPPED)
    response = Response.of_fields(text=prediction, finish="", reasoning=_text(cells.get("thinking")) or "")
    return Answer(
        model=model,
        benchmark=benchmark,
        arm=arm,
        item=item,
        response=None if failed else response,
        error=prediction if failed else "",
        image_sent=None,
        has_image=has_image or _text(cells.get("image")) is not None or _text(cells.get("image_path")) is not None,
        where=line.where,
    )


def _undo_rotation(line: PredictionRow, first: Mapping[str, PredictionRow]) -> tuple[str, int]:
    """Return a row's question, and by how many places its options were rotated."""
    if not line.item_id.isdecimal() or (number := int(line.item_id)) < _TURN:
        return line.item_id, 0
    base, turn = str(number % _TURN), number // _TURN
    if base not in first:
        return line.item_id, 0
    options, before = line.options, first[base].options
    if sorted(options) != sorted(before) or turn > len(ROTATIONS):
        raise DataError(
            f"by its index it is question {base} with rotated options (CircularEval), but its options are "
            f"{list(options)}, expected {list(before)} in another order"
        )
    if (key := _right(line.cells)) != (earlier := _right(first[base].cells)):
        raise DataError(
            f"it is question {base} with rotated options (CircularEval), but its correct answer is {key!r}, not "
            f"{earlier!r}; correct one of them"
        )
    return base, turn


def _right(cells: Mapping[str, Any]) -> str | None:
    """Return the text of the option whose letter is the answer; else the answer itself."""
    answer = _text(cells.get("answer"))
    return _text(cells.get(answer)) if answer is not None and len(answer) == 1 and answer in LETTERS else answer


def _text(value: object) -> str | None:
    """Return a cell's text; None for empty cells and pandas' missing values."""
    if type(value) is not str:
        if value is None or value != value:
            return None
        value = str(int(value) if isinstance(value, float) and value.is_integer() else value)
    text = value.strip()
    return text if text and text != "nan" else None


# --- Tables


def _lines(path: Path) -> Iterator[PredictionRow]:
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
            item_id = _text(cells.get("index")) or f"row-{number}"
            yield PredictionRow(f"{file}, row {number}", item_id, cells, letters)


def _cells_of_workbook(path: Path) -> Iterator[tuple[int, Sequence[Any]]]:
    reading = reading_workbooks()
    with path.open("rb") as file, reading.open_book(file, path.name, path.stat().st_size) as book:
        yield from enumerate(reading.rows_of(book.worksheets[0]), 1)


def _cells_of_tsv(path: Path) -> Iterator[tuple[int, Sequence[Any]]]:
    csv.field_size_limit(1_000_000_000)  # a cell may contain an image in base64
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from enumerate(csv.reader(file, delimiter="\t"), 1)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path.name} cannot be read as a tab-separated table: {error}.") from error


IMPORTER = Importer("a prediction file of VLMEvalKit", read_vlmevalkit, FILES, ROTATIONS)
