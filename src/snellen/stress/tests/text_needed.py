"""Text needed: how much of the score is left when image, story and question go, one after the other?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import isfinite

import numpy as np

from snellen.conditions import IMAGE_REMOVED, OPTIONS_ONLY, QUESTION_ONLY, QuestionOnly
from snellen.prompts import Arm
from snellen.reading.outcomes import Outcome
from snellen.stats import Estimate, paired_difference
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, describe_silence, interval, needs_image, percent, span
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import (
    ANSWERED,
    KEPT,
    KEPT_ANSWERED,
    detectable_margin,
    differences,
    kept,
    not_by_luck,
    of_arm,
    right,
)
from snellen.stress.table import PerItem, Table

GUESSED, STEP, LEFT = "chance", "step_change", "left_above_chance"
KINDS = by_name(
    Kind(GUESSED, "accuracy by guessing", Unit.SHARE, parser=""),
    Kind(STEP, "change in accuracy from the step before", Unit.POINTS),
    Kind(LEFT, "accuracy above guessing with the options alone", Unit.POINTS),
)


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """The accuracy of every step beside guessing, what it keeps of the baseline's, and what each step costs."""
    steps = [arm.name for arm in test.all_arms if not arm.condition.hides_options]
    for arm in test.all_arms:
        # nobody can guess among options that are not shown
        yield from (each for each in of_arm(arm.name, table) if arm.name in steps or each.name != "above_chance")
    for name in steps:
        yield from _guessed(name, table)
    for arm in test.compared:
        yield from differences(test.baseline.name, arm.name, table)
        yield from kept(test.baseline.name, arm.name, table) if arm.name in steps else ()
    for before, after in pairwise(steps):
        yield from _step(before, after, table)
    yield from _left(test.compared[-1].name, table)


def _guessed(arm: str, table: Table) -> Iterator[Measure]:
    if len(table.arms.get(arm, ())):
        asked = np.unique(table.arms[arm].ordinal)
        chance = float(table.chance[asked].mean())
        yield Measure(arm, KINDS[GUESSED], Estimate(chance, chance, chance, len(asked), "one-over-options"))


def _step(before: str, after: str, table: Table) -> Iterator[Measure]:
    """The change from one step to the next, on the questions that were asked at both."""
    one, two = right(table, before), right(table, after)
    there = np.flatnonzero(np.isfinite(one) & np.isfinite(two))
    if len(there):
        found = paired_difference(one[there], two[there], clusters=table.clusters[there])
        yield Measure(after, KINDS[STEP], found)


def _left(arm: str, table: Table) -> Iterator[Measure]:
    """The margin over guessing at the last step, with a p that holds for lucky guesses."""
    margin = next((each for each in of_arm(arm, table) if each.name == "above_chance"), None)
    if margin is not None:
        asked = np.unique(table.arms[arm].ordinal)
        hits = table.share(arm, [Outcome.CORRECT], among=ANSWERED)
        found = not_by_luck(margin.estimate, hits, table.chance[hits.ordinal])
        detectable = detectable_margin(table, PerItem(asked, table.chance[asked]))
        yield Measure(arm, KINDS[LEFT], found, detectable=detectable)


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """By what is kept of the accuracy above chance with the options alone; the other steps are told."""
    *_, last = test.compared
    found = needs_image(test, last, measures)
    if found.rests_on is None:
        return found
    parts = (_score(test, last, found, measures), _ladder(test, measures))
    return replace(found, numbers="; ".join(filter(None, parts)))


def _score(test: StressTest, arm: Arm, found: Verdict, measures: Measures) -> str:
    """The accuracy of the last step beside chance, and the share that it keeps, where silence does not make it."""
    accuracy, chance = (measures[arm.name, name].estimate for name in ("accuracy", GUESSED))
    ends = interval(accuracy.low, accuracy.high, 0)
    said = f"{arm.in_words}, accuracy is {percent(accuracy.value)} ({ends}; chance {percent(chance.value)})"
    rests_on = found.rests_on
    if rests_on is None or rests_on.name != KEPT or _only_by_silence(test, found, rests_on.estimate):
        return said
    share = rests_on.estimate
    if not isfinite(share.value):
        return said
    ends = span(share.low, share.high)
    if share.value <= 0:
        return f"{said}: nothing above chance is left {ends}{_silence(arm, measures)}"
    of = "all" if share.value >= 1 else percent(share.value)
    return f"{said}: {of} of the accuracy above chance {ends} needs neither question nor image{_silence(arm, measures)}"


def _only_by_silence(test: StressTest, found: Verdict, share: Estimate) -> bool:
    """Whether the share lies on one side of the threshold and yet decides nothing, since too few are answered."""
    limit = test.thresholds.image_dependence
    return found.status is Status.INCONCLUSIVE and (share.low > limit or share.high < limit)


def _silence(arm: Arm, measures: Measures) -> str:
    """How responses without an answer count, and what is left without them, where there are any."""
    if not (said := describe_silence(measures, arm.name)):
        return ""
    answered = measures.get((arm.name, KEPT_ANSWERED))
    if answered is None or not isfinite(answered.estimate.value):
        return said
    return f"{said} ({percent(answered.estimate.value)} on the {answered.estimate.n} answered both ways)"


def _ladder(test: StressTest, measures: Measures) -> str:
    """The steps before the last, each with its accuracy; those that were asked of other questions say of how many."""
    whole = measures[test.compared[-1].name, "accuracy"].estimate.n
    steps = []
    for arm in test.all_arms[:-1]:
        if (found := measures.get((arm.name, "accuracy"))) is not None:
            n = f" (n {found.estimate.n})" if found.estimate.n != whole else ""
            steps.append(f"{percent(found.estimate.value)} {arm.in_words}{n}")
    return f"accuracy was {', '.join(steps)}"


TEST = StressTest(
    Design(
        "text-needed",
        "If the model neither read the question nor saw the image, would its score show it?",
        arms=(IMAGE_REMOVED, QUESTION_ONLY, QuestionOnly(options="hidden"), OPTIONS_ONLY),
    ),
    Analysis(Expectation.WORSE, headline=LEFT, measure=measure, conclude=conclude),
    Presentation(
        "score needs the question?",
        "Expected: with the options alone, most of the accuracy above chance is lost. The test fails if surely more "
        "than {image_dependence} of it is kept, and passes if surely less is. This is about the score: a model that "
        "reads the text and never looks passes it, too.",
        in_steps=True,
    ),
)
