"""What judges said of open answers: every opinion of every judge that was asked, and who may be believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from snellen.grading.columns import Run
from snellen.grading.open.judged import GRADES, JudgedAnswers, Reader, Said, readers
from snellen.grading.outcomes import OpenGrade, Outcome
from snellen.grading.parsers import BY_JUDGE
from snellen.judging.open_answer import OPEN_ANSWER, read
from snellen.judging.provider import provider_of
from snellen.judging.single import counts
from snellen.judging.source import OPINIONS
from snellen.store import Store
from snellen.stress.table import Grades, code

MOST_OPINIONS = 100
_UNCLEAR = GRADES.index(OpenGrade.UNCLEAR)


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
        """The grades by a judge or a panel, of the responses that it has read; the others are missing."""
        return {arm: self._graded(grades, self.by_reply.get(arm, {}), reader) for arm, grades in by_arm.items()}

    def _graded(self, grades: Grades, said: Mapping[Run, Said], reader: Reader) -> Grades:
        judged = JudgedAnswers.of(self.judges, _known(said, self.judges), grades.runs()).by(reader.judges)
        credit = judged.score("wrong")
        verdicts = judged.counts.sum(axis=1)
        unclear = verdicts.argmax(axis=1) == _UNCLEAR
        silent = grades.is_(Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY, Outcome.TRUNCATED)
        outcome = np.where(unclear, code(Outcome.UNPARSED), code(Outcome.WRONG))
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
        return replace(heard, inapplicable=grades.inapplicable, failed=grades.failed, wanted=grades.wanted)


def _known(said: Mapping[Run, Said], judges: tuple[str, ...]) -> dict[Run, Said]:
    return {run: {name: given for name, given in each.items() if name in judges} for run, each in said.items()}


def answers(store: Store, study: Mapping[str, Any], benchmark: str, model: str) -> Answers:
    """Every opinion that any judge gave; none where none was asked."""
    found: dict[str, dict[Run, dict[str, list[OpenGrade | None]]]] = {}
    judges: dict[str, None] = {}
    for arm in study["arms"][benchmark]:
        for opinion in range(MOST_OPINIONS):
            given = store.judgements(OPEN_ANSWER.digest(study, benchmark, arm, model, opinion))
            if not given and opinion >= OPINIONS:
                break
            for name, ordinal, replicate, text, _ in given:
                if counts(study, benchmark, ordinal, replicate):
                    judges[name] = None
                    by_run = found.setdefault(arm, {}).setdefault((ordinal, replicate), {})
                    by_run.setdefault(name, []).append(read(text))
    return Answers(tuple(judges), found)
