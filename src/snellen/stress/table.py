"""Table: what one model did on one benchmark, an arm at a time, as columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from snellen.grading.claims.columns import Rationales
from snellen.grading.columns import NEW_OPTION, NOTHING, Columns, Floats, Integers, Run
from snellen.grading.detection.columns import Detections
from snellen.grading.missing_image.columns import Admissions
from snellen.grading.outcomes import Outcome
from snellen.items import Item

OUTCOMES = tuple(Outcome)
_CODE = {outcome: code for code, outcome in enumerate(OUTCOMES)}

Made = TypeVar("Made")
Beside = TypeVar("Beside", bound=Columns)


@dataclass(frozen=True)
class Grades:
    """Every graded response of one arm, a column each; all columns have one length.

    `chosen` is the option as the *original* item numbers it, so that it can be compared over arms: NOTHING where no
    option was chosen, NEW_OPTION less its place where the arm put in an option that the original does not have.
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
    """How many responses there should be."""
    epochs: int = 1
    """How often each item was to be asked; where nobody said, how often some item was."""
    columns: Mapping[type[Columns], Columns] = field(default_factory=dict)
    """What parsers read beside the choice, by the kind of their columns."""
    distances: Mapping[str, Floats] = field(default_factory=dict)
    """How far the arm took each item's image from what it was, a number an item; NaN where it was not measured."""

    def of(self, kind: type[Beside]) -> Beside | None:
        """The columns of one kind; None where no parser gave any."""
        found = self.columns.get(kind)
        return found if isinstance(found, kind) else None

    @property
    def rationales(self) -> Rationales | None:
        """What the responses say they see."""
        return self.of(Rationales)

    @property
    def admissions(self) -> Admissions | None:
        """Whether the responses say that no image was sent, where none was."""
        return self.of(Admissions)

    @property
    def detections(self) -> Detections | None:
        """What the responses say beside telling disease from health, where that was asked."""
        return self.of(Detections)

    def having(self, *columns: Columns) -> Grades:
        """The same with these columns, in the place of others of their kind."""
        return replace(self, columns={**self.columns, **{type(each): each for each in columns}})

    @cached_property
    def repeated(self) -> bool:
        """Whether some item was answered more than once."""
        return bool(len(self)) and bool(np.bincount(self.ordinal).max() > 1)

    @property
    def missing(self) -> int:
        """How many responses there should be and are not."""
        return max(0, self.wanted - len(self))

    def runs(self) -> list[Run]:
        """The item's place and the replicate of each response."""
        return list(zip(self.ordinal.tolist(), self.replicate.tolist(), strict=True))

    def is_(self, *outcomes: Outcome) -> NDArray[np.bool_]:
        """Which responses had one of these outcomes."""
        wanted = np.zeros(len(_CODE), dtype=np.bool_)
        wanted[[_CODE[outcome] for outcome in outcomes]] = True
        return wanted[self.outcome]

    def by_rule(self) -> dict[str, int]:
        """How many responses each rule decided, the most frequent first."""
        counts = np.bincount(self.rule, minlength=len(self.rules))
        return {self.rules[at]: int(counts[at]) for at in np.argsort(-counts, kind="stable")}

    def only(self, kept: NDArray[np.bool_]) -> Grades:
        """Some of the responses."""
        names = ("ordinal", "replicate", "outcome", "chosen", "response", "rule")
        few = {name: getattr(self, name)[kept] for name in names}
        beside = {kind: each.only(kept) for kind, each in self.columns.items()}
        return replace(self, **few, columns=beside, inapplicable={}, failed={}, wanted=0)

    def __len__(self) -> int:
        return len(self.ordinal)


class PerItem(NamedTuple):
    """One number per item: the mean over its responses."""

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
    parser: str = "lenient"
    judge: str = ""
    judge_unread: int = 0
    """How many of the judge's answers could not be read."""
    within: NDArray[np.bool_] | None = None
    """The items that it is about, where those are not all."""

    @property
    def asked(self) -> Integers:
        """The places of the items that it is about."""
        return np.arange(len(self.items)) if self.within is None else np.flatnonzero(self.within)

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

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` makes of this table, made the first time and kept: several tests ask for the same."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def parts(self, grouping: str) -> dict[str, Table]:
        """The table apart by the items' category or language; nothing where all items are of one."""
        names = np.array([getattr(item, grouping) or "(none)" for item in self.items])
        groups = list(dict.fromkeys(names.tolist()))
        return {name: self.only(names == name) for name in groups} if len(groups) > 1 else {}

    def only(self, kept: NDArray[np.bool_]) -> Table:
        """The responses to some of the items; how many of them should be there is not asked again."""
        few = {arm: grades.only(kept[grades.ordinal]) for arm, grades in self.arms.items()}
        return replace(self, arms=few, within=kept if self.within is None else self.within & kept)

    def share(self, arm: str, outcomes: Iterable[Outcome], *, among: Iterable[Outcome] = OUTCOMES) -> PerItem:
        """Per item, the share of its responses with these outcomes among those with the others."""
        grades = self.arms[arm]
        counted = grades.is_(*among)
        return self._means(grades.ordinal[counted], grades.is_(*outcomes)[counted])

    def rate(self, arm: str, marked: NDArray[np.bool_], *, among: NDArray[np.bool_] | None = None) -> PerItem:
        """Per item, the share of its responses that are marked, of all or of some."""
        counted = slice(None) if among is None else among
        return self._means(self.arms[arm].ordinal[counted], marked[counted])

    def _means(self, ordinal: Integers, values: NDArray[np.bool_] | Floats) -> PerItem:
        replies = np.bincount(ordinal, minlength=len(self.items))
        sums = np.bincount(ordinal, weights=values.astype(np.float64), minlength=len(self.items))
        present = np.flatnonzero(replies)
        return PerItem(present, sums[present] / replies[present])

    def unanimous(self, arm: str) -> PerItem:
        """Per item with several responses, 1 where all of them chose the same option or none did, 0 otherwise."""
        grades = self.arms[arm]
        order = np.lexsort((grades.chosen, grades.ordinal))
        ordinal, chosen = grades.ordinal[order], grades.chosen[order]
        starts = np.flatnonzero(np.diff(ordinal, prepend=-1))
        ends = np.append(starts[1:], len(ordinal)) - 1
        several = ends > starts
        return PerItem(ordinal[starts[several]], (chosen[starts[several]] == chosen[ends[several]]).astype(np.float64))

    def paired(self, first: PerItem, second: PerItem) -> Paired:
        """Both numbers for the items that have both."""
        both, at_first, at_second = np.intersect1d(first.ordinal, second.ordinal, True, True)
        return Paired(both, first.value[at_first], second.value[at_second], self.clusters[both])

    def rerun(self, arm: str) -> PerItem:
        """Per item, how often two runs that both answered chose differently."""
        grades = self.arms[arm]
        answered = grades.chosen != NOTHING
        cells, counts = np.unique(
            np.stack((grades.ordinal[answered], grades.chosen[answered]), axis=1), axis=0, return_counts=True
        )
        runs = np.bincount(cells[:, 0], weights=counts, minlength=len(self.items))
        alike = np.bincount(cells[:, 0], weights=counts * (counts - 1.0), minlength=len(self.items))
        several = np.flatnonzero(runs > 1)
        return PerItem(several, 1 - alike[several] / (runs[several] * (runs[several] - 1)))

    def repeated_in(self, first: str, second: str) -> bool:
        """Whether some item was answered at least twice under each of two arms."""
        twice = [np.bincount(self.arms[arm].ordinal, minlength=len(self.items)) > 1 for arm in (first, second)]
        return bool((twice[0] & twice[1]).any())

    def matched(self, first: str, second: str) -> tuple[Integers, Integers]:
        """Where in the columns of two arms the responses to one item in one run stand, for those that have both."""
        one, two = self.arms[first], self.arms[second]
        width = 1 + max(one.replicate.max(initial=0), two.replicate.max(initial=0))
        _, at_one, at_two = np.intersect1d(
            one.ordinal * width + one.replicate, two.ordinal * width + two.replicate, True, True
        )
        return at_one, at_two

    def stuck(self, arm: str) -> NDArray[np.bool_]:
        """Which responses of an arm choose what is right for the item as it was, whatever the arm has made of it."""
        key = np.array([item.answer if isinstance(item.answer, int) else NEW_OPTION for item in self.items])
        grades = self.arms[arm]
        return np.asarray(grades.chosen == key.astype(np.int64)[grades.ordinal]) & (grades.chosen >= 0)

    def changed(self, first: str, second: str) -> PerItem:
        """Per item, how often the chosen option differs between two arms, over the replicates answered in both."""
        one, two = self.arms[first], self.arms[second]
        at_one, at_two = self.matched(first, second)
        answered = (one.chosen[at_one] != NOTHING) & (two.chosen[at_two] != NOTHING)
        at_one, at_two = at_one[answered], at_two[answered]
        return self._means(one.ordinal[at_one], one.chosen[at_one] != two.chosen[at_two])


def code(outcome: Outcome) -> int:
    """The number an outcome has in a column."""
    return _CODE[outcome]
