"""Measure the tables of a study with its tests and decide verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from snellen.scoring.findings import (
    Finding,
    findings,
    findings_by_group,
    findings_over_all,
    findings_over_models,
    mark_model,
    withhold_verdict,
)
from snellen.scoring.many_models import ManyModels, many_models
from snellen.scoring.portions import GradedStudy, Watch, ignore_progress
from snellen.scoring.resolving import ResolvedStudy
from snellen.scoring.settled import Stop, stops
from snellen.scoring.tables import Tables
from snellen.sight.delivery import Arrival, Delivery
from snellen.stress.base import StressTest
from snellen.stress.design import asked_of
from snellen.stress.verdicts.marks import is_judged
from snellen.stress.verdicts.possible_without import BenchmarkLine, judge_benchmark

MANY = 300_000
"""Responses in total from which each table drops its cached values after measuring, to save memory."""


class Measured(NamedTuple):
    """Results of all tests; the fields are those of `Results`."""

    findings: tuple[Finding, ...]
    marks: tuple[Finding, ...]
    lines: tuple[BenchmarkLine, ...]
    stops: tuple[Stop, ...]
    beside: tuple[Finding, ...]
    groups: tuple[Finding, ...]
    over_all: tuple[Finding, ...]
    models_compared: tuple[ManyModels, ...]


def measure_tables(resolved: ResolvedStudy, graded: GradedStudy, *, watch: Watch = ignore_progress) -> Measured:
    """Measure every test on every table; withhold verdicts if images may not have arrived."""
    readings, judged, delivery, looks = graded
    tests, own = resolved.tests, next(iter(readings))
    tables = readings[own]
    brought = {test.questions for test in tests}
    # models that were asked different questions, because asking stopped early, cannot be pooled
    comparable = {at: table for at, table in tables.items() if table.looked is None}
    compared = tuple(_compare_models(comparable, brought))
    found = []
    every = [(parser, table) for parser, some in (*readings.items(), *judged.items()) for table in some.values()]
    for done, (parser, table) in enumerate(every):
        watch("measuring", done, len(every))
        made = findings([test for test in asked_of(tests, table.benchmark, table.kind) if not test.marks], table)
        found += [(parser, withhold_verdict(finding, delivery)) for finding in made]
        if len(every) * sum(map(len, table.arms.values())) >= MANY:
            table.forget()
    counting = tuple(finding for parser, finding in found if parser == own)
    marks = tuple(withhold_verdict(mark, delivery) for mark in _mark_models(tables, brought, looks))
    return Measured(
        findings=counting,
        marks=marks,
        lines=tuple(_judge_benchmarks(tables, brought, delivery)),
        stops=tuple(stops((*marks, *counting), tables)),
        beside=tuple(finding for parser, finding in found if parser != own),
        groups=tuple(
            finding
            for table in tables.values()
            for finding in findings_by_group(asked_of(tests, table.benchmark, table.kind), table)
        ),
        over_all=tuple(withhold_verdict(each, delivery) for each in _over_all(tests, comparable)),
        models_compared=compared,
    )


def _mark_models(tables: Tables, own: set[str], looks: Mapping[tuple[str, str], tuple[int, ...]]) -> Iterator[Finding]:
    """Yield the three verdicts of every model on every benchmark. Questions that a test brings have none."""
    for at, table in tables.items():
        if at[1] not in own and table.kind != "report" and is_judged(table):
            yield from mark_model(table, looks=len(looks[at]))


def _judge_benchmarks(tables: Tables, own: set[str], delivery: Sequence[Delivery]) -> Iterator[BenchmarkLine]:
    """Yield the verdict on each benchmark, from models that may have received its images."""
    lost = {(each.model, each.benchmark) for each in delivery if each.status is Arrival.CONTRADICTED}
    tables = {at: table for at, table in tables.items() if at not in lost}
    for name in dict.fromkeys(benchmark for _, benchmark in tables if benchmark not in own):
        asked = [table for table in tables.values() if table.benchmark == name and table.kind != "report"]
        if asked and any(map(is_judged, asked)) and (line := judge_benchmark(asked)) is not None:
            yield line


def _over_all(tests: Sequence[StressTest], tables: Tables) -> Iterator[Finding]:
    """Yield results of each model over its benchmarks. Then of each benchmark over its models."""
    own = {test.questions for test in tests if test.questions}
    shared = [table for table in tables.values() if table.benchmark not in own]
    for name in dict.fromkeys(table.model for table in shared):
        yield from findings_over_all(tests, [table for table in shared if table.model == name])
    for name in dict.fromkeys(table.benchmark for table in shared):
        yield from findings_over_models(tests, [table for table in shared if table.benchmark == name])


def _compare_models(tables: Tables, own: set[str]) -> Iterator[ManyModels]:
    """Compare the models of each benchmark, except on questions that a test brings."""
    for name in dict.fromkeys(benchmark for _, benchmark in tables if benchmark not in own):
        yield from many_models([table for table in tables.values() if table.benchmark == name])
