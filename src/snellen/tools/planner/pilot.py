"""Pilot: how models answered in a stored study, as far as the size of a larger one depends on it."""

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
"""A number from fewer items is not taken for the plan."""


def read_assumptions(out: str | Path, tests: Sequence[StressTest] = ()) -> Assumptions:
    """How models answered in the latest study of a folder; as usual if nothing is stored.

    `tests` are those of your own that no package registers.
    """
    usual = usual_assumptions()
    with stored_in(out) as store:
        if store is None or not store.studies.all():
            return usual
        results = score(store, tests=tests)
    found = list(dict.fromkeys(finding.test for finding in results.findings))
    return estimated(found, results.tables, usual, folder=str(out))


def estimated(tests: Sequence[StressTest], tables: Tables, assumed: Assumptions, *, folder: str) -> Assumptions:
    """The assumptions with what a stored study says instead, if it has at least 20 items for it.

    Of several models and benchmarks, that which needs most items counts: the plan is to hold for each of them. Accuracy
    and what moves are those of models that are shown to be above chance. Of what moves, the median counts: under some
    condition, some model may fail, and such a change does matter.
    """
    found: Mapping[str, list[tuple[Estimate, str]]] = {name: [] for name in Assumptions._fields}
    for table in tables.values():
        where = f"{table.model} on {table.benchmark} in {folder}"
        for name, estimate in quantities(asked_of(tests, table.benchmark, table.kind), table):
            if estimate.n >= FEWEST:
                found[name].append((estimate, where))
    return Assumptions(*(_chosen(name, found[name], assumed) for name in Assumptions._fields))


def _chosen(name: str, found: Sequence[tuple[Estimate, str]], assumed: Assumptions) -> Quantity:
    if not found:
        return Quantity(*getattr(assumed, name))
    which, place = {"accuracy": ("lowest", 0), "moved": ("median", len(found) // 2)}.get(name, ("highest", -1))
    estimate, where = sorted(found, key=lambda each: each[0].value)[place]
    source = f"{where} ({estimate.method}{f'; the {which} of {len(found)}' if len(found) > 1 else ''})"
    return Quantity(estimate.value, source, estimate.low, estimate.high, estimate.n)


def quantities(tests: Sequence[StressTest], table: Table) -> Iterator[tuple[str, Estimate]]:
    """What one model on one benchmark says of each quantity, once for each condition that shows it."""
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
                if (moved := _moved(test.baseline.name, other.name, table, noise)) is not None:
                    yield "moved", moved


def _moved(baseline: str, arm: str, table: Table, noise: Mapping[str, Estimate]) -> Estimate | None:
    """How often right turns wrong or back; less what runs differ by anyway, where that is known."""
    if not all(len(table.arms.get(each, ())) for each in (baseline, arm)):
        return None
    pairs = table.paired(*(table.share(each, [Outcome.CORRECT]) for each in (baseline, arm)))
    if not len(pairs.ordinal):
        return None
    turned = pairs.first * (1 - pairs.second) + pairs.second * (1 - pairs.first)
    found = proportion(turned, clusters=pairs.clusters)
    anyway = sum(noise[each].value for each in (baseline, arm) if each in noise)
    value, low, high = (max(0.0, each - anyway) for each in (found.value, found.low, found.high))
    return Estimate(value, low, high, found.n, found.method)
