"""Words and image that contradict each other: a label is whether a response names the contradiction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snellen.errors import DataError
from snellen.grading.mismatch import LABELS, MISSING, NAMED, NOT_NAMED, REFUSED, Mismatch
from snellen.grading.outcomes import Outcome
from snellen.grading.parsers import Parser
from snellen.items import Item
from snellen.judging import mismatch
from snellen.models.base import FILTERED
from snellen.prompts import Request
from snellen.qualify.labelled_question import LabelledQuestion, Part
from snellen.qualify.qualification import Labelled, Qualification, Read

_TOLD = ("body_part", "shown_body_part", "modality", "shown_modality")


def read_mismatches(parser: Parser, rows: Sequence[Labelled]) -> tuple[Read, ...]:
    """The rows, read as an exam reads them: a response that a filter stopped refuses, whatever it says."""
    return tuple(_read(row, _label(row), parser) for row in rows)


def naming(done: Qualification) -> Qualification:
    """The same on the one question that is graded: is the contradiction named or not?

    >>> rows = (Read("row 1", {}, "missing", "refused", "declines"), Read("row 2", {}, "named", "named", "misfit"))
    >>> naming(Qualification("mismatch", rows)).agreement.value
    1.0
    """
    rows = (row._replace(label=_graded(row.label), predicted=_graded(row.predicted)) for row in done.rows)
    return Qualification(done.parser, tuple(rows))


def named_word(named: bool) -> str:
    """The label of a response on that question."""
    return NAMED if named else NOT_NAMED


def item_of(row: Labelled) -> Item:
    """The question of a row, with what its words and its image are about."""
    told = {name: str(row.fields.get(name) or "") for name in _TOLD}
    return Item(id=row.where, question=row.question, kind="open", metadata=told)


def _graded(label: str) -> str:
    return named_word(label == NAMED)


def _read(row: Labelled, label: str, parser: Parser) -> Read:
    if row.finish.lower() in FILTERED:
        return Read(row.where, row.fields, label, REFUSED, "content-filter")
    said: Mismatch = parser.read(row.came_back, item_of(row))
    return Read(row.where, row.fields, label, _word(said), said.rule)


def _word(said: Mismatch) -> str:
    if said.rule == "no-image":
        return MISSING
    return named_word(said.named) if said.silence in (None, Outcome.UNPARSED) else REFUSED


def _label(row: Labelled) -> str:
    label = row.fields.get("label")
    spelled = " ".join(label.lower().replace("-", " ").replace("_", " ").split()) if isinstance(label, str) else ""
    if spelled in LABELS:
        return spelled
    raise DataError(
        f"{row.where}: expected as label {', '.join(LABELS[:-1])} or {LABELS[-1]}, got {row.came}. "
        "Correct the label, or drop the row."
    )


def _request(row: Labelled, turned: bool) -> Request:
    return mismatch.request(row.response, item_of(row))


def _said(answer: str, row: Labelled, turned: bool) -> Mapping[Part, str] | None:
    named = mismatch.read(answer)
    return None if named is None else {(): named_word(named)}


MISMATCHES = LabelledQuestion(
    name=mismatch.MISMATCH_NAMED.name,
    version=mismatch.VERSION,
    opinions=3,
    people=lambda row: {(): _graded(_label(row))},
    request=_request,
    read=_said,
    undecided=NOT_NAMED,
    worth={NAMED: 1.0, NOT_NAMED: 0.0},
    turns=False,
)
"""A judge has nothing to show in another order here: it sees the text and the reply."""
