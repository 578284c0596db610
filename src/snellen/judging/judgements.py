"""Judgements: all opinions of judges on one model's responses, and which judges count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.judging.admission import ADMISSION, with_flags
from snellen.judging.answers import OpenAnswerOpinions, answers
from snellen.judging.choice import STATED, Stated
from snellen.judging.gate import HeldBack, JudgeGate
from snellen.judging.mismatch import MISMATCH_NAMED
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.opinions import ResponseOpinion, opinions, with_opinions
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.quality import QUALITY, QualityOpinion, with_classes
from snellen.judging.rubric import VERSION as RATIONALES_VERSION
from snellen.judging.single import JudgeOpinions, load_opinions
from snellen.store import Store
from snellen.stress.table import Grades


class Judgements(NamedTuple):
    """Judges' opinions on one model's responses to one benchmark, by question."""

    rationales: JudgeOpinions[ResponseOpinion]
    classes: JudgeOpinions[QualityOpinion]
    admissions: JudgeOpinions[bool]
    stated: JudgeOpinions[Stated]
    answers: OpenAnswerOpinions = OpenAnswerOpinions()
    held_back: tuple[HeldBack, ...] = ()
    """Judges whose opinions are left out: their agreement with raters is unknown or too low."""

    @property
    def judge(self) -> str:
        """Name of the judge; empty if no judge was asked."""
        return next((each.judge for each in self[:4] if each.judge), ", ".join(self.answers.judges))

    @property
    def unread(self) -> int:
        """Number of the judges' texts that could not be read."""
        return sum(each.unread for each in self[:5])

    def list_needed(self, arm: str) -> list[str]:
        """Return the parsers whose readings of an arm also get the judge's opinions."""
        by_parser: dict[str, JudgeOpinions[Any]] = {"claims": self.rationales, "quality": self.classes}
        return [parser for parser, said in by_parser.items() if arm in said.by_reply]

    def add_opinions(self, by_arm: Mapping[str, Grades]) -> dict[str, Grades]:
        """Return the grades with the judges' opinions added to their columns."""
        added = {}
        for arm, grades in by_arm.items():
            classed = with_classes(grades, self.classes.by_reply.get(arm, {}))
            added[arm] = with_flags(classed, self.admissions.by_reply.get(arm, {}))
        return with_opinions(added, self.rationales)


RATIONALES = "rationale"
VERSIONS = {
    RATIONALES: RATIONALES_VERSION,
    **{each.name: each.version for each in (QUALITY, ADMISSION, STATED, OPEN_ANSWER, MISMATCH_NAMED, PREMISE_HANDLED)},
}
"""Version of the wording of each question to a judge."""


def gate_of(store: Store, *, unqualified: bool = False) -> JudgeGate:
    """Return the gate of a store: which judges count; all of them if unqualified ones are allowed."""
    return JudgeGate.from_store(store, versions=VERSIONS, unqualified=unqualified)


def judgements(
    store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str], gate: JudgeGate
) -> Judgements:
    """Return the latest judge's opinions on a model; empty without a judge.

    For open answers, the opinions of every judge are returned. Judges held back by the gate are left out and listed.
    """
    questions = (QUALITY, ADMISSION, STATED)
    said = [opinions(store, study, benchmark, model)]
    said += [load_opinions(each, store, study, benchmark, model[0]) for each in questions]
    by_name = zip((RATIONALES, *(each.name for each in questions)), said, strict=True)
    held = [gate.explain_held_back(each.judge, name) if each.judge else None for name, each in by_name]
    kept: list[Any] = [JudgeOpinions() if why else each for why, each in zip(held, said, strict=True)]
    rationales, classes, admissions, stated = kept
    graded, others = answers(store, study, benchmark, model[0], gate)
    return Judgements(rationales, classes, admissions, stated, graded, (*filter(None, held), *others))
