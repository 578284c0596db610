"""The guard's signal: how much the replies to a query with and without its image say that the image was not used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import exp, log
from typing import NamedTuple

from snellen.items import LETTERS, LONGEST_OPTION, LONGEST_TEXT, Item, Option
from snellen.models.base import CUT_OFF, FILTERED
from snellen.perturb.polar import means_unknown
from snellen.prompts.offered import offered
from snellen.reading import Outcome, grade
from snellen.reading.language.acts.opposing import contradict, other_words, own_words
from snellen.reading.language.cleaning import cleaned, still_thinking
from snellen.reading.missing_image import Admission, read_admission
from snellen.reading.open.reading import read_open
from snellen.reading.outcomes import OpenGrade
from snellen.reading.reports.comparison import Compared as ComparedReports
from snellen.reading.reports.comparison import compared
from snellen.reading.reports.findings import readable

_MARK = re.compile(r"(?<!\S)(?:\(([A-Z])\)|\[([A-Z])\]|\*\*([A-Z])[).:]?\*\*[).:]?|([A-Z])[).:])(?=\s)")
"""What letters an option: `(A)`, `A)`, `A.`, `A:`, `[A]`, `**A**:`."""
_BULLET = re.compile(r"\s*\n[ \t]*[-*•>][ \t]*\Z")
_LEADS = (
    "is|are|was|were|does|do|did|has|have|can|could|would|should|will|isn't|aren't|doesn't",
    "è|sono|c'è|ci sono|ha|hanno|si vede|si vedono|mostra|presenta",
    "es|está|están|hay|tiene|tienen|muestra|son",
    "est-ce|y a-t-il|existe-t-il|a-t-on|le patient a-t-il",
    "ist|sind|gibt|hat|haben|liegt|zeigt|besteht",
)
_POLAR = re.compile(
    rf"(?:\A|[\n.!?:]\s*)(?:and |so |e |und |et |y |¿)?(?:{'|'.join(_LEADS)})(?=[\s'’])(?P<rest>[^.!?\n]{{2,300}})\?",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(?:or|oppure|oder|ou bien|o bien)\b", re.IGNORECASE)
_WORDS = {
    "i": ("Sì", "No"), "s": ("Sí", "No"), "f": ("Oui", "Non"), "g": ("Ja", "Nein"), "e": ("Yes", "No"),
}  # fmt: skip
_LANGUAGE = dict(zip("eisfg", (re.compile(rf"(?:{leads})\b", re.IGNORECASE) for leads in _LEADS), strict=True))


@lru_cache(maxsize=512)
def choice_asked(question: str) -> Item | None:
    r"""The question with the options that it lists, or with yes and no where it asks for these; None for all others.

    >>> [option.text for option in choice_asked("Which side?\n(A) Left (B) Right").options]
    ['Left', 'Right']
    >>> [option.text for option in choice_asked("Is there a pleural effusion?").options]
    ['Yes', 'No']
    >>> choice_asked("What does the image show?") is None
    True
    """
    text = question[-LONGEST_TEXT:]
    options = offered(text) or _marked(text) or _yes_or_no(text)
    fits = 2 <= len(options) <= len(LETTERS) and len(set(options)) == len(options)
    if not fits or any(not option.strip() or len(option) > LONGEST_OPTION for option in options):
        return None
    made = tuple(Option(option.strip(), abstains=means_unknown(option)) for option in options)
    return Item(id="guarded", question=text, options=made)


def _marked(text: str) -> tuple[str, ...]:
    """The options of the last list that runs A, B, C, however the letters are written; none where there is no list."""
    marks = [*_MARK.finditer(text)]
    second = max((at for at, mark in enumerate(marks) if _letter_of(mark) == "B"), default=0)
    first = max((at for at, mark in enumerate(marks[:second]) if _letter_of(mark) == "A"), default=None)
    if first is None:
        return ()
    run = _run(marks[first:])
    line = text.find("\n", run[-1].end())
    ends = [*(mark.start() for mark in run[1:]), len(text) if line < 0 else line]
    return tuple(
        _BULLET.sub("", text[mark.end() : end]).strip().rstrip(";,") for mark, end in zip(run, ends, strict=True)
    )


def _run(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """The marks that continue the alphabet from the first."""
    run = [marks[0]]
    for mark in marks[1:]:
        if ord(_letter_of(mark)) == ord(_letter_of(run[-1])) + 1:
            run.append(mark)
    return run


def _letter_of(mark: re.Match[str]) -> str:
    return str(mark[mark.lastindex or 0])


def _yes_or_no(text: str) -> tuple[str, ...]:
    """Yes and no in the question's language, where its last question can be answered so."""
    found = [*_POLAR.finditer(text)]
    if not found or _EITHER.search(found[-1].group("rest")):
        return ()
    last = text.rfind("?")
    if text.rfind("?", 0, last) >= found[-1].end() or last >= found[-1].end():
        return ()
    asked = found[-1].group().lstrip("\n.!?: ¿").lower()
    language = next((code for code, leads in _LANGUAGE.items() if leads.match(asked)), "e")
    return _WORDS[language]


EVEN = 0.5
"""The threshold where none was calibrated: more speaks for a reply without the image than against it."""


@dataclass(frozen=True)
class Answered:
    """A reply, why it ended as the provider says it ("stop", "length", …), and what failed where there is none."""

    text: str
    finish: str = "stop"
    failure: str = ""
    """Why no reply came: a time limit, an error of the upstream. Empty for a reply."""
    input_tokens: int | None = None
    image_tokens: int | None = None
    """What the server counted for the query, and for its images alone; None where it does not say."""


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
CHANGED, SAME_WORDS, SAME_NORMAL = -0.6, 2.5, log(2)
LOOKED = -2.5
"""Log odds that each thing seen adds. They fix the order of suspicion; a calibration run sets the threshold.

The same option of k adds log k: who does not look gives it again, who looks gives it by chance once in k. To find
nothing wrong twice is little, since most images show nothing wrong.
"""
ALIKE = 0.5
"""Replies in words are the same from this agreement of their findings on."""

BRIEF = 40
"""Words of an answer whose terms can be looked for in another reply; two longer ones say too much to be compared so."""


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
    r"""Whether the image moved a reply, from what the same model says without it and about stand-in images.

    >>> asked = "Which side is the effusion on?\nA. Left\nB. Right"
    >>> compare(asked, Answered("B"), [Answered("I see no image. Please attach it.")]).status.value
    'moved'
    >>> told = compare(asked, Answered("B"), [Answered("The answer is B.")])
    >>> told.status.value, round(told.score, 2), told.evidence
    ('unmoved', 0.67, ('Without the image the model gives the same answer, B.',))
    """
    reply = heard(question, with_image)
    if reply.nothing is not None:
        return Verdict(Status.UNDECIDED, None, (f"The reply {reply.nothing.says}.",), reply.nothing.kind)
    removed = [_removed(question, reply, heard(question, other)) for other in without]
    shown = [_shown(question, reply, heard(question, other)) for other in stand_in]
    return _settled(removed, shown, EVEN if threshold is None else threshold)


def _settled(removed: Sequence[Seen], shown: Sequence[Seen], threshold: float) -> Verdict:
    """The verdict on what was seen.

    Replies without the image repeat each other, so the mean of their odds counts; stand-ins are images of their own,
    so their odds add up.
    """
    seen = [*removed, *shown]
    used = [each for each in seen if each.odds is not None]
    if not used:
        first = seen[0] if seen else Seen(None, Kind.NOTHING, "No other reply was asked for.")
        return Verdict(Status.UNDECIDED, None, _once(seen or [first]), first.kind)
    alone = _odds(removed)
    total = sum(alone) / max(1, len(alone)) + sum(_odds(shown))
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


def _odds(seen: Iterable[Seen]) -> list[float]:
    return [each.odds for each in seen if each.odds is not None]


class Unusable(NamedTuple):
    """Why a reply gives no answer, in words that follow "the reply"."""

    kind: Kind
    says: str


class Heard(NamedTuple):
    """What one reply says: its words, the option it chooses, what it does about the image, or why it says nothing."""

    said: str
    item: Item | None
    choice: int | None = None
    admission: Admission | None = None
    nothing: Unusable | None = None


_SILENT = {
    Outcome.ABSTAINED: Unusable(Kind.ABSTAINED, "says that it cannot tell, so it claims nothing of the image"),
    Outcome.FLAGGED_QUALITY: Unusable(Kind.ABSTAINED, "calls the image too poor, so it claims nothing of it"),
    Outcome.REFUSED: Unusable(Kind.REFUSED, "declines the question"),
    Outcome.TRUNCATED: Unusable(Kind.TRUNCATED, "was cut off before an answer came"),
    Outcome.EMPTY: Unusable(Kind.UNREADABLE, "is empty"),
}
_NO_IMAGE = Unusable(Kind.ABSTAINED, "says that there is no image, so it claims nothing of one")


@lru_cache(maxsize=64)
def heard(question: str, answered: Answered) -> Heard:
    """What a reply to a question says. The guard may call it as soon as each reply comes: the last few are kept."""
    item = choice_asked(question)
    if (nothing := _no_reply(answered)) is not None:
        return Heard("", item, nothing=nothing)
    said, admission = cleaned(answered.text), read_admission(answered.text, question).label
    cut = answered.finish.lower() in CUT_OFF
    if item is not None:
        read = grade(answered.text, answered.finish, item)
        if read.choice is not None and read.outcome not in _SILENT:
            return Heard(said, item, read.choice, admission)
        if read.outcome in _SILENT:
            return Heard(said, item, None, admission, _SILENT[read.outcome])
    if admission is Admission.MISSING:
        return Heard(said, item, None, admission, _NO_IMAGE)
    if admission is Admission.REFUSES:
        return Heard(said, item, None, admission, _SILENT[Outcome.REFUSED])
    return Heard(said, item, None, admission, _SILENT[Outcome.TRUNCATED] if cut else None)


def _no_reply(answered: Answered) -> Unusable | None:
    """Why there is no reply to read at all."""
    if answered.failure:
        return Unusable(Kind.FAILED, f"did not come ({answered.failure})")
    finish = answered.finish.lower()
    if finish in FILTERED:
        return Unusable(Kind.REFUSED, "was held back by the provider")
    if finish in CUT_OFF and (still_thinking(answered.text) or not answered.text.strip()):
        return _SILENT[Outcome.TRUNCATED]
    return None if any(map(str.isalnum, answered.text)) else _SILENT[Outcome.EMPTY]


def _removed(question: str, reply: Heard, other: Heard) -> Seen:
    """What the reply without the image shows."""
    where = "Without the image the model"
    if other.admission is Admission.MISSING:
        if other.choice is not None and other.choice == reply.choice:
            said = f"{where} says that there is none, and guesses the same answer{_named(reply, other)}."
            return Seen(ADMITS_AND_GUESSES, Kind.CHOICE, said)
        return Seen(ADMITS, Kind.ADMISSION, f"{where} says that there is none.")
    if other.nothing is not None and other.nothing.kind is Kind.ABSTAINED:
        return Seen(ADMITS, Kind.ADMISSION, f"{where} says that it cannot tell.")
    if other.nothing is not None:
        return Seen(None, other.nothing.kind, f"The reply without the image {other.nothing.says}.")
    same = _compared(question, reply, other)
    if same is None and other.admission is Admission.GENERIC:
        return Seen(GENERAL, Kind.ADMISSION, f"{where} speaks in general and describes no image.")
    if same is not None and same.agrees and other.admission is Admission.GENERIC and same.kind is not Kind.CHOICE:
        return Seen(0.0, same.kind, f"{where} speaks in general and names the same.")
    if same is None:
        said = f"{where} answers all the same; whether it is the same answer cannot be read."
        return Seen(0.0, Kind.UNREADABLE, said)
    hedges = other.admission is Admission.HEDGES and same.kind is not Kind.CHOICE
    doubt, odds = (" with doubts", same.odds + HEDGES) if hedges else ("", same.odds)
    if same.agrees:
        return Seen(odds, same.kind, f"{where} gives the same answer{doubt}{same.named}.")
    return Seen(odds, same.kind, f"{where} answers all the same{doubt}, and otherwise{same.named}.")


def _shown(question: str, reply: Heard, other: Heard) -> Seen:
    """What the reply about a stand-in image shows."""
    where = "About another image the model"
    if other.nothing is not None and other.nothing.kind is Kind.ABSTAINED:
        return Seen(LOOKED, Kind.ADMISSION, f"{where} says that it cannot tell.")
    if other.nothing is not None:
        return Seen(None, other.nothing.kind, f"The reply about another image {other.nothing.says}.")
    same = _compared(question, reply, other)
    if same is None:
        return Seen(None, Kind.UNREADABLE, "The reply about another image cannot be compared.")
    if same.agrees:
        return Seen(same.odds, same.kind, f"{where} gives the same answer{same.named}.")
    return Seen(LOOKED, same.kind, f"{where} answers otherwise{same.named}.")


class Compared(NamedTuple):
    """Whether two replies give the same answer, the log odds of that, and what to add to a sentence about it."""

    agrees: bool
    odds: float
    kind: Kind
    named: str = ""


def _compared(question: str, reply: Heard, other: Heard) -> Compared | None:
    """Whether two replies say the same; None where that cannot be read, or what is read the same contradicts itself."""
    read = _read_alike(question, reply, other)
    if read is None or not read.agrees or (read.kind is Kind.CHOICE and "{" not in reply.said):
        return read

    def same(one: str, two: str) -> bool:
        again = _read_alike(question, reply._replace(said=one), other._replace(said=two))
        return again is not None and again.agrees

    spoken = read.kind is not Kind.CHOICE and _folded(reply.said) != _folded(other.said)
    apart = contradict(reply.said, other.said) or (spoken and other_words(reply.said, other.said, same))
    return None if apart else read


def _read_alike(question: str, reply: Heard, other: Heard) -> Compared | None:
    """Whether two replies say the same: by option, by finding, or by terms; None where none of these can be read."""
    if reply.item is not None and reply.choice is not None and other.choice is not None:
        same = reply.choice == other.choice
        odds = log(max(2, len(reply.item.real_places))) if same else CHANGED
        return Compared(same, odds, Kind.CHOICE, _named(reply, other))
    if readable(reply.said) == readable(other.said) == "":
        return _by_findings(reply.said, other.said)
    if _folded(reply.said) == _folded(other.said):
        return Compared(True, SAME_WORDS, Kind.WORDS)
    brief = min(len(each.said.split()) for each in (reply, other)) <= BRIEF
    return _by_words(question, reply.said, other.said) if brief else None


def _by_findings(one: str, other: str) -> Compared:
    """By findings that either reply calls present, with their sides; where neither names one, by those denied."""
    found = compared(one, other)
    normal = not any(said.present for said in (*found.generated, *found.reference))
    agreement = found.f1 if normal else found.abnormal_f1
    if agreement < ALIKE:
        return Compared(False, CHANGED * (1 - agreement / ALIKE), Kind.FINDINGS, _told_apart(found))
    most = SAME_NORMAL if normal else SAME_WORDS
    return Compared(True, most * (0.1 + 0.9 * (agreement - ALIKE) / (1 - ALIKE)), Kind.FINDINGS)


def _told_apart(found: ComparedReports) -> str:
    """The findings that the other reply calls present and the reply does not."""
    known = {(said.finding, said.sides) for said in found.generated if said.present}
    new = [said for said in found.reference if said.present and (said.finding, said.sides) not in known]
    names = [" ".join((*sorted(said.sides), said.finding)) for said in new[:3]]
    return f": {', '.join(names)}" if names else ""


def _by_words(question: str, one: str, other: str) -> Compared | None:
    """By the terms of two short answers, each held against the other; None where that leaves it open."""
    grades = {_held(question, one, other), _held(question, other, one)}
    if OpenGrade.CORRECT in grades:
        return Compared(True, SAME_WORDS, Kind.WORDS)
    changed = grades == {OpenGrade.INCORRECT} and any(own_words(one, other))
    return Compared(False, CHANGED, Kind.WORDS) if changed else None


def _held(question: str, one: str, other: str) -> OpenGrade | None:
    return read_open(one, Item(id="guarded", question=question, kind="open", answer=other)).grade


def _named(reply: Heard, other: Heard) -> str:
    """The option that both replies choose, or that of each."""
    one, two = (_letter(each) for each in (reply, other))
    return f", {one}" if one == two else f": {two} and not {one}"


def _letter(chosen: Heard) -> str:
    assert chosen.item is not None
    assert chosen.choice is not None
    text = chosen.item.options[chosen.choice].text.lower()
    return text if text in ("yes", "no") else LETTERS[chosen.choice]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
