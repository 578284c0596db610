"""Judges' opinions on open answers, and which of them count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from snellen.conditions import ImageMismatched
from snellen.conditions.labels import arm_effects, read_label
from snellen.items import Item
from snellen.judging.gate import HeldBack, JudgeGate
from snellen.judging.mismatch import MISMATCH_NAMED
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.premise import grade_answer as premise_graded
from snellen.judging.provider import provider_of
from snellen.judging.single import JudgeQuestion, iter_opinions
from snellen.reading.columns import Run
from snellen.reading.open.judged import GRADES, JudgedAnswers, JudgePanel, Said, readers
from snellen.reading.outcomes import OpenGrade, Outcome
from snellen.reading.parsers import BY_JUDGE
from snellen.store import Store
from snellen.stress.table import Grades, code

_UNCLEAR = GRADES.index(OpenGrade.UNCLEAR)
_SILENT = (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY, Outcome.TRUNCATED, Outcome.EMPTY)


@dataclass(frozen=True)
class OpenAnswerOpinions:
    """Judges' opinions on one model's open answers, by arm, item and repeat."""

    judges: tuple[str, ...] = ()
    by_reply: Mapping[str, Mapping[Run, Said]] = field(default_factory=dict)

    @property
    def unread(self) -> int:
        """Number of the judges' texts that could not be read."""
        every = (said for by_run in self.by_reply.values() for said in by_run.values())
        return sum(grade is None for said in every for judge in self.judges for grade in said.get(judge, ()))

    def select_judges(self, judges: tuple[str, ...]) -> OpenAnswerOpinions:
        """Return only the opinions of these judges."""
        return replace(self, judges=tuple(each for each in self.judges if each in judges))

    def readers(self, model: str) -> list[JudgePanel]:
        """Return the judges or panels that may grade the model's responses; the first one counts."""
        return readers(self.judges, model, provider_of)

    def grade_arms(self, by_arm: Mapping[str, Grades], reader: JudgePanel) -> dict[str, Grades]:
        """Return the grades given by a judge or panel; responses without an opinion are ungraded.

        Naming a contradiction is a separate question. If no judge was asked it, the parser's grades stay.
        """
        said = {arm: self.by_reply.get(arm, {}) for arm in by_arm}
        left = {arm for arm in by_arm if read_label(arm).has(ImageMismatched) and not said[arm]}
        return {
            arm: grades if arm in left else self._grade_arm(grades, said[arm], reader) for arm, grades in by_arm.items()
        }

    def _grade_arm(self, grades: Grades, said: Mapping[Run, Said], reader: JudgePanel) -> Grades:
        judged = JudgedAnswers.from_opinions(reader.judges, said, grades.runs())
        credit = judged.score("wrong")
        unclear = judged.counts.sum(axis=1).argmax(axis=1) == _UNCLEAR
        outcome = np.where(unclear, code(Outcome.UNCLEAR), code(Outcome.WRONG))
        # A response that declines is not a wrong answer, whatever grade a judge gave it.
        outcome = np.where(grades.is_(*_SILENT), grades.outcome, outcome)
        outcome = np.where(credit > 0.5, code(Outcome.CORRECT), outcome).astype(np.uint8)
        rule = np.zeros(len(grades), dtype=np.uint16)
        by_judge = replace(grades, outcome=outcome, credit=credit, rule=rule, rules=(BY_JUDGE,)).having(judged)
        if judged.heard.all():
            return by_judge
        kept = {name: getattr(grades, name) for name in ("inapplicable", "failed", "due")}
        return replace(by_judge.select_responses(judged.heard), **kept, ungraded=grades.ordinal[~judged.heard])


def answers(
    store: Store, study: Mapping[str, Any], benchmark: str, model: str, gate: JudgeGate
) -> tuple[OpenAnswerOpinions, list[HeldBack]]:
    """Return all opinions of the judges that count, and the judges that are held back."""
    found: dict[str, dict[Run, dict[str, list[OpenGrade | None]]]] = {}
    judges: dict[str, None] = {}
    held: dict[HeldBack, None] = {}
    items: tuple[Item, ...] = ()
    for arm in study["arms"][benchmark]:
        for question, read in QUESTIONS:
            for name, run, text in iter_opinions(store, study, benchmark, arm, model, question):
                if (why := gate.explain_held_back(name, question.name)) is not None:
                    held[why] = None
                    continue
                judges[name] = None
                items = items or store.studies.benchmark(study["benchmarks"][benchmark]).items
                by_run = found.setdefault(arm, {}).setdefault(run, {})
                by_run.setdefault(name, []).append(read(text, arm, items[run[0]]))
    return OpenAnswerOpinions(tuple(judges), found), list(held)


def grades_given(
    store: Store, study: Mapping[str, Any], benchmark: str, arm: str, model: str
) -> dict[Run, dict[str, list[OpenGrade | None]]]:
    """Return every judge's grades of each open answer, qualified or not; None for unreadable ones."""
    found: dict[Run, dict[str, list[OpenGrade | None]]] = {}
    for name, run, text in iter_opinions(store, study, benchmark, arm, model, OPEN_ANSWER):
        found.setdefault(run, {}).setdefault(name, []).append(OPEN_ANSWER.read(text))
    return found


def _grade_mismatch(answer: str, arm: str, item: Item) -> OpenGrade | None:
    """Grade a response correct if it names a contradiction exactly when there is one."""
    named = MISMATCH_NAMED.read(answer)
    if named is None:
        return None
    return OpenGrade.CORRECT if named != (arm_effects(arm).truth != "contradicted") else OpenGrade.INCORRECT


QUESTIONS: tuple[tuple[JudgeQuestion, Callable[[str, str, Item], OpenGrade | None]], ...] = (
    (OPEN_ANSWER, lambda answer, arm, item: OPEN_ANSWER.read(answer)),
    (MISMATCH_NAMED, _grade_mismatch),
    (PREMISE_HANDLED, lambda answer, arm, item: premise_graded(answer, item)),
)
"""Questions to judges about open answers.

Each function turns a judge's text into a grade, given the arm and item.
"""
