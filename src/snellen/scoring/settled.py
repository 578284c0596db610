"""Early stopping: verdicts that are settled before all questions are asked, and conditions still to ask.

A verdict is *settled* if it passes or fails.
"""

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
    "The intervals hold at any time: 95% confidence sequences, which are wider than intervals for a fixed "
    "number of questions."
)
NOT_COMPARED = "Models are not compared with each other, because each was asked until its own verdicts were settled."


def still_needed(
    store: Store, study: Mapping[str, Any], tests: Sequence[StressTest], model: tuple[str, str], benchmark: Benchmark
) -> frozenset[str]:
    """Return the conditions to ask further. Empty if all verdicts are settled.

    A verdict is settled if it passes or fails by its own rule, with intervals that are valid at every look. Conditions
    of tests without a verdict are asked as long as any verdict is open.
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
    """Return True if the study asks what the verdict needs. If not, further responses cannot settle it."""
    return finding.verdict.reason not in NOT_ASKED


def unsettled_arms(found: Sequence[Finding]) -> frozenset[str]:
    """Return the conditions of open verdicts and of tests without a verdict. Empty if all are settled."""
    asked = filter(is_asked, found)
    by_status = [(each.verdict.status, {arm.name for arm in each.test.possible_arms}) for each in asked]
    judged = any(status in SETTLED for status, _ in by_status)
    if judged and not any(status is Status.INCONCLUSIVE for status, _ in by_status):
        return frozenset()
    return frozenset().union(*(arms for status, arms in by_status if status not in SETTLED))


class Stop(NamedTuple):
    """Number of questions asked of a model for a test, and the verdict."""

    model: str
    benchmark: str
    test: str
    questions: int
    of: int
    verdict: Status

    @property
    def settled(self) -> bool:
        """True if the verdict is settled."""
        return self.verdict in SETTLED


def stops(found: Sequence[Finding], tables: Tables) -> Iterator[Stop]:
    """Yield the number of questions asked for each test, if asking could stop early."""
    for finding in filter(is_asked, found):
        table = tables.get((finding.model, finding.benchmark))
        if table is not None and table.looked is not None:
            asked = table.looked.count_items(arm.name for arm in finding.test.all_arms)
            of = len(table.items)
            yield Stop(finding.model, finding.benchmark, finding.test.name, asked, of, finding.verdict.status)


def asked_until(table: Table, found: Sequence[Finding]) -> str:
    """Describe how many questions a model was asked, and why. "" if asking could not stop early."""
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
