"""The judge of missing images: who it is, what could not be read of it, and how far it agrees with the reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.report.lookup import Lookup
from snellen.report.mirage_rate import MirageRate
from snellen.report.wording import figure

KAPPA = "judge_kappa"


class Judging(NamedTuple):
    """A judge by name, how many of its answers could not be read, and its agreement with the reader in a sentence."""

    judge: str
    unread: int
    agreement: str


def judging(lookup: Lookup, rates: Sequence[MirageRate]) -> Judging | None:
    """The judge of the replies to questions that came without an image; None where none was asked."""
    own = lookup.evidence.own_questions
    tables = [table for (_, name), table in lookup.evidence.results.tables.items() if name in own]
    names = list(dict.fromkeys(table.judge for table in tables if table.judge))
    if not names:
        return None
    found = [
        measure.estimate
        for rate in rates
        for finding in rate.section.findings
        for measure in finding.measures
        if measure.name == KAPPA
    ]
    return Judging(", ".join(names), sum(table.judge_unread for table in tables), _agreement([e.value for e in found]))


def _agreement(kappas: Sequence[float]) -> str:
    """How far judge and reader agree over models and scaffolds.

    >>> _agreement([0.9])
    'On what is flagged it agrees with the reader by κ 0.90, for one model and scaffold (each in the table above).'
    """
    if not kappas:
        return "How far it agrees with the reader cannot be said: one of the two never differs."
    low, high = (figure(value, "score") for value in (min(kappas), max(kappas)))
    span = low if low == high else f"{low} to {high}"
    over = f"over {len(kappas)} models and scaffolds" if len(kappas) > 1 else "for one model and scaffold"
    return f"On what is flagged it agrees with the reader by κ {span}, {over} (each in the table above)."
