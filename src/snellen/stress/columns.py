"""Columns: what became of each item under each arm, a number an item, NaN where it was not asked or not answered."""

from __future__ import annotations

import numpy as np

from snellen.grading.verdicts import Outcome
from snellen.stress.measures import ANSWERED
from snellen.stress.table import Floats, PerItem, Table

SILENT = (Outcome.ABSTAINED, Outcome.REFUSED)


def nothing(table: Table) -> Floats:
    """A column without a number."""
    return np.full(len(table.items), np.nan)


def column(table: Table, values: PerItem) -> Floats:
    """One number an item."""
    made = nothing(table)
    made[values.ordinal] = values.value
    return made


def right(table: Table, arm: str) -> Floats:
    """How often each item was answered right; everything else counts as wrong."""
    return column(table, table.share(arm, [Outcome.CORRECT])) if arm in table.arms else nothing(table)


def credited(table: Table, arm: str) -> Floats:
    """The same, a reply that chose nothing counting as a guess."""
    if arm not in table.arms:
        return nothing(table)
    chosen = column(table, table.share(arm, ANSWERED))
    return np.asarray(right(table, arm) + (1 - chosen) * table.chance)


def both(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Two columns with a number only where both have one."""
    gaps = np.isnan(before) | np.isnan(after)
    return np.where(gaps, np.nan, before), np.where(gaps, np.nan, after)


def mean_of(*columns: Floats) -> Floats:
    """For each item the mean of the numbers that there are."""
    there = np.isfinite(np.stack(columns))
    count = there.sum(axis=0)
    sums = np.where(there, np.stack(columns), 0).sum(axis=0)
    return np.asarray(np.where(count > 0, sums / np.maximum(count, 1), np.nan))
