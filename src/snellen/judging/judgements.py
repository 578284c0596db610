"""Judgements: everything that judges said of one model's responses, and who of them may be believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.judging.admission import ADMISSION, with_flags
from snellen.judging.answers import Answers, answers
from snellen.judging.choice import STATED, Stated
from snellen.judging.gate import Gate, HeldBack
from snellen.judging.mismatch import MISMATCH_NAMED
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.opinions import Opinions, opinions, with_opinions
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.quality import QUALITY, QualityOpinion, with_classes
from snellen.judging.rubric import VERSION as RATIONALES_VERSION
from snellen.judging.single import Said, said
from snellen.store import Store
from snellen.stress.table import Grades


class Judgements(NamedTuple):
    """What a judge said of one model's replies to one benchmark, question by question."""

    rationales: Opinions
    classes: Said[QualityOpinion]
    admissions: Said[bool]
    stated: Said[Stated]
    answers: Answers = Answers()
    held_back: tuple[HeldBack, ...] = ()
    """The judges whose opinions are not among these, because nobody knows how far people agree with them."""

    @property
    def judge(self) -> str:
        """Whom they are of; empty where no judge was asked."""
        said = (self.rationales, self.classes, self.admissions, self.stated)
        return next((each.judge for each in said if each.judge), ", ".join(self.answers.judges))

    @property
    def unread(self) -> int:
        """How many answers could not be read."""
        said = (self.rationales, self.classes, self.admissions, self.stated, self.answers)
        return sum(each.unread for each in said)

    def list_needed(self, arm: str) -> list[str]:
        """The parsers whose columns hold what a judge said of the responses of an arm."""
        said = {"claims": any(at[0] == arm for at in self.rationales.by_reply), "quality": arm in self.classes.by_reply}
        return [parser for parser, any_said in said.items() if any_said]

    def on(self, by_arm: Mapping[str, Grades]) -> dict[str, Grades]:
        """The grades, with the opinions in the columns that there are."""
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
"""The words of each question to a judge, by the version that they are known by."""


def gate_of(store: Store, *, unqualified: bool = False) -> Gate:
    """Which judges of a store may be believed; all of them where unqualified ones are allowed."""
    return Gate.of(store, versions=VERSIONS, unqualified=unqualified)


def judgements(
    store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str], gate: Gate
) -> Judgements:
    """What the judge that was asked last said of a model, by name and revision; nothing where none was.

    Of open answers every judge counts. What the gate holds back is left out and named.
    """
    of = (benchmark, model)
    by_last = (
        (RATIONALES, opinions(store, study, benchmark, model)),
        (QUALITY.name, said(QUALITY, store, study, of)),
        (ADMISSION.name, said(ADMISSION, store, study, of)),
        (STATED.name, said(STATED, store, study, of)),
    )
    held = [gate.held(each.judge, question) if each.judge else None for question, each in by_last]
    kept: list[Any] = [each if why is None else type(each)() for why, (_, each) in zip(held, by_last, strict=True)]
    graded, others = answers(store, study, benchmark, model[0], gate)
    rationales, classes, admissions, stated = kept
    left_out = (*filter(None, held), *others)
    return Judgements(rationales, classes, admissions, stated, graded, left_out)
