"""Grade a stored study by model and benchmark, and report progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from snellen.asking.asked import epochs_asked
from snellen.items import Benchmark
from snellen.runtime import few_collections
from snellen.scoring.reading_plan import list_asked_items
from snellen.scoring.resolving import ResolvedStudy
from snellen.scoring.result_files import count_looks
from snellen.scoring.tables import Grader, ParserTable, Tables, group_tables, portions
from snellen.sight.delivery import Delivery, deliveries
from snellen.store import Store

Watch = Callable[[str, int, int], object]
"""Callback for progress: the current step, the amount done, and the total (0 if unknown)."""


def ignore_progress(doing: str, done: int, of: int) -> None:
    """Do nothing; the default callback for progress."""


class GradedStudy(NamedTuple):
    """Tables of a graded study; the fields of `Results` with the same names describe them."""

    readings: dict[str, Tables]
    judged: dict[str, Tables]
    delivery: tuple[Delivery, ...]
    looks: dict[tuple[str, str], tuple[int, ...]]


def read_study(
    store: Store, resolved: ResolvedStudy, *, unqualified: bool = False, watch: Watch = ignore_progress
) -> GradedStudy:
    """Grade a study and check the delivery of its images; each response is loaded once.

    Opinions of judges that are not qualified count only with `unqualified`.
    """
    study, benchmarks, plan = resolved.record, resolved.benchmarks, resolved.plan
    count = ResponseCount(watch, "reading the responses", count_expected_responses(study, benchmarks))
    grader = Grader(store, study, benchmarks, plan, unqualified=unqualified, tell=count)
    made: list[list[ParserTable]] = []
    delivery: list[Delivery] = []
    with few_collections():
        for portion in portions(study, benchmarks):
            made.append(grader.tables(portion))
            counting = {(each.model, each.benchmark): each for among, each in made[-1] if among == plan.choice[0]}
            delivery += deliveries(store, study, counting)
    tables = group_tables(plan, made)
    readings = {name: tables.pop(name) for name in plan.choice}
    looks = count_looks(store, study["name"], readings[plan.choice[0]])
    return GradedStudy(readings, tables, tuple(delivery), looks)


def count_expected_responses(study: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]) -> int:
    """Estimate the number of a study's responses from what it asked for."""
    return len(study["models"]) * sum(
        len(list_asked_items(study, name, each)) * len(study["arms"][name]) * (epochs_asked(study, name) or 1)
        for name, each in benchmarks.items()
    )


class ResponseCount:
    """Counts finished responses and reports them to a `Watch`."""

    def __init__(self, watch: Watch, doing: str, of: int) -> None:
        self._watch = watch
        self._doing = doing
        self._done = 0
        self.of = of
        watch(doing, 0, of)

    def __call__(self, count: int) -> None:
        """Add `count` finished responses."""
        self._done += count
        self._watch(self._doing, self._done, max(self.of, self._done))
