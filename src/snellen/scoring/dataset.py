"""Export of graded responses to a folder of Parquet files, one per model and condition.

The folder appears only when it is complete. Files of an interrupted export are kept next to it, and the next export
reuses them if nothing has changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import numpy as np
import orjson
from numpy.typing import NDArray

from snellen.errors import StudyError
from snellen.files import STATE, create_folder, folder_written_whole, written_whole
from snellen.items import LETTERS
from snellen.reading.claims.columns import Rationales
from snellen.reading.columns import Integers
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.runtime import few_collections
from snellen.scoring.portions import ResponseCount, Watch, count_expected_responses
from snellen.scoring.resolving import resolve_study
from snellen.scoring.responses import (
    COLUMNS,
    ArmResponses,
    Graded,
    ItemsUnder,
    State,
    asked_of_model,
    items_under,
    list_other_readings,
    place_shown,
)
from snellen.scoring.tables import Grader, Portion, portions
from snellen.scoring.writing import arrow_and_parquet, arrow_schema
from snellen.store import Store, StoredResponse
from snellen.store.viewing import mark
from snellen.stress.table import OUTCOMES, Grades, Table

AT_ONCE = 50_000
"""Responses per row group; the texts of one row group are in memory at a time."""
KEYS = ("model", "arm")
"""Columns that are part of the folder names instead of the files."""
LONGEST = 255
"""Largest number of characters in a folder name on usual file systems."""
IN_FILES = {name: kind for name, kind in COLUMNS.items() if name not in KEYS}


def export_folder(
    store: Store, folder: Path, parsers: Sequence[str], *, study: str | None, watch: Watch, unqualified: bool = False
) -> int:
    """Write a study's graded responses to Parquet files; return the number of rows."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StudyError(f"{folder} is there already and not empty. Choose another folder, or remove it first.")
    record, benchmarks, _, _, plan = resolve_study(store, study, parsers=parsers)
    count = ResponseCount(watch, "writing the responses", count_expected_responses(record, benchmarks))
    grader = Grader(store, record, benchmarks, plan, unqualified=unqualified, tell=lambda count: None)
    # the hash changes if the responses, the parsers or the columns change
    shards = [(about.st_size, about.st_mtime_ns) for about in (path.stat() for path in store.connections.shard_files)]
    how = (record, plan, unqualified, mark(store.folder), shards, list(COLUMNS), version("snellen"))
    state = hashlib.sha256(orjson.dumps(how, default=str)).hexdigest()[:STATE]
    with folder_written_whole(folder, state) as partial, few_collections():
        return sum(map(_Writer(grader, partial, count).write, portions(record, benchmarks)))


def partition(model: str, arm: str) -> Path:
    """Return the nested folders for the responses of a model under a condition.

    >>> partition("openai/gpt-5", "image-removed").as_posix()
    'model=openai%2Fgpt-5/arm=image-removed'
    """
    names = (f"model={quote(model, safe='')}", f"arm={quote(arm, safe='')}")
    if too_long := next((name for name in names if len(name) > LONGEST), None):
        raise StudyError(
            f"{unquote(too_long)!r} is too long for the name of a folder: {len(too_long)} characters once it is "
            f"escaped, at most {LONGEST}. Export to one file instead: --file responses.parquet."
        )
    return Path(*names)


class _Writer:
    """Writes one model on one benchmark at a time."""

    def __init__(self, grader: Grader, folder: Path, tell: ResponseCount) -> None:
        self._grader = grader
        self._folder = folder
        self._tell = tell
        self._pictures = grader.store.images.pictures()
        self._numbers = {each: at for at, each in enumerate(portions(grader.study, grader.benchmarks))}
        self._known: dict[str, dict[str, ItemColumns]] = {}

    def write(self, portion: Portion) -> int:
        """Write one file per condition unless it exists; return the rows of all of them."""
        _, parquet = arrow_and_parquet()
        file = f"part-{self._numbers[portion]}.parquet"
        arms = self._grader.study["arms"][portion.benchmark]
        paths = {arm: self._folder / partition(portion.model, arm) / file for arm in arms}
        missing = {arm: path for arm, path in paths.items() if not path.exists()}
        tables = [each.table.with_repeats() for each in self._grader.tables(portion)] if missing else []
        for arm, path in missing.items():
            create_folder(path.parent)
            self._write(path, tables, portion, arm)
        rows = {arm: parquet.read_metadata(path).num_rows for arm, path in paths.items()}
        self._tell(sum(count for arm, count in rows.items() if arm not in missing))
        return sum(rows.values())

    def _write(self, path: Path, tables: Sequence[Table], portion: Portion, arm: str) -> None:
        arrow, parquet = arrow_and_parquet()
        schema = arrow_schema(IN_FILES)
        store, study = self._grader.store, self._grader.study
        number, _ = store.studies.arm(study["arms"][portion.benchmark][arm])
        model = store.studies.model_number(portion.model, portion.revision)
        known = self._items(portion.benchmark, arm, number, tables)
        asked = asked_of_model(store, study, portion.benchmark, (arm, number), tables, known.made)
        columns = ArmColumns(asked, known, arrow)
        with written_whole(path) as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            coming = store.responses.replies(model, number)
            while some := list(islice(coming, AT_ONCE)):
                for batch in columns.batches(some):
                    writer.write_batch(arrow.RecordBatch.from_arrays(batch, schema=schema))
                self._tell(len(some))
            left = asked.not_there(store, model, number)
            while rows := list(islice(left, AT_ONCE)):
                few = [{name: row[name] for name in IN_FILES} for row in rows]
                writer.write_batch(arrow.RecordBatch.from_pylist(few, schema=schema))

    def _items(self, benchmark: str, arm: str, number: int, tables: Sequence[Table]) -> ItemColumns:
        if benchmark not in self._known:
            self._known = {benchmark: {}}
        if arm not in self._known[benchmark]:
            items = tables[0].items
            made = items_under(self._grader.store, number, items, self._pictures)
            asked = ArmResponses(arm, tables, made.variants, {}, None, made.images)
            about = [asked.describe_item(at, None, State.ANSWERED) for at in range(len(items))]
            columns = {name: array(name, [row[name] for row in about]) for name in IN_FILES}
            self._known[benchmark][arm] = ItemColumns(made, columns)
        return self._known[benchmark][arm]


class ItemColumns(NamedTuple):
    """Columns that describe the items under one condition; they do not depend on the responses."""

    made: ItemsUnder
    columns: Mapping[str, Any]


def array(name: str, values: Sequence[Any]) -> Any:
    """Convert values to a column with the type of its name."""
    arrow, _ = arrow_and_parquet()
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    return arrow.array(values, type=kinds[COLUMNS[name]])


def _runs(ordinal: Integers, replicate: Integers) -> Integers:
    return ordinal << 20 | replicate


class ArmColumns:
    """The responses of one model under one condition as columns."""

    def __init__(self, asked: ArmResponses, items: ItemColumns, arrow: Any) -> None:
        self._asked = asked
        self._items = items.columns
        self._arrow = arrow
        self._graded = [Graded(table.parser, table.arms[asked.arm]) for table in asked.tables]
        self._keys = [_runs(each.grades.ordinal, each.grades.replicate) for each in self._graded]
        self._confidence = [_confidence(each) for each in self._graded]

    def batches(self, replies: Sequence[StoredResponse]) -> Iterator[list[Any]]:
        """Yield for each parser the columns of the responses that it graded."""
        take = self._arrow.array
        ordinal = np.array([each.ordinal for each in replies], dtype=np.int64)
        replicate = np.array([each.replicate for each in replies], dtype=np.int64)
        said = {
            "finish": array("finish", [each.finish for each in replies]),
            "response": array("response", [each.text for each in replies]),
        }
        runs = _runs(ordinal, replicate)
        for graded, keys, confidence in zip(self._graded, self._keys, self._confidence, strict=True):
            if not len(keys):
                continue
            at = np.minimum(np.searchsorted(keys, runs), len(keys) - 1)
            there = np.flatnonzero(keys[at] == runs)
            row = {name: each.take(take(there)) for name, each in said.items()}
            row |= self._of_parser(graded, confidence, at[there], ordinal[there])
            row["replicate"] = take(replicate[there])
            items = take(ordinal[there])
            yield [row[name] if name in row else self._items[name].take(items) for name in IN_FILES]

    def _of_parser(self, graded: Graded, confidence: Any, at: Integers, ordinal: Integers) -> dict[str, Any]:
        """Columns with what a parser read in the responses at these places."""
        grades, take = graded.grades, self._arrow.array
        right, chosen, rule = grades.is_(Outcome.CORRECT)[at], grades.chosen[at], take(grades.rule[at])
        outcomes = array("outcome", [each.value for each in OUTCOMES])
        return {
            "parser": self._arrow.repeat(graded.parser, len(at)),
            "outcome": outcomes.take(take(grades.outcome[at])),
            **({"right": take(grades.right()[at])} if grades.admissions is None else {}),
            **self._describe_chosen(ordinal, chosen, right),
            "chosen_option": take(chosen, mask=chosen < 0),
            "rule": array("rule", grades.rules).take(rule),
            "confidence": confidence.take(rule),
            **_list_other_readings(grades, at),
        }

    def _describe_chosen(self, ordinal: Integers, chosen: Integers, right: NDArray[np.bool_]) -> dict[str, Any]:
        """Letter and text of the chosen options; computed once per item and option."""
        alike = np.stack((ordinal, chosen, right), axis=1)
        every, places = np.unique(alike, axis=0, return_inverse=True)
        letters, texts = [], []
        for at, option, is_right in every.tolist():
            item, variant = self._asked.tables[0].items[at], self._asked.variants[at]
            place = place_shown(item, variant, option, right=bool(is_right))
            letters.append(None if place is None else LETTERS[place])
            texts.append(None if place is None else variant.options[place].text)
        where = self._arrow.array(places.reshape(-1))
        return {
            "chosen_letter": array("chosen_letter", letters).take(where),
            "chosen_text": array("chosen_text", texts).take(where),
        }


def _confidence(graded: Graded) -> Any:
    """Confidence of each rule of the parser: the probability that its readings are right."""
    sure = [parser_named(graded.parser).confidence(rule) for rule in graded.grades.rules]
    return array("confidence", [None if isnan(each) else round(each, 3) for each in sure])


def _list_other_readings(grades: Grades, at: Integers) -> dict[str, Any]:
    """Columns with all readings other than the choice."""
    if set(grades.columns) <= {Rationales}:  # the usual case, often with very many responses
        if (said := grades.rationales) is None:
            return {}
        marks = {"describes": said.claims > 0, "notices": said.notices, "hedges": said.hedges}
        return {name: array(name, each[at].astype(np.int64).tolist()) for name, each in marks.items()}
    rows = [list_other_readings(grades, place) for place in at.tolist()]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: array(name, [row.get(name) for row in rows]) for name in names}
