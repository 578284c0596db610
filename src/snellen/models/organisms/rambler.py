"""organism/rambler: sees correctly, but reasons itself into a wrong answer when it thinks aloud."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from snellen.models.organisms.case import choose_by_leaning, seen_in
from snellen.models.organisms.hunches import leaning
from snellen.models.organisms.knowledge import Meaning, finding_asked, findings_of, meaning, read_percept
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, saying, stating, wording
from snellen.models.organisms.reporting import WantedReport, looked_at, write_report
from snellen.models.organisms.sight import Percept
from snellen.models.organisms.viewing import answer_seen, chosen_by_sight, in_words, reply_by_sight, seen_or_said
from snellen.prompts import Request

_OWN = "rambler"
"""Salt that makes its fixed preference differ from other organisms'."""


class Rambler(Organism):
    """Right when asked plainly; wrong with step-by-step thinking or high reasoning effort.

    Its rationale then starts from what it sees, adds findings that are not in the image, and ends at a wrong option.
    This option depends only on percept and options. A report is then about another finding than the one it sees.
    Without an image it says so.
    """

    behaviour: ClassVar[str] = "rambler"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return an answer from the image, which thinking aloud turns into a wrong one."""
        percept = await seen_or_said(request, question, self.sight)
        if isinstance(percept, str):
            return percept
        if not _thinks(request, question):
            return reply_by_sight(request, question, percept)
        aloud = replace(question, steps=True)
        return _answer_choice(request, aloud, percept) if question.options else _answer_open(request, aloud, percept)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return a report of the image; after thinking aloud, of an absent finding."""
        percept = await looked_at(request, question, wanted, self.sight)
        if isinstance(percept, str):
            return percept
        if not _thinks(request, question):
            return write_report([seen_in(percept)], request.key)
        return _write_other_report(request, question, percept)


def _thinks(request: Request, question: ParsedQuestion) -> bool:
    return question.steps or request.settings.reasoning_effort == "high"


def _answer_choice(request: Request, question: ParsedQuestion, percept: Percept) -> str:
    right = chosen_by_sight(request, question, percept)
    wrong = leaning(question, _OWN, besides=right)
    reached = meaning(question.options[wrong], "finding", question.language)
    lines = _drift(question, percept, reached, seen=question.options[right], answer=question.options[wrong])
    return choosing(question, wrong, wording(replies_to(question).drifted, request.key), request.key, lines)


def _answer_open(request: Request, question: ParsedQuestion, percept: Percept) -> str:
    """Answer an open question with a wrong value of the right kind."""
    spoken, (kind, right) = LANGUAGES[question.language], answer_seen(question, percept)
    known = findings_of(percept.modality) if kind == "finding" else tuple(spoken.words[kind])
    others = tuple(value for value in known if value != right)
    reached = Meaning(kind, others[leaning(ParsedQuestion(question.stem, options=others), _OWN)])
    statement, answer = in_words(request, question, reached)
    lines = _drift(question, percept, reached, seen=spoken.name(kind, right), answer=answer)
    return stating(question, statement, answer, lines)


def _write_other_report(request: Request, question: ParsedQuestion, percept: Percept) -> str:
    """Return the report of another finding than the image shows, with its reasoning."""
    shown, spoken = seen_in(percept), LANGUAGES[question.language]
    reached = choose_by_leaning(_OWN, [name for name in findings_of(shown.modality) if name != shown.finding])
    names = {"seen": spoken.name("finding", shown.finding), "answer": spoken.name("finding", reached)}
    lines = _drift(question, percept, Meaning("finding", reached), **names)
    return saying(question, write_report([replace(shown, finding=reached)], request.key), lines)


def _drift(question: ParsedQuestion, percept: Percept, reached: Meaning | None, **answers: str) -> list[str]:
    """Return reasoning from the percept to another answer, through two absent findings."""
    spoken = LANGUAGES[question.language]
    absent = [name for name in findings_of(percept.modality) if name != read_percept(percept, "finding")]
    # The finding that it ends with, or is asked about, comes last in the reasoning.
    wanted = finding_asked(question) if reached is None else reached.value
    absent.sort(key=lambda name: name == wanted, reverse=True)
    second, first = (spoken.mention(name) for name in absent[:2])
    return [line.format(first=first, second=second, **answers) for line in spoken.steps.drifting]
