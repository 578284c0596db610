"""Two reports compared by the findings that they state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from snellen.reading.language.words.radiology import ABOVE, WHOLE
from snellen.reading.reports.findings import Statement, statements_of

WIDER = 0.7
"""Credit is multiplied by this for each step between a finding and a wider one: "consolidation" and "lung opacity"."""
UNSUPPORTED = 0.5
"""… where the other statement is about a wider or a narrower finding and does not imply this one."""
SAID_ONCE = 0.75
"""… for a side, a severity or a doubt that only one of the two states."""
DIFFERENT = 0.5
"""… for two severities, or for one side against both."""
_NAN = float("nan")


class Compared(NamedTuple):
    """The statements of two reports, and the credit that each got from the other.

    Precision is the mean credit of the generated report's statements, recall that of the reference's, and F1 their
    harmonic mean. All are NaN where the reference states nothing that we can read (`undefined`). Where only the
    generated report states nothing, precision is NaN, recall and F1 are 0. The values whose names begin with
    `abnormal` count only statements on findings that at least one of the two says are present.
    """

    matched: tuple[float, ...]
    """For each statement of the reference."""
    reference: tuple[Statement, ...]
    generated: tuple[Statement, ...]
    credited: tuple[float, ...]
    """For each statement of the generated report."""

    @property
    def undefined(self) -> bool:
        """Whether the reference states nothing that could be compared."""
        return not self.reference

    @property
    def precision(self) -> float:
        """The mean credit of what was generated."""
        return _mean(self.credited) if self.reference else _NAN

    @property
    def recall(self) -> float:
        """The mean credit of the reference."""
        return _mean(self.matched)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _f1(self.precision, self.recall) if self.reference else _NAN

    @property
    def abnormal_precision(self) -> float:
        """Precision over findings that are present in either report."""
        return _mean(self._abnormal(self.generated, self.credited)) if self.reference else _NAN

    @property
    def abnormal_recall(self) -> float:
        """Recall over findings that are present in either report."""
        return _mean(self._abnormal(self.reference, self.matched))

    @property
    def abnormal_f1(self) -> float:
        """F1 over findings that are present in either report; NaN where there is none."""
        return _f1(self.abnormal_precision, self.abnormal_recall) if self.reference else _NAN

    def _abnormal(self, statements: Sequence[Statement], credits_: Sequence[float]) -> list[float]:
        there = {said.finding for said in (*self.reference, *self.generated) if said.present}
        return [credit for said, credit in zip(statements, credits_, strict=True) if said.finding in there]


def compared(generated: str, reference: str) -> Compared:
    """Two reports compared by their findings, whatever the wording and the order of the sentences.

    A statement gets the best credit that a statement of the other report on the same finding gives it: 1 where both
    say the same; none where one says that the finding is present and the other that it is absent, or where the sides
    contradict each other; 0.75 times for a side, a severity or a doubt that only one of them states; 0.5 times for
    two different severities, or for one side against both. Where the other report does not speak of the finding
    itself, a statement on a wider or a narrower one counts 0.7 times for each step between them if it implies the
    statement, and half of that if not: "normal chest" implies "no pneumothorax", "consolidation" implies "lung
    opacity", and not the other way round. Recall of two reports is precision of the same two exchanged, so F1 is
    symmetric wherever both state something.

    >>> heard = compared("Left effusion. Heart is normal.", "Small left pleural effusion. No cardiomegaly.")
    >>> heard.matched, heard.f1
    ((0.75, 1.0), 0.875)
    """
    ours, theirs = statements_of(generated), statements_of(reference)
    return Compared(
        matched=tuple(_best(said, ours) for said in theirs),
        reference=theirs,
        generated=ours,
        credited=tuple(_best(said, theirs) for said in ours),
    )


def _best(said: Statement, others: Sequence[Statement]) -> float:
    """The best credit that the statements of the other report give to one."""
    same = [other for other in others if other.finding == said.finding]
    return max((credit(said, other) for other in same or others), default=0.0)


def credit(said: Statement, other: Statement) -> float:
    """How far a statement of the other report supports this one, from 0 to 1."""
    if said.present != other.present:
        return 0.0
    near = _nearness(said.finding, other.finding, said.present)
    if near == 0.0:
        return 0.0
    return near * _of_sides(said.sides, other.sides) * _of_severity(said, other) * _of_doubt(said, other)


def _of_sides(one: frozenset[str], other: frozenset[str]) -> float:
    if one == other:
        return 1.0
    if not one or not other:
        return SAID_ONCE
    return DIFFERENT if one & other else 0.0


def _of_severity(one: Statement, other: Statement) -> float:
    if one.severity == other.severity:
        return 1.0
    return SAID_ONCE if "" in (one.severity, other.severity) else DIFFERENT


def _of_doubt(one: Statement, other: Statement) -> float:
    return 1.0 if one.sure == other.sure else SAID_ONCE


@cache
def _nearness(finding: str, other: str, present: bool) -> float:
    """1 for the same finding, less for a wider or a narrower one, 0 where neither is a kind of the other.

    A narrower finding that is present implies the wider one; a wider one that is absent implies the narrower one.
    """
    if finding == other:
        return 1.0
    upwards, downwards = _lineage(finding), _lineage(other)
    if other in upwards:
        return WIDER ** upwards.index(other) * (UNSUPPORTED if present else 1.0)
    return WIDER ** downwards.index(finding) * (1.0 if present else UNSUPPORTED) if finding in downwards else 0.0


@cache
def _lineage(finding: str) -> tuple[str, ...]:
    """A finding and the wider ones above it."""
    found = [finding]
    while found[-1] != WHOLE:
        found.append(ABOVE.get(found[-1], WHOLE))
    return tuple(found)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else _NAN


def _f1(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where one is not defined because that report states nothing; NaN where neither is."""
    if precision != precision and recall != recall:
        return _NAN
    if not precision > 0 or not recall > 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)
