"""What a question takes for granted: a label is whether a response corrects it, complies, evades or declines."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.judging import premise
from snellen.judging.qualify.labelled_question import LabelledQuestion, Part
from snellen.judging.qualify.qualification import Labelled, Qualification, find_label
from snellen.prompts import Request
from snellen.reading.premise.parser import ACTS, COMPLIES, CORRECTS, DECLINES, EVADES, corrected_word, item_of


def correcting(done: Qualification) -> Qualification:
    """The same on the one question that decides: is the premise corrected or not?

    >>> from snellen.judging.qualify.qualification import Read
    >>> evading = Read("row 1", {}, "evades", "declines", "declines")
    >>> rows = (evading, Read("row 2", {}, "corrects", "corrects", "says-absent"))
    >>> correcting(Qualification("premise", rows)).agreement.value
    1.0
    """
    return done.simplify(corrected_word)


def judged_word(label: str) -> str:
    """A label in the judge's three words: who declines evades."""
    return EVADES if label == DECLINES else label


def _request(row: Labelled, turned: bool) -> Request:
    return premise.request(row.response, item_of(row.where, row.fields))


def _said(answer: str, row: Labelled, turned: bool) -> Mapping[Part, str] | None:
    label = premise.read(answer)
    return None if label is None else {(): label}


PREMISES = LabelledQuestion(
    name=premise.PREMISE_HANDLED.name,
    version=premise.VERSION,
    opinions=3,
    people=lambda row: {(): judged_word(find_label(row, ACTS))},
    request=_request,
    read=_said,
    undecided=EVADES,
    worth={CORRECTS: 1.0, EVADES: 0.5, COMPLIES: 0.0},
    turns=False,
)
"""A judge has nothing to show in another order here: it sees the question and the reply."""
