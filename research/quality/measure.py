"""How far the parser of detection replies agrees with the labels; writes what the report quotes.

Run as `python research/quality/measure.py`.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

from snellen.judging.qualify import Qualification, qualify
from snellen.judging.qualify.quality import qualify_field
from snellen.stats import Estimate

HERE = Path(__file__).parent
LABELLED = HERE.parents[1] / "tests" / "data" / "labelled" / "quality.jsonl"
FILE = "agreement.json"
KEPT_APART = {
    "held": "replies of our own that are hard on purpose, written before the rules",
    "plain": "replies of our own in the plain style of chat models, written after the rules",
}
"""The splits whose rows no rule was made or mended for."""


def rows(split: str) -> list[dict[str, Any]]:
    """The labelled replies of a split."""
    lines = LABELLED.read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["split"] == split]


def questions(split: str) -> dict[str, Qualification]:
    """The parser held against the labels of a split: on the class, as the paper counts it, on flags and conflicts."""
    done = qualify("quality", rows(split))
    counted = qualify("quality-as-published", [{**row, "label": row["published"]} for row in rows(split)])
    flags, conflict = qualify_field(done, "flags"), qualify_field(done, "conflict")
    assert flags is not None
    assert conflict is not None
    return {"kappa": done, "published_kappa": counted, "flags_kappa": flags, "conflict_kappa": conflict}


def measured() -> list[dict[str, Any]]:
    """For each split kept apart: Cohen's κ on each question, with its interval, and how many rows it is over."""
    return [_measured(split) for split in KEPT_APART]


def _measured(split: str) -> dict[str, Any]:
    held = questions(split)
    kappas = {name: _ends(done.kappa) for name, done in held.items()}
    return {
        "of": KEPT_APART[split],
        "n": len(held["kappa"].rows),
        "n_conflict": len(held["conflict_kappa"].rows),
    } | kappas


def by_class(done: Qualification) -> dict[str, tuple[int, int]]:
    """For each label: how often the parser says the same, and how often it was given."""
    given = Counter(row.label for row in done.rows)
    missed = Counter(row.label for row in done.differing)
    return {label: (count - missed[label], count) for label, count in given.most_common()}


def _ends(estimate: Estimate) -> list[float]:
    return [round(end, 3) for end in (estimate.value, estimate.low, estimate.high)]


def _print() -> None:
    for split in ("dev", *KEPT_APART):
        for name, done in questions(split).items():
            print(f"{split:6} {name:16} {done.kappa}")
            print("      ", ", ".join(f"{label} {right}/{count}" for label, (right, count) in by_class(done).items()))


if __name__ == "__main__":
    found = json.dumps(measured(), indent=2)
    Path(str(files("snellen.reading.detection").joinpath(FILE))).write_text(f"{found}\n", encoding="utf-8")
    _print()
