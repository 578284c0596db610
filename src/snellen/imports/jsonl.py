"""Responses in our own format: JSON Lines (also gzipped), JSON, CSV or Parquet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks.answers import Keys, as_text, parse_options
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.questions import from_cells, item_from, keys_in
from snellen.benchmarks.rows import FileRow, read, suffix
from snellen.errors import BrokenRow, DataError
from snellen.imports.answer import MOST_REPEATS, Answer
from snellen.imports.conditions import find_changes
from snellen.imports.document import count
from snellen.imports.fields import Given, in_order_of_letters
from snellen.imports.importer import Importer
from snellen.items import Item
from snellen.models.base import UNCOUNTED, Response, Usage
from snellen.schemas import FIELD, later
from snellen.store.records import TYPED, dump_json

TOKENS = ("input_tokens", "output_tokens", "image_tokens", "reasoning_tokens")
SCHEMA = 1
_OF_THE_REPLY = frozenset((
    FIELD,
    "model", "benchmark", "item_id", "arm", "replicate", "response", "error", "reasoning", "finish", "finish_reason",
    "stop_reason", "revision", "prompt", "system", "latency", "served_by", "second", *TOKENS,
))  # fmt: skip
_FINISH = ("finish", "finish_reason", "stop_reason")
_OPTIONS, _ANSWER = frozenset(("options", "choices")), frozenset(("answer", "answer_index", "target"))


def read_jsonl(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """Yield the answers of a file; an unusable row becomes a BrokenRow.

    Repeats are numbered as in the rows. The given condition and benchmark name apply to rows without them. Rows need
    not contain items of given benchmarks.
    """
    items = _Items(Gallery(path.parent), given, keys_in(_distinct(_rows(path, given.fields))))
    stem = path.name[: len(path.name) - len(suffix(path) or "")]
    for row in _rows(path, given.fields):
        item_id = str(row.fields.get("item_id", f"row-{row.number}"))
        if row.reason is not None:
            yield BrokenRow(row.where, item_id, row.reason)
            continue
        try:
            yield _answer(row, items, given, benchmark=given.name or stem)
        except DataError as error:
            yield BrokenRow(row.where, item_id, str(error))


def _rows(path: Path, named: Mapping[str, str]) -> Iterator[FileRow]:
    """Yield the rows with the user's field names replaced by ours."""
    if not named:
        yield from _readable(path)
        return
    ours = {theirs: "item_id" if name == "id" else name for name, theirs in named.items()}
    for row in _readable(path):
        kept = {name: value for name, value in row.fields.items() if name not in ours.values() or name in ours}
        yield row._replace(fields={ours.get(name, name): value for name, value in kept.items()})


def _readable(path: Path) -> Iterator[FileRow]:
    for row in read(path):
        if FIELD in row.fields and (said := later(row.where, row.fields[FIELD], SCHEMA)):
            raise DataError(said)
        yield row


def _distinct(rows: Iterable[FileRow]) -> Iterator[FileRow]:
    seen: set[bytes] = set()
    for row in rows:
        told = {name: value for name, value in row.fields.items() if name not in _OF_THE_REPLY}
        try:
            key = hashlib.blake2b(orjson.dumps(told), digest_size=16).digest()
        except TypeError:  # a table may hold bytes
            key = str(row.number).encode()
        if key not in seen:
            seen.add(key)
            yield row


def _answer(row: FileRow, items: _Items, given: Given, *, benchmark: str) -> Answer:
    fields = {name: value for name, value in row.fields.items() if value is not None and value == value}  # no NaN
    if row.in_table:
        fields = {name: value for name, value in from_cells(fields).items() if value != "" or name == "response"}
    said = {name: fields.pop(name) for name in _OF_THE_REPLY.intersection(fields)}
    benchmark = _text(said, "benchmark", "").strip() or benchmark
    item_id = _text(said, "item_id", "")
    if not item_id:
        raise DataError("it has no 'item_id'; expected the id of the question it answers")
    model = _text(said, "model", "") or given.model or ""
    if not model:
        raise DataError("it has no 'model'; expected provider/model")
    if "response" not in said and "error" not in said:
        raise DataError(f"it has neither 'response' nor 'error'; its fields are {sorted(row.fields)}")
    text, error = _text(said, "response", ""), _text(said, "error", "")
    arm = given.arm_of(said.get("arm"))
    asked = items.find(item_id, fields, row.number, benchmark=benchmark, arm=arm)
    return Answer(
        model=model,
        benchmark=benchmark,
        arm=arm,
        item=asked.item,
        # many tools write an empty response next to the error of a failed call
        response=_response(said) if text or not error else None,
        error=error,
        replicate=_replicate(said),
        revision=_text(said, "revision", ""),
        text=_text(said, "prompt", ""),
        system=_text(said, "system", ""),
        image_sent=asked.image_sent,
        has_image=asked.has_image,
        second=_flag(said, "second"),
        where=row.where,
    )


def _response(said: Mapping[str, Any]) -> Response:
    usage = UNCOUNTED
    if not said.keys().isdisjoint(TOKENS):
        usage = Usage(*[count(_read_whole_number(said, name)) for name in TOKENS])
    ended = [name for name in _FINISH if name in said]
    return Response.of_fields(
        text=_text(said, "response", ""),
        finish=_text(said, ended[0], "") if ended else "",
        reasoning=_text(said, "reasoning", ""),
        usage=usage,
        latency=_number(said, "latency") if "latency" in said else 0.0,
        served_by=_text(said, "served_by", ""),
    )


def _text(said: Mapping[str, Any], name: str, default: str) -> str:
    return as_text(said[name], f"its {name}") if name in said else default


def _replicate(said: Mapping[str, Any]) -> int | None:
    number = _read_whole_number(said, "replicate")
    if number is not None and number >= MOST_REPEATS:
        raise DataError(f"its `replicate` is {number}, expected less than {MOST_REPEATS:,}")
    return number


def _read_whole_number(said: Mapping[str, Any], name: str) -> int | None:
    if name not in said:
        return None
    text = str(said[name]).removesuffix(".0")
    if isinstance(said[name], bool) or not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise DataError(f"its {name} is {said[name]!r}, expected a whole number of 0 or more")
    return int(text)


def _flag(said: Mapping[str, Any], name: str) -> bool:
    written = str(said.get(name, False)).casefold()
    if written not in ("true", "false"):
        raise DataError(f"its {name} is {said[name]!r}, expected true or false")
    return written == "true"


def _number(said: Mapping[str, Any], name: str) -> float:
    try:
        found = float(said.get(name, 0.0))
    except (TypeError, ValueError) as error:
        raise DataError(f"its {name} is {said[name]!r}, expected a number") from error
    return found if isfinite(found) else 0.0


def jsonl_line(answer: Answer) -> bytes:
    """Return an answer, without its images, as a row that `read_jsonl` reads."""
    item, response = answer.item, answer.response
    options = [{"text": each.text, "abstains": True} if each.abstains else each.text for each in item.options]
    fields = {
        FIELD: SCHEMA,
        "model": answer.model,
        "benchmark": answer.benchmark,
        "item_id": item.id,
        "arm": answer.arm,
        "replicate": answer.replicate,
        "second": answer.second or None,
        "response": response.text if response else None,
        "reasoning": response.reasoning or None if response else None,
        "finish": response.finish or None if response else None,
        "error": answer.error or None,
        "revision": answer.revision or None,
        "prompt": answer.text or None,
        "system": answer.system or None,
        "question": item.question,
        "context": item.context or None,
        "options": options or None,
        "answer": item.letter if isinstance(item.answer, int) else item.answer,
        "category": item.category or None,
        "language": item.language,
        "cluster": item.cluster or None,
        "metadata": dict(item.metadata) or None,
    }
    kept = {name: value for name, value in fields.items() if value is not None}
    return dump_json(kept, TYPED | orjson.OPT_APPEND_NEWLINE).encode()


class _RowItem(NamedTuple):
    item: Item
    image_sent: bool | None
    has_image: bool


class _Items:
    def __init__(self, gallery: Gallery, given: Given, keys: Keys) -> None:
        self._gallery = gallery
        self._given = given
        self._keys = keys
        self._read: dict[bytes, Item] = {}

    def find(self, item_id: str, fields: Mapping[str, Any], number: int, *, benchmark: str, arm: str) -> _RowItem:
        """Return the item of a row, from the row or from the known benchmark."""
        if "question" in fields or "input" in fields:
            item = self._read_item(item_id, fields, number)
            return _RowItem(item, _says_image_sent(item, fields), bool(item.images))
        known = self._known_item(benchmark, item_id)
        changed = find_changes(arm)
        if "options" in changed and not _OPTIONS & fields.keys():
            raise DataError(
                f"its condition {arm!r} changes the options or the right answer, but the row does not give them; add "
                "'options' and 'answer' to the row, as they were shown"
            )
        told = self._read_item(item_id, {**_told_by(known, fields), **fields}, number)
        if known.kind == "choice" and not _OPTIONS & fields.keys() and told.answer != known.answer:
            raise DataError(
                f"its answer is {told.letter} in this file but {known.letter} in the benchmark; correct one"
            )
        images = told.images or (() if "image" in changed else known.images)
        item = replace(known, options=told.options, answer=told.answer, images=images)
        return _RowItem(item, _says_image_sent(told, fields), bool(known.images))

    def _read_item(self, item_id: str, fields: Mapping[str, Any], number: int) -> Item:
        try:
            key = orjson.dumps((item_id, fields))
        except TypeError as error:  # a table may hold bytes
            key = repr((item_id, fields, str(error))).encode()
        if key not in self._read:
            shown = next((fields[name] for name in _OPTIONS if isinstance(fields.get(name), list)), None)
            if shown is not None:
                in_order_of_letters(parse_options(shown))
            item = item_from({**fields, "id": item_id}, number=number, gallery=self._gallery, keys=self._keys)
            if (problem := item.problem(alike=True)) is not None:
                raise DataError(problem)
            self._read[key] = item
        return self._read[key]

    def _known_item(self, benchmark: str, item_id: str) -> Item:
        home = self._given.find_benchmark(benchmark)
        if home is None:
            raise DataError(
                f"it has no 'question', and the benchmark {benchmark!r} was not given; "
                "add question, options and answer to the row, or name its benchmark: --benchmark"
            )
        if item_id not in home.by_id:
            raise DataError(f"the benchmark {home.name!r} has no item of this id")
        return home.by_id[item_id]


def _told_by(known: Item, fields: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"question": known.question, "kind": known.kind}
    if not _OPTIONS & fields.keys():
        told["options"] = [{"text": each.text, "abstains": each.abstains} for each in known.options]
    if not _ANSWER & fields.keys():
        told["answer_index" if known.kind == "choice" else "answer"] = known.answer
    return told


def _says_image_sent(told: Item, fields: Mapping[str, Any]) -> bool | None:
    """Return True for a row with an image, False for an empty list, else None."""
    return bool(told.images) or (False if [] in (fields.get("images"), fields.get("image")) else None)


IMPORTER = Importer("rows of our own format", read_jsonl, ("*.jsonl", "*.jsonl.gz", "*.csv", "*.parquet"))
