"""Reasoning tokens: what shows that a model took the effort that it was asked with, and did not ignore it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from snellen.prompts import Arm, effort_in_words
from snellen.stats import mean, median
from snellen.stress.base import Kind, Measure, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures
from snellen.stress.table import PerItem, Table

TOKENS, CHANGE = "reasoning_tokens", "reasoning_tokens_change"
KINDS = by_name(
    Kind(TOKENS, "reasoning tokens of a response (median)", Unit.NUMBER, parser=""),
    Kind(CHANGE, "change in reasoning tokens with the effort (mean)", Unit.NUMBER, parser=""),
)


def token_measures(test: StressTest, table: Table) -> Iterator[Measure]:
    """The median of each arm that sets an effort and whose tokens are counted, and the change from effort to effort."""
    for arm in test.all_arms:
        found = _counted(arm, table)
        if found is not None:
            yield Measure(arm.name, KINDS[TOKENS], median(found.value))
    for arm, other in other_efforts(test).items():
        before, after = (_counted(each, table) for each in (other, arm))
        if before is not None and after is not None and len((pairs := table.paired(before, after)).ordinal):
            yield Measure(arm.name, KINDS[CHANGE], mean(pairs.second - pairs.first, clusters=pairs.clusters))


def other_efforts(test: StressTest) -> Mapping[Arm, Arm]:
    """For each arm that differs from an earlier one in its effort, that earlier one: of its condition if there is one.

    Where every condition has another effort, the baseline.
    """
    found: dict[Arm, Arm] = {}
    for place, arm in enumerate(test.all_arms):
        alike = (each for each in test.all_arms[:place] if _but_effort(each) == _but_effort(arm))
        other = next(alike, test.baseline)
        if arm.effort and other.effort and arm.effort != other.effort:
            found[arm] = other
    return found


def _but_effort(arm: Arm) -> Arm:
    return replace(arm, settings=arm.settings and (replace(arm.settings, reasoning_effort=None)))


def _counted(arm: Arm, table: Table) -> PerItem | None:
    """Per item, the mean of its reasoning tokens; None where the arm sets no effort or nobody counted."""
    grades = table.arms.get(arm.name)
    if not arm.effort or grades is None or not len(grades.reasoning_tokens):
        return None
    known = np.isfinite(grades.reasoning_tokens)
    return table.means(grades.ordinal[known], grades.reasoning_tokens[known])


def with_tokens(verdict: Verdict, test: StressTest, measures: Measures) -> Verdict:
    """The verdict of a test that sets efforts, with what shows that they were taken, or that nothing does."""
    counted = _medians(test, measures)
    medians = ", ".join(f"{value:,.0f} at {effort_in_words(effort)}" for effort, value in counted.items())
    told = filter(None, (medians and f"median reasoning tokens {medians}", doubt(test, measures)))
    return replace(verdict, numbers="; ".join((verdict.numbers, *told))) if verdict.numbers else verdict


def doubt(test: StressTest, measures: Measures) -> str:
    """Why it is not shown that the model took the efforts of a test, in words; "" where it is, or it sets none."""
    counted = _medians(test, measures)
    if not any(arm.effort for arm in test.all_arms):
        return ""
    if not counted:
        return "no reasoning tokens are counted, so nothing shows that the effort was taken"
    differing = other_efforts(test)
    if any(_no_change(measures.get((arm.name, CHANGE))) for arm in differing):
        return "the efforts cannot be told apart by the reasoning tokens, so the setting may have been ignored"
    if not differing and not any(counted.values()) and "none" not in counted:
        return "no response has reasoning tokens, so the effort may have been ignored"
    return ""


def _medians(test: StressTest, measures: Measures) -> Mapping[str, float]:
    """The median of each effort's conditions, where tokens are counted."""
    found: dict[str, list[float]] = {}
    for arm in test.all_arms:
        if arm.effort and (arm.name, TOKENS) in measures:
            found.setdefault(arm.effort, []).append(measures[arm.name, TOKENS].estimate.value)
    return {effort: float(np.median(values)) for effort, values in found.items()}


def _no_change(change: Measure | None) -> bool:
    return change is None or change.estimate.low <= 0 <= change.estimate.high
