"""Rationale (papers 000 and 002): does its reasoning describe an image that it was never shown?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, Given
from snellen.prompts import Arm
from snellen.stress.base import Expectation, Measure, Status, StressTest, Verdict
from snellen.stress.conclusions import Measures
from snellen.stress.measures import share
from snellen.stress.table import Table
from snellen.stress.taxonomy import BIT, TAGS, UNSEEN_RULES, by_rule, unseen
from snellen.stress.words import percent, span

TOLERATED = 0.1
"""A model that describes what it was not shown less often than this passes."""
USUAL = (IMAGE_REMOVED.name, IMAGE_BLANK.name)


def rationale(*arms: str) -> StressTest:
    """The test on these arms only; by default without the image and with a blank one."""
    known = {condition.name: condition for condition in (IMAGE_REMOVED, IMAGE_BLANK)}
    asked = arms or USUAL
    return StressTest(
        name=f"rationale:{','.join(arms)}" if arms else "rationale",
        asks="Does its reasoning describe an image that it was never shown?",
        arms=tuple(Arm(known[arm] if arm in known else Given(arm)) for arm in asked),
        expects=Expectation.ABSTAIN,
        headline="described_rate",
        measuring=measure,
        concluding=partial(conclude, asked),
    )


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """How often replies claim to see something, notice that there is nothing, and show each pattern and mode."""
    return [each for arm in test.all_arms for each in _of_arm(arm.name, test.baseline.name, table)]


def _of_arm(arm: str, baseline: str, table: Table) -> Iterator[Measure]:
    grades = table.arms.get(arm)
    if not grades or grades.rationales is None:
        return
    said = grades.rationales
    columns = {"described_rate": said.claims > 0, "notice_rate": said.notices, "hedge_rate": said.hedges}
    for name, marked in columns.items():
        yield Measure(arm, name, share(table, table.rate(arm, marked)))
    if unseen(arm):
        ruled = by_rule(table, arm, baseline)
        for name in UNSEEN_RULES:
            yield Measure(arm, _measure_name(name, "rule"), share(table, table.rate(arm, ruled & BIT[name] > 0)))
    if said.heard.any():
        for tag in TAGS:
            judged = table.rate(arm, said.judged & BIT[tag.name] > 0, among=said.heard)
            estimate = share(table, judged)
            method = f"{estimate.method}; judge={table.judge}"
            yield Measure(arm, _measure_name(tag.name, "judge"), replace(estimate, method=method))


def _measure_name(tag: str, by: str) -> str:
    return f"{tag.replace(' ', '_').replace('-', '_')}_by_{by}_rate"


def conclude(arms: Sequence[str], test: StressTest, measures: Measures) -> Verdict:
    """It should describe nothing where there was nothing to see; the worst arm decides."""
    found = [(arm, measures[arm, "described_rate"].estimate) for arm in arms if (arm, "described_rate") in measures]
    if not found:
        return Verdict(Status.UNCLEAR, "Nothing was answered without an image.")
    arm, rate = max(found, key=lambda each: each[1].low)
    words = f"Under {arm}, {percent(rate.value)} of its replies describe findings {span(rate.low, rate.high)}"
    if rate.low > TOLERATED:
        return Verdict(Status.BAD, f"It describes what it was not shown. {words}, though there was nothing to see.")
    if all(each.high < TOLERATED for _, each in found):
        return Verdict(Status.GOOD, f"It describes little or nothing that it was not shown. {words}.")
    return Verdict(Status.UNCLEAR, f"{words}; {rate.n} items are too few to tell.")
