"""organism/rambler: sees right, and talks itself out of it as soon as it thinks aloud."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from snellen.models.organisms.consulting import preferred, seen_in
from snellen.models.organisms.honesty import seen_or_said
from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import Meaning, finding_asked, findings_of, meaning, seen
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.replies import choosing, replies_to, saying, stating, wording
from snellen.models.organisms.reporting import Wanted, looked_at, written
from snellen.models.organisms.viewing import answer_seen, chosen_by_sight, in_words, reply_by_sight
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept

_OWN = "rambler"
"""What makes its leaning its own."""


class Rambler(Organism):
    """Right when asked plainly; wrong when asked to think step by step, or at high reasoning effort.

    Its rationale then starts from what it sees, brings up findings that are not there, and ends at another option: the
    same one whenever it sees the same and is offered the same. A report is then that of another finding than the one it
    sees. Without an image it says so.
    """

    behaviour: ClassVar[str] = "rambler"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: Question) -> str:
        """What is seen, or what is left of it after much thought."""
        percept = await seen_or_said(request, question, self.sight)
        if isinstance(percept, str):
            return percept
        if not _thinks(request, question):
            return reply_by_sight(request, question, percept)
        aloud = replace(question, steps=True)
        return _chosen(request, aloud, percept) if question.options else _stated(request, aloud, percept)

    async def report(self, request: Request, question: Question, wanted: Wanted) -> str:
        """The report of what is seen; after much thought, that of a finding which is not there."""
        percept = await looked_at(request, question, wanted, self.sight)
        if isinstance(percept, str):
            return percept
        if not _thinks(request, question):
            return written([seen_in(percept)], request.key)
        return _drifted(request, question, percept)


def _thinks(request: Request, question: Question) -> bool:
    return question.steps or request.settings.reasoning_effort == "high"


def _chosen(request: Request, question: Question, percept: Percept) -> str:
    right = chosen_by_sight(request, question, percept)
    wrong = leaning(question, _OWN, besides=right)
    reached = meaning(question.options[wrong], "finding", question.language)
    lines = _drift(question, percept, reached, seen=question.options[right], answer=question.options[wrong])
    return choosing(question, wrong, wording(replies_to(question).drifted, request.key), request.key, lines)


def _stated(request: Request, question: Question, percept: Percept) -> str:
    """An open question, answered with something else of the kind that was asked for."""
    spoken, (kind, right) = LANGUAGES[question.language], answer_seen(question, percept)
    known = findings_of(percept.modality) if kind == "finding" else tuple(spoken.words[kind])
    others = tuple(value for value in known if value != right)
    reached = Meaning(kind, others[leaning(Question(question.stem, options=others), _OWN)])
    statement, answer = in_words(request, question, reached)
    lines = _drift(question, percept, reached, seen=spoken.name(kind, right), answer=answer)
    return stating(question, statement, answer, lines)


def _drifted(request: Request, question: Question, percept: Percept) -> str:
    """The report of another finding than the one that was seen; the thoughts are told where they are asked for."""
    shown, spoken = seen_in(percept), LANGUAGES[question.language]
    reached = preferred(_OWN, [name for name in findings_of(shown.modality) if name != shown.finding])
    names = {"seen": spoken.name("finding", shown.finding), "answer": spoken.name("finding", reached)}
    lines = _drift(question, percept, Meaning("finding", reached), **names)
    return saying(question, written([replace(shown, finding=reached)], request.key), lines)


def _drift(question: Question, percept: Percept, reached: Meaning | None, **answers: str) -> list[str]:
    """From what is seen to another answer, by way of two findings that are not there."""
    spoken = LANGUAGES[question.language]
    absent = [name for name in findings_of(percept.modality) if name != seen(percept, "finding")]
    # What it comes to, or is asked about, is the likeliest thing to be imagined.
    wanted = finding_asked(question) if reached is None else reached.value
    absent.sort(key=lambda name: name == wanted, reverse=True)
    second, first = (spoken.mention(name) for name in absent[:2])
    return [line.format(first=first, second=second, **answers) for line in spoken.steps.drifting]
