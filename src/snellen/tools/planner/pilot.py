"""Pilot: estimates from a stored study as assumptions for a larger one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from snellen.asking.plan import stored_in
from snellen.reading.outcomes import Outcome
from snellen.scoring.results import score
from snellen.scoring.tables import Tables
from snellen.stats import Estimate, proportion, spread
from snellen.stress.base import Expectation, StressTest
from snellen.stress.design import asked_of
from snellen.stress.table import Table
from snellen.tools.planner.claims import Assumptions, Quantity, usual_assumptions

FEWEST = 20
"""Minimum number of items for an estimate to be used."""


def read_assumptions(out: str | Path, tests: Sequence[StressTest] = ()) -> Assumptions:
    """Read the assumptions from the latest study in a folder; defaults if there is none.

    `tests` are tests of your own that no package registers.
    """
    usual = usual_assumptions()
    with stored_in(out) as store:
        if store is None or not store.studies.load_all():
            return usual
        results = score(store, tests=tests)
    found = list(dict.fromkeys(finding.test for finding in results.findings))
    return estimate_assumptions(found, results.tables, usual, folder=str(out))


def estimate_assumptions(
    tests: Sequence[StressTest], tables: Tables, assumed: Assumptions, *, folder: str
) -> Assumptions:
    """Replace assumptions by estimates from a stored study with at least 20 items.

    If there are several models and benchmarks, the estimate that needs most items is used, so that the plan holds for
    all. Accuracy and changed answers use only models clearly above chance. For changed answers the median is used: a
    large value may come from a model that fails under a condition.
    """
    found: Mapping[str, list[tuple[Estimate, str]]] = {name: [] for name in Assumptions._fields}
    for table in tables.values():
        where = f"{table.model} on {table.benchmark} in {folder}"
        for name, estimate in quantities(asked_of(tests, table.benchmark, table.kind), table):
            if estimate.n >= FEWEST:
                found[name].append((estimate, where))
    return Assumptions(*(_choose_quantity(name, found[name], assumed) for name in Assumptions._fields))


def _choose_quantity(name: str, found: Sequence[tuple[Estimate, str]], assumed: Assumptions) -> Quantity:
    if not found:
        return Quantity(*getattr(assumed, name))
    which, place = {"accuracy": ("lowest", 0), "moved": ("median", len(found) // 2)}.get(name, ("highest", -1))
    estimate, where = sorted(found, key=lambda each: each[0].value)[place]
    source = f"{where} ({estimate.method}{f'; the {which} of {len(found)}' if len(found) > 1 else ''})"
    return Quantity(estimate.value, source, estimate.low, estimate.high, estimate.n)


def quantities(tests: Sequence[StressTest], table: Table) -> Iterator[tuple[str, Estimate]]:
    """Yield an estimate of each quantity for one model and benchmark, one per condition."""
    arms = dict.fromkeys(arm.name for test in tests for arm in test.all_arms)
    above: set[str] = set()
    for arm in dict.fromkeys(test.baseline.name for test in tests):
        if len(table.arms.get(arm, ())):
            right = table.share(arm, [Outcome.CORRECT])
            found = proportion(right.value, clusters=table.clusters[right.ordinal])
            if found.low > table.chance[right.ordinal].mean():  # of what is kept above chance, guesses tell nothing
                above.add(arm)
                yield "accuracy", found
    noise = {}
    for arm in arms:
        grades = table.arms.get(arm)
        if grades is None or not len(grades) or not grades.repeated:
            continue
        patients = table.clusters[grades.ordinal]
        if (runs := spread(grades.ordinal, grades.replicate, grades.is_(Outcome.CORRECT), clusters=patients)) is None:
            continue
        noise[arm] = runs.within_items
        yield "within", runs.within_items
        again = table.moved_by_itself(arm)
        if len(again.ordinal):
            yield "rerun", proportion(again.value, clusters=table.clusters[again.ordinal])
    for test in tests:
        if test.expects is Expectation.INVARIANT and test.baseline.name in above:
            for other in test.compared:
                if (moved := _estimate_moved(test.baseline.name, other.name, table, noise)) is not None:
                    yield "moved", moved


def _estimate_moved(baseline: str, arm: str, table: Table, noise: Mapping[str, Estimate]) -> Estimate | None:
    """Estimate the share of answers that turn right or wrong, minus the variation between repeats."""
    if not all(len(table.arms.get(each, ())) for each in (baseline, arm)):
        return None
    pairs = table.pair_items(*(table.share(each, [Outcome.CORRECT]) for each in (baseline, arm)))
    if not len(pairs.ordinal):
        return None
    turned = pairs.first * (1 - pairs.second) + pairs.second * (1 - pairs.first)
    found = proportion(turned, clusters=pairs.clusters)
    anyway = sum(noise[each].value for each in (baseline, arm) if each in noise)
    value, low, high = (max(0.0, each - anyway) for each in (found.value, found.low, found.high))
    return Estimate(value, low, high, found.n, found.method)
