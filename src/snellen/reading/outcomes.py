"""Grade: what became of a response, what was read out of it, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from snellen.items import Item


class Outcome(StrEnum):
    """What became of a reply. No reply at all (`failed`) and `inapplicable` are not outcomes: they are never graded."""

    CORRECT = "correct"
    WRONG = "wrong"
    ABSTAINED = "abstained"
    """Says that it cannot tell: no image, not enough to go by, or chose an option that means so."""
    REFUSED = "refused"
    """Declines the task as such: no medical advice, against its policy."""
    FLAGGED_QUALITY = "flagged_quality"
    """Says that the image is too poor to read."""
    UNPARSED = "unparsed"
    """An answer may be there, but no rule can say which."""
    TRUNCATED = "truncated"
    """Cut off at the token limit before an answer came."""
    EMPTY = "empty"
    """Says nothing, though the model itself ended it."""
    UNCLEAR = "unclear"
    """An answer in words that can be read and is neither right nor wrong: part of it, or several at once."""
    SCORED = "scored"
    """A report, which is neither right nor wrong as a whole: what it says is held against a reference."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser found in a response: the option chosen, or why there is none; by which rule, from which words.

    Exactly one of `choice` and `silence` is set.
    """

    rule: str
    choice: int | None = None
    silence: Outcome | None = None
    evidence: str = ""


def choice_outcome(read: Reading, item: Item) -> Outcome:
    """What becomes of a response of which this was read."""
    if read.choice is None:
        assert read.silence is not None
        return read.silence
    if read.choice == item.answer:
        return Outcome.CORRECT
    return Outcome.ABSTAINED if item.options[read.choice].abstains else Outcome.WRONG


def has_options(item: Item) -> bool:
    """Whether an item is answered by the choice of an option."""
    return item.kind == "choice"


class OpenGrade(StrEnum):
    """How an answer in words compares with the references."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNCLEAR = "unclear"
    """Partly right, less specific than the reference, undecided between several answers, or not comparable."""


@dataclass(frozen=True, slots=True)
class OpenReading:
    """How a response to an open question compares with its references, or why it gives no answer; by which rule.

    Exactly one of `grade` and `silence` is set. `evidence` is the words of the response that decided, `reference` the
    reference that they were compared with.
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
    """What becomes of an answer in words of which this was read."""
    outcome = _OF_OPEN[read.grade] if read.grade is not None else read.silence
    assert outcome is not None
    return outcome


@dataclass(frozen=True, slots=True)
class Grade:
    """A typed outcome, with what was read out of the text and by which rule of which parser."""

    outcome: Outcome
    choice: int | None
    rule: str
    evidence: str
    parser: str
