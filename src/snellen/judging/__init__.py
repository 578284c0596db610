"""Judging: another model reads the rationales of one question side by side, and says what rules cannot know.

What it says is its opinion, shown as such. It never learns the right answer: whether a response was right is known
without it, and joined to its opinion afterwards. Only where the answer is in words (`open_answer`) is it shown the
reference, since it is asked whether the two agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.judging.admission import ADMISSION, flagged, with_flags
from snellen.judging.choice import STATED, Stated, settled
from snellen.judging.choice import read as read_stated
from snellen.judging.opinions import Opinions, opinions, with_opinions
from snellen.judging.quality import QUALITY, QualityOpinion, with_classes
from snellen.judging.quality import read as read_judged
from snellen.judging.single import Said, said
from snellen.judging.source import JudgeSource
from snellen.store import Store
from snellen.stress.table import Grades
from snellen.stress.taxonomy import DESCRIBES

__all__ = ["DESCRIBES", "JudgeSource", "Judgements", "judgements", "opinions", "settled"]


class Judgements(NamedTuple):
    """What a judge said of one model's replies to one benchmark, question by question."""

    rationales: Opinions
    classes: Said[QualityOpinion]
    admissions: Said[bool]
    stated: Said[Stated]

    @property
    def judge(self) -> str:
        """Whom they are of; empty where no judge was asked."""
        return next((each.judge for each in self if each.judge), "")

    @property
    def unread(self) -> int:
        """How many answers could not be read."""
        return sum(each.unread for each in self)

    def on(self, by_arm: Mapping[str, Grades]) -> dict[str, Grades]:
        """The grades, with the opinions in the columns that there are."""
        told = {
            arm: with_flags(
                with_classes(grades, self.classes.by_reply.get(arm, {})), self.admissions.by_reply.get(arm, {})
            )
            for arm, grades in by_arm.items()
        }
        return with_opinions(told, self.rationales)


def judgements(store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]) -> Judgements:
    """What the judge that was asked last said of a model, by name and revision; nothing where none was."""
    of = (benchmark, model)
    return Judgements(
        opinions(store, study, benchmark, model),
        said(QUALITY, read_judged, store, study, of),
        said(ADMISSION, flagged, store, study, of),
        said(STATED, read_stated, store, study, of),
    )
