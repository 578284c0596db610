"""Words and image that contradict each other: a label is whether a response names the contradiction."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.judging import mismatch
from snellen.judging.qualify.labelled_question import LabelledQuestion, Part
from snellen.judging.qualify.qualification import Labelled, Qualification, find_label
from snellen.prompts import Request
from snellen.reading.mismatch.parser import LABELS, NAMED, NOT_NAMED, item_of, named_word


def naming(done: Qualification) -> Qualification:
    """The same on the one question that is graded: is the contradiction named or not?

    >>> from snellen.judging.qualify.qualification import Read
    >>> rows = (Read("row 1", {}, "missing", "refused", "declines"), Read("row 2", {}, "named", "named", "misfit"))
    >>> naming(Qualification("mismatch", rows)).agreement.value
    1.0
    """
    return done.simplify(named_word)


def _request(row: Labelled, turned: bool) -> Request:
    return mismatch.request(row.response, item_of(row.where, row.fields))


def _said(answer: str, row: Labelled, turned: bool) -> Mapping[Part, str] | None:
    named = mismatch.read(answer)
    return None if named is None else {(): NAMED if named else NOT_NAMED}


MISMATCHES = LabelledQuestion(
    name=mismatch.MISMATCH_NAMED.name,
    version=mismatch.VERSION,
    opinions=3,
    people=lambda row: {(): named_word(find_label(row, LABELS))},
    request=_request,
    read=_said,
    undecided=NOT_NAMED,
    worth={NAMED: 1.0, NOT_NAMED: 0.0},
    turns=False,
)
"""A judge has nothing to show in another order here: it sees the text and the reply."""
