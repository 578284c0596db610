"""Cards: the questions of the first screen, and the parts of their answers, each with its image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, NamedTuple

from snellen.report.figures.forests import Forest
from snellen.report.figures.standalone import Figure
from snellen.report.sections.tests import OutcomeBar
from snellen.stress.base import Status

YES_OR_NO = {Status.PASS: "Yes", Status.FAIL: "No", Status.INCONCLUSIVE: "Inconclusive", Status.WITHHELD: "Withheld"}


@dataclass(frozen=True)
class CardAnswer:
    """One answer and those it holds for."""

    status: Status
    word: str
    about: str
    models: int = 1


@dataclass(frozen=True)
class CardPart:
    """Some images of a card, with the answers they support; `caption` is that of the bars.

    Where there is no room for images, `brief` makes it one line with a link.
    """

    answers: tuple[CardAnswer, ...]
    forests: tuple[Forest, ...] = ()
    bars: tuple[OutcomeBar, ...] = ()
    caption: str = ""
    anchor: str = ""
    heading: str = ""
    brief: bool = False
    figure: Figure | None = None
    """The bars as a figure of their own."""

    @property
    def rows(self) -> int:
        """How many rows its images have."""
        return len(self.bars) + sum(len(plot.marks) for plot in self.forests)


class CardQuestion(StrEnum):
    """What the first screen asks."""

    LOOKS = "Does it use the image?"
    KNOWS = "Does it know when it cannot see?"
    STEADY = "Is it steady?"
    NEEDED = "Does the score need the image?"


class ForCard(NamedTuple):
    """A part that a chapter adds to a question: where the page would draw its test, or before or after all others."""

    question: CardQuestion
    part: CardPart
    stands: Literal["in place", "first", "last"] = "in place"


FEW_NAMES = 3
"""More names than this are counted where an answer must be short."""


def within(parts: Sequence[CardPart], room: int) -> tuple[CardPart, ...]:
    """The parts with images as long as there is room for their rows, the first one always; the others are brief."""
    made: list[CardPart] = []
    used = 0
    for part in parts:
        used += part.rows
        made.append(part if used <= room or not made else briefly(part))
    return tuple(made)


def briefly(part: CardPart) -> CardPart:
    """The part without its images, its answers short."""
    short = [replace(each, about=f"{each.models} models") if each.models > FEW_NAMES else each for each in part.answers]
    return replace(part, answers=tuple(short), forests=(), bars=(), caption="", brief=True)


def answers(statuses: Sequence[tuple[Status, str]], words: Mapping[Status, str] = YES_OR_NO) -> tuple[CardAnswer, ...]:
    """Who is answered with what."""
    by_status = {status: [who for each, who in statuses if each == status] for status in Status}
    return tuple(
        CardAnswer(status, words.get(status, status.value), ", ".join(who), len(who))
        for status, who in by_status.items()
        if who
    )
