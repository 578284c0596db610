"""Real artefacts: images in groups of high, low and ungradable quality, each asked about as it is.

The groups show other patients, so that a difference between them may come from who is in them. They are reported
beside the artefacts that are put on, and no verdict rests on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from snellen.items import UNGRADABLE, Item
from snellen.papers.artefacts.tests.detection_measures import CALLED, called_on, flagged
from snellen.reading.outcomes import Outcome
from snellen.stats import Estimate, group_difference, shared_correlation
from snellen.stress.base import Kind, Measure, Unit, by_name
from snellen.stress.measures import share
from snellen.stress.table import PerItem, Table

HIGH, LOW = "high", "low"
GROUPS: Mapping[str, str] = {
    HIGH: "real images of high quality",
    LOW: "real images of low quality",
    UNGRADABLE: "real images that nobody can grade",
}
"""What `metadata["quality"]` may say, and the arm under which the numbers of a group stand."""
CONTRAST = "real images, high minus low quality"
"""The arm under which the differences of the two gradable groups stand."""
SCORES = ("accuracy", *CALLED)

KINDS = by_name(
    Kind("group_accuracy", "accuracy on real images of one quality", Unit.SHARE),
    Kind("group_sensitivity", "sensitivity on real images of one quality", Unit.SHARE),
    Kind("group_specificity", "specificity on real images of one quality", Unit.SHARE),
    Kind("group_flagged_rate", "says of real images of one quality that they cannot be read", Unit.SHARE),
    Kind("group_declined_rate", "refuses, or cannot tell, on real images of one quality", Unit.SHARE),
    Kind("group_accuracy_difference", "accuracy on real images, high minus low quality", Unit.POINTS),
    Kind("group_sensitivity_difference", "sensitivity on real images, high minus low quality", Unit.POINTS),
    Kind("group_specificity_difference", "specificity on real images, high minus low quality", Unit.POINTS),
)

Mask = NDArray[np.bool_]


def quality_of(item: Item) -> str:
    """The group of an item; "" where it is in none."""
    said = str(item.metadata.get("quality", "")).strip().casefold()
    return said if said in GROUPS else ""


def gradable(table: Table) -> Table:
    """The table without the images that nobody can grade, of which no diagnosis is right or wrong."""
    unreadable = np.array([item.ungradable for item in table.items], dtype=bool)
    if not unreadable.any():
        return table
    return table.once("gradable", lambda: replace(table.only(~unreadable), within=table.within))


def by_quality(arm: str, table: Table) -> Sequence[Measure]:
    """What one arm scores on each group, and on high minus on low quality; nothing where no item has a quality."""
    return table.once(("by quality", arm), lambda: tuple(_by_quality(arm, table)))


def _by_quality(arm: str, table: Table) -> Iterator[Measure]:
    grades, groups = table.arms.get(arm), np.array([quality_of(item) for item in table.items])
    if not grades or len(set(groups[grades.ordinal].tolist()) - {""}) < 2:
        return
    scores = {
        "accuracy": table.share(arm, [Outcome.CORRECT]),
        **{name: called_on(table, arm, normal=normal) for name, normal in CALLED.items()},
    }
    rates = {
        "flagged_rate": flagged(arm, table),
        "declined_rate": table.share(arm, [Outcome.REFUSED, Outcome.ABSTAINED]),
    }
    for group, words in GROUPS.items():
        told = rates if group == UNGRADABLE else {**scores, **rates}
        for name, values in told.items():
            if values is not None and len((some := _among(values, groups == group)).ordinal):
                yield Measure(words, KINDS[f"group_{name}"], share(table, some))
    for name, values in scores.items():
        high, low = (_among(values, groups == group) for group in (HIGH, LOW))
        if len(high.ordinal) and len(low.ordinal):
            yield Measure(CONTRAST, KINDS[f"group_{name}_difference"], _apart(table, high, low))


def _apart(table: Table, high: PerItem, low: PerItem) -> Estimate:
    """The mean of one group minus that of the other; patients that are in both make the two vary together."""
    together = shared_correlation(high.value, low.value, table.clusters[high.ordinal], table.clusters[low.ordinal])
    return group_difference(share(table, high), share(table, low), correlation=together)


def _among(values: PerItem, kept: Mask) -> PerItem:
    there = kept[values.ordinal]
    return PerItem(values.ordinal[there], values.value[there])
