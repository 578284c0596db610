"""Holding a parser against rows or a file of them, and writing them again with what it says."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from snellen.benchmarks.rows import read
from snellen.errors import DataError, StudyError
from snellen.files import write_whole
from snellen.judging.qualify.choices import read_choices
from snellen.judging.qualify.open_answers import read_answers
from snellen.judging.qualify.qualification import Labelled, Qualification, Read, find_label
from snellen.judging.qualify.quality import AS_PUBLISHED, QUALITY, read_detections
from snellen.models.base import FILTERED
from snellen.reading.parsers import CHOICE, OPEN, Parser, Question, our_parsers, parser_named, read_response

KINDS: Mapping[str, Callable[[Parser, Sequence[Labelled]], tuple[Read, ...]]] = {
    CHOICE: read_choices,
    OPEN: read_answers,
    QUALITY: read_detections,
    AS_PUBLISHED: read_detections,
}
"""The kinds of parsers whose labels depend on the row; other parsers say what their labels are (`Parser.question`)."""


def qualify(parser: str, rows: Iterable[Mapping[str, Any]]) -> Qualification:
    """Hold a parser against rows with `response` and `label`, and what else it needs.

    For a parser of choices that is `options` (texts) or `n_options`, and a label is an option's letter, an outcome's
    name, or none, "" or null where no option was chosen, whatever the reason. For `missing-image` it is nothing, and a
    label is missing, hedges, describes, generic, refuses or empty. For `quality` it is `options` and the text of the
    `normal` one (abnormal and normal where not given), and a label is 0 or normal, 1 or abnormal, 2 or quality, 3 or
    refuses, or unsaid. For `mismatch` it is what is known of `question`, `body_part`, `shown_body_part`, `modality` and
    `shown_modality`, and a label is named, not named, refused or missing. For `premise` it is `question` and what that
    takes for granted (`premise`), and a label is corrects, complies, evades or declines. For `match` it is `question`
    and `references` (texts that are each right), and a label is correct, incorrect, unclear, abstained or refused.

    >>> rows = [{"response": "Answer: B", "label": "B"}, {"response": "A or C", "label": None}]
    >>> print(qualify("lenient", [{**row, "n_options": 4} for row in rows]).agreement)
    1.00 [0.34, 1.00] (n=2, wilson)
    """
    return _held(parser, [Labelled(f"row {number}", row) for number, row in enumerate(rows, start=1)])


def qualify_file(parser: str, path: Path, out: Path | None = None) -> Qualification:
    """Hold a parser against a file of such rows (JSON Lines, also gzipped); `out` gets them again with `predicted`."""
    done = _held(parser, labelled_rows(path))
    if out is not None:
        write_rows(done, out)
    return done


def labelled_rows(path: Path) -> list[Labelled]:
    """The rows of a file (JSON Lines, also gzipped)."""
    rows: list[Labelled] = []
    for row in read(path):
        if row.reason is not None:
            raise DataError(f"{row.where}: {row.reason}. Each line must be a JSON object with `response` and `label`.")
        rows.append(Labelled(row.where, row.fields))
    return rows


def write_rows(done: Qualification, path: Path, judged: Sequence[Any] | None = None) -> None:
    """Write each row again, with what the parser says (`predicted`), by which rule (`rule`), and a judge (`judged`)."""
    said: list[dict[str, Any]] = [{"predicted": row.predicted, "rule": row.rule} for row in done.rows]
    if judged is not None:
        said = [{**each, "judged": verdict} for each, verdict in zip(said, judged, strict=True)]
    write_lines(path, ({**row.fields, **each} for row, each in zip(done.rows, said, strict=True)))


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows to a file, a line each; gzipped where its name ends in .gz."""
    content = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    write_whole(path, gzip.compress(content) if path.suffix == ".gz" else content)


def _held(name: str, rows: Sequence[Labelled]) -> Qualification:
    parser = parser_named(name)
    question = parser.question
    if question is None and parser.kind not in KINDS:
        known = (each.name for each in our_parsers() if each.question is not None or each.kind in KINDS)
        raise StudyError(
            f"The parser {name!r} has no labels for single rows. It needs a `question`, as these have: "
            f"{', '.join(known)}."
        )
    if not rows:
        raise DataError("There are no rows to qualify the parser on. Expected rows with `response` and `label`.")
    if question is None:
        return Qualification(name, KINDS[parser.kind](parser, rows))
    return Qualification(name, tuple(_read(parser, question, row) for row in rows))


def _read(parser: Parser, question: Question, row: Labelled) -> Read:
    """A row, read as an exam reads it; a response that a filter stopped may have a label of its own."""
    label = find_label(row, question.labels)
    if question.of_filtered and row.finish.lower() in FILTERED:
        return Read(row.where, row.fields, label, question.of_filtered, "content-filter")
    record = read_response(parser, row.came_back, question.item_of(row.where, row.fields))
    return Read(row.where, row.fields, label, question.label_of(record), record.rule)
