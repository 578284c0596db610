"""A stress test with a measure of its own, and a chapter with a figure of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from snellen import Analysis, Condition, Design, Expectation, Item, Presentation, StressTest
from snellen.conditions import Drawn, Effects
from snellen.stress.base import Kind, Measure, Status, Unit, Verdict
from snellen.stress.conclusions import Measures, rate_of
from snellen.stress.measures import of_arm, share
from snellen.stress.table import PerItem, Table


@dataclass(frozen=True)
class AskedToLookAgain(Condition):
    """The same question, with a request to look at the image again."""

    name: ClassVar[str] = "look-again"
    declared: ClassVar[Effects] = Effects(text="changed")

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The question and the request."""
        return replace(item, question=f"{item.question} Look at the image again.")


KEPT = Kind("kept_rate", "keeps its answer when asked to look again", Unit.SHARE, grouped=True)


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """The usual numbers, and how often the answer stays; nothing of a condition that was not asked."""
    before, arm = test.baseline.name, test.compared[0].name
    measures = [each for name in (before, arm) for each in of_arm(name, table)]
    if not {before, arm} <= table.arms.keys():
        return measures
    changed = table.moved(before, arm)
    kept = PerItem(changed.ordinal, 1 - changed.value)
    return [*measures, Measure(arm, KEPT, share(table, kept))] if len(kept.ordinal) else measures


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Most answers should stay."""
    kept = measures.get((test.compared[0].name, KEPT.name))
    if kept is None:
        return Verdict(Status.INCONCLUSIVE, meaning="nothing was answered twice")
    rate = kept.estimate
    numbers = f"{rate_of(rate)} of its answers stay"
    return Verdict(Status.PASS if rate.low > 0.5 else Status.INCONCLUSIVE, numbers, rests_on=kept)


TEST = StressTest(
    Design("second-look", "Asked to look again, does the model keep its answer?", arms=(AskedToLookAgain(),)),
    Analysis(Expectation.INVARIANT, headline=KEPT.name, measure=measure, conclude=conclude),
    Presentation(chapter="ward.second_look_chapter:CHAPTER"),
)
