"""What every test measures of its arms: accuracies, rates, and the paired difference from the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from snellen.grading.verdicts import Outcome
from snellen.stats import Estimate, minimum_detectable_effect, paired_difference, proportion, wilson
from snellen.stress.base import Measure, StressTest
from snellen.stress.table import PerItem, Table

ANSWERED = (Outcome.CORRECT, Outcome.WRONG)

RATES = {
    "abstention_rate": Outcome.ABSTAINED,
    "refusal_rate": Outcome.REFUSED,
    "flagged_quality_rate": Outcome.FLAGGED_QUALITY,
    "unparsed_rate": Outcome.UNPARSED,
    "truncated_rate": Outcome.TRUNCATED,
}


def standard_measures(test: StressTest, table: Table) -> Sequence[Measure]:
    """Accuracies and rates of every arm, and each arm's difference from the baseline, item by item."""
    measures = [measure for arm in test.all_arms for measure in of_arm(arm.name, table)]
    for arm in test.compared:
        measures += differences(test.baseline.name, arm.name, table)
    return measures


def of_arm(arm: str, table: Table) -> Iterator[Measure]:
    """Accuracies, rates and the margin over chance of one arm; a reply that chose nothing is credited with a guess."""
    grades = table.arms.get(arm)
    if grades is not None and grades.wanted:
        yield Measure(arm, "missing_rate", wilson(grades.missing, grades.wanted))
    if not grades:
        return
    correct = table.share(arm, [Outcome.CORRECT])
    yield Measure(arm, "accuracy", _proportion(table, correct))
    answered = table.share(arm, [Outcome.CORRECT], among=ANSWERED)
    if len(answered.ordinal):
        yield Measure(arm, "accuracy_answered", _proportion(table, answered))
    for name, outcome in RATES.items():
        yield Measure(arm, name, _proportion(table, table.share(arm, [outcome])))
    chance = table.chance[correct.ordinal]
    chosen = table.share(arm, ANSWERED)
    credited = PerItem(correct.ordinal, correct.value + (1 - chosen.value) * chance)
    yield Measure(arm, "above_chance", _difference(table, PerItem(correct.ordinal, chance), credited))


def differences(baseline: str, arm: str, table: Table) -> Iterator[Measure]:
    """Over the items that have both: the arm's accuracy minus the baseline's, and how often the choice moved."""
    if not (len(table.arms.get(baseline, ())) and len(table.arms.get(arm, ()))):
        return
    before = table.share(baseline, [Outcome.CORRECT])
    after = table.share(arm, [Outcome.CORRECT])
    pairs = table.paired(before, after)
    if not len(pairs.ordinal):
        return
    estimate = _difference(table, before, after)
    discordance = max(float(np.mean(pairs.first != pairs.second)), 1 / len(pairs.ordinal))
    effect = minimum_detectable_effect(len(pairs.ordinal), discordance=discordance)
    yield Measure(arm, "difference", estimate, detectable=effect if effect <= 1 else None)
    changed = table.changed(baseline, arm)
    if len(changed.ordinal):
        yield Measure(arm, "changed_rate", _proportion(table, changed))


def _proportion(table: Table, values: PerItem) -> Estimate:
    estimate = proportion(values.value, clusters=table.clusters[values.ordinal])
    return replace(estimate, method=f"{estimate.method}; reader={table.reader}")


def _difference(table: Table, before: PerItem, after: PerItem) -> Estimate:
    pairs = table.paired(before, after)
    estimate = paired_difference(pairs.first, pairs.second, clusters=pairs.clusters)
    return replace(estimate, method=f"{estimate.method}; reader={table.reader}")
