"""The guard's signal: does a response rest on the image?

The guard compares the response with others of the same model, without the image or with a stand-in image.
"""

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
from snellen.prompts.offered import list_choices
from snellen.reading import Outcome, grade
from snellen.reading.language.acts.opposing import contradict, other_words, own_words
from snellen.reading.language.cleaning import clean_text, still_thinking
from snellen.reading.missing_image import Admission, read_admission
from snellen.reading.open.reading import read_open
from snellen.reading.outcomes import OpenGrade
from snellen.reading.reports.comparison import ReportComparison as ComparedReports
from snellen.reading.reports.comparison import compare_reports
from snellen.reading.reports.findings import readable

_MARK = re.compile(r"(?<!\S)(?:\(([A-Z])\)|\[([A-Z])\]|\*\*([A-Z])[).:]?\*\*[).:]?|([A-Z])[).:])(?=\s)")
"""Letter before an option: `(A)`, `A)`, `A.`, `A:`, `[A]`, `**A**:`."""
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
    r"""Read the options that a question lists; yes and no for yes-no questions; else None.

    >>> [option.text for option in choice_asked("Which side?\n(A) Left (B) Right").options]
    ['Left', 'Right']
    >>> [option.text for option in choice_asked("Is there a pleural effusion?").options]
    ['Yes', 'No']
    >>> choice_asked("What does the image show?") is None
    True
    """
    text = question[-LONGEST_TEXT:]
    options = list_choices(text) or _find_last_list(text) or _yes_or_no(text)
    fits = 2 <= len(options) <= len(LETTERS) and len(set(options)) == len(options)
    if not fits or any(not option.strip() or len(option) > LONGEST_OPTION for option in options):
        return None
    made = tuple(Option(option.strip(), abstains=means_unknown(option)) for option in options)
    return Item(id="guarded", question=text, options=made)


def _find_last_list(text: str) -> tuple[str, ...]:
    """Return the options of the text's last list A, B, C …; empty without one."""
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
    """Return the marks that continue the alphabet from the first one."""
    run = [marks[0]]
    for mark in marks[1:]:
        if ord(_letter_of(mark)) == ord(_letter_of(run[-1])) + 1:
            run.append(mark)
    return run


def _letter_of(mark: re.Match[str]) -> str:
    return str(mark[mark.lastindex or 0])


def _yes_or_no(text: str) -> tuple[str, ...]:
    """Return yes and no in the text's language if it ends in a yes-no question."""
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
"""Threshold used without a calibration: even odds."""


@dataclass(frozen=True)
class GuardResponse:
    """A model's response, with the provider's finish reason; `text` is empty if the call failed."""

    text: str
    finish: str = "stop"
    failure: str = ""
    """Why no response came: a timeout or an upstream error. Empty if one came."""
    input_tokens: int | None = None
    image_tokens: int | None = None
    """Tokens that the server counted for the whole query, and for its images; None if not reported."""


class GuardStatus(StrEnum):
    """Whether the response depends on the image."""

    MOVED = "moved"
    """Without the image the answer changes, or the model says that the image is missing."""
    UNMOVED = "unmoved"
    """The model gives the same answer without the image, and the score reaches the threshold."""
    UNDECIDED = "undecided"
    """No comparison is possible, or the comparison and the threshold contradict each other."""


class ComparisonKind(StrEnum):
    """How the responses were compared, or why they were not; the log stores these words."""

    CHOICE = "choice"
    """By the option that each response chooses, or by yes and no."""
    FINDINGS = "findings"
    """By the findings in each response: name, present or absent, and side."""
    WORDS = "words"
    """By the terms of short answers without a readable finding."""
    ADMISSION = "admission"
    """By the model's statement that the image is missing, without other answers to compare."""
    NOTHING = "nothing"
    """No extra call was made."""
    TRUNCATED = "truncated"
    """The response was cut off before its answer."""
    REFUSED = "refused"
    """The model declined, or the provider filtered the response."""
    FAILED = "failed"
    """No response came."""
    UNREADABLE = "unreadable"
    """There may be an answer, but no parser can read it."""
    ABSTAINED = "abstained"
    """The response with the image gives no answer, so it cannot rest on the image."""


@dataclass(frozen=True)
class GuardAssessment:
    """The guard's assessment of a response.

    `score` is a suspicion from 0 to 1 that the response does not rest on the image. It ranks responses and is not
    a probability; None if no comparison was possible. `evidence` are sentences for the user. They name findings and
    options, so they are never logged.
    """

    status: GuardStatus
    score: float | None
    evidence: tuple[str, ...]
    kind: ComparisonKind


ADMITS, ADMITS_AND_GUESSES, HEDGES, GENERAL = -3.0, -1.5, -1.0, -1.5
CHANGED, SAME_WORDS, SAME_NORMAL = -0.6, 2.5, log(2)
LOOKED = -2.5
"""Log odds that each observation adds; positive means that the response seems not to rest on the image.

They determine the order of the scores; a calibration sets the threshold. The same option of k adds log k: a
model that ignores the image repeats it, one that looks does so by chance in 1 of k cases. Twice no abnormal
finding adds little, since most images are normal.
"""
ALIKE = 0.5
"""Minimum agreement (F1) of findings for two open responses to count as the same answer."""

BRIEF = 40
"""Maximum words of an answer that is compared by its terms."""


class ResponseEvidence(NamedTuple):
    """Evidence from one other response.

    `odds` are log odds, None if the response could not be compared; `says` is a sentence for the user.
    """

    odds: float | None
    kind: ComparisonKind
    says: str


def compare(
    question: str,
    with_image: GuardResponse,
    without: Sequence[GuardResponse],
    stand_in: Sequence[GuardResponse] = (),
    *,
    threshold: float | None = None,
) -> GuardAssessment:
    r"""Assess whether a response depends on the image, from the responses of the extra calls.

    `without` are responses without the image; `stand_in` are responses to another image.

    >>> asked = "Which side is the effusion on?\nA. Left\nB. Right"
    >>> compare(asked, GuardResponse("B"), [GuardResponse("I see no image. Please attach it.")]).status.value
    'moved'
    >>> told = compare(asked, GuardResponse("B"), [GuardResponse("The answer is B.")])
    >>> told.status.value, round(told.score, 2), told.evidence
    ('unmoved', 0.67, ('Without the image the model gives the same answer, B.',))
    """
    reply = read_response(question, with_image)
    if reply.nothing is not None:
        return GuardAssessment(
            GuardStatus.UNDECIDED, None, (f"The response {reply.nothing.says}.",), reply.nothing.kind
        )
    removed = [_weigh_removed(question, reply, read_response(question, other)) for other in without]
    shown = [_weigh_stand_in(question, reply, read_response(question, other)) for other in stand_in]
    return _combine_evidence(removed, shown, EVEN if threshold is None else threshold)


def _combine_evidence(
    removed: Sequence[ResponseEvidence], shown: Sequence[ResponseEvidence], threshold: float
) -> GuardAssessment:
    """Combine the evidence of all extra calls.

    The log odds of responses without the image are averaged, since these responses repeat each other. Those of
    stand-ins are added, since each is a different image.
    """
    seen = [*removed, *shown]
    used = [each for each in seen if each.odds is not None]
    if not used:
        first = seen[0] if seen else ResponseEvidence(None, ComparisonKind.NOTHING, "No other response was asked for.")
        return GuardAssessment(GuardStatus.UNDECIDED, None, _list_sentences(seen or [first]), first.kind)
    alone = _odds(removed)
    total = sum(alone) / max(1, len(alone)) + sum(_odds(shown))
    score = 1 / (1 + exp(-total))
    evidence, kind = _list_sentences(seen), used[0].kind
    if total == 0:
        return GuardAssessment(GuardStatus.UNDECIDED, score, evidence, kind)
    if (total > 0) != (score >= threshold):
        word = "reaches" if score >= threshold else "does not reach"
        doubt = f"The score {score:.2f} {word} the threshold {threshold:.2f}, but the answers alone say the opposite."
        return GuardAssessment(GuardStatus.UNDECIDED, score, (*evidence, doubt), kind)
    return GuardAssessment(GuardStatus.UNMOVED if total > 0 else GuardStatus.MOVED, score, evidence, kind)


def _list_sentences(seen: Iterable[ResponseEvidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.says for each in seen))


def _odds(seen: Iterable[ResponseEvidence]) -> list[float]:
    return [each.odds for each in seen if each.odds is not None]


class Unusable(NamedTuple):
    """Why a response gives no answer; `says` completes a sentence that starts "The response"."""

    kind: ComparisonKind
    says: str


class ReadResponse(NamedTuple):
    """A parsed response: text, chosen option, admission of a missing image, or why it is unusable."""

    said: str
    item: Item | None
    choice: int | None = None
    admission: Admission | None = None
    nothing: Unusable | None = None


_SILENT = {
    Outcome.ABSTAINED: Unusable(ComparisonKind.ABSTAINED, "says that it cannot tell, so it makes no claim"),
    Outcome.FLAGGED_QUALITY: Unusable(ComparisonKind.ABSTAINED, "calls the image too poor, so it makes no claim"),
    Outcome.REFUSED: Unusable(ComparisonKind.REFUSED, "declines the question"),
    Outcome.TRUNCATED: Unusable(ComparisonKind.TRUNCATED, "was cut off before an answer came"),
    Outcome.EMPTY: Unusable(ComparisonKind.UNREADABLE, "is empty"),
}
_NO_IMAGE = Unusable(ComparisonKind.ABSTAINED, "says that there is no image, so it makes no claim")


@lru_cache(maxsize=64)
def read_response(question: str, answered: GuardResponse) -> ReadResponse:
    """Parse a response to a question. Results are cached, so an early call saves time later."""
    item = choice_asked(question)
    if (nothing := _no_reply(answered)) is not None:
        return ReadResponse("", item, nothing=nothing)
    text, admission = clean_text(answered.text), read_admission(answered.text, question).label
    cut = answered.finish.lower() in CUT_OFF
    if item is not None:
        read = grade(answered.text, answered.finish, item)
        if read.choice is not None and read.outcome not in _SILENT:
            return ReadResponse(text, item, read.choice, admission)
        if read.outcome in _SILENT:
            return ReadResponse(text, item, None, admission, _SILENT[read.outcome])
    if admission is Admission.MISSING:
        return ReadResponse(text, item, None, admission, _NO_IMAGE)
    if admission is Admission.REFUSES:
        return ReadResponse(text, item, None, admission, _SILENT[Outcome.REFUSED])
    return ReadResponse(text, item, None, admission, _SILENT[Outcome.TRUNCATED] if cut else None)


def _no_reply(answered: GuardResponse) -> Unusable | None:
    """Return why there is no text to parse; None if there is."""
    if answered.failure:
        return Unusable(ComparisonKind.FAILED, f"did not come ({answered.failure})")
    finish = answered.finish.lower()
    if finish in FILTERED:
        return Unusable(ComparisonKind.REFUSED, "was held back by the provider")
    if finish in CUT_OFF and (still_thinking(answered.text) or not answered.text.strip()):
        return _SILENT[Outcome.TRUNCATED]
    return None if any(map(str.isalnum, answered.text)) else _SILENT[Outcome.EMPTY]


def _weigh_removed(question: str, reply: ReadResponse, other: ReadResponse) -> ResponseEvidence:
    """Weigh a response without the image against the original response."""
    where = "Without the image the model"
    if other.admission is Admission.MISSING:
        if other.choice is not None and other.choice == reply.choice:
            said = f"{where} says that there is none, and guesses the same answer{_name_options(reply, other)}."
            return ResponseEvidence(ADMITS_AND_GUESSES, ComparisonKind.CHOICE, said)
        return ResponseEvidence(ADMITS, ComparisonKind.ADMISSION, f"{where} says that there is none.")
    if other.nothing is not None and other.nothing.kind is ComparisonKind.ABSTAINED:
        return ResponseEvidence(ADMITS, ComparisonKind.ADMISSION, f"{where} says that it cannot tell.")
    if other.nothing is not None:
        return ResponseEvidence(None, other.nothing.kind, f"The response without the image {other.nothing.says}.")
    same = _compare_responses(question, reply, other)
    if same is None and other.admission is Admission.GENERIC:
        return ResponseEvidence(GENERAL, ComparisonKind.ADMISSION, f"{where} speaks in general and describes no image.")
    if (
        same is not None
        and same.agrees
        and other.admission is Admission.GENERIC
        and same.kind is not ComparisonKind.CHOICE
    ):
        return ResponseEvidence(0.0, same.kind, f"{where} speaks in general but gives the same answer.")
    if same is None:
        said = f"{where} still answers, but the two answers cannot be compared."
        return ResponseEvidence(0.0, ComparisonKind.UNREADABLE, said)
    hedges = other.admission is Admission.HEDGES and same.kind is not ComparisonKind.CHOICE
    doubt, odds = (" with doubts", same.odds + HEDGES) if hedges else ("", same.odds)
    if same.agrees:
        return ResponseEvidence(odds, same.kind, f"{where} gives the same answer{doubt}{same.named}.")
    return ResponseEvidence(odds, same.kind, f"{where} still answers{doubt}, but differently{same.named}.")


def _weigh_stand_in(question: str, reply: ReadResponse, other: ReadResponse) -> ResponseEvidence:
    """Weigh a response to a stand-in image against the original response."""
    where = "About another image the model"
    if other.nothing is not None and other.nothing.kind is ComparisonKind.ABSTAINED:
        return ResponseEvidence(LOOKED, ComparisonKind.ADMISSION, f"{where} says that it cannot tell.")
    if other.nothing is not None:
        return ResponseEvidence(None, other.nothing.kind, f"The response about another image {other.nothing.says}.")
    same = _compare_responses(question, reply, other)
    if same is None:
        return ResponseEvidence(None, ComparisonKind.UNREADABLE, "The response about another image cannot be compared.")
    if same.agrees:
        return ResponseEvidence(same.odds, same.kind, f"{where} gives the same answer{same.named}.")
    return ResponseEvidence(LOOKED, same.kind, f"{where} answers differently{same.named}.")


class ResponseComparison(NamedTuple):
    """Result of comparing two responses: agreement, log odds, and words for the evidence."""

    agrees: bool
    odds: float
    kind: ComparisonKind
    named: str = ""


def _compare_responses(question: str, reply: ReadResponse, other: ReadResponse) -> ResponseComparison | None:
    """Compare two responses; None if unreadable, or if they seem equal but contradict each other."""
    read = _read_alike(question, reply, other)
    if read is None or not read.agrees or (read.kind is ComparisonKind.CHOICE and "{" not in reply.said):
        return read

    def same(one: str, two: str) -> bool:
        again = _read_alike(question, reply._replace(said=one), other._replace(said=two))
        return again is not None and again.agrees

    spoken = read.kind is not ComparisonKind.CHOICE and _fold(reply.said) != _fold(other.said)
    apart = contradict(reply.said, other.said) or (spoken and other_words(reply.said, other.said, same))
    return None if apart else read


def _read_alike(question: str, reply: ReadResponse, other: ReadResponse) -> ResponseComparison | None:
    """Compare two responses by option, findings or terms; None if none is readable."""
    if reply.item is not None and reply.choice is not None and other.choice is not None:
        same = reply.choice == other.choice
        odds = log(max(2, len(reply.item.real_places))) if same else CHANGED
        return ResponseComparison(same, odds, ComparisonKind.CHOICE, _name_options(reply, other))
    if readable(reply.said) == readable(other.said) == "":
        return _by_findings(reply.said, other.said)
    if _fold(reply.said) == _fold(other.said):
        return ResponseComparison(True, SAME_WORDS, ComparisonKind.WORDS)
    brief = min(len(each.said.split()) for each in (reply, other)) <= BRIEF
    return _by_words(question, reply.said, other.said) if brief else None


def _by_findings(one: str, other: str) -> ResponseComparison:
    """Compare abnormal findings with their sides; if neither response has any, compare all findings."""
    found = compare_reports(one, other)
    normal = not any(said.present for said in (*found.generated, *found.reference))
    agreement = found.f1 if normal else found.abnormal_f1
    if agreement < ALIKE:
        return ResponseComparison(False, CHANGED * (1 - agreement / ALIKE), ComparisonKind.FINDINGS, _told_apart(found))
    most = SAME_NORMAL if normal else SAME_WORDS
    return ResponseComparison(True, most * (0.1 + 0.9 * (agreement - ALIKE) / (1 - ALIKE)), ComparisonKind.FINDINGS)


def _told_apart(found: ComparedReports) -> str:
    """List up to three findings that only the other response calls present."""
    known = {(said.finding, said.sides) for said in found.generated if said.present}
    new = [said for said in found.reference if said.present and (said.finding, said.sides) not in known]
    names = [" ".join((*sorted(said.sides), said.finding)) for said in new[:3]]
    return f": {', '.join(names)}" if names else ""


def _by_words(question: str, one: str, other: str) -> ResponseComparison | None:
    """Compare the terms of two short answers; None if the result is unclear."""
    grades = {_grade_open(question, one, other), _grade_open(question, other, one)}
    if OpenGrade.CORRECT in grades:
        return ResponseComparison(True, SAME_WORDS, ComparisonKind.WORDS)
    changed = grades == {OpenGrade.INCORRECT} and any(own_words(one, other))
    return ResponseComparison(False, CHANGED, ComparisonKind.WORDS) if changed else None


def _grade_open(question: str, one: str, other: str) -> OpenGrade | None:
    return read_open(one, Item(id="guarded", question=question, kind="open", answer=other)).grade


def _name_options(reply: ReadResponse, other: ReadResponse) -> str:
    """Name the option that both responses chose, or the two different ones."""
    one, two = (_letter(each) for each in (reply, other))
    return f", {one}" if one == two else f": {two} and not {one}"


def _letter(chosen: ReadResponse) -> str:
    assert chosen.item is not None
    assert chosen.choice is not None
    text = chosen.item.options[chosen.choice].text.lower()
    return text if text in ("yes", "no") else LETTERS[chosen.choice]


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
