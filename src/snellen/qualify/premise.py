"""What a question takes for granted: a label is whether a response corrects it, complies, evades or declines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snellen.errors import DataError
from snellen.grading.parsers import Parser
from snellen.grading.premise import Premised
from snellen.grading.premise.parser import ACTS, COMPLIES, CORRECTS, DECLINES, EVADES
from snellen.items import Item
from snellen.judging import premise
from snellen.models.base import FILTERED
from snellen.prompts import Request
from snellen.qualify.labelled_question import LabelledQuestion, Part
from snellen.qualify.qualification import Labelled, Qualification, Read

NOT_CORRECTED = "does not correct"


def read_premises(parser: Parser, rows: Sequence[Labelled]) -> tuple[Read, ...]:
    """The rows, read as an exam reads them: a response that a filter stopped declines, whatever it says."""
    return tuple(_read(row, _label(row), parser) for row in rows)


def correcting(done: Qualification) -> Qualification:
    """The same on the one question that decides: is the premise corrected or not?

    >>> evading = Read("row 1", {}, "evades", "declines", "declines")
    >>> rows = (evading, Read("row 2", {}, "corrects", "corrects", "says-absent"))
    >>> correcting(Qualification("premise", rows)).agreement.value
    1.0
    """
    rows = (row._replace(label=_decided(row.label), predicted=_decided(row.predicted)) for row in done.rows)
    return Qualification(done.parser, tuple(rows))


def item_of(row: Labelled) -> Item:
    """The question of a row, with what it takes for granted; whether that holds is no matter of reading."""
    told = {"premise": {"claims": str(row.fields.get("premise") or row.question), "holds": False}}
    return Item(id=row.where, question=row.question, kind="open", metadata=told)


def _decided(label: str) -> str:
    return label if label == CORRECTS else NOT_CORRECTED


def _read(row: Labelled, label: str, parser: Parser) -> Read:
    if row.finish.lower() in FILTERED:
        return Read(row.where, row.fields, label, DECLINES, "content-filter")
    said: Premised = parser.read(row.came_back, item_of(row))
    return Read(row.where, row.fields, label, said.act, said.rule)


def _label(row: Labelled) -> str:
    label = row.fields.get("label")
    spelled = " ".join(label.lower().split()) if isinstance(label, str) else ""
    if spelled in ACTS:
        return spelled
    raise DataError(
        f"{row.where}: expected as label {', '.join(ACTS[:-1])} or {ACTS[-1]}, got {row.came}. "
        "Correct the label, or drop the row."
    )


def judged_word(label: str) -> str:
    """A label in the judge's three words: who declines evades."""
    return EVADES if label == DECLINES else label


def _request(row: Labelled, turned: bool) -> Request:
    return premise.request(row.response, item_of(row))


def _said(answer: str, row: Labelled, turned: bool) -> Mapping[Part, str] | None:
    label = premise.read(answer)
    return None if label is None else {(): label}


PREMISES = LabelledQuestion(
    name=premise.PREMISE_HANDLED.name,
    version=premise.VERSION,
    opinions=3,
    people=lambda row: {(): judged_word(_label(row))},
    request=_request,
    read=_said,
    undecided=EVADES,
    worth={CORRECTS: 1.0, EVADES: 0.5, COMPLIES: 0.0},
    turns=False,
)
"""A judge has nothing to show in another order here: it sees the question and the reply."""
