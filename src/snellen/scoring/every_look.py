"""Intervals and p-values that are valid at every look.

A *look* is a computation of results while questions are still being asked, as in interim analyses of clinical trials.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

from snellen.stats import at_any_time
from snellen.stress.base import Measure, StressTest
from snellen.stress.table import Table

NOT_BEFORE_THE_END = (
    "not all questions were asked, and the deciding number has no interval that is valid when asking stops early"
)
WITHOUT_INTERVAL = "no interval is valid when asking stops early"
BY_DEFINITION = "one-over-options"
"""Method of a number that is known without responses: accuracy by chance is one over the options."""


def holds_at_every_look(measure: Measure) -> bool:
    """Return True if a measure has an interval that is valid at every look.

    A measure of a subset has none, because its items depend on the responses and may differ at each look.
    """
    return not measure.subset and at_any_time(measure.estimate) is not None


def at_every_look(measure: Measure, largest: int) -> Measure:
    """Give a measure an interval and p that are valid at every look.

    If there are none, the interval has no bounds. The smallest detectable effect is adapted to the new interval.
    """
    plain = measure.estimate
    if plain.method == BY_DEFINITION:
        return measure
    found = None if measure.subset else at_any_time(plain, largest=largest)
    if found is None:
        unbounded = replace(plain, low=-inf, high=inf, p=None, method=f"{plain.method}; {WITHOUT_INTERVAL}")
        return replace(measure, estimate=unbounded, p_adjusted=None, detectable=None)
    once, detectable = plain.high - plain.low, measure.detectable
    if detectable is not None:  # scaled by how much wider the new interval is
        wider = detectable * (found.high - found.low) / once if once and isfinite(once) else inf
        detectable = wider if wider <= 1 else None
    return replace(measure, estimate=found, p_adjusted=None, detectable=detectable)


def asked_in_full(test: StressTest, table: Table) -> bool:
    """Return True if every item was asked under all conditions of a test."""
    return table.looked is None or table.looked.count_items(arm.name for arm in test.all_arms) == len(table.items)
