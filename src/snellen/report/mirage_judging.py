"""The judge of missing images: who it is, what could not be read of it, and how far it agrees with the reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from snellen.report.lookup import Lookup
from snellen.report.mirage_rate import MirageRate
from snellen.report.wording import count, figure
from snellen.stats import cohens_kappa
from snellen.stress.mirage_rate import FLAGGED
from snellen.stress.table import NOTHING, Table


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
    asked = {finding.benchmark for rate in rates for finding in rate.section.findings}
    pairs = list(_flagged(table for table in tables if table.benchmark in asked))
    return Judging(", ".join(names), sum(table.judge_unread for table in tables), _agreement(pairs))


def _flagged(tables: Iterable[Table]) -> Iterator[tuple[bool, bool]]:
    """Of every reply that the judge was heard on, whether the reader flags it and whether the judge does."""
    for said in (grades.admissions for table in tables for grades in table.arms.values()):
        if said is not None:
            heard = said.flagged != NOTHING
            yield from zip(said.is_(*FLAGGED)[heard].tolist(), (said.flagged[heard] == 1).tolist(), strict=True)


def _agreement(pairs: Sequence[tuple[bool, bool]]) -> str:
    """How far judge and reader agree over all replies: a model that always does the same has no κ of its own.

    >>> _agreement([(True, True), (False, False)] * 20 + [(False, True)] * 10)
    'On what is flagged it agrees with the reader on 80% of 50 replies, all models and scaffolds together: κ 0.62 [0.42 to 0.81].'
    """  # noqa: E501 - a doctest has no line breaks
    if not pairs:
        return "How far it agrees with the reader cannot be said: none of its answers could be read."
    reader, judge = zip(*pairs, strict=True)
    alike = figure(float(np.mean([ours == theirs for ours, theirs in pairs])), "share")
    words = f"On what is flagged it agrees with the reader on {alike} of {count(len(pairs))} replies"
    if len(set(reader)) == 1 or len(set(judge)) == 1:
        return f"{words}; there is no κ, since one of the two never differs."
    kappa = cohens_kappa(reader, judge)
    value, low, high = (figure(each, "score") for each in (kappa.value, kappa.low, kappa.high))
    return f"{words}, all models and scaffolds together: κ {value} [{low} to {high}]."
