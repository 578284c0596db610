"""LabelledQuestion: a question to a judge that raters have answered too, and how its rows are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from snellen.judging import OPINIONS
from snellen.judging.mismatch import MISMATCH_NAMED
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.qualify.qualification import Labelled, find_label
from snellen.judging.single import JudgeQuestion
from snellen.prompts import Request

Part = tuple[str, ...]
"""The part of a row that has a label of its own. Empty if the row has only one label."""


class LabelledQuestion(NamedTuple):
    """A question to a judge about rows, and the labels of raters and judge.

    `turned` shows the material in the other order. `undecided` is the label if two are equally frequent among several
    opinions. `worth` is the value of each label, for labels that are grades.
    """

    name: str
    version: str
    opinions: int
    """Default number of opinions per row."""
    people: Callable[[Labelled], Mapping[Part, str]]
    request: Callable[[Labelled, bool], Request]
    read: Callable[[str, Labelled, bool], Mapping[Part, str] | None]
    undecided: str
    worth: Mapping[str, float]
    turns: bool = True
    """True if the material can be shown in another order."""
    one_by_one: bool = True
    """True if a request is about one response. Its length, style and author can then bias the judge."""


def put_rows(question: JudgeQuestion) -> LabelledQuestion:
    """Make a question for rows with one label each and one order of material."""
    rows = question.rows
    assert rows is not None

    def read(answer: str, row: Labelled, turned: bool) -> Mapping[Part, str] | None:
        opinion = question.read(answer)
        return None if opinion is None else {(): rows.label_of(opinion)}

    return LabelledQuestion(
        name=question.name,
        version=question.version,
        opinions=OPINIONS,
        people=lambda row: {(): rows.word_of(find_label(row, rows.labels))},
        request=lambda row, turned: question.request(row.response, rows.item_of(row.where, row.fields)),
        read=read,
        undecided=rows.undecided,
        worth=rows.worth,
        turns=False,
    )


MISMATCHES, PREMISES = put_rows(MISMATCH_NAMED), put_rows(PREMISE_HANDLED)
