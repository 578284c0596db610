"""A package of somebody else's: a stress test with a measure of its own, and a chapter with a figure of its own.

[project.entry-points."snellen.stress"]
second-look = "second_look:TEST"
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from snellen import Condition, Expectation, Item, StressTest
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
    """The usual numbers, and how often the answer stays."""
    own, arm = test.baseline.name, test.compared[0].name
    measures = [each for name in (own, arm) for each in of_arm(name, table)]
    if own not in table.arms or arm not in table.arms:
        return measures
    changed = table.moved(own, arm)
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
    name="second-look",
    asks="Asked to look again, does the model keep its answer?",
    arms=(AskedToLookAgain(),),
    expects=Expectation.INVARIANT,
    headline=KEPT.name,
    measuring=measure,
    concluding=conclude,
    chapter="second_look.chapter:CHAPTER",
)
