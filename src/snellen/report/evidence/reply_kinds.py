"""Kinds of responses as the page names and colours them: by outcome, or by what they do about an image never sent."""

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
    """A kind of response: its class on the page, and its words."""

    name: str
    words: str


LABEL_WORDS = {
    Admission.DESCRIBES: "describes an image",
    Admission.GENERIC: "speaks in general",
    Admission.HEDGES: "voices doubt",
    Admission.REFUSES: "declines",
    Admission.EMPTY: "says nothing",
    Admission.MISSING: "says there is none",
}
"""What a response does about an image that was never sent: made up first, right last, as the bars have it."""
BY_LABEL = {label: ReplyKind(label.value, words) for label, words in LABEL_WORDS.items()}
BY_OUTCOME = {outcome: ReplyKind(outcome.value, OUTCOME_WORDS[outcome]) for outcome in Outcome}
_IN_ORDER = np.array([list(BY_LABEL).index(label) for label in LABELS])


def kinds_of(grades: Grades) -> tuple[ReplyKind, ...]:
    """The kinds that responses to these questions can be of, in the order of the page."""
    return tuple(BY_OUTCOME[outcome] for outcome in OUTCOMES) if grades.admissions is None else tuple(BY_LABEL.values())


def codes(grades: Grades) -> Integers:
    """The place of every response's kind among them."""
    return grades.outcome.astype(np.int64) if grades.admissions is None else _IN_ORDER[grades.admissions.label]


def counted(grades: Grades) -> dict[ReplyKind, int]:
    """How many responses are of each kind."""
    kinds = kinds_of(grades)
    numbers = np.bincount(codes(grades), minlength=len(kinds))
    return {kind: int(number) for kind, number in zip(kinds, numbers, strict=True)}
