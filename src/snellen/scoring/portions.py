"""Portions: a stored study graded model by model and benchmark by benchmark, and how far that has come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from snellen.asking.asked import epochs_asked
from snellen.items import Benchmark
from snellen.runtime import few_collections
from snellen.scoring.reading_plan import list_asked_items
from snellen.scoring.resolving import ResolvedStudy
from snellen.scoring.result_files import count_looks
from snellen.scoring.tables import Grader, Placed, Tables, gathered, portions
from snellen.sight.delivery import Delivery, deliveries
from snellen.store import Store

Watch = Callable[[str, int, int], object]
"""Hears what is being done, how much of it is done, and of how much; of nothing where nobody knows."""


def unwatched(doing: str, done: int, of: int) -> None:
    """Tell nobody."""


class GradedStudy(NamedTuple):
    """What was read of a study: see the fields of `Results` of the same names."""

    readings: dict[str, Tables]
    judged: dict[str, Tables]
    delivery: tuple[Delivery, ...]
    looks: dict[tuple[str, str], tuple[int, ...]]


def read_study(
    store: Store, resolved: ResolvedStudy, *, unqualified: bool = False, watch: Watch = unwatched
) -> GradedStudy:
    """The tables of a study and whether images arrived; every response is taken out of the store once.

    What judges say counts only as far as they are qualified, unless `unqualified` ones are let in.
    """
    study, benchmarks, plan = resolved.record, resolved.benchmarks, resolved.plan
    count = Count(watch, "reading the responses", expected(study, benchmarks))
    grader = Grader(store, study, benchmarks, plan, unqualified=unqualified, tell=count)
    made: list[list[Placed]] = []
    delivery: list[Delivery] = []
    with few_collections():
        for portion in portions(study, benchmarks):
            made.append(grader.tables(portion))
            counting = {(each.model, each.benchmark): each for among, each in made[-1] if among == plan.choice[0]}
            delivery += deliveries(store, study, counting)
    tables = gathered(plan, made)
    readings = {name: tables.pop(name) for name in plan.choice}
    looks = count_looks(store, study["name"], readings[plan.choice[0]])
    return GradedStudy(readings, tables, tuple(delivery), looks)


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
        self.of = of
        watch(doing, 0, of)

    def __call__(self, count: int) -> None:
        """So many more."""
        self._done += count
        self._watch(self._doing, self._done, max(self.of, self._done))
