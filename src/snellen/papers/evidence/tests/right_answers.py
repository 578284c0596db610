"""Right answers to the original image, and whether they stay under a condition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from snellen.reading.columns import Floats
from snellen.reading.outcomes import Outcome
from snellen.stats import paired_difference
from snellen.stress.base import Kind, Measure
from snellen.stress.measures import ANSWERED, FEWEST, SILENT, column, detectable_difference, nothing, share
from snellen.stress.table import Paired, PerItem, Table

RIGHT = 0.5
"""An item counts as answered right from this share of right responses."""
READ = (*ANSWERED, *SILENT, Outcome.FLAGGED_QUALITY)
"""Outcomes of responses that were read; one that gives no answer any more does not keep its answer."""


def find_kept(table: Table, arm: str, baseline: str, *, among_right: bool = True) -> Floats:
    """Return each item's share of responses that keep the original's right answer.

    It is NaN if none was read. With `among_right`, items that were not answered right with the original image are NaN,
    too.
    """
    if arm not in table.arms or baseline not in table.arms:
        return nothing(table)
    among = table.arms[arm].is_(*READ)
    found = column(table, table.rate(arm, table.keeps_original_answer(arm), among=among))
    answered = column(table, table.share(baseline, [Outcome.CORRECT]))
    return np.where(answered >= RIGHT, found, np.nan) if among_right else found


def measure_share(arm: str, kind: Kind, table: Table, values: Floats) -> Iterator[Measure]:
    """Measure the mean of a column, if enough items have a value."""
    there = np.flatnonzero(np.isfinite(values))
    if len(there) >= FEWEST:
        yield Measure(arm, kind, share(table, PerItem(there, values[there])))


def measure_difference(arm: str, kind: Kind, table: Table, before: Floats, after: Floats) -> Iterator[Measure]:
    """Measure the paired difference of two columns, with the smallest difference that could be found."""
    there = np.flatnonzero(np.isfinite(before) & np.isfinite(after))
    if len(there) >= FEWEST:
        pairs = Paired(there, before[there], after[there], table.clusters[there])
        found = paired_difference(pairs.first, pairs.second, clusters=pairs.clusters)
        least = detectable_difference(pairs, repeated=True)
        yield Measure(arm, kind, found, detectable=least if least <= 1 else None)


def split_table(table: Table) -> dict[str, Table]:
    """Return the items of each finding and of each body part, if there are several."""
    columns = {"finding": "finding", "body part": "body_part"}
    told = {name: [str(item.metadata.get(each) or "") for item in table.items] for name, each in columns.items()}
    return {
        f"{name}: {value}": table.select_items(np.array([each == value for each in values]))
        for name, values in told.items()
        for value in dict.fromkeys(values)
        if value and len(set(values)) > 1
    }
