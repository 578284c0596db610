"""Every look: the numbers of a test that may stop early, with intervals that hold however often one looks."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

from snellen.stats import Estimate, at_any_time
from snellen.stress.base import Measure, StressTest
from snellen.stress.table import Table

NOT_BEFORE_THE_END = (
    "it rests on a number that has no interval which holds when asking stops early, and not all questions were asked"
)
WITHOUT_INTERVAL = "no interval holds when asking stops early"
BY_DEFINITION = "one-over-options"
"""The method of a number that is known without asking."""


def holds_at_every_look(measure: Measure) -> bool:
    """Whether there is an interval for a measure that holds however often one looks.

    There is none where the items themselves were chosen by responses, which are others at each look.
    """
    return not measure.subset and at_any_time(measure.estimate) is not None


def at_every_look(measure: Measure, largest: int) -> Measure:
    """The measure with an interval and a p that hold at every look; where there are none, without bounds.

    What it could have shown is told by the same interval.
    """
    plain = measure.estimate
    if plain.method == BY_DEFINITION:
        return measure
    found = None if measure.subset else at_any_time(plain, largest=largest)
    if found is None:
        unbounded = replace(plain, low=-inf, high=inf, p=None, method=f"{plain.method}; {WITHOUT_INTERVAL}")
        return replace(measure, estimate=unbounded, p_adjusted=None, detectable=None)
    return replace(measure, estimate=found, p_adjusted=None, detectable=_detectable(measure, found))


def _detectable(measure: Measure, found: Estimate) -> float | None:
    """The smallest effect that is shown with 80% power, by how much wider the interval is than one of a single look."""
    once = measure.estimate.high - measure.estimate.low
    if measure.detectable is None or not once or not isfinite(once):
        return None
    wider = measure.detectable * (found.high - found.low) / once
    return wider if wider <= 1 else None


def asked_in_full(test: StressTest, table: Table) -> bool:
    """Whether every item was asked under all arms of a test."""
    return table.looked is None or table.looked.until(arm.name for arm in test.all_arms) == len(table.items)
