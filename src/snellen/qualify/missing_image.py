"""The parser of responses to an image that was never sent: a label is what the response does about it."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.errors import DataError, StudyError
from snellen.grading.missing_image import Admission
from snellen.grading.parsers import USUAL, WITHOUT_IMAGE, Parser, parser_named
from snellen.items import Item
from snellen.protocols.mirage.tests.rate import FLAGGED
from snellen.qualify.qualification import Labelled, Qualification, Read


def read_admissions(parser: Parser, rows: Sequence[Labelled]) -> tuple[Read, ...]:
    """The rows, read as an exam reads them: a response that a filter stopped refuses, whatever it says."""
    return tuple(_read(row, _label(row), parser) for row in rows)


def flagging(done: Qualification) -> Qualification:
    """The same on the paper's one question: is the response flagged, as missing or hedging, or not?

    >>> rows = (Read("row 1", {}, "missing", "hedges", "doubts"), Read("row 2", {}, "generic", "describes", "states"))
    >>> done = Qualification("missing-image", rows)
    >>> done.agreement.value, flagging(done).agreement.value
    (0.0, 1.0)
    """
    if parser_named(done.parser).kind != WITHOUT_IMAGE:
        usual = USUAL[WITHOUT_IMAGE]
        raise StudyError(
            f"Whether a response admits that it saw no image is known for {usual} only, got rows read by "
            f"{done.parser}. Qualify {usual}, or leave the judge out."
        )
    rows = (row._replace(label=_flag(row.label), predicted=_flag(row.predicted)) for row in done.rows)
    return Qualification(done.parser, tuple(rows))


def flag_word(flagged: bool) -> str:
    """The label of a response on the paper's question."""
    return "flagged" if flagged else "not flagged"


def _flag(label: str) -> str:
    return flag_word(label in FLAGGED)


def _read(row: Labelled, label: str, parser: Parser) -> Read:
    said = parser.read(row.came_back, Item(id=row.where, question=row.question, kind="open"))
    return Read(row.where, row.fields, label, said.label.value, said.rule)


def _label(row: Labelled) -> str:
    label = row.fields.get("label")
    known = [admission.value for admission in Admission]
    if isinstance(label, str) and label.strip().lower() in known:
        return label.strip().lower()
    raise DataError(
        f"{row.where}: expected as label {', '.join(known[:-1])} or {known[-1]}, got {row.came}. "
        "Correct the label, or drop the row."
    )
