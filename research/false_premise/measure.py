"""How far the parser of premises agrees with labels.

Run as `python research/false_premise/measure.py`; with --write it also writes `measured.json`, the agreement that the
parser quotes, and the counts that its confidence rests on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import snellen.reading.premise
from snellen.judging.qualify import qualify
from snellen.judging.qualify.premise import correcting
from snellen.stats import Estimate
from snellen.stats.intervals import wilson

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured.json"
PACKAGE = Path(snellen.reading.premise.__file__).parent
AGREEMENT, COUNTED = PACKAGE / "agreement.json", PACKAGE / "counted.json"
PARSER = "premise"

Row = dict[str, Any]


def rows() -> list[Row]:
    """The labelled responses."""
    lines = (HERE / "labelled.jsonl").read_text(encoding="utf-8").splitlines()
    return list(map(json.loads, lines))


def measured(some: Sequence[Row]) -> dict[str, Estimate]:
    """The agreement on some rows: four labels, and whether the premise is corrected, which is what decides."""
    done = qualify(PARSER, some)
    decided = correcting(done)
    pairs = [(row.label == "corrects", row.predicted == "corrects") for row in decided.rows]
    both = sum(label and said for label, said in pairs)
    found = {
        "corrects or not: κ": decided.kappa,
        "four labels: κ": done.kappa,
        "four labels: agreement": done.agreement,
    }
    if any(said for _, said in pairs):
        found["corrects: precision"] = wilson(both, sum(said for _, said in pairs))
    if any(label for label, _ in pairs):
        found["corrects: recall"] = wilson(both, sum(label for label, _ in pairs))
    return found


def figures() -> dict[str, dict[str, Estimate]]:
    """All figures, under what they are of."""
    every = rows()
    parts = {
        "kept apart": [row for row in every if row["split"] == "apart"],
        **{
            f"{which} set kept apart, as read now": [row for row in every if row["split"] == which]
            for which in ("first", "second", "third", "fourth", "sixth", "seventh")
        },
        "all, English": [row for row in every if row["language"] == "en"],
        "all, other languages": [row for row in every if row["language"] != "en"],
        "development": [row for row in every if row["split"] == "development"],
    }
    return {of: measured(some) for of, some in parts.items() if some}


def counts() -> dict[str, list[int]]:
    """By rule: how many responses it read right, and how many it read."""
    by_rule = qualify(PARSER, rows()).by_rule
    return {rule: list(by_rule[rule]) for rule in sorted(by_rule)}


def as_record(found: Mapping[str, Mapping[str, Estimate]]) -> dict[str, dict[str, list[float]]]:
    """Figures to be stored: value, ends of the 95% CI and n; not those that are not defined."""
    return {
        of: {
            name: [*(round(end, 3) for end in (each.value, each.low, each.high)), each.n]
            for name, each in estimates.items()
            if isfinite(each.value)
        }
        for of, estimates in found.items()
    }


BEFORE = (
    {
        "of": "responses of our own in the manner of frontier models, when they were opened (seventh set)",
        "n": 30,
        "kappa": [0.66, 0.43, 0.90],
        "corrects_kappa": [0.66, 0.40, 0.93],
    },
    {
        "of": "responses of our own in the manner of frontier models, when they were opened (sixth set)",
        "n": 63,
        "kappa": [0.76, 0.62, 0.90],
        "corrects_kappa": [0.81, 0.67, 0.95],
    },
    {
        "of": "replies of a small chat model that was told what it was shown, when they were opened (fourth set)",
        "n": 16,
        "kappa": [0.71, 0.41, 1.00],
        "corrects_kappa": [1.00, 0.11, 1.00],
    },
    {
        "of": "responses of our own in the manner of chat models, when they were opened (third set)",
        "n": 43,
        "kappa": [0.82, 0.67, 0.96],
        "corrects_kappa": [0.90, 0.77, 1.00],
    },
    {
        "of": "responses of our own in the manner of large chat models, when they were opened (second set)",
        "n": 55,
        "kappa": [0.83, 0.70, 0.96],
        "corrects_kappa": [0.85, 0.71, 0.99],
    },
    {
        "of": "responses of our own, when they were opened (first set)",
        "n": 116,
        "kappa": [0.90, 0.84, 0.97],
        "corrects_kappa": [0.93, 0.86, 1.00],
    },
)
"""How far the parser agreed with the sets kept apart when they were opened; the rules were mended after each."""
LAST = "kept apart"


def agreement(record: Mapping[str, Mapping[str, list[float]]]) -> list[dict[str, Any]]:
    """What the parser says of itself: the seventh and sixth set, the fifth, then what the four before had shown."""
    last = {
        "of": "responses of our own in the manner of chat models, kept apart (fifth set)",
        "n": record[LAST]["four labels: κ"][3],
        "kappa": record[LAST]["four labels: κ"][:3],
        "corrects_kappa": record[LAST]["corrects or not: κ"][:3],
    }
    return [*BEFORE[:2], last, *BEFORE[2:]]


def main() -> None:
    """Print all figures; with --write, also write them, the agreement, and the counts by rule."""
    found = figures()
    for of, estimates in found.items():
        print(of)
        for name, estimate in estimates.items():
            print(f"  {name}: {estimate}")
    for row in qualify(PARSER, rows()).differing:
        print(f"{row.label} read as {row.predicted} ({row.rule}): {row.fields['response']}")
    if "--write" in sys.argv:
        record = as_record(found)
        MEASURED.write_text(f"{json.dumps(record, indent=1, ensure_ascii=False)}\n", encoding="utf-8")
        AGREEMENT.write_text(f"{json.dumps(agreement(record), indent=2, ensure_ascii=False)}\n", encoding="utf-8")
        lines = ",\n".join(f'  "{rule}": {pair}' for rule, pair in counts().items())
        COUNTED.write_text(f'{{\n"{PARSER}": {{\n{lines}\n}}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
