"""How far the parser of contradictions between image and words agrees with labels.

Run as `python research/mismatch/measure.py`; with --write it also writes `measured.json`, the agreement that the parser
quotes, and the counts that its confidence rests on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import snellen.reading.mismatch
from snellen.judging.qualify import qualify
from snellen.judging.qualify.mismatch import naming
from snellen.stats import Estimate, cohens_kappa
from snellen.stats.intervals import wilson

HERE = Path(__file__).resolve().parent
MEASURED = HERE / "measured.json"
PACKAGE = Path(snellen.reading.mismatch.__file__).parent
AGREEMENT, COUNTED = PACKAGE / "agreement.json", PACKAGE / "counted.json"
PARSER = "mismatch"

Row = dict[str, Any]


def rows() -> list[Row]:
    """The labelled responses."""
    lines = (HERE / "labelled.jsonl").read_text(encoding="utf-8").splitlines()
    return list(map(json.loads, lines))


def measured(some: Sequence[Row]) -> dict[str, Estimate]:
    """The agreement on some rows: four labels, and whether the contradiction is named, which is what is graded."""
    done = qualify(PARSER, some)
    graded = naming(done)
    pairs = [(row.label == "named", row.predicted == "named") for row in graded.rows]
    both = sum(label and said for label, said in pairs)
    return {
        "named or not: κ": graded.kappa,
        "named: precision": wilson(both, sum(said for _, said in pairs)),
        "named: recall": wilson(both, sum(label for label, _ in pairs)),
        "four labels: κ": done.kappa,
        "four labels: agreement": done.agreement,
    }


def figures() -> dict[str, dict[str, Estimate]]:
    """All figures, under what they are of."""
    every = rows()
    apart = [row for row in every if row["split"] == "apart"]
    parts = {
        "kept apart": apart,
        "kept apart, replies of a chat model": [row for row in apart if "model" in row],
        "kept apart, responses of our own": [row for row in apart if "model" not in row],
        "kept apart, English": [row for row in apart if row["language"] == "en"],
        "kept apart, other languages": [row for row in apart if row["language"] != "en"],
        "first set kept apart, as read now": [row for row in every if row["split"] == "first"],
        "second set kept apart, as read now": [row for row in every if row["split"] == "second"],
        "development": [row for row in every if row["split"] == "development"],
    }
    found = {of: measured(some) for of, some in parts.items()}
    twice = [row for row in every if "again" in row]
    found["the two passes of labelling"] = {
        "four labels: κ": cohens_kappa([row["first"] for row in twice], [row["again"] for row in twice])
    }
    return found


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
        "of": "responses mostly of our own, hard on purpose, in six languages, when they were opened",
        "n": 132,
        "kappa": [0.74, 0.63, 0.85],
        "named_kappa": [0.71, 0.59, 0.83],
    },
    {
        "of": "a second set of such responses, by the rules as mended after the first",
        "n": 83,
        "kappa": [0.61, 0.45, 0.76],
        "named_kappa": [0.57, 0.41, 0.74],
    },
)
"""How far the parser agreed with the first two sets kept apart when they were opened; the rules were mended then."""
KEPT_APART = {
    "kept apart, replies of a chat model": "replies of a small chat model that was told what it was shown, kept apart",
    "kept apart, responses of our own": "responses of our own in the manner of large chat models, kept apart",
}


def agreement(record: Mapping[str, Mapping[str, list[float]]]) -> list[dict[str, Any]]:
    """What the parser says of itself: the last set kept apart, then what the two before it had shown."""
    last = (
        {
            "of": words,
            "n": record[of]["four labels: κ"][3],
            "kappa": record[of]["four labels: κ"][:3],
            "named_kappa": record[of]["named or not: κ"][:3],
        }
        for of, words in KEPT_APART.items()
    )
    return [*last, *BEFORE]


def main() -> None:
    """Print all figures; with --write, also write them, the agreement, and the counts by rule."""
    found = figures()
    for of, estimates in found.items():
        print(of)
        for name, estimate in estimates.items():
            print(f"  {name}: {estimate}")
    done = qualify(PARSER, [row for row in rows() if row["split"] == "apart"])
    for (label, said), count in sorted(done.confusion.items()):
        print(f"{label} read as {said}: {count}")
    if "--write" in sys.argv:
        record = as_record(found)
        MEASURED.write_text(f"{json.dumps(record, indent=1, ensure_ascii=False)}\n", encoding="utf-8")
        AGREEMENT.write_text(f"{json.dumps(agreement(record), indent=2, ensure_ascii=False)}\n", encoding="utf-8")
        lines = ",\n".join(f'  "{rule}": {pair}' for rule, pair in counts().items())
        COUNTED.write_text(f'{{\n"{PARSER}": {{\n{lines}\n}}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
