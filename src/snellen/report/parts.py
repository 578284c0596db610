"""Part: one picture of the first screen, with the answers it supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from snellen.report.estimates import Forest
from snellen.report.sections import Bar
from snellen.stress.base import Status

YES_OR_NO = {Status.GOOD: "Yes", Status.BAD: "No", Status.UNCLEAR: "Cannot tell"}


@dataclass(frozen=True)
class Answer:
    """One answer and those it holds for."""

    status: Status
    word: str
    about: str


@dataclass(frozen=True)
class Part:
    """Some pictures of a card, with the answers they support; `caption` is that of the bars."""

    answers: tuple[Answer, ...]
    forests: tuple[Forest, ...] = ()
    bars: tuple[Bar, ...] = ()
    caption: str = ""
    anchor: str = ""
    heading: str = ""


def answers(statuses: Sequence[tuple[Status, str]], words: Mapping[Status, str] = YES_OR_NO) -> tuple[Answer, ...]:
    """Who is answered with what."""
    by_status = {status: [who for each, who in statuses if each == status] for status in Status}
    return tuple(Answer(status, words[status], ", ".join(who)) for status, who in by_status.items() if who)
