"""Portions: a stored study graded model by model and benchmark by benchmark, a large one by several processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snellen.asking.asked import epochs_asked
from snellen.items import Benchmark, Item
from snellen.reading.columns import Integers
from snellen.runtime import few_collections
from snellen.scoring.processes import Tell, processes_for, side_by_side
from snellen.scoring.reading_plan import ReadingPlan, list_asked_items
from snellen.scoring.resolving import ResolvedStudy
from snellen.scoring.result_files import count_looks
from snellen.scoring.tables import Grader, Placed, Portion, Tables, gathered, portions
from snellen.sight.delivery import Delivery, deliveries
from snellen.store import Store
from snellen.stress.table import Grades

Watch = Callable[[str, int, int], object]
"""Hears what is being done, how much of it is done, and of how much; of nothing where nobody knows."""


def unwatched(doing: str, done: int, of: int) -> None:
    """Tell nobody."""


class GradedPortion(NamedTuple):
    """The tables of one model on one benchmark, and what is known of the images that it was sent."""

    tables: list[Placed]
    delivery: list[Delivery]


class GradedStudy(NamedTuple):
    """What was read of a study: see the fields of `Results` of the same names."""

    readings: dict[str, Tables]
    judged: dict[str, Tables]
    delivery: tuple[Delivery, ...]
    looks: dict[tuple[str, str], tuple[int, ...]]


@dataclass(frozen=True)
class Grading:
    """How a study is graded: names and numbers only, so that it can be said to another process."""

    folder: Path
    study: Mapping[str, Any]
    plan: ReadingPlan
    unqualified: bool = False

    @contextmanager
    def begun(self, tell: Tell) -> Iterator[Callable[[Portion], GradedPortion]]:
        """What grades a portion, in a process of its own; the items stay there."""
        with self.grader(tell) as grader:

            def graded(portion: Portion) -> GradedPortion:
                tables, delivery = portion_of(grader, portion)
                return GradedPortion([each._replace(table=replace(each.table, items=())) for each in tables], delivery)

            yield graded

    @contextmanager
    def grader(self, tell: Tell) -> Iterator[Grader]:
        """One who grades with the store open to read; that it is whole was checked by who asks."""
        with Store.open(self.folder, check=False) as store, few_collections():
            benchmarks = {name: store.studies.benchmark(digest) for name, digest in self.study["benchmarks"].items()}
            yield self.grader_on(store, benchmarks, tell)

    def grader_on(self, store: Store, benchmarks: Mapping[str, Benchmark], tell: Tell) -> Grader:
        """One who grades from a store that is open."""
        return Grader(store, self.study, benchmarks, self.plan, unqualified=self.unqualified, tell=tell)


def portion_of(grader: Grader, portion: Portion) -> GradedPortion:
    """One model on one benchmark, graded."""
    tables = grader.tables(portion)
    counting = {(each.model, each.benchmark): each for among, each in tables if among == grader.plan.choice[0]}
    return GradedPortion(tables, deliveries(grader.store, grader.study, counting))


def read_study(
    store: Store, resolved: ResolvedStudy, *, unqualified: bool = False, watch: Watch = unwatched
) -> GradedStudy:
    """The tables of a study and whether images arrived; every response is taken out of the store once.

    What judges say counts only as far as they are qualified, unless `unqualified` ones are let in.
    """
    study, benchmarks, plan = resolved.record, resolved.benchmarks, resolved.plan
    grading = Grading(store.folder, study, plan, unqualified)
    every = portions(study, benchmarks)
    count = Count(watch, "reading the responses", expected(study, benchmarks))
    processes = processes_for(count.of, len(every))
    with few_collections():
        if processes == 1:
            grader = grading.grader_on(store, benchmarks, count)
            made = [portion_of(grader, each) for each in every]
        else:
            items = {name: list_asked_items(study, name, each) for name, each in benchmarks.items()}
            shared = Shared()
            found = side_by_side(grading, every, tell=count, processes=processes)
            made = [each._replace(tables=[_share(table, items, shared) for table in each.tables]) for each in found]
    tables = gathered(plan, (portion.tables for portion in made))
    readings = {name: tables.pop(name) for name in plan.choice}
    delivery = tuple(each for portion in made for each in portion.delivery)
    return GradedStudy(readings, tables, delivery, count_looks(store, study["name"], readings[plan.choice[0]]))


def _share(placed: Placed, items: Mapping[str, tuple[Item, ...]], shared: Shared) -> Placed:
    """A table that another process made, with the items of this one and columns that are held once."""
    table = placed.table
    arms, repeats = ({arm: shared(grades) for arm, grades in made.items()} for made in (table.arms, table.repeats))
    return placed._replace(table=replace(table, items=items[table.benchmark], arms=arms, repeats=repeats))


def expected(study: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]) -> int:
    """About how many responses a study has: as many as it asked for."""
    return len(study["models"]) * sum(
        len(list_asked_items(study, name, each)) * len(study["arms"][name]) * (epochs_asked(study, name) or 1)
        for name, each in benchmarks.items()
    )


class Count:
    """Adds up how many responses are done, and tells who watches."""

    def __init__(self, watch: Watch, doing: str, of: int) -> None:
        self._watch = watch
        self._doing = doing
        self._done = 0
        self._lock = threading.Lock()
        self.of = of
        watch(doing, 0, of)

    def __call__(self, count: int) -> None:
        """So many more."""
        with self._lock:
            self._done += count
            self._watch(self._doing, self._done, max(self.of, self._done))


class Shared:
    """Columns of places that are the same for several models, held once."""

    def __init__(self) -> None:
        self._known: dict[int, list[Integers]] = {}

    def __call__(self, grades: Grades) -> Grades:
        """The same grades, with columns that are held already where they are equal."""
        return replace(grades, ordinal=self._once(grades.ordinal), replicate=self._once(grades.replicate))

    def _once(self, column: Integers) -> Integers:
        alike = self._known.setdefault(len(column), [])
        for each in alike:
            if np.array_equal(each, column):
                return each
        alike.append(column)
        del alike[:-8]
        return column
