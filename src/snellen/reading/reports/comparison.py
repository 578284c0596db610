"""Comparison of two reports by the findings that they state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from snellen.reading.language.words.radiology import ABOVE, WHOLE
from snellen.reading.reports.findings import FindingStatement, statements_of

WIDER = 0.7
"""Factor for each step between a finding and a wider one: "consolidation" and "lung opacity"."""
UNSUPPORTED = 0.5
"""Factor if the other statement is about a wider or narrower finding and does not imply this one."""
SAID_ONCE = 0.75
"""Factor for a side, a severity or a doubt that only one of the two statements has."""
DIFFERENT = 0.5
"""Factor for two different severities, or for one side compared with both."""
_NAN = float("nan")


class ReportComparison(NamedTuple):
    """Statements of two reports, each with the credit that it gets from the other report.

    Precision is the mean credit of the generated report's statements, recall that of the reference's, and F1 their
    harmonic mean. All are NaN if the reference has no statement that we can read (`undefined`). If only the generated
    report has none, precision is NaN, recall and F1 are 0. The values that begin with `abnormal` count only statements
    on findings that at least one of the reports calls present.
    """

    matched: tuple[float, ...]
    """Credit of each statement of the reference."""
    reference: tuple[FindingStatement, ...]
    generated: tuple[FindingStatement, ...]
    credited: tuple[float, ...]
    """Credit of each statement of the generated report."""

    @property
    def undefined(self) -> bool:
        """True if the reference has no statement that could be compared."""
        return not self.reference

    @property
    def precision(self) -> float:
        """Mean credit of the statements of the generated report."""
        return _mean(self.credited) if self.reference else _NAN

    @property
    def recall(self) -> float:
        """Mean credit of the statements of the reference."""
        return _mean(self.matched)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
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
        """F1 over findings present in either report; NaN if there are none."""
        return _f1(self.abnormal_precision, self.abnormal_recall) if self.reference else _NAN

    def _abnormal(self, statements: Sequence[FindingStatement], credits_: Sequence[float]) -> list[float]:
        there = {said.finding for said in (*self.reference, *self.generated) if said.present}
        return [credit for said, credit in zip(statements, credits_, strict=True) if said.finding in there]


def compare_reports(generated: str, reference: str) -> ReportComparison:
    """Compare two reports by their findings, regardless of wording and order of sentences.

    A statement gets the best credit that any statement of the other report on the same finding gives it. Credit is 1 if
    both are the same, and 0 if one says present and the other absent, or if their sides contradict each other. A side,
    severity or doubt in only one of them multiplies the credit by 0.75. Two different severities, or one side compared
    with both, multiply it by 0.5.

    If the other report does not mention the finding, a statement on a wider or narrower one counts. Its credit is
    multiplied by 0.7 for each step between them, and by 0.5 if it does not imply this statement. "Normal chest" implies
    "no pneumothorax", and "consolidation" implies "lung opacity", but not the reverse. If the two reports are
    exchanged, so are precision and recall. So F1 is symmetric if both have statements.

    >>> heard = compare_reports("Left effusion. Heart is normal.", "Small left pleural effusion. No cardiomegaly.")
    >>> heard.matched, heard.f1
    ((0.75, 1.0), 0.875)
    """
    ours, theirs = statements_of(generated), statements_of(reference)
    return ReportComparison(
        matched=tuple(_best(said, ours) for said in theirs),
        reference=theirs,
        generated=ours,
        credited=tuple(_best(said, theirs) for said in ours),
    )


def _best(said: FindingStatement, others: Sequence[FindingStatement]) -> float:
    same = [other for other in others if other.finding == said.finding]
    return max((credit(said, other) for other in same or others), default=0.0)


def credit(said: FindingStatement, other: FindingStatement) -> float:
    """Return how far a statement of the other report supports this one, 0 to 1."""
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


def _of_severity(one: FindingStatement, other: FindingStatement) -> float:
    if one.severity == other.severity:
        return 1.0
    return SAID_ONCE if "" in (one.severity, other.severity) else DIFFERENT


def _of_doubt(one: FindingStatement, other: FindingStatement) -> float:
    return 1.0 if one.sure == other.sure else SAID_ONCE


@cache
def _nearness(finding: str, other: str, present: bool) -> float:
    """Return 1 for the same finding, less for a wider or narrower one, otherwise 0.

    If present, a narrower finding implies the wider one. If absent, a wider finding implies the narrower one.
    """
    if finding == other:
        return 1.0
    upwards, downwards = _lineage(finding), _lineage(other)
    if other in upwards:
        return WIDER ** upwards.index(other) * (UNSUPPORTED if present else 1.0)
    return WIDER ** downwards.index(finding) * (1.0 if present else UNSUPPORTED) if finding in downwards else 0.0


@cache
def _lineage(finding: str) -> tuple[str, ...]:
    found = [finding]
    while found[-1] != WHOLE:
        found.append(ABOVE.get(found[-1], WHOLE))
    return tuple(found)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else _NAN


def _f1(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall: 0 if one is 0 or undefined, NaN if both are undefined."""
    if precision != precision and recall != recall:
        return _NAN
    if not precision > 0 or not recall > 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)
