"""Rows for the parser of detection responses, which conclude normal, abnormal or neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snellen.errors import DataError
from snellen.items import Item, Option
from snellen.judging.qualify.qualification import Labelled, Qualification, QualifiedRow
from snellen.models.base import FILTERED
from snellen.reading.detection import Detection, DetectionLabel
from snellen.reading.parsers import Parser, parser_named

QUALITY, AS_PUBLISHED = "quality", "quality-as-published"
"""Kinds of parsers: by the conclusion, and as in the artefacts paper, where any remark on image quality comes first."""
BESIDE = {
    "flags": "Does a response call the image poor anywhere?",
    "conflict": "Do the reasons of a response that concludes go against its conclusion?",
}
"""Optional fields of a row, and the question that each one answers."""
OPTIONS: tuple[Option, ...] = (Option("abnormal"), Option("normal"))
_WORDS = {str(seen.value): seen for seen in DetectionLabel} | {seen.name.lower(): seen for seen in DetectionLabel}


def read_detections(parser: Parser, rows: Sequence[Labelled]) -> tuple[QualifiedRow, ...]:
    """Read the rows as in a study; a filtered response counts as refused."""
    read = []
    for row in rows:
        label, found = word(_label(row)), _detection(row, parser)
        read.append(QualifiedRow(row.where, row.fields, label, word(found.label), found.rule))
    return tuple(read)


def word(seen: DetectionLabel) -> str:
    """Return the name of a label in lower case."""
    return seen.name.lower()


def item_of(row: Labelled) -> Item:
    """Make the item of a row for the parser: its options, and which of them means normal."""
    options = OPTIONS if row.fields.get("options") is None else row.options
    normal = row.fields.get("normal") or "normal"
    item = Item(id=row.where, question=row.question, options=options, metadata={"normal": normal})
    if item.normal is None or len(options) < 2:
        raise DataError(
            f"{row.where}: expected `normal` to name one of the options, got {[option.text for option in options]} and "
            f"normal={normal!r}. Write the text of the normal option into `normal`."
        )
    return item


def qualify_field(done: Qualification, field: str, verdicts: Sequence[Mapping[str, Any]] = ()) -> Qualification | None:
    """Compare parser or judge with raters on an optional field. None if no row has it.

    `field` is `flags` (the response calls the image poor anywhere) or `conflict` (its reasons contradict its
    conclusion; null counts as no conflict). With `verdicts`, one per row, a judge is compared; otherwise the parser.
    """
    rows = []
    for place, row in enumerate(done.rows):
        concludes = row.label in (word(DetectionLabel.NORMAL), word(DetectionLabel.ABNORMAL))
        if field not in row.fields or (field == "conflict" and not concludes):
            continue
        value = row.fields[field]
        if value is not None and not isinstance(value, bool):
            raise DataError(f"{row.where}: expected true, false or null for `{field}`, got {value!r}. Correct it.")
        if verdicts:
            holds = verdicts[place][field]
        else:
            holds = getattr(_detection(Labelled(row.where, row.fields), parser_named(done.parser)), field)
        label, predicted = (field if each else f"no {field}" for each in (value, holds))
        rows.append(row._replace(label=label, predicted=predicted))
    return Qualification(done.parser, tuple(rows)) if rows else None


def _detection(row: Labelled, parser: Parser) -> Detection:
    if row.finish.lower() in FILTERED:
        return Detection(DetectionLabel.REFUSES, "content-filter")
    found: Detection = parser.read(row.came_back, item_of(row))
    return found


def _label(row: Labelled) -> DetectionLabel:
    label = row.fields.get("label")
    spelled = str(label).strip().lower() if isinstance(label, str | int) and not isinstance(label, bool) else ""
    if spelled in _WORDS:
        return _WORDS[spelled]
    raise DataError(
        f"{row.where}: expected as label 0 or normal, 1 or abnormal, 2 or quality, 3 or refuses, or unsaid, "
        f"got {row.came}. Correct the label, or drop the row."
    )
