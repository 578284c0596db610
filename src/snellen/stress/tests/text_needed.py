"""Text needed: accuracy that remains after image, context and question are removed in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import isfinite

import numpy as np

from snellen.conditions import IMAGE_REMOVED, OPTIONS_ONLY, QUESTION_ONLY, QuestionOnly
from snellen.prompts import Arm
from snellen.stats import Estimate
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, describe_silence, interval, needs_image, percent, span
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import (
    KEPT,
    KEPT_ANSWERED,
    differences,
    margins_over_chance,
    measure_share_kept,
    of_arm,
    paired_change,
    right,
)
from snellen.stress.table import Table

GUESSED, STEP, LEFT = "chance", "step_change", "left_above_chance"
KINDS = by_name(
    Kind(GUESSED, "accuracy by guessing", Unit.SHARE, parser=""),
    Kind(STEP, "change in accuracy from the step before", Unit.POINTS),
    Kind(LEFT, "accuracy above guessing with the options alone", Unit.POINTS),
)


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure accuracy, chance and share kept at every step, and the change at each step."""
    steps = [arm.name for arm in test.all_arms if not arm.condition.hides_options]
    for arm in test.all_arms:
        # guessing needs options that are shown
        yield from (each for each in of_arm(arm.name, table) if arm.name in steps or each.name != "above_chance")
    for name in (each for each in steps if len(table.arms.get(each, ()))):
        asked = np.unique(table.arms[name].ordinal)
        chance = float(table.chance[asked].mean())
        yield Measure(name, KINDS[GUESSED], Estimate(chance, chance, chance, len(asked), "one-over-options"))
    for arm in test.compared:
        yield from differences(test.baseline.name, arm.name, table)
        yield from measure_share_kept(test.baseline.name, arm.name, table) if arm.name in steps else ()
    for before, after in pairwise(steps):
        if (change := paired_change(table, right(table, before), right(table, after))) is not None:
            yield Measure(after, KINDS[STEP], change)
    yield from margins_over_chance(test.compared[-1].name, table, KINDS[LEFT])


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Decide by the share kept with the options alone; report the other steps."""
    *_, last = test.compared
    found = needs_image(test, last, measures)
    if found.rests_on is None:
        return found
    parts = (_describe_score(test, last, found, measures), _list_steps(test, measures))
    return replace(found, numbers="; ".join(filter(None, parts)))


def _describe_score(test: StressTest, arm: Arm, found: Verdict, measures: Measures) -> str:
    """Compare the last step's accuracy with chance; add the share kept if answers allow it."""
    accuracy, chance = (measures[arm.name, name].estimate for name in ("accuracy", GUESSED))
    ends = interval(accuracy.low, accuracy.high, 0)
    said = f"{arm.in_words}, accuracy is {percent(accuracy.value)} ({ends}; chance {percent(chance.value)})"
    if found.rests_on is None or found.rests_on.name != KEPT or not isfinite(found.rests_on.estimate.value):
        return said
    share, limit = found.rests_on.estimate, test.thresholds.image_dependence
    if found.status is Status.INCONCLUSIVE and (share.low > limit or share.high < limit):
        return said  # the share is clear, and only missing answers leave the verdict open
    ends, missing = span(share.low, share.high), _describe_missing_answers(arm, measures)
    if share.value <= 0:
        return f"{said}: nothing above chance is left {ends}{missing}"
    of = "all" if share.value >= 1 else percent(share.value)
    return f"{said}: {of} of the accuracy above chance {ends} needs neither question nor image{missing}"


def _describe_missing_answers(arm: Arm, measures: Measures) -> str:
    """Describe how responses without an answer count, and the result without them."""
    if not (said := describe_silence(measures, arm.name)):
        return ""
    answered = measures.get((arm.name, KEPT_ANSWERED))
    if answered is None or not isfinite(answered.estimate.value):
        return said
    return f"{said} ({percent(answered.estimate.value)} on the {answered.estimate.n} answered under both conditions)"


def _list_steps(test: StressTest, measures: Measures) -> str:
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
