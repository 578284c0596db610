"""Labelled open answers: a row has a response and references, and is labelled correct, incorrect or unclear.

They qualify judges and parsers of open answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snellen.errors import DataError
from snellen.items import Item
from snellen.judging import open_answer
from snellen.judging.qualify.labelled_question import LabelledQuestion, Part
from snellen.judging.qualify.qualification import Labelled, QualifiedRow
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import OpenGrade, Outcome
from snellen.reading.parsers import Parser

WORTH = {OpenGrade.CORRECT.value: 1.0, OpenGrade.INCORRECT.value: 0.0, OpenGrade.UNCLEAR.value: 0.5}
SILENT = (Outcome.ABSTAINED.value, Outcome.REFUSED.value)
LABELS = (*WORTH, *SILENT)
"""Labels that raters may give a row.

A parser distinguishes abstained and refused from unclear; a judge calls all of them unclear.
"""


def people(row: Labelled) -> Mapping[Part, str]:
    """Return the raters' label as a judge would give it: abstained and refused become unclear."""
    label = _label(row)
    return {(): label if label in WORTH else OpenGrade.UNCLEAR.value}


def item_of(row: Labelled) -> Item:
    """Make the item of a row with its references. DataError without the question's text, which a judge needs."""
    if not row.question.strip():
        raise DataError(f"{row.where}: expected the question's text in `question`, got none. A judge needs it.")
    return _item(row)


def _item(row: Labelled) -> Item:
    given = next(
        (row.fields[name] for name in ("references", "reference", "answers", "answer") if row.fields.get(name)), None
    )
    references = [given] if isinstance(given, str) else given
    if not isinstance(references, list) or not all(isinstance(each, str) and each.strip() for each in references):
        raise DataError(
            f"{row.where}: expected the right answer's text in `reference`, or several in `references`, got {given!r}. "
            "Fix or remove the row."
        )
    steps = row.fields.get("steps")
    return Item(
        id=row.where,
        question=row.question,
        context=str(row.fields.get("context") or ""),
        kind="open",
        answer=references[0],
        metadata={"answers": references, **({"steps": steps} if isinstance(steps, list) else {})},
    )


def _read(answer: str, row: Labelled, turned: bool) -> Mapping[Part, str] | None:
    grade = open_answer.read(answer)
    return None if grade is None else {(): grade.value}


OPEN_ANSWERS = LabelledQuestion(
    name=open_answer.OPEN_ANSWER.name,
    version=open_answer.VERSION,
    opinions=3,
    people=people,
    request=lambda row, turned: open_answer.request(row.response, item_of(row), reply_first=turned),
    read=_read,
    undecided=OpenGrade.UNCLEAR.value,
    worth=WORTH,
)


_UNCLEAR = (Outcome.UNCLEAR, Outcome.UNPARSED, Outcome.TRUNCATED, Outcome.EMPTY)
_CALLED = {
    Outcome.CORRECT: OpenGrade.CORRECT.value,
    Outcome.WRONG: OpenGrade.INCORRECT.value,
    **dict.fromkeys(_UNCLEAR, OpenGrade.UNCLEAR.value),
    Outcome.ABSTAINED: Outcome.ABSTAINED.value,
    Outcome.FLAGGED_QUALITY: Outcome.ABSTAINED.value,
    Outcome.REFUSED: Outcome.REFUSED.value,
}


def read_answers(parser: Parser, rows: Sequence[Labelled]) -> tuple[QualifiedRow, ...]:
    """Read the rows as in a study; truncated responses are unclear.

    If no row of the file is labelled unclear, the raters had no such label: what the parser calls unclear then counts
    as incorrect. The same holds for abstained and refused together.
    """
    labels = [_label(row) for row in rows]
    groups = ((OpenGrade.UNCLEAR.value,), SILENT)
    unused = {name for group in groups if not set(group) & set(labels) for name in group}
    read = []
    for row, label in zip(rows, labels, strict=True):
        grade, _ = grade_reply(row.came_back, _item(row), parser)
        found = _CALLED[grade.outcome]
        predicted = OpenGrade.INCORRECT.value if found in unused else found
        read.append(QualifiedRow(row.where, row.fields, label, predicted, grade.rule))
    return tuple(read)


def _label(row: Labelled) -> str:
    """Return the raters' label of a row; true and false mean correct and incorrect."""
    label = row.fields.get("label")
    if isinstance(label, bool):
        return (OpenGrade.CORRECT if label else OpenGrade.INCORRECT).value
    if isinstance(label, str) and label.strip().lower() in LABELS:
        return label.strip().lower()
    raise DataError(
        f"{row.where}: expected as label {', '.join(LABELS[:-1])} or {LABELS[-1]}, got {row.came}. "
        "Correct the label, or drop the row."
    )
