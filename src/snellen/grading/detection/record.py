"""Detection: what a reply says of an image that is either normal or not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Seen(Enum):
    """What a reply says of the image, by the codes of paper 004; `UNSAID` is ours."""

    NORMAL = 0
    ABNORMAL = 1
    QUALITY = 2
    """The image is too poor to say."""
    REFUSES = 3
    """It declines, or leaves it to a specialist."""
    UNSAID = "unsaid"
    """It says none of these."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What a reply says, by which rule, from which words; the option it concludes, and what it says on the way.

    `label` is its conclusion where it has one, whatever else it says. Advice to see a specialist beside a conclusion is
    not a refusal.
    """

    label: Seen
    rule: str
    evidence: str = ""
    choice: int | None = None
    """The option concluded; None also where no single disease of several is named."""
    flagged: str = ""
    """The first words that call the image poor, spoilt or not to be read, wherever they stand."""
    declined: str = ""
    """The first words by which it says that it cannot or may not read such images."""
    conflict: bool | None = None
    """Whether what it says it sees goes against what it concludes; None where it says nothing clear of the image."""

    @property
    def flags(self) -> bool:
        """Whether it says anywhere that the image is poor."""
        return bool(self.flagged)

    @property
    def concludes(self) -> bool:
        """Whether it gives a conclusion all the same."""
        return self.label in (Seen.NORMAL, Seen.ABNORMAL)

    @property
    def as_published(self) -> Seen:
        """The class as paper 004 counts: first whether it flags quality anywhere, then whether it declines."""
        if self.flagged:
            return Seen.QUALITY
        return Seen.REFUSES if self.declined else self.label
