"""Text needed: accuracy that remains after image, context and question are removed in turn."""

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
    measure_share_kept,
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
    """Measure accuracy, chance and share kept at every step, and the change at each step."""
    steps = [arm.name for arm in test.all_arms if not arm.condition.hides_options]
    for arm in test.all_arms:
        # guessing needs options that are shown
        yield from (each for each in of_arm(arm.name, table) if arm.name in steps or each.name != "above_chance")
    for name in steps:
        yield from _measure_chance(name, table)
    for arm in test.compared:
        yield from differences(test.baseline.name, arm.name, table)
        yield from measure_share_kept(test.baseline.name, arm.name, table) if arm.name in steps else ()
    for before, after in pairwise(steps):
        yield from _measure_step(before, after, table)
    yield from _measure_margin_left(test.compared[-1].name, table)


def _measure_chance(arm: str, table: Table) -> Iterator[Measure]:
    if len(table.arms.get(arm, ())):
        asked = np.unique(table.arms[arm].ordinal)
        chance = float(table.chance[asked].mean())
        yield Measure(arm, KINDS[GUESSED], Estimate(chance, chance, chance, len(asked), "one-over-options"))


def _measure_step(before: str, after: str, table: Table) -> Iterator[Measure]:
    one, two = right(table, before), right(table, after)
    there = np.flatnonzero(np.isfinite(one) & np.isfinite(two))
    if len(there):
        found = paired_difference(one[there], two[there], clusters=table.clusters[there])
        yield Measure(after, KINDS[STEP], found)


def _measure_margin_left(arm: str, table: Table) -> Iterator[Measure]:
    """Measure the margin over guessing at the last step, with the p-value against guessing."""
    margin = next((each for each in of_arm(arm, table) if each.name == "above_chance"), None)
    if margin is not None:
        asked = np.unique(table.arms[arm].ordinal)
        hits = table.share(arm, [Outcome.CORRECT], among=ANSWERED)
        found = not_by_luck(margin.estimate, hits, table.chance[hits.ordinal])
        detectable = detectable_margin(table, PerItem(asked, table.chance[asked]))
        yield Measure(arm, KINDS[LEFT], found, detectable=detectable)


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
    rests_on = found.rests_on
    if rests_on is None or rests_on.name != KEPT or _is_open_for_lack_of_answers(test, found, rests_on.estimate):
        return said
    share = rests_on.estimate
    if not isfinite(share.value):
        return said
    ends, missing = span(share.low, share.high), _describe_missing_answers(arm, measures)
    if share.value <= 0:
        return f"{said}: nothing above chance is left {ends}{missing}"
    of = "all" if share.value >= 1 else percent(share.value)
    return f"{said}: {of} of the accuracy above chance {ends} needs neither question nor image{missing}"


def _is_open_for_lack_of_answers(test: StressTest, found: Verdict, share: Estimate) -> bool:
    """Return True if only missing answers leave the verdict open, although the share is clear."""
    limit = test.thresholds.image_dependence
    return found.status is Status.INCONCLUSIVE and (share.low > limit or share.high < limit)


def _describe_missing_answers(arm: Arm, measures: Measures) -> str:
    """Describe how responses without an answer count, and the result without them."""
    if not (said := describe_silence(measures, arm.name)):
        return ""
    answered = measures.get((arm.name, KEPT_ANSWERED))
    if answered is None or not isfinite(answered.estimate.value):
        return said
    return f"{said} ({percent(answered.estimate.value)} on the {answered.estimate.n} answered under both conditions)"


def _list_steps(test: StressTest, measures: Measures) -> str:
    """List the earlier steps with their accuracy and number of questions."""
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
