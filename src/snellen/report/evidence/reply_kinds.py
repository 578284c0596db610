"""Kinds of responses in the report, with their names and CSS classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snellen.reading.columns import Integers
from snellen.reading.missing_image import Admission
from snellen.reading.missing_image.columns import LABELS
from snellen.reading.outcomes import Outcome
from snellen.report.words.numbers import OUTCOME_WORDS
from snellen.stress.table import OUTCOMES, Grades


class ReplyKind(NamedTuple):
    """A kind of response: `name` is its CSS class, `words` its name in the report."""

    name: str
    words: str


LABEL_WORDS = {
    Admission.DESCRIBES: "describes an image",
    Admission.GENERIC: "speaks in general terms",
    Admission.HEDGES: "voices doubt",
    Admission.REFUSES: "declines",
    Admission.EMPTY: "says nothing",
    Admission.MISSING: "says there is none",
}
"""Kinds of responses without an image, from invented to correct, as in the bars."""
BY_LABEL = {label: ReplyKind(label.value, words) for label, words in LABEL_WORDS.items()}
BY_OUTCOME = {outcome: ReplyKind(outcome.value, OUTCOME_WORDS[outcome]) for outcome in Outcome}
_IN_ORDER = np.array([list(BY_LABEL).index(label) for label in LABELS])


def kinds_of(grades: Grades) -> tuple[ReplyKind, ...]:
    """Return the possible kinds of responses, in page order."""
    return tuple(BY_OUTCOME[outcome] for outcome in OUTCOMES) if grades.admissions is None else tuple(BY_LABEL.values())


def codes(grades: Grades) -> Integers:
    """Return the kind of each response, as an index of `kinds_of`."""
    return grades.outcome.astype(np.int64) if grades.admissions is None else _IN_ORDER[grades.admissions.label]


def count_kinds(grades: Grades) -> dict[ReplyKind, int]:
    """Count the responses by kind."""
    kinds = kinds_of(grades)
    numbers = np.bincount(codes(grades), minlength=len(kinds))
    return {kind: int(number) for kind, number in zip(kinds, numbers, strict=True)}
