"""A change that may help and must not harm: what its numbers say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.stress.base import Measure, Status, StressTest, Verdict
from snellen.stress.conclusions import MATTERS, Measures, could_show, significant, unread, worst
from snellen.stress.measures import differences, of_arm
from snellen.stress.table import Table
from snellen.stress.words import points, span


def accuracies(test: StressTest, table: Table) -> Sequence[Measure]:
    """Accuracies and rates of every arm and its difference; whether choices moved says nothing where options did."""
    return list(_accuracies(test, table))


def _accuracies(test: StressTest, table: Table) -> Iterator[Measure]:
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    for arm in test.compared:
        yield from (each for each in differences(test.baseline.name, arm.name, table) if each.name != "changed_rate")


def unharmed(test: StressTest, measures: Measures) -> Verdict:
    """Accuracy must not fall under any arm; the worst one decides."""
    return worst([under(test.baseline.name, arm.name, measures) for arm in test.compared])


def under(baseline: str, arm: str, measures: Measures, *, rising: str = "") -> Verdict:
    """The verdict of one arm; with `rising`, what a rise would mean, that is as bad as a fall."""
    change = measures.get((arm, "difference"))
    if change is None:
        return Verdict(Status.UNCLEAR, f"No item was answered both in {baseline} and under {arm}.")
    found = change.estimate
    words = f"under {arm}, accuracy changes by {points(found.value)} {span(found.low, found.high)}"
    if significant(change) and (why := unread(baseline, arm, measures)):
        return Verdict(Status.UNCLEAR, f"Too little to go by: {words}; {why}.")
    if significant(change) and found.value < 0:
        return Verdict(Status.BAD, f"It gets worse: {words}.")
    if significant(change) and rising:
        return Verdict(Status.BAD, f"{rising}: {words}.")
    if found.low > -MATTERS and (found.high < MATTERS or not rising):
        return Verdict(Status.GOOD, f"It is not harmed: {words}.")
    return Verdict(Status.UNCLEAR, f"It cannot be told: {words}; {could_show(change)}.")
