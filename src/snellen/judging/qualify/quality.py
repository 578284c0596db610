"""The parser of detection responses: a label is what a response says of an image that is either normal or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snellen.benchmarks.answers import parse_options
from snellen.errors import DataError
from snellen.items import Item, Option
from snellen.judging.qualify.qualification import Labelled, Qualification, Read
from snellen.models.base import FILTERED
from snellen.reading.detection import Detection, Seen
from snellen.reading.parsers import Parser, parser_named

QUALITY, AS_PUBLISHED = "quality", "quality-as-published"
"""The kinds: by what a reply concludes, and as the artefacts paper counts: what flags quality, then what declines."""
BESIDE = {
    "flags": "Does a response call the image poor anywhere?",
    "conflict": "Do the reasons of a response that concludes go against its conclusion?",
}
"""What else a row may say of itself, and the question it answers."""
OPTIONS: tuple[Option, ...] = (Option("abnormal"), Option("normal"))
_NORMAL = "normal"
_WORDS = {str(seen.value): seen for seen in Seen} | {seen.name.lower(): seen for seen in Seen}


def read_detections(parser: Parser, rows: Sequence[Labelled]) -> tuple[Read, ...]:
    """The rows, read as an exam reads them: a response that a filter stopped refuses, whatever it says."""
    return tuple(_read(parser, row) for row in rows)


def word(seen: Seen) -> str:
    """A class in a word."""
    return seen.name.lower()


def item_of(row: Labelled) -> Item:
    """The question of a row as far as a parser needs it: its options, and which of them means normal."""
    options = OPTIONS
    if row.fields.get("options") is not None:
        try:
            options = tuple(labelled.option for labelled in parse_options(row.fields["options"]))
        except DataError as error:
            raise DataError(f"{row.where}: {error}. Give the options' texts as a list.") from error
    item = Item(id=row.where, question=row.question, options=options, metadata={"normal": _normal(row)})
    if item.normal is None or len(options) < 2:
        raise DataError(
            f"{row.where}: expected options of which `normal` names one, got {[option.text for option in options]} and "
            f"normal={_normal(row)!r}. Write the text of the normal option into `normal`."
        )
    return item


def beside(done: Qualification, field: str, verdicts: Sequence[Mapping[str, Any]] = ()) -> Qualification | None:
    """The same rows on what else they say of themselves; None where no row does.

    `field` is `flags` (it calls the image poor anywhere) or `conflict` (its reasons go against its conclusion, of those
    that have one; null is no conflict). `verdicts` are a judge's, one a row; else it is the parser's word.
    """
    rows = []
    for place, row in enumerate(done.rows):
        concludes = row.label in (word(Seen.NORMAL), word(Seen.ABNORMAL))
        if field not in row.fields or (field == "conflict" and not concludes):
            continue
        holds = verdicts[place][field] if verdicts else getattr(_again(row, done), field)
        label, predicted = (_said(field, bool(each)) for each in (_given(row, field), holds))
        rows.append(row._replace(label=label, predicted=predicted))
    return Qualification(done.parser, tuple(rows)) if rows else None


def _given(row: Read, field: str) -> bool | None:
    value = row.fields[field]
    if value is not None and not isinstance(value, bool):
        raise DataError(f"{row.where}: expected true, false or null for `{field}`, got {value!r}. Correct it.")
    return value


def _said(field: str, holds: bool) -> str:
    return field if holds else f"no {field}"


def _read(parser: Parser, row: Labelled) -> Read:
    label, read = word(_label(row)), _detection(row, parser)
    return Read(row.where, row.fields, label, word(read.label), read.rule)


def _detection(row: Labelled, parser: Parser) -> Detection:
    if row.finish.lower() in FILTERED:
        return Detection(Seen.REFUSES, "content-filter")
    found: Detection = parser.read(row.came_back, item_of(row))
    return found


def _again(row: Read, done: Qualification) -> Detection:
    return _detection(Labelled(row.where, row.fields), parser_named(done.parser))


def _normal(row: Labelled) -> object:
    return row.fields.get("normal") or _NORMAL


def _label(row: Labelled) -> Seen:
    label = row.fields.get("label")
    spelled = str(label).strip().lower() if isinstance(label, str | int) and not isinstance(label, bool) else ""
    if spelled in _WORDS:
        return _WORDS[spelled]
    raise DataError(
        f"{row.where}: expected as label 0 or normal, 1 or abnormal, 2 or quality, 3 or refuses, or unsaid, "
        f"got {row.came}. Correct the label, or drop the row."
    )
