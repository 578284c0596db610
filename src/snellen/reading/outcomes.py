"""Outcomes of responses, and the readings and grades that lead to them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from snellen.items import Item


class Outcome(StrEnum):
    """Outcome of a response. `failed` (no response) and `inapplicable` are not outcomes, since neither is graded."""

    CORRECT = "correct"
    WRONG = "wrong"
    ABSTAINED = "abstained"
    """The response says that it cannot tell: no image, too little information, or an option with this meaning."""
    REFUSED = "refused"
    """The response declines the task itself: no medical advice, against its policy."""
    FLAGGED_QUALITY = "flagged_quality"
    """The response says that the image is too poor to read."""
    UNPARSED = "unparsed"
    """The response may have an answer, but no rule can read it."""
    TRUNCATED = "truncated"
    """The response was cut off at the token limit before an answer."""
    EMPTY = "empty"
    """The response has no text, though the model ended it normally."""
    UNCLEAR = "unclear"
    """An open answer that is neither right nor wrong: a part of the reference, or several answers."""
    SCORED = "scored"
    """A report, which is neither right nor wrong as a whole: its findings are compared with a reference."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A parser's reading: the chosen option, or the outcome without an answer (`silence`), with rule and evidence.

    Exactly one of `choice` and `silence` is set.
    """

    rule: str
    choice: int | None = None
    silence: Outcome | None = None
    evidence: str = ""


def choice_outcome(read: Reading, item: Item) -> Outcome:
    """Return the outcome of a response with this reading."""
    if read.choice is None:
        assert read.silence is not None
        return read.silence
    if read.choice == item.answer:
        return Outcome.CORRECT
    return Outcome.ABSTAINED if item.options[read.choice].abstains else Outcome.WRONG


def has_options(item: Item) -> bool:
    """Return whether an item is answered by the choice of an option."""
    return item.kind == "choice"


class OpenGrade(StrEnum):
    """Grade of an open answer compared with the references."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNCLEAR = "unclear"
    """Partly right, less specific than the reference, several alternatives, or not comparable."""


@dataclass(frozen=True, slots=True)
class OpenReading:
    """An open answer's grade, or the outcome without an answer (`silence`).

    Exactly one of `grade` and `silence` is set. `evidence` is the decisive part of the response, `reference` the
    reference with which it was compared.
    """

    rule: str
    grade: OpenGrade | None = None
    silence: Outcome | None = None
    evidence: str = ""
    reference: str = ""


_OF_OPEN = {
    OpenGrade.CORRECT: Outcome.CORRECT,
    OpenGrade.INCORRECT: Outcome.WRONG,
    OpenGrade.UNCLEAR: Outcome.UNCLEAR,
}


def open_outcome(read: OpenReading, item: Item) -> Outcome:
    """Return the outcome of an open answer with this reading."""
    outcome = _OF_OPEN[read.grade] if read.grade is not None else read.silence
    assert outcome is not None
    return outcome


@dataclass(frozen=True, slots=True)
class Grade:
    """An outcome with the chosen option, rule, evidence and parser."""

    outcome: Outcome
    choice: int | None
    rule: str
    evidence: str
    parser: str
