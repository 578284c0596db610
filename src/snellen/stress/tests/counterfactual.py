"""Counterfactual images: if the finding were gone or elsewhere, would the answer follow?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from snellen.conditions import FindingMoved, FindingRemoved
from snellen.conditions.counterfactual import FindingChanged
from snellen.items import Item
from snellen.reading.outcomes import Outcome
from snellen.runtime import counted
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import differences, of_arm, share
from snellen.stress.table import PerItem, Table

FOLLOWS, KEEPS, NEITHER, ALIKE = "follows_finding_rate", "keeps_answer_rate", "neither_rate", "alike_rate"
KINDS = by_name(
    Kind(FOLLOWS, "right about the changed image, of the questions that are right about the original", Unit.SHARE),
    Kind(KEEPS, "the old answer to the changed image, of the questions that are right about the original", Unit.SHARE),
    Kind(NEITHER, "neither the old nor the new right answer, of the questions right about the original", Unit.SHARE),
    Kind(ALIKE, "pairs of images that are answered alike", Unit.SHARE),
)
HALF = 0.5
"""A question with repeats counts as right if at least this share of its responses is."""


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure how often the answer follows the finding, stays, or does neither.

    Also measure how often both images of a pair are answered alike, which needs no answer key.
    """
    own, arm = test.baseline.name, test.compared[0].name
    for each in test.all_arms:
        yield from of_arm(each.name, table)
    yield from differences(own, arm, table)
    if not (len(table.arms.get(own, ())) and len(table.arms.get(arm, ()))):
        return
    follows, keeps = table.arms[arm].is_(Outcome.CORRECT), table.keeps_original_answer(arm)
    before = table.share(own, [Outcome.CORRECT])
    for name, marked in ((FOLLOWS, follows), (KEEPS, keeps & ~follows), (NEITHER, ~(follows | keeps))):
        pairs = table.pair_items(before, table.rate(arm, marked))
        right = pairs.first >= HALF
        if right.any():
            yield Measure(arm, KINDS[name], share(table, PerItem(pairs.ordinal[right], pairs.second[right])))
    moved = table.moved(own, arm)
    if len(moved.ordinal):
        yield Measure(arm, KINDS[ALIKE], share(table, PerItem(moved.ordinal, 1 - moved.value)))


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report the shares without a verdict."""
    arm = test.compared[0].name
    alike, follows = measures.get((arm, ALIKE)), measures.get((arm, FOLLOWS))
    if alike is None:
        return leave_open("nothing-asked", "", "no question has such an image of the same patient with an answer")
    numbers = f"{rate_of(alike.estimate)} of {counted(alike.estimate.n, 'pair')} of images are answered alike"
    if follows is None:
        return Verdict(Status.REPORTED, numbers, rests_on=alike)
    three = [measures[arm, name].estimate for name in (FOLLOWS, KEEPS, NEITHER)]
    parts = "{} follow the finding, {} keep the old answer, {} do neither".format(*map(rate_of, three))
    of = counted(follows.estimate.n, "question")
    return Verdict(Status.REPORTED, f"of {of} right about the original, {parts}; {numbers}", rests_on=follows)


def _has_counterpart(change: str, item: Item) -> bool:
    """Return True if the item has an image of the same patient with this change."""
    return any(each.change == change for each in item.substitutes)


def _build(condition: FindingChanged, question: str, heading: str) -> StressTest:
    return StressTest(
        Design(condition.name, question, arms=(condition,), concerns=partial(_has_counterpart, condition.change)),
        Analysis(Expectation.CHANGE, headline=FOLLOWS, measure=measure, conclude=conclude),
        Presentation(heading),
    )


REMOVED = _build(
    FindingRemoved(),
    "If the finding were removed from the image and nothing else changed, would the answer follow?",
    "follows the finding when it is gone?",
)
MOVED = _build(
    FindingMoved(),
    "If the finding were elsewhere in the image and nothing else changed, would the answer follow?",
    "follows the finding when it moves?",
)
