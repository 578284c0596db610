"""Reasoning tokens: evidence that a model used the requested effort."""

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
    """Measure the median tokens of each arm with an effort, and changes between efforts."""
    for arm in test.all_arms:
        if (found := _count_tokens(arm, table)) is not None:
            yield Measure(arm.name, KINDS[TOKENS], median(found.value))
    for arm, other in other_efforts(test).items():
        before, after = (_count_tokens(each, table) for each in (other, arm))
        if before is not None and after is not None and len((pairs := table.pair_items(before, after)).ordinal):
            yield Measure(arm.name, KINDS[CHANGE], mean(pairs.second - pairs.first, clusters=pairs.clusters))


def other_efforts(test: StressTest) -> Mapping[Arm, Arm]:
    """Match each arm with an earlier one that differs in effort only, else the baseline."""
    found: dict[Arm, Arm] = {}
    for place, arm in enumerate(test.all_arms):
        alike = (each for each in test.all_arms[:place] if _but_effort(each) == _but_effort(arm))
        other = next(alike, test.baseline)
        if arm.effort and other.effort and arm.effort != other.effort:
            found[arm] = other
    return found


def _but_effort(arm: Arm) -> Arm:
    return replace(arm, settings=arm.settings and (replace(arm.settings, reasoning_effort=None)))


def _count_tokens(arm: Arm, table: Table) -> PerItem | None:
    """Return the mean reasoning tokens per item; None without an effort or without counts."""
    grades = table.arms.get(arm.name)
    if not arm.effort or grades is None or not len(grades.reasoning_tokens):
        return None
    known = np.isfinite(grades.reasoning_tokens)
    return table.means(grades.ordinal[known], grades.reasoning_tokens[known])


def with_tokens(verdict: Verdict, test: StressTest, measures: Measures) -> Verdict:
    """Add to a verdict the evidence that the efforts were used."""
    counted = _medians(test, measures)
    medians = ", ".join(f"{value:,.0f} at {effort_in_words(effort)}" for effort, value in counted.items())
    told = filter(None, (medians and f"median reasoning tokens {medians}", doubt(test, measures)))
    return replace(verdict, numbers="; ".join((verdict.numbers, *told))) if verdict.numbers else verdict


def doubt(test: StressTest, measures: Measures) -> str:
    """Explain why the efforts may not have been used; "" if nothing suggests it."""
    if not any(arm.effort for arm in test.all_arms):
        return ""
    if not (counted := _medians(test, measures)):
        return "no reasoning tokens are counted, so nothing shows that the effort was applied"
    differing = other_efforts(test)
    changes = [measures.get((arm.name, CHANGE)) for arm in differing]
    if any(change is None or change.estimate.low <= 0 <= change.estimate.high for change in changes):
        return "the reasoning tokens do not differ between the efforts, so the setting may have been ignored"
    if not differing and not any(counted.values()) and "none" not in counted:
        return "no response has reasoning tokens, so the effort may have been ignored"
    return ""


def _medians(test: StressTest, measures: Measures) -> Mapping[str, float]:
    found: dict[str, list[float]] = {}
    for arm in test.all_arms:
        if arm.effort and (arm.name, TOKENS) in measures:
            found.setdefault(arm.effort, []).append(measures[arm.name, TOKENS].estimate.value)
    return {effort: float(np.median(values)) for effort, values in found.items()}
