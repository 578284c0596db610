"""The guard's signal: how much the replies to a query with and without its image say that the image was not used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, log
from typing import NamedTuple

from snellen.grading import Outcome, grade
from snellen.grading.language.cleaning import cleaned, still_thinking
from snellen.grading.missing_image import Admission, read_admission
from snellen.grading.open.reading import read_open
from snellen.grading.outcomes import OpenGrade
from snellen.grading.reports.comparison import compared
from snellen.grading.reports.findings import Statement, readable, statements_of
from snellen.guard.questions import choice_asked
from snellen.items import LETTERS, Item
from snellen.models.base import CUT_OFF, FILTERED

EVEN = 0.5
"""The threshold where none was calibrated: more speaks for a reply without the image than against it."""


@dataclass(frozen=True)
class Answered:
    """A reply, why it ended as the provider says it ("stop", "length", …), and what failed where there is none."""

    text: str
    finish: str = "stop"
    failure: str = ""
    """Why no reply came: a time limit, an error of the upstream. Empty for a reply."""


class Status(StrEnum):
    """Whether the image moved the reply."""

    MOVED = "moved"
    """The reply changes without the image, or the model says that the image is missing."""
    UNMOVED = "unmoved"
    """The model gives the same answer without the image, and the score reaches the threshold."""
    UNDECIDED = "undecided"
    """Nothing can be compared, or the answers and the threshold disagree."""


class Kind(StrEnum):
    """How the replies were compared, or why they were not; the only words of a verdict that may be logged."""

    CHOICE = "choice"
    """By the option that each reply chooses, or by yes and no."""
    FINDINGS = "findings"
    """By the findings that each reply states: which, present or absent, on which side."""
    WORDS = "words"
    """By the terms of short answers in which no finding can be read."""
    ADMISSION = "admission"
    """By what the model says about the missing image: there was nothing else to compare."""
    NOTHING = "nothing"
    """No other reply was asked for."""
    TRUNCATED = "truncated"
    """Cut off before an answer came."""
    REFUSED = "refused"
    """Declined, or held back by the provider."""
    FAILED = "failed"
    """No reply came."""
    UNREADABLE = "unreadable"
    """An answer may be there, but no rule can say which."""
    ABSTAINED = "abstained"
    """The reply with the image gives no answer, so there is nothing that could rest on the image."""


@dataclass(frozen=True)
class Verdict:
    """What the guard says of a reply.

    `score` is the suspicion, from 0 to 1, that the reply does not rest on the image; it orders replies and is no
    probability. None where nothing could be compared. `evidence` are sentences for a person. They name findings and
    options, so they belong to the reply and not into a log.
    """

    status: Status
    score: float | None
    evidence: tuple[str, ...]
    kind: Kind


ADMITS, ADMITS_AND_GUESSES, HEDGES, GENERAL = -3.0, -1.5, -1.0, -1.5
CHANGED, SAME_WORDS = -0.6, 2.5
LOOKED = -2.5
"""Log odds that each thing seen adds. They fix the order of suspicion; a calibration run sets the threshold."""
ALIKE = 0.5
"""Replies in words are the same from this agreement of their findings on."""


class Seen(NamedTuple):
    """What one other reply shows: the log odds that it adds, how it was compared, and the sentence that says so."""

    odds: float | None
    kind: Kind
    says: str


def compare(
    question: str,
    with_image: Answered,
    without: Sequence[Answered],
    stand_in: Sequence[Answered] = (),
    *,
    threshold: float | None = None,
) -> Verdict:
    r"""Whether the image moved a reply, from what the same model says without it and about a stand-in image.

    >>> asked = "Which side is the effusion on?\nA. Left\nB. Right"
    >>> compare(asked, Answered("B"), [Answered("I see no image. Please attach it.")]).status.value
    'moved'
    >>> told = compare(asked, Answered("B"), [Answered("The answer is B.")])
    >>> told.status.value, round(told.score, 2), told.evidence
    ('unmoved', 0.67, ('Without the image the model gives the same answer, B.',))
    """
    item = choice_asked(question)
    if (unusable := _unusable(question, item, with_image)) is not None:
        return Verdict(Status.UNDECIDED, None, (f"The reply {unusable.says}.",), unusable.kind)
    removed = [_removed(question, item, with_image, other) for other in without]
    shown = [_shown(question, item, with_image, other) for other in stand_in]
    return _settled([removed, shown], EVEN if threshold is None else threshold)


def _settled(arms: Sequence[Sequence[Seen]], threshold: float) -> Verdict:
    """The verdict on what was seen: the mean of the odds within an arm, since its replies repeat each other."""
    seen = [each for arm in arms for each in arm]
    used = [each for each in seen if each.odds is not None]
    if not used:
        first = seen[0] if seen else Seen(None, Kind.NOTHING, "No other reply was asked for.")
        return Verdict(Status.UNDECIDED, None, _once(seen or [first]), first.kind)
    total = sum(_mean([each.odds for each in arm if each.odds is not None]) for arm in arms)
    score = 1 / (1 + exp(-total))
    evidence, kind = _once(seen), used[0].kind
    if total == 0:
        return Verdict(Status.UNDECIDED, score, evidence, kind)
    if (total > 0) != (score >= threshold):
        word = "reaches" if score >= threshold else "does not reach"
        said = f"The score {score:.2f} {word} the threshold {threshold:.2f}, which the answers alone do not bear out."
        return Verdict(Status.UNDECIDED, score, (*evidence, said), kind)
    return Verdict(Status.UNMOVED if total > 0 else Status.MOVED, score, evidence, kind)


def _once(seen: Iterable[Seen]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.says for each in seen))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _removed(question: str, item: Item | None, reply: Answered, other: Answered) -> Seen:
    """What the reply without the image shows."""
    where = "Without the image the model"
    if (nothing := _no_reply(other)) is not None:
        return Seen(None, nothing.kind, f"The reply without the image {nothing.says}.")
    same = _compared(question, item, reply, other)
    admitted = read_admission(other.text, question).label
    if admitted is Admission.MISSING:
        if same is not None and same.agrees is True and same.kind is Kind.CHOICE:
            said = f"{where} says that there is none, and guesses the same answer{same.named}."
            return Seen(ADMITS_AND_GUESSES, same.kind, said)
        return Seen(ADMITS, Kind.ADMISSION, f"{where} says that there is none.")
    if (unusable := _unusable(question, item, other)) is not None:
        if unusable.kind is Kind.ABSTAINED:
            return Seen(ADMITS, Kind.ADMISSION, f"{where} says that it cannot tell.")
        return Seen(None, unusable.kind, f"The reply without the image {unusable.says}.")
    if same is None and admitted is Admission.GENERIC:
        return Seen(GENERAL, Kind.ADMISSION, f"{where} speaks in general and describes no image.")
    if same is None:
        said = f"{where} answers all the same; whether it is the same answer cannot be read."
        return Seen(0.0, Kind.UNREADABLE, said)
    hedged = HEDGES if admitted is Admission.HEDGES and same.kind is not Kind.CHOICE else 0.0
    doubt = " with doubts" if hedged else ""
    if same.agrees is False:
        return Seen(same.odds + hedged, same.kind, f"{where} answers all the same{doubt}, and otherwise{same.named}.")
    return Seen(same.odds + hedged, same.kind, f"{where} gives the same answer{doubt}{same.named}.")


def _shown(question: str, item: Item | None, reply: Answered, other: Answered) -> Seen:
    """What the reply about a stand-in image shows."""
    where = "About another image the model"
    if (unusable := _unusable(question, item, other)) is not None:
        if unusable.kind is Kind.ABSTAINED:
            return Seen(LOOKED, Kind.ADMISSION, f"{where} says that it cannot tell.")
        return Seen(None, unusable.kind, f"The reply about another image {unusable.says}.")
    same = _compared(question, item, reply, other)
    if same is None:
        return Seen(None, Kind.UNREADABLE, "The reply about another image cannot be compared.")
    if same.agrees is False:
        return Seen(LOOKED, same.kind, f"{where} answers otherwise{same.named}.")
    return Seen(same.odds / 2, same.kind, f"{where} gives the same answer{same.named}.")


class Compared(NamedTuple):
    """Whether two replies give the same answer, the log odds of that, and the answer in brackets or after a comma."""

    agrees: bool
    odds: float
    kind: Kind
    named: str = ""


def _compared(question: str, item: Item | None, reply: Answered, other: Answered) -> Compared | None:
    """Whether two replies say the same: by option, by finding, or by terms; None where none of these can be read."""
    if item is not None:
        one, two = (grade(each.text, each.finish, item).choice for each in (reply, other))
        if one is not None and two is not None:
            options = max(2, len(item.real_places))
            named = f", {_name(item, one)}" if one == two else f": {_name(item, two)} and not {_name(item, one)}"
            return Compared(one == two, log(options) if one == two else CHANGED, Kind.CHOICE, named)
    one_said, two_said = cleaned(reply.text), cleaned(other.text)
    if _folded(one_said) == _folded(two_said):
        return Compared(True, SAME_WORDS, Kind.WORDS)
    if not readable(one_said) and not readable(two_said):
        return _by_findings(one_said, two_said)
    return _by_words(question, one_said, two_said)


def _by_findings(one: str, other: str) -> Compared:
    """By findings that either reply calls present, with their sides; where neither names one, by those denied."""
    found = compared(one, other)
    agreement = found.abnormal_f1 if found.abnormal_f1 == found.abnormal_f1 else found.f1
    steep = SAME_WORDS if agreement >= ALIKE else -CHANGED
    odds = steep * (agreement - ALIKE) / ALIKE
    changed = agreement < ALIKE
    named = _told_apart(statements_of(one), statements_of(other)) if changed else ""
    return Compared(not changed, odds or 0.01, Kind.FINDINGS, named)


def _told_apart(one: Sequence[Statement], other: Sequence[Statement]) -> str:
    """What the second reply states and the first does not, of the findings that it calls present."""
    known = {(said.finding, said.present, said.sides) for said in one}
    new = [said for said in other if said.present and (said.finding, said.present, said.sides) not in known]
    names = [" ".join((*sorted(said.sides), said.finding)) for said in new[:3]]
    return f": {', '.join(names)}" if names else ""


def _by_words(question: str, one: str, other: str) -> Compared | None:
    """By the terms of two short answers, each held against the other; None where that leaves it open."""
    grades = {_held(question, one, other), _held(question, other, one)}
    if OpenGrade.CORRECT in grades:
        return Compared(True, SAME_WORDS, Kind.WORDS)
    return Compared(False, CHANGED, Kind.WORDS) if grades == {OpenGrade.INCORRECT} else None


def _held(question: str, one: str, other: str) -> OpenGrade | None:
    return read_open(one, Item(id="guarded", question=question, kind="open", answer=other)).grade


class _Unusable(NamedTuple):
    kind: Kind
    says: str


_SILENT = {
    Outcome.ABSTAINED: _Unusable(Kind.ABSTAINED, "says that it cannot tell, so it claims nothing of the image"),
    Outcome.FLAGGED_QUALITY: _Unusable(Kind.ABSTAINED, "calls the image too poor, so it claims nothing of it"),
    Outcome.REFUSED: _Unusable(Kind.REFUSED, "declines the question"),
    Outcome.TRUNCATED: _Unusable(Kind.TRUNCATED, "was cut off before an answer came"),
    Outcome.UNPARSED: _Unusable(Kind.UNREADABLE, "gives an answer that cannot be read"),
}


def _no_reply(answered: Answered) -> _Unusable | None:
    """Why there is no reply to read at all."""
    if answered.failure:
        return _Unusable(Kind.FAILED, f"did not come ({answered.failure})")
    finish = answered.finish.lower()
    if finish in FILTERED:
        return _Unusable(Kind.REFUSED, "was held back by the provider")
    if finish in CUT_OFF and (still_thinking(answered.text) or not answered.text.strip()):
        return _SILENT[Outcome.TRUNCATED]
    return None if any(map(str.isalnum, answered.text)) else _Unusable(Kind.UNREADABLE, "is empty")


def _unusable(question: str, item: Item | None, answered: Answered) -> _Unusable | None:
    """Why a reply gives no answer that could be compared; None where it gives one."""
    if (nothing := _no_reply(answered)) is not None:
        return nothing
    if item is not None:
        read = grade(answered.text, answered.finish, item)
        if read.outcome in _SILENT and read.outcome is not Outcome.UNPARSED:
            return _SILENT[read.outcome]
        if read.choice is not None:
            return None
    label = read_admission(answered.text, question).label
    if label is Admission.MISSING:
        return _Unusable(Kind.ABSTAINED, "says that there is no image, so it claims nothing of one")
    if label is Admission.REFUSES:
        return _SILENT[Outcome.REFUSED]
    return _SILENT[Outcome.TRUNCATED] if answered.finish.lower() in CUT_OFF else None


def _name(item: Item, place: int) -> str:
    text = item.options[place].text
    return text.lower() if text.lower() in ("yes", "no") else LETTERS[place]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
