"""LabelledQuestion: a judge's question that people have answered too, and how its rows are read."""

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
"""What of a row has a label of its own; empty where a row has but one."""


class LabelledQuestion(NamedTuple):
    """How a row is put to a judge, and what people and judge say of its parts.

    `turned` shows the material in the other order. What several opinions amount to that are equally many for two labels
    is `undecided`. `worth` is what a label counts as where it is a grade.
    """

    name: str
    version: str
    opinions: int
    """How often a judge is asked where nobody says otherwise."""
    people: Callable[[Labelled], Mapping[Part, str]]
    request: Callable[[Labelled, bool], Request]
    read: Callable[[str, Labelled, bool], Mapping[Part, str] | None]
    undecided: str
    worth: Mapping[str, float]
    turns: bool = True
    """Whether its material can be shown in another order."""
    one_by_one: bool = True
    """Whether a request is about one response, so that its length, style and author can be asked after."""


def put_rows(question: JudgeQuestion) -> LabelledQuestion:
    """How rows with one label each are put to a judge, whose material has but one order."""
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
