"""Weak artefacts: does the diagnosis survive in a degraded but readable image?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

import numpy as np

from snellen.papers.artefacts.tests.arms import ALL_ARTEFACTS, design_at, present
from snellen.papers.artefacts.tests.detection_measures import (
    KINDS,
    by_quality,
    changes,
    gradable,
    mean_accuracy,
    of_detection,
)
from snellen.stats import percent_change
from snellen.stress.base import Analysis, Expectation, Measure, Status, StressTest, Verdict
from snellen.stress.conclusions import Measures, leave_to_chance, loses_nothing, worst
from snellen.stress.measures import differences, mean_of, of_arm, right
from snellen.stress.table import Table


def weak_artefacts(*artefacts: str, prompt: str = "", scale: str = "kept") -> StressTest:
    """Build the test with these artefacts (`noise`, `blur`, `noise/motion`…), by default the paper's five.

    `prompt` is one of the paper's strategies, `standard`, `structured` or `cot`; by default the study's own prompt.
    `scale=stretched` saves the images as the paper did.
    """
    asks = "On an image with an artefact that the paper calls weak, does the model still get it right?"
    return StressTest(
        design_at("weak", asks, artefacts, prompt=prompt, scale=scale),
        Analysis(Expectation.INVARIANT, measure=measure, conclude=conclude),
        present("accurate on poorer images?", prompt),
    )


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure accuracies, rates and changes per arm, over all artefacts and by image quality."""
    every, table = table, gradable(table)
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
        yield from of_detection(arm.name, table)
    for arm in test.compared:
        yield from differences(test.baseline.name, arm.name, table)
        yield from changes(test.baseline.name, arm.name, table)
    yield from mean_accuracy([arm.name for arm in test.compared], ALL_ARTEFACTS, table)
    yield from _over_all(test, table)
    yield from by_quality(test.baseline.name, every)


def _over_all(test: StressTest, table: Table) -> Iterator[Measure]:
    """Mean relative change over all artefacts, averaged per item."""
    if len(test.compared) < 2 or not len(table.arms.get(test.baseline.name, ())):
        return
    before = right(table, test.baseline.name)
    after = mean_of(*(right(table, arm.name) for arm in test.compared))
    there = np.flatnonzero(np.isfinite(before) & np.isfinite(after))
    if len(there):
        found = percent_change(before[there], after[there], clusters=table.clusters[there])
        if isfinite(found.value):
            yield Measure(ALL_ARTEFACTS, KINDS["percent_change"], found)


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if no artefact costs accuracy; the worst artefact decides."""
    costs = {arm: measures.get((arm.name, "difference")) for arm in test.compared}
    order = sorted(costs, key=lambda arm: cost.estimate.value if (cost := costs[arm]) else 0.0)
    found = worst([loses_nothing(test, arm, measures) for arm in order])
    if found.status is Status.FAIL:
        return replace(found, meaning="it loses accuracy on poorer images")
    if found.rests_on is None:
        return found
    words, ending = "on the original images", ", so it has nothing to lose"
    return leave_to_chance(test, measures, found.numbers, words, found.rests_on, ending) or found
