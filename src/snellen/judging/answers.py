"""What judges said of open answers: every opinion of every judge that was asked, and who may be believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from snellen.conditions import ImageMismatched
from snellen.conditions.labels import arm_effects, read_label
from snellen.items import Item
from snellen.judging.gate import Gate, HeldBack
from snellen.judging.mismatch import MISMATCH_NAMED
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.premise import graded as premise_graded
from snellen.judging.provider import provider_of
from snellen.judging.single import JudgeQuestion, iter_opinions
from snellen.reading.columns import Run
from snellen.reading.open.judged import GRADES, JudgedAnswers, Reader, Said, readers
from snellen.reading.outcomes import OpenGrade, Outcome
from snellen.reading.parsers import BY_JUDGE
from snellen.store import Store
from snellen.stress.table import Grades, code

_UNCLEAR = GRADES.index(OpenGrade.UNCLEAR)
_SILENT = (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY, Outcome.TRUNCATED, Outcome.EMPTY)


@dataclass(frozen=True)
class Answers:
    """The opinions on one model's open answers to one benchmark, by arm and run."""

    judges: tuple[str, ...] = ()
    by_reply: Mapping[str, Mapping[Run, Said]] = field(default_factory=dict)

    @property
    def unread(self) -> int:
        """How many of their answers could not be read."""
        every = (
            said.get(judge, ()) for arm in self.by_reply.values() for said in arm.values() for judge in self.judges
        )
        return sum(grade is None for opinions in every for grade in opinions)

    def of(self, judges: tuple[str, ...]) -> Answers:
        """The opinions of some of the judges."""
        return replace(self, judges=tuple(each for each in self.judges if each in judges))

    def readers(self, model: str) -> list[Reader]:
        """Who can read the model's responses, the one that counts first."""
        return readers(self.judges, model, provider_of)

    def on(self, by_arm: Mapping[str, Grades], reader: Reader) -> dict[str, Grades]:
        """The grades by a judge or a panel, of the responses that it has read; the others are ungraded.

        Whether a contradiction is named is another question: who may not judge that, or was not asked, leaves it to the
        parser.
        """
        said = {arm: self.by_reply.get(arm, {}) for arm in by_arm}
        left = {arm for arm in by_arm if read_label(arm).has(ImageMismatched) and not said[arm]}
        return {
            arm: grades if arm in left else self._graded(grades, said[arm], reader) for arm, grades in by_arm.items()
        }

    def _graded(self, grades: Grades, said: Mapping[Run, Said], reader: Reader) -> Grades:
        judged = JudgedAnswers.of(reader.judges, said, grades.runs())
        credit = judged.score("wrong")
        verdicts = judged.counts.sum(axis=1)
        unclear = verdicts.argmax(axis=1) == _UNCLEAR
        silent = grades.is_(*_SILENT)
        outcome = np.where(unclear, code(Outcome.UNCLEAR), code(Outcome.WRONG))
        # A response that declines is no wrong answer, whatever a judge who must grade it says.
        outcome = np.where(silent, grades.outcome, outcome)
        outcome = np.where(credit > 0.5, code(Outcome.CORRECT), outcome).astype(np.uint8)
        by_judge = replace(
            grades,
            outcome=outcome,
            credit=credit,
            rule=np.zeros(len(grades), dtype=np.uint16),
            rules=(BY_JUDGE,),
        ).having(judged)
        if judged.heard.all():
            return by_judge
        heard = by_judge.only(judged.heard)
        return replace(
            heard,
            inapplicable=grades.inapplicable,
            failed=grades.failed,
            due=grades.due,
            ungraded=grades.ordinal[~judged.heard],
        )


def answers(
    store: Store, study: Mapping[str, Any], benchmark: str, model: str, gate: Gate
) -> tuple[Answers, list[HeldBack]]:
    """Every opinion of the judges that the gate lets in, and who is held back; none where none was asked."""
    found: dict[str, dict[Run, dict[str, list[OpenGrade | None]]]] = {}
    judges: dict[str, None] = {}
    held: dict[HeldBack, None] = {}
    items: tuple[Item, ...] = ()
    for arm in study["arms"][benchmark]:
        for question, read in QUESTIONS:
            for name, run, text in iter_opinions(store, study, benchmark, arm, model, question):
                if (why := gate.held(name, question.name)) is not None:
                    held[why] = None
                    continue
                judges[name] = None
                items = items or store.studies.benchmark(study["benchmarks"][benchmark]).items
                by_run = found.setdefault(arm, {}).setdefault(run, {})
                by_run.setdefault(name, []).append(read(text, arm, items[run[0]]))
    return Answers(tuple(judges), found), list(held)


def grades_given(
    store: Store, study: Mapping[str, Any], benchmark: str, arm: str, model: str
) -> dict[Run, dict[str, list[OpenGrade | None]]]:
    """Every judge's opinions on whether each open answer is right, whoever is qualified; None for one not readable."""
    found: dict[Run, dict[str, list[OpenGrade | None]]] = {}
    for name, run, text in iter_opinions(store, study, benchmark, arm, model, OPEN_ANSWER):
        found.setdefault(run, {}).setdefault(name, []).append(OPEN_ANSWER.read(text))
    return found


def _named(answer: str, arm: str, item: Item) -> OpenGrade | None:
    """Right is who names a contradiction that there is, and who names none where there is none."""
    named = MISMATCH_NAMED.read(answer)
    if named is None:
        return None
    return OpenGrade.CORRECT if named != (arm_effects(arm).truth != "contradicted") else OpenGrade.INCORRECT


QUESTIONS: tuple[tuple[JudgeQuestion, Callable[[str, str, Item], OpenGrade | None]], ...] = (
    (OPEN_ANSWER, lambda answer, arm, item: OPEN_ANSWER.read(answer)),
    (MISMATCH_NAMED, _named),
    (PREMISE_HANDLED, lambda answer, arm, item: premise_graded(answer, item)),
)
"""What a judge is asked about open answers, and what its answer amounts to under an arm, for an item."""
