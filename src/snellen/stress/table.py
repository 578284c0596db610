"""Table: what one model did on one benchmark, an arm at a time, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.verdicts import Outcome
from snellen.items import Item

OUTCOMES = tuple(Outcome)
_CODE = {outcome: code for code, outcome in enumerate(OUTCOMES)}
NOTHING, NEW_OPTION = -1, -2

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Grades:
    """Every graded reply of one arm, a column each; all columns have one length.

    `chosen` is the option as the *original* item numbers it, so that it can be compared over arms: NOTHING where no
    option was chosen, NEW_OPTION where the arm put in an option that the original does not have.
    """

    ordinal: Integers
    replicate: Integers
    outcome: NDArray[np.uint8]
    chosen: Integers
    response: Integers
    rule: NDArray[np.uint16]
    rules: tuple[str, ...] = ()
    inapplicable: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    wanted: int = 0
    """How many replies there should be."""

    @property
    def missing(self) -> int:
        """How many replies there should be and are not."""
        return max(0, self.wanted - len(self))

    def is_(self, *outcomes: Outcome) -> NDArray[np.bool_]:
        """Which replies had one of these outcomes."""
        return np.isin(self.outcome, [_CODE[outcome] for outcome in outcomes])

    def __len__(self) -> int:
        return len(self.ordinal)


class PerItem(NamedTuple):
    """One number per item: the mean over its replies."""

    ordinal: Integers
    value: Floats


class Paired(NamedTuple):
    """Two numbers per item, for the items that have both, and the patient of each."""

    ordinal: Integers
    first: Floats
    second: Floats
    clusters: Integers


@dataclass(frozen=True)
class Table:
    """What one model did on one benchmark."""

    model: str
    benchmark: str
    items: tuple[Item, ...]
    arms: Mapping[str, Grades]
    reader: str = "lenient"

    @cached_property
    def clusters(self) -> Integers:
        """A number for each item's patient; an item without one is its own."""
        numbers: dict[str, int] = {}
        names = (item.cluster or f"\0{ordinal}" for ordinal, item in enumerate(self.items))
        return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)

    @cached_property
    def chance(self) -> Floats:
        """What a blind guess scores on each item."""
        return np.array([item.chance for item in self.items])

    def share(self, arm: str, outcomes: Iterable[Outcome], *, among: Iterable[Outcome] = OUTCOMES) -> PerItem:
        """Per item, the share of its replies with these outcomes among those with the others."""
        grades = self.arms[arm]
        counted = grades.is_(*among)
        return self._means(grades.ordinal[counted], grades.is_(*outcomes)[counted])

    def _means(self, ordinal: Integers, values: NDArray[np.bool_] | Floats) -> PerItem:
        replies = np.bincount(ordinal, minlength=len(self.items))
        sums = np.bincount(ordinal, weights=values.astype(np.float64), minlength=len(self.items))
        present = np.flatnonzero(replies)
        return PerItem(present, sums[present] / replies[present])

    def paired(self, first: PerItem, second: PerItem) -> Paired:
        """Both numbers for the items that have both."""
        both, at_first, at_second = np.intersect1d(first.ordinal, second.ordinal, True, True)
        return Paired(both, first.value[at_first], second.value[at_second], self.clusters[both])

    def changed(self, first: str, second: str) -> PerItem:
        """Per item, how often the chosen option differs between two arms, over the replicates answered in both."""
        one, two = self.arms[first], self.arms[second]
        width = 1 + max(one.replicate.max(initial=0), two.replicate.max(initial=0))
        _, at_one, at_two = np.intersect1d(
            one.ordinal * width + one.replicate, two.ordinal * width + two.replicate, True, True
        )
        answered = (one.chosen[at_one] != NOTHING) & (two.chosen[at_two] != NOTHING)
        at_one, at_two = at_one[answered], at_two[answered]
        return self._means(one.ordinal[at_one], one.chosen[at_one] != two.chosen[at_two])


def code(outcome: Outcome) -> int:
    """The number an outcome has in a column."""
    return _CODE[outcome]
