"""Grade: what became of a response, what was read out of it, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser found in a response: the option chosen, or why there is none; by which rule, from which words.

    Exactly one of `choice` and `silence` is set.
    """

    rule: str
    choice: int | None = None
    silence: Outcome | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Grade:
    """A typed outcome, with what was read out of the text and by which rule of which parser."""

    outcome: Outcome
    choice: int | None
    rule: str
    evidence: str
    parser: str
