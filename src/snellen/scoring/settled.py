"""Settled: which verdicts stand before all is asked, what is still needed for the others, and where asking stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from snellen.items import Benchmark
from snellen.scoring.findings import MARKS, Finding, findings, mark_model
from snellen.scoring.reading_plan import plan_reading
from snellen.scoring.tables import Tables, grade_study
from snellen.store import Store
from snellen.stress.base import Status, StressTest
from snellen.stress.design import asked_of
from snellen.stress.table import Table
from snellen.stress.verdicts.marks import NOT_ASKED, is_judged

SETTLED = (Status.PASS, Status.FAIL)
HOLDS = (
    "The intervals hold at any time: 95% confidence sequences, which are wider than intervals for a number of "
    "questions set before."
)
NOT_COMPARED = "Models are not compared with each other, because each was asked until its own verdicts were settled."


def still_needed(
    store: Store, study: Mapping[str, Any], tests: Sequence[StressTest], model: tuple[str, str], benchmark: Benchmark
) -> frozenset[str]:
    """The arms that must be asked on, by what is stored: none if all verdicts of a model and benchmark are settled.

    A verdict is settled if it passes or fails by its own rule, with intervals that hold at every look. Arms of tests
    without a verdict are asked along for as long as any verdict is open.
    """
    name = benchmark.name
    alone = {part: {name: study[part][name]} for part in ("benchmarks", "arms")}
    record = {**study, **alone, "models": [list(model)]}
    plan = plan_reading(store, record, {name: benchmark}, tests=(*tests, *MARKS))
    tables = grade_study(store, record, {name: benchmark}, plan)[plan.choice[0]]
    table = tables[model[0], name]
    asked = [test for test in asked_of(tests, name, benchmark.kind) if not test.marks]
    marks = mark_model(table) if is_judged(table) else []
    return unsettled_arms([*marks, *findings(asked, table)])


def is_asked(finding: Finding) -> bool:
    """Whether the study asks what a verdict needs: otherwise no further response would settle it."""
    return finding.verdict.reason not in NOT_ASKED


def unsettled_arms(found: Sequence[Finding]) -> frozenset[str]:
    """The arms of the tests whose verdict is open, and then also of those without a verdict."""
    asked = filter(is_asked, found)
    by_status = [(each.verdict.status, {arm.name for arm in each.test.possible_arms}) for each in asked]
    judged = any(status in SETTLED for status, _ in by_status)
    if judged and not any(status is Status.INCONCLUSIVE for status, _ in by_status):
        return frozenset()
    return frozenset().union(*(arms for status, arms in by_status if status not in SETTLED))


class Stop(NamedTuple):
    """How far a test was asked of a model, of how many questions, and whether its verdict is settled."""

    model: str
    benchmark: str
    test: str
    questions: int
    of: int
    verdict: Status

    @property
    def settled(self) -> bool:
        """Whether more questions would not have been asked for it."""
        return self.verdict in SETTLED


def stops(found: Sequence[Finding], tables: Tables) -> Iterator[Stop]:
    """Where asking stopped, for every verdict and test of the benchmarks on which it can stop."""
    for finding in filter(is_asked, found):
        table = tables.get((finding.model, finding.benchmark))
        if table is not None and table.looked is not None:
            asked = table.looked.until(arm.name for arm in finding.test.all_arms)
            of = len(table.items)
            yield Stop(finding.model, finding.benchmark, finding.test.name, asked, of, finding.verdict.status)


def asked_until(table: Table, found: Sequence[Finding]) -> str:
    """How far a model was asked on a benchmark and why no further, in words; nothing where all is always asked."""
    if table.looked is None:
        return ""
    asked, of = max(table.looked.asked.values(), default=0), len(table.items)
    every = f"{asked:,} of {of:,} questions"
    if any(each.verdict.status is Status.WITHHELD for each in found):
        return f"asked {every}: verdicts withheld"
    if not unsettled_arms(found):
        return f"stopped after {every}: settled"
    if asked < of:
        return f"asked {every} so far: not settled"
    return f"all {of:,} questions asked: not settled"
