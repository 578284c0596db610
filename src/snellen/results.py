"""Results: every stored reply graded, every test measured and concluded; asks nothing."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from snellen.errors import BrokenRow, StoreError
from snellen.garbage import few_collections
from snellen.grading import grade
from snellen.items import Benchmark, Item
from snellen.plan import Plan
from snellen.stats import holm
from snellen.store import Store, as_changed
from snellen.stress import known_test
from snellen.stress.base import Measure, Status, StressTest, Verdict
from snellen.stress.conclusions import conclude
from snellen.stress.measures import standard_measures
from snellen.stress.table import NEW_OPTION, NOTHING, Grades, Table, code
from snellen.stress.words import percent

MISSING_ALLOWED = 0.05
"""The share of replies that may be missing before a verdict is withheld."""

COLUMNS = (
    "model", "benchmark", "test", "arm", "measure", "value", "low", "high", "n", "method",
    "p", "p_adjusted", "detectable",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One test of one model on one benchmark: its numbers and its verdict."""

    model: str
    benchmark: str
    test: StressTest
    measures: tuple[Measure, ...]
    verdict: Verdict

    def measure(self, arm: str, name: str) -> Measure | None:
        """The measure of that arm and name, if there is one."""
        return next((m for m in self.measures if m.arm == arm and m.name == name), None)

    def headline(self) -> tuple[str, str, str]:
        """Baseline accuracy, the headline of the first arm and its n, in percent, for a table."""
        accuracy = self.measure(self.test.baseline.name, "accuracy")
        change = next((m for m in self.measures if m.name == self.test.headline), None)
        if accuracy is None or change is None:
            return "–", "–", "0"
        found = change.estimate
        interval = f"{100 * found.value:+.0f} [{100 * found.low:+.0f}, {100 * found.high:+.0f}]"
        return percent(accuracy.estimate.value), interval, str(found.n)


@dataclass(frozen=True)
class Results:
    """All findings of a study, with the tables behind them."""

    folder: Path
    study: Mapping[str, Any]
    benchmarks: Mapping[str, Benchmark]
    tables: Mapping[tuple[str, str], Table]
    findings: tuple[Finding, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The tidy table: a row a number."""
        for finding in self.findings:
            for measure in finding.measures:
                estimate = measure.estimate
                values = (
                    finding.model, finding.benchmark, finding.test.name, measure.arm, measure.name,
                    estimate.value, estimate.low, estimate.high, estimate.n, estimate.method,
                    estimate.p, measure.p_adjusted, measure.detectable,
                )  # fmt: skip
                yield dict(zip(COLUMNS, values, strict=True))

    def __str__(self) -> str:
        lines = ["model | benchmark | test | result | right | change [95%] | n"]
        for finding in self.findings:
            cells = (finding.model, finding.benchmark, finding.test.name, finding.verdict.status, *finding.headline())
            lines.append(" | ".join(cells))
        return "\n".join(lines)

    def save(self) -> tuple[Path, Path]:
        """Write results.csv and results.json beside the replies."""
        table, record = self.folder / "results.csv", self.folder / "results.json"
        text = StringIO(newline="")
        writer = csv.DictWriter(text, COLUMNS)
        writer.writeheader()
        writer.writerows(self.rows())
        write_whole(table, text.getvalue().encode())
        write_whole(record, orjson.dumps(self.record(), option=orjson.OPT_INDENT_2, default=str))
        return table, record

    def record(self) -> dict[str, Any]:
        """Everything but the replies: study, numbers, verdicts, and what was not asked or not answered."""
        return {
            "study": self.study,
            "results": list(self.rows()),
            "verdicts": [
                {
                    "model": finding.model,
                    "benchmark": finding.benchmark,
                    "test": finding.test.name,
                    "status": finding.verdict.status,
                    "sentence": finding.verdict.sentence,
                }
                for finding in self.findings
            ],
            "accounting": [
                {
                    "model": model,
                    "benchmark": benchmark,
                    "arm": arm,
                    "wanted": grades.wanted,
                    "replies": len(grades),
                    "missing": grades.missing,
                    "failed": grades.failed,
                    "inapplicable": grades.inapplicable,
                }
                for (model, benchmark), table in self.tables.items()
                for arm, grades in table.arms.items()
            ],
        }


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all; an older one stays until then."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}.") from error


def study_record(plan: Plan, store: Store, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What the store keeps of a study: names and digests, enough to score and report it without asking."""
    digests = {benchmark.name: store.add_benchmark(benchmark)[1] for benchmark in plan.benchmarks}
    return {
        **provenance,
        "models": [[model.name, model.revision] for model in plan.models],
        "benchmarks": digests,
        "sources": {
            benchmark.name: {"about": dict(benchmark.about), "broken": [list(row) for row in benchmark.broken]}
            for benchmark in plan.benchmarks
        },
        "tests": [test.name for test in plan.tests],
        "arms": {
            benchmark: {arm.name: arm.digest(digest, plan.seed) for arm in plan.arms}
            for benchmark, digest in digests.items()
        },
        "seed": plan.seed,
        "epochs": plan.epochs,
        "limit": plan.limit,
        "prompt": plan.prompt.name,
        "settings": plan.settings.chosen,
        "reader": plan.reader,
    }


def score(store: Store, *, tests: Sequence[StressTest] = (), reader: str | None = None) -> Results:
    """Grade and measure the latest study of a store. `tests` adds those that no package registers."""
    study = store.latest_study()
    reader = reader or study["reader"]
    by_name = {test.name: test for test in tests}
    resolved = [known_test(name, by_name) for name in study["tests"]]
    benchmarks = {
        name: _with_source(store.benchmark(digest), study["sources"][name])
        for name, digest in study["benchmarks"].items()
    }
    with few_collections():
        tables = {
            (model, name): _table(store, study, benchmark, model=(model, revision), reader=reader)
            for name, benchmark in benchmarks.items()
            for model, revision in study["models"]
        }
    findings = [finding for table in tables.values() for finding in _findings(resolved, table)]
    return Results(store.folder, {**study, "reader": reader}, benchmarks, tables, tuple(findings))


def _with_source(benchmark: Benchmark, source: Mapping[str, Any]) -> Benchmark:
    """The stored benchmark with what this study's load said of it."""
    return replace(benchmark, about=source["about"], broken=tuple(BrokenRow(*row) for row in source["broken"]))


def _table(
    store: Store, study: Mapping[str, Any], benchmark: Benchmark, *, model: tuple[str, str], reader: str
) -> Table:
    number = store.model(*model)
    items = benchmark.items[: study["limit"]]
    arms = {
        name: _grades(store, store.arm(digest)[0], number, items, epochs=study["epochs"], reader=reader)
        for name, digest in study["arms"][benchmark.name].items()
    }
    return Table(model[0], benchmark.name, items, arms, reader)


def _grades(store: Store, arm: int, model: int, items: Sequence[Item], *, epochs: int, reader: str) -> Grades:
    """Every reply of an arm, graded against the item as the arm left it."""
    variants = {i: as_changed(items[i], changed) for i, changed in store.changes(arm).items() if i < len(items)}
    rules: dict[str, int] = {}
    rows: list[tuple[int, int, int, int, int, int]] = []
    for ordinal, replicate, response, text, finish in store.replies(model, arm):
        if ordinal >= len(items) or replicate >= epochs:
            continue
        original = items[ordinal]
        variant = variants[ordinal]
        graded = grade(text, finish, variant, reader)
        rule = rules.setdefault(graded.rule, len(rules))
        chosen = _chosen(original, variant, graded.choice)
        rows.append((ordinal, replicate, code(graded.outcome), chosen, response, rule))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    reasons = [reason for ordinal, reason in store.inapplicable(arm).items() if ordinal < len(items)]
    return Grades(
        ordinal=columns[0],
        replicate=columns[1],
        outcome=columns[2].astype(np.uint8),
        chosen=columns[3],
        response=columns[4],
        rule=columns[5].astype(np.uint16),
        rules=tuple(rules),
        inapplicable={reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
        failed=store.failures(model, arm, items=len(items), epochs=epochs),
        wanted=(len(items) - len(reasons)) * epochs,
    )


def _chosen(original: Item, variant: Item, choice: int | None) -> int:
    """The chosen option as the original item numbers it."""
    if choice is None:
        return NOTHING
    if variant is original:
        return choice
    option = variant.options[choice]
    return original.options.index(option) if option in original.options else NEW_OPTION


def _verdict(test: StressTest, table: Table, measures: Sequence[Measure]) -> Verdict:
    """The test's conclusion; none where too many replies never came, since those that came may be the easy ones."""
    verdict = (test.concluding or conclude)(test, {(measure.arm, measure.name): measure for measure in measures})
    gaps = [(arm.name, table.arms[arm.name]) for arm in test.all_arms if arm.name in table.arms]
    worst, grades = max(gaps, key=lambda gap: gap[1].missing / max(1, gap[1].wanted))
    if grades.missing <= MISSING_ALLOWED * grades.wanted:
        return verdict
    gap = f"{grades.missing} of {grades.wanted} replies of the arm {worst} are missing"
    return Verdict(Status.UNCLEAR, f"Incomplete: {gap}. Of what there is: {verdict.sentence}")


def _findings(tests: Sequence[StressTest], table: Table) -> list[Finding]:
    """Every test measured, their headline p-values corrected together (Holm), then concluded."""
    measured = [(test, list((test.measuring or standard_measures)(test, table))) for test in tests]
    headlines = [
        (m, i)
        for m, (test, measures) in enumerate(measured)
        for i, measure in enumerate(measures)
        if measure.name == test.headline and measure.estimate.p is not None
    ]
    if headlines:
        adjusted = holm([measured[m][1][i].estimate.p or 0.0 for m, i in headlines])
        for (m, i), p in zip(headlines, adjusted, strict=True):
            measured[m][1][i] = replace(measured[m][1][i], p_adjusted=float(p))
    return [
        Finding(
            table.model,
            table.benchmark,
            test,
            tuple(measures),
            _verdict(test, table, measures),
        )
        for test, measures in measured
    ]
