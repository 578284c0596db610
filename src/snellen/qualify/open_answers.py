"""Parsers of open answers: a row has references, a label is correct, incorrect, unclear, abstained or refused."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.errors import DataError
from snellen.grading.outcomes import OpenGrade, Outcome
from snellen.grading.parsers import Parser, graded
from snellen.items import Item
from snellen.qualify.qualification import Labelled, Read

LABELS = (*(grade.value for grade in OpenGrade), Outcome.ABSTAINED.value, Outcome.REFUSED.value)
_CALLED = {
    Outcome.CORRECT: OpenGrade.CORRECT.value,
    Outcome.WRONG: OpenGrade.INCORRECT.value,
    Outcome.UNPARSED: OpenGrade.UNCLEAR.value,
    Outcome.TRUNCATED: OpenGrade.UNCLEAR.value,
    Outcome.ABSTAINED: Outcome.ABSTAINED.value,
    Outcome.FLAGGED_QUALITY: Outcome.ABSTAINED.value,
    Outcome.REFUSED: Outcome.REFUSED.value,
}


def read_answers(parser: Parser, rows: Sequence[Labelled]) -> tuple[Read, ...]:
    """The rows, read as an exam reads them; an image called too poor is an abstention, and cut off is unclear."""
    return tuple(_read(row, _label(row), parser) for row in rows)


def _read(row: Labelled, label: str, parser: Parser) -> Read:
    references = _references(row)
    metadata = {"answers": list(references)}
    if isinstance(steps := row.fields.get("steps"), list):
        metadata["steps"] = steps
    item = Item(id=row.where, question=row.question, kind="open", answer=references[0], metadata=metadata)
    grade, _ = graded(row.came_back, item, parser)
    return Read(row.where, row.fields, label, _CALLED[grade.outcome], grade.rule)


def _references(row: Labelled) -> tuple[str, ...]:
    for name in ("references", "reference", "answer"):
        given = row.fields.get(name)
        texts = given if isinstance(given, list) else [given]
        if given is not None and all(isinstance(text, str) and text.strip() for text in texts) and texts:
            return tuple(texts)
    raise DataError(
        f"{row.where}: expected the right answers as a list of texts in `references`, or one text in `reference`. "
        "Add them, or drop the row."
    )


def _label(row: Labelled) -> str:
    label = row.fields.get("label")
    if isinstance(label, str) and label.strip().lower() in LABELS:
        return label.strip().lower()
    raise DataError(
        f"{row.where}: expected as label {', '.join(LABELS[:-1])} or {LABELS[-1]}, got {row.came}. "
        "Correct the label, or drop the row."
    )
