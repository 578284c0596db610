"""How often each test of the readiness suite finds what is planted in an organism, and how often it cries wolf.

    python research/readiness_qualification/measure.py --repeats 200 --out research/readiness_qualification/results.md

Every repetition is a new benchmark of phantoms (its own seed) and new draws. A test alarms when its verdict is fail
after Holm's correction over all tests of the suite. Takes about seven seconds a repetition on two cores.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory

from snellen.asking.run import run
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.runtime import provenance
from snellen.scoring.findings import findings
from snellen.scoring.reading_plan import plan_reading
from snellen.scoring.resolving import study_record
from snellen.scoring.tables import grade_study
from snellen.stats import wilson
from snellen.store import Store
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.study import Study

SILENT = "unknown-option:image=removed"
PLANTED: Mapping[str, frozenset[str]] = {
    "grounded": frozenset(),
    "random": frozenset(),
    "refuser": frozenset(),
    "blind": frozenset({"image-needed", "visual-substitution", SILENT}),
    "mirage": frozenset({SILENT}),
    "positional": frozenset({"option-order", "distractors", "unknown-option"}),
    "memoriser": frozenset(
        {
            "image-needed", "visual-necessity", "option-order", "option-order:image=removed", "distractors",
            "distractors:image=removed", "unknown-option", SILENT, "visual-substitution",
        }
    ),
    "rambler": frozenset({"chain-of-thought", "reasoning-effort"}),
    "flagger": frozenset(),
    "pretender": frozenset({"visual-substitution"}),
    "reader": frozenset(),
    "text-driven": frozenset({"visual-substitution"}),
    "normal-report": frozenset({"image-needed", "visual-substitution", "distractors:image=removed", SILENT}),
}  # fmt: skip
"""What is wrong with each organism, by the tests that should find it; `rationale` has no verdict."""


def alarms(seed: int, items: int) -> dict[str, list[str]]:
    """The tests that alarm for each organism on one new benchmark."""
    learnt = {"memoriser": {"seed": seed, "items": items}}
    with TemporaryDirectory() as folder:
        study = Study(
            models=[open_organism(name, **learnt.get(name, {})) for name in ORGANISMS],
            benchmarks=(f"phantoms:items={items},seed={seed},leak=0.5",),
            tests=("readiness",),
            seed=seed,
            out=folder,
        )
        plan = study.plan()
        with Store.open(folder, write=True) as store:
            store.studies.add(study_record(plan, store, provenance()))
            run(plan, store, connections=64)
            kept = store.studies.record()
            benchmarks = {name: store.studies.benchmark(digest) for name, digest in kept["benchmarks"].items()}
            read = plan_reading(store, kept, benchmarks, tests=plan.tests)
            tables = grade_study(store, kept, benchmarks, read)[kept["parser"]]
    found = [
        finding
        for table in tables.values()
        for finding in findings([stress_test(each.name) for each in plan.tests], table)
    ]
    made: dict[str, list[str]] = {name: [] for name in ORGANISMS}
    for finding in found:
        if finding.verdict.status is Status.FAIL:
            made[finding.model.removeprefix("organism/").partition(":")[0]].append(finding.test.name)
    return made


def qualify(repeats: int, items: int, workers: int) -> str:
    """The table, as Markdown."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in ORGANISMS}
    anything: Counter[str] = Counter()
    with ProcessPoolExecutor(workers) as pool:
        for done, made in enumerate(pool.map(alarms, range(repeats), repeat(items)), 1):
            for name, tests in made.items():
                counts[name].update(tests)
                anything[name] += any(test not in PLANTED[name] for test in tests)
            print(f"\r{done} of {repeats}", end="", flush=True)
    print()
    return _table(counts, anything, repeats, items)


def _table(counts: Mapping[str, Counter[str]], anything: Counter[str], repeats: int, items: int) -> str:
    lines = [
        f"{repeats} repetitions with {items} items each. The text gives away the answer to half of them.",
        "",
        "- *Planted*: whether the organism was built with the defect that this test should find.",
        "- *Alarms*: repetitions with the verdict fail, after Holm's correction over all tests of the suite.",
        "- *Share*: alarms per repetition, with Wilson's 95% CI.",
        "",
        "| organism | test | planted | alarms | share [95% CI] |",
        "|---|---|---|---|---|",
    ]
    for name, found in counts.items():
        for test in sorted(PLANTED[name] | set(found)):
            planted = "yes" if test in PLANTED[name] else "no"
            lines.append(f"| {name} | {test} | {planted} | {found[test]} | {_share(found[test], repeats)} |")
        clean = anything[name]
        lines.append(f"| {name} | *any test where nothing is planted* | no | {clean} | {_share(clean, repeats)} |")
    return "\n".join(lines)


def _share(count: int, repeats: int) -> str:
    found = wilson(count, repeats)
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def main() -> None:
    """Run it and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--items", type=int, default=120)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    command = f"python research/readiness_qualification/measure.py --repeats {chosen.repeats} --items {chosen.items}"
    table = qualify(chosen.repeats, chosen.items, chosen.workers)
    title = (
        "# The readiness suite on the organisms\n\nThis page shows what the readiness suite finds in organisms: small "
        "models whose behaviour is known because it was built in.\n\nRedraw it with"
    )
    chosen.out.write_text(f"{title} `{command} --out {chosen.out.as_posix()}`.\n\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
