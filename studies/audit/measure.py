"""Measures how often the audit's checks of text and keys find what is not there, and whether they find what is.

`python studies/audit/measure.py` prints the tables of README.md; `--write` writes `measured.json`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from planted import FLAWS, clean

from snellen.audit.audit import audit
from snellen.audit.audited import Audited
from snellen.items import Item
from snellen.stats import wilson

CHECKS = (
    "answer-position",
    "option-length",
    "majority",
    "near-duplicates",
    "contradictory-keys",
    "answer-given-away",
    "options-in-question",
)
SHARES = (0.05, 0.1, 0.2)


def found(items: Sequence[Item], seed: int) -> dict[str, set[str]]:
    """The ids that each check flags in findings that stand, by check; a finding without items has an empty set."""
    flagged: dict[str, set[str]] = defaultdict(set)
    for finding in audit(Audited("planted", tuple(items), seed=seed), CHECKS).findings:
        flagged[finding.check] |= {each.item_id for each in finding.items}
    return flagged


def false_alarms(seeds: int) -> dict[str, object]:
    """How many clean benchmarks have a finding."""
    alarms: dict[str, int] = defaultdict(int)
    some = 0
    for seed in range(seeds):
        flagged = found(clean(seed), seed)
        some += bool(flagged)
        for name in flagged:
            alarms[name] += 1
    rate = wilson(some, seeds)
    return {"seeds": seeds, "with_a_finding": some, "low": rate.low, "high": rate.high, "by_check": dict(alarms)}


def power(flaw: str, share: float, seeds: int) -> dict[str, object]:
    """How often a planted flaw is found, and which of its items are listed."""
    check, planting = FLAWS[flaw]
    hits, recalls, precisions, others = 0, [], [], 0
    for seed in range(seeds):
        planted = planting(clean(1000 + seed), share, seed)
        flagged = found(planted.items, seed)
        hits += check in flagged
        others += bool(set(flagged) - {check} - {"near-duplicates"})
        if listed := flagged.get(check):
            recalls.append(len(listed & planted.ids) / len(planted.ids))
            precisions.append(len(listed & planted.ids) / len(listed))
    return {
        "flaw": flaw, "check": check, "share": share, "seeds": seeds, "found": hits,
        "recall": float(np.mean(recalls)) if recalls else None,
        "precision": float(np.mean(precisions)) if precisions else None,
        "another_check_too": others,
    }  # fmt: skip


def main() -> None:
    """Prints what was measured."""
    given = argparse.ArgumentParser()
    given.add_argument("--write", action="store_true")
    given.add_argument("--seeds", type=int, default=100)
    given.add_argument("--planted-seeds", type=int, default=8)
    options = given.parse_args()
    start = time.process_time()
    alarms = false_alarms(options.seeds)
    print(alarms)
    rows = [power(flaw, share, options.planted_seeds) for flaw in FLAWS for share in SHARES]
    for row in rows:
        print(row)
    seconds = round(time.process_time() - start)
    print(f"{seconds} s of processor time")
    if options.write:
        measured = {"clean": alarms, "planted": rows, "processor_seconds": seconds}
        Path(__file__).with_name("measured.json").write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
