"""Answers in words as a judge is asked about them: a label is correct, incorrect or unclear."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.errors import DataError
from snellen.grading.outcomes import OpenGrade, Outcome
from snellen.items import Item
from snellen.judging import open_answer
from snellen.prompts import Request
from snellen.qualify.labelled_question import LabelledQuestion, Part
from snellen.qualify.qualification import Labelled

NO_ANSWER = (Outcome.ABSTAINED.value, Outcome.REFUSED.value)
"""Labels of responses that give no answer, as the parser `match` is held against; to a judge they are unclear."""
WORTH = {OpenGrade.CORRECT.value: 1.0, OpenGrade.UNCLEAR.value: 0.5, OpenGrade.INCORRECT.value: 0.0}


def people(row: Labelled) -> Mapping[Part, str]:
    """What people say of a row; true and false are correct and incorrect, and no answer is unclear."""
    label = row.fields.get("label")
    if isinstance(label, bool):
        return {(): (OpenGrade.CORRECT if label else OpenGrade.INCORRECT).value}
    spelled = label.strip().lower() if isinstance(label, str) else ""
    if spelled in WORTH or spelled in NO_ANSWER:
        return {(): spelled if spelled in WORTH else OpenGrade.UNCLEAR.value}
    raise DataError(
        f"{row.where}: expected as label correct, incorrect or unclear, got {row.came}. Correct it, or drop the row."
    )


def item_of(row: Labelled) -> Item:
    """The question of a row, with its references."""
    if not row.question.strip():
        raise DataError(f"{row.where}: expected the question's text in `question`, got none. A judge needs it.")
    given = next((row.fields[name] for name in ("references", "reference", "answer") if row.fields.get(name)), None)
    references = [given] if isinstance(given, str) else given
    if not isinstance(references, list) or not all(isinstance(each, str) and each.strip() for each in references):
        raise DataError(
            f"{row.where}: expected the right answer's text in `reference`, or several in `references`, got {given!r}. "
            "Mend the row or drop it."
        )
    return Item(
        id=row.where,
        question=row.question,
        context=str(row.fields.get("context") or ""),
        kind="open",
        answer=references[0],
        metadata={"answers": references},
    )


def _request(row: Labelled, turned: bool) -> Request:
    return open_answer.request(row.response, item_of(row), reply_first=turned)


def _read(answer: str, row: Labelled, turned: bool) -> Mapping[Part, str] | None:
    grade = open_answer.read(answer)
    return None if grade is None else {(): grade.value}


OPEN_ANSWERS = LabelledQuestion(
    name=open_answer.OPEN_ANSWER.name,
    version=open_answer.VERSION,
    opinions=3,
    people=people,
    request=_request,
    read=_read,
    undecided=OpenGrade.UNCLEAR.value,
    worth=WORTH,
)
