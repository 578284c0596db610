"""Measures how often the audit's checks of text and keys find what is not there, and whether they find what is.

`python research/audit/measure.py` prints the tables of results.md; `--write` writes `measured.json`. With `--whole`,
all checks of an audit look together, and `whole.json` is written instead.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from planted import (
    FLAWS,
    Planted,
    clean,
    duplicated,
    give_away_word,
    longer_key,
    plant,
    position_habit,
    spelled_out,
    wrong_key,
)
from snellen.items import Item
from snellen.stats import wilson
from snellen.tools.audit.answers import ChosenOptions
from snellen.tools.audit.audit import Audit, audit, audit_benchmark
from snellen.tools.audit.audited import Audited

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
WHOLE_ITEMS, WHOLE_SHARES, MODELS = 300, (0.1, 0.3), 8
NAMED = {
    "longer key": (longer_key, ("The longest option", "The longer option")),
    "give-away word": (give_away_word, ("An option with the word 'typical'",)),
    "position habit": (position_habit, ("The right answer is C", "Option C")),
    "spelled-out answer": (spelled_out, ("Where the text names", "An option named in the context")),
    "duplicates": (None, ("items are the same as another one",)),
    "wrong key": (wrong_key, ("of the keys of",)),
}
"""Flaws that a whole audit should name, with words of the sentences that do."""


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


def whole_false_alarms(name: str, seeds: int) -> dict[str, object]:
    """How many audits of clean benchmarks, with all checks, have a finding that could be chance, and one that not."""
    by_chance, as_fact, found = 0, 0, defaultdict(int)
    for seed in range(seeds):
        done = _clean_audit(name, seed)
        by_chance += any(each.p is not None for each in done.findings)
        as_fact += any(each.p is None for each in done.findings)
        for check in {each.check for each in done.findings}:
            found[check] += 1
    rate = wilson(by_chance, seeds)
    return {
        "benchmark": name, "seeds": seeds, "with_a_finding_by_chance": by_chance, "low": rate.low, "high": rate.high,
        "with_a_finding_of_fact": as_fact, "by_check": dict(found),
    }  # fmt: skip


def _clean_audit(name: str, seed: int) -> Audit:
    if name == "phantoms":
        return audit_benchmark(f"phantoms:items=200,seed={seed}")
    return audit(Audited("clean", clean(5000 + seed, WHOLE_ITEMS), seed=seed))


def first_named(flaw: str, share: float, seeds: int) -> dict[str, object]:
    """At which place of a whole audit the sentence that names a planted flaw stands."""
    change, words = NAMED[flaw]
    places = []
    for seed in range(seeds):
        items = clean(2000 + seed, WHOLE_ITEMS)
        planted = plant(items, share, seed, change) if change else duplicated(items, share, seed)
        done = audit(Audited("planted", planted.items, answers=_answers(flaw, items, planted, seed), seed=seed))
        said = [any(each in finding.sentence for each in words) for finding in done.findings]
        places.append(said.index(True) + 1 if any(said) else 0)
    return {
        "flaw": flaw, "share": share, "seeds": seeds, "first": places.count(1), "second": places.count(2),
        "later": sum(place > 2 for place in places), "not_named": places.count(0),
    }  # fmt: skip


def _answers(flaw: str, items: Sequence[Item], planted: Planted, seed: int) -> ChosenOptions | None:
    """Answers of independent models of 45% to 90% accuracy by the right keys, where the planted keys are wrong."""
    if flaw != "wrong key":
        return None
    rng = np.random.default_rng((23, seed))
    truth = np.array([item.answer for item in items])
    astray = (truth + rng.integers(1, 5, size=(MODELS, truth.size))) % 5
    knows = rng.random((MODELS, truth.size)) < np.linspace(0.45, 0.9, MODELS)[:, None]
    names = tuple(f"model {number}" for number in range(MODELS))
    return ChosenOptions(names, tuple(item.id for item in planted.items), np.where(knows, truth, astray))


def whole(seeds: int, planted_seeds: int, *, write: bool) -> None:
    """Prints what whole audits find."""
    alarms = [whole_false_alarms(name, seeds) for name in ("clean", "phantoms")]
    rows = [first_named(flaw, share, planted_seeds) for flaw in NAMED for share in WHOLE_SHARES]
    for row in (*alarms, *rows):
        print(row)
    if write:
        measured = {"clean": alarms, "planted": rows}
        Path(__file__).with_name("whole.json").write_text(json.dumps(measured, indent=1) + "\n")


def main() -> None:
    """Prints what was measured."""
    given = argparse.ArgumentParser()
    given.add_argument("--write", action="store_true")
    given.add_argument("--seeds", type=int, default=100)
    given.add_argument("--planted-seeds", type=int, default=8)
    given.add_argument("--whole", action="store_true", help="all checks together, 20 planted seeds; some 20 minutes")
    options = given.parse_args()
    if options.whole:
        whole(options.seeds, max(20, options.planted_seeds), write=options.write)
        return
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
