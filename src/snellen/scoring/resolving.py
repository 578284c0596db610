"""Resolving: a stored study with its benchmarks, the tests that can be made again, and the parsers that read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from snellen.errors import BrokenRow, PluginError, StudyError
from snellen.items import PARTS, Benchmark
from snellen.scoring.findings import MARKS
from snellen.scoring.reading_plan import ReadingPlan, plan_reading
from snellen.stats import Human
from snellen.store import Store
from snellen.stress import known_test
from snellen.stress.base import StressTest
from snellen.stress.design import Thresholds, asked_of
from snellen.stress.image_dependence.subset import with_list_found


class ResolvedStudy(NamedTuple):
    """A study that can be scored."""

    record: dict[str, Any]
    """What the store says of it, with the parsers that read it now."""
    benchmarks: Mapping[str, Benchmark]
    tests: Sequence[StressTest]
    unscored: Mapping[str, str]
    """The tests that cannot be made again, with the reason."""
    plan: ReadingPlan


def resolve_study(
    store: Store,
    study: str | None = None,
    *,
    tests: Sequence[StressTest] = (),
    parsers: Sequence[str] = (),
    human: Human | None = None,
) -> ResolvedStudy:
    """A study of a store, by default the latest, read by the parsers that are named or else by its own.

    `tests` adds those that no package registers. PluginError if none of the study's tests can be made again.
    """
    record = store.studies.record(study)
    if not record["models"]:
        raise StudyError(f"No model was asked in the study {record['name']}: its questions are to be annotated.")
    resolved, unscored = _resolve_tests(record, store, {test.name: test for test in tests})
    record = _without_questions_of_others(record, resolved) if unscored else record
    benchmarks = {
        name: _with_source(store.studies.benchmark(digest), record["sources"][name])
        for name, digest in record["benchmarks"].items()
    }
    plan = plan_reading(store, record, benchmarks, tests=(*resolved, *MARKS), named=parsers)
    own, *others = plan.choice
    read_by = {"parser": own, "beside": others, "admissions_by": plan.without_image}
    record = {**record, **read_by, "human": human or record.get("human")}
    return ResolvedStudy(record, benchmarks, resolved, unscored, plan)


def _resolve_tests(
    study: Mapping[str, Any], store: Store, given: Mapping[str, StressTest]
) -> tuple[list[StressTest], dict[str, str]]:
    """The tests of a study, and why those that are left out cannot be made again; PluginError if none can."""
    limits = Thresholds(**study.get("thresholds", {}))
    found: list[StressTest] = []
    unscored: dict[str, str] = {}
    for name in study["tests"]:
        try:
            test = known_test(with_list_found(name, store.folder), given)
        except PluginError as error:
            unscored[name] = str(error)
        else:
            found.append(test.with_settings(name=name, thresholds=limits))
    if unscored and not found:
        raise PluginError(" ".join(unscored.values()))
    return found, unscored


def _without_questions_of_others(study: dict[str, Any], tests: Sequence[StressTest]) -> dict[str, Any]:
    """The study without the benchmarks that none of these tests asks: the own questions of a test that is left out."""
    kept = [
        name
        for name, arms in study["arms"].items()
        if any(arm.name in arms for kind in PARTS for test in asked_of(tests, name, kind) for arm in test.all_arms)
    ]
    return {**study, **{part: {name: study[part][name] for name in kept} for part in ("benchmarks", "arms", "sources")}}


def _with_source(benchmark: Benchmark, source: Mapping[str, Any]) -> Benchmark:
    """The stored benchmark with what this study's load said of it."""
    return replace(benchmark, about=source["about"], broken=tuple(BrokenRow(*row) for row in source["broken"]))
