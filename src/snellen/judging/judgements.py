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
from snellen.judging.opinions import Opinions, opinions, with_opinions
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.quality import QUALITY, QualityOpinion, with_classes
from snellen.judging.rubric import VERSION as RATIONALES_VERSION
from snellen.judging.single import JudgeOpinions, load_opinions
from snellen.store import Store
from snellen.stress.table import Grades


class Judgements(NamedTuple):
    """Judges' opinions on one model's responses to one benchmark, by question."""

    rationales: Opinions
    classes: JudgeOpinions[QualityOpinion]
    admissions: JudgeOpinions[bool]
    stated: JudgeOpinions[Stated]
    answers: OpenAnswerOpinions = OpenAnswerOpinions()
    held_back: tuple[HeldBack, ...] = ()
    """Judges whose opinions are left out: their agreement with raters is unknown or too low."""

    @property
    def judge(self) -> str:
        """Name of the judge; empty if no judge was asked."""
        said = (self.rationales, self.classes, self.admissions, self.stated)
        return next((each.judge for each in said if each.judge), ", ".join(self.answers.judges))

    @property
    def unread(self) -> int:
        """Number of the judges' texts that could not be read."""
        said = (self.rationales, self.classes, self.admissions, self.stated, self.answers)
        return sum(each.unread for each in said)

    def list_needed(self, arm: str) -> list[str]:
        """Return the parsers whose columns receive the judge's opinions on an arm."""
        said = {"claims": any(at[0] == arm for at in self.rationales.by_reply), "quality": arm in self.classes.by_reply}
        return [parser for parser, any_said in said.items() if any_said]

    def add_opinions(self, by_arm: Mapping[str, Grades]) -> dict[str, Grades]:
        """Return the grades with the judges' opinions added to their columns."""
        told = {
            arm: with_flags(
                with_classes(grades, self.classes.by_reply.get(arm, {})), self.admissions.by_reply.get(arm, {})
            )
            for arm, grades in by_arm.items()
        }
        return with_opinions(told, self.rationales)


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
    of = (benchmark, model)
    by_last = (
        (RATIONALES, opinions(store, study, benchmark, model)),
        (QUALITY.name, load_opinions(QUALITY, store, study, of)),
        (ADMISSION.name, load_opinions(ADMISSION, store, study, of)),
        (STATED.name, load_opinions(STATED, store, study, of)),
    )
    held = [gate.explain_held_back(each.judge, question) if each.judge else None for question, each in by_last]
    kept: list[Any] = [each if why is None else type(each)() for why, (_, each) in zip(held, by_last, strict=True)]
    graded, others = answers(store, study, benchmark, model[0], gate)
    rationales, classes, admissions, stated = kept
    left_out = (*filter(None, held), *others)
    return Judgements(rationales, classes, admissions, stated, graded, left_out)
