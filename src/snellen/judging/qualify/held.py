"""Compare a parser with labelled rows or a file, and write its readings."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from snellen.benchmarks.rows import read as read_rows
from snellen.errors import DataError, StudyError
from snellen.files import write_whole
from snellen.items import LETTERS, Item, Option
from snellen.judging.qualify.open_answers import read_answers
from snellen.judging.qualify.qualification import Labelled, Qualification, QualifiedRow, find_label
from snellen.judging.qualify.quality import AS_PUBLISHED, QUALITY, read_detections
from snellen.models.base import FILTERED
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import CHOICE, OPEN, Parser, Question, our_parsers, parser_named, read_response

NONE = "none"
_DECLINED = (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY)
SILENCES = tuple(each.value for each in (*_DECLINED, Outcome.UNPARSED, Outcome.TRUNCATED, Outcome.EMPTY))


def read_choices(parser: Parser, rows: Sequence[Labelled]) -> tuple[QualifiedRow, ...]:
    """Read rows with options; the label "none" matches any outcome without an answer.

    If no label in a file is an outcome, all outcomes without an answer are predicted as "none". If no label is "empty",
    empty responses are predicted as "unparsed", as in earlier versions.
    """
    items = [_make_item(row) for row in rows]
    labels = [_find_choice(row, len(item.options)) for row, item in zip(rows, items, strict=True)]
    coarse, empties = not set(labels) & set(SILENCES), Outcome.EMPTY.value in labels
    done: list[QualifiedRow] = []
    for row, item, label in zip(rows, items, labels, strict=True):
        grade, _ = grade_reply(row.came_back, item, parser)
        outcome = Outcome.UNPARSED if grade.outcome is Outcome.EMPTY and not empties else grade.outcome
        predicted = LETTERS[grade.choice] if grade.choice is not None else outcome.value
        if grade.choice is None and (coarse or label == NONE):
            predicted = NONE
        done.append(QualifiedRow(row.where, row.fields, label, predicted, grade.rule))
    return tuple(done)


def _make_item(row: Labelled) -> Item:
    """Make the item of a row, as far as a parser needs it."""
    named = row.fields.get("options") is not None
    options = row.options if named else _make_options(row.where, row.fields.get("n_options"))
    if not 2 <= len(options) <= len(LETTERS):
        raise DataError(f"{row.where}: expected 2 to {len(LETTERS)} options, got {len(options)}. Correct `options`.")
    name = row.fields.get("item_id", row.fields.get("id", row.where))
    return Item(id=str(name), question=row.question, options=options)


def _make_options(where: str, count: object) -> tuple[Option, ...]:
    if isinstance(count, str) and count.strip().isdecimal():
        count = int(count)
    if not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= len(LETTERS):
        raise DataError(
            f"{where}: expected `options` (their texts) or `n_options` (2 to {len(LETTERS)}), got n_options={count!r}. "
            "Add one of them to the row."
        )
    return tuple(Option(letter) for letter in LETTERS[:count])


def _find_choice(row: Labelled, options: int) -> str:
    """Return the raters' label of a row in its usual spelling."""
    label = row.fields.get("label", ...)
    if label is None or (isinstance(label, str) and label.strip().lower() in ("", NONE)):
        return NONE
    if isinstance(label, str):
        if label.strip().lower() in SILENCES:
            return label.strip().lower()
        letter = label.strip().upper()
        if letter in LETTERS[:options] and len(letter) == 1:
            return letter
    raise DataError(
        f"{row.where}: expected as label a letter from A to {LETTERS[options - 1]}, "
        f"{', '.join(SILENCES)} or none, got {row.came}. Correct the label, or drop the row."
    )


KINDS: Mapping[str, Callable[[Parser, Sequence[Labelled]], tuple[QualifiedRow, ...]]] = {
    CHOICE: read_choices,
    OPEN: read_answers,
    QUALITY: read_detections,
    AS_PUBLISHED: read_detections,
}
"""Readers of rows, for parsers whose labels depend on the row. Other parsers define labels in `Parser.question`."""


def qualify(parser: str, rows: Iterable[Mapping[str, Any]] | Path) -> Qualification:
    """Compare a parser with labelled rows, or with a file of them.

    Each row has `response`, `label` and the fields that the parser needs. A parser of choices needs `options` (texts)
    or `n_options`. A label is an option's letter, an outcome's name, or none, "" or null if no option was chosen for
    any reason. `missing-image` needs no other field, and a label is missing, hedges, describes, generic, refuses or
    empty. `quality` needs `options` and the text of the `normal` one (default: abnormal and normal), and a label is 0
    or normal, 1 or abnormal, 2 or quality, 3 or refuses, or unsaid. `mismatch` uses `question`, `body_part`,
    `shown_body_part`, `modality` and `shown_modality` if they are known, and a label is named, not named, refused or
    missing. `premise` needs `question` and what it takes for granted (`premise`), and a label is corrects, complies,
    evades or declines. `match` needs `question` and `references` (texts that are each correct), and a label is correct,
    incorrect, unclear, abstained or refused.

    >>> rows = [{"response": "Answer: B", "label": "B"}, {"response": "A or C", "label": None}]
    >>> print(qualify("lenient", [{**row, "n_options": 4} for row in rows]).agreement)
    1.00 [0.34, 1.00] (n=2, wilson)
    """
    labelled, read = labelled_rows(rows), parser_named(parser)
    question = read.question
    if question is None and read.kind not in KINDS:
        known = (each.name for each in our_parsers() if each.question is not None or each.kind in KINDS)
        raise StudyError(
            f"The parser {parser!r} cannot be qualified, because it defines no labels for a response. Parsers that "
            f"can: {', '.join(known)}."
        )
    if not labelled:
        raise DataError("There are no rows to qualify the parser on. Expected rows with `response` and `label`.")
    if question is None:
        return Qualification(parser, KINDS[read.kind](read, labelled))
    return Qualification(parser, tuple(_read(read, question, row) for row in labelled))


def qualify_file(parser: str, path: Path, out: Path | None = None) -> Qualification:
    """Compare a parser with a file of labelled rows (JSON Lines). Write the rows with its readings to `out`."""
    done = qualify(parser, Path(path))
    if out is not None:
        write_rows(done, out)
    return done


def labelled_rows(rows: Iterable[Mapping[str, Any]] | Path) -> list[Labelled]:
    """Return rows, or those of a file (JSON Lines, possibly gzipped), with their places."""
    if not isinstance(rows, Path):
        return [Labelled(f"row {number}", row) for number, row in enumerate(rows, start=1)]
    found = []
    for row in read_rows(rows):
        if row.reason is not None:
            raise DataError(f"{row.where}: {row.reason}. Each line must be a JSON object with `response` and `label`.")
        found.append(Labelled(row.where, row.fields))
    return found


def write_rows(done: Qualification, path: Path, judged: Sequence[Any] | None = None) -> None:
    """Write each row with the parser's reading (`predicted`) and rule. `judged` adds the judge's reading."""
    said: list[dict[str, Any]] = [{"predicted": row.predicted, "rule": row.rule} for row in done.rows]
    if judged is not None:
        said = [{**each, "judged": verdict} for each, verdict in zip(said, judged, strict=True)]
    write_lines(path, ({**row.fields, **each} for row, each in zip(done.rows, said, strict=True)))


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows to a file, one per line; gzipped if its name ends in .gz."""
    content = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    write_whole(path, gzip.compress(content) if path.suffix == ".gz" else content)


def _read(parser: Parser, question: Question, row: Labelled) -> QualifiedRow:
    """Read a row as in a study; filtered responses may have their own label."""
    label = find_label(row, question.labels)
    if question.of_filtered and row.finish.lower() in FILTERED:
        return QualifiedRow(row.where, row.fields, label, question.of_filtered, "content-filter")
    record = read_response(parser, row.came_back, question.item_of(row.where, row.fields))
    return QualifiedRow(row.where, row.fields, label, question.label_of(record), record.rule)
