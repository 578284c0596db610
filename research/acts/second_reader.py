"""What the network adds to the rules of three parsers, on rows apart that neither has seen.

    python research/acts/second_reader.py
    python research/acts/second_reader.py --write

It prints, for each parser and set, κ of the rules alone and of rules and network with a paired interval (95%, 2,000
resamples of questions), and how often a reading of the network alone was right; --write stores these counts, on which
the confidence of such a reading rests, and `second_reader.json`.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from labelled_rows import KEPT_APART, Row, all_rows
from rules import Text
from written import APART, SETS, written_rows

from snellen.reading import mismatch, premise
from snellen.reading.acts import NETWORK
from snellen.reading.confidence import COUNTED, read_counts, write_counted
from snellen.reading.missing_image import parser as admission

MEASURED = Path(__file__).with_name("second_reader.json")
RESAMPLES, SEED = 2000, 47


class ReadRow(NamedTuple):
    """A row with what is true of it, what the rules read, and what rules and network read; with the rule's name."""

    row: Row
    true: bool
    rules: bool
    both: bool
    rule: str


def read_missing(row: Row) -> tuple[bool, str]:
    """Whether a response admits that no image was sent, doubts, or declines."""
    read = admission.read_admission(row.response, row.question)
    return read.label.value in ("missing", "hedges", "refuses"), f"{read.label}: {read.rule}"


def read_premise(row: Row) -> tuple[bool, str]:
    """Whether a response corrects its premise."""
    item = premise.parser.item_of(row.id, {"question": row.question, **row.facts})
    read = premise.read_premise(Text(row.response, row.finish), item)
    return read.act == "corrects", read.rule


def read_mismatch(row: Row) -> tuple[bool, str]:
    """Whether a response names a contradiction between image and text."""
    item = mismatch.parser.item_of(row.id, {"question": row.question, **row.facts})
    read = mismatch.read_mismatch(Text(row.response, row.finish), item)
    return read.named, read.rule


ADMITTING = ("says_no_image", "refuses", "abstains", "doubts")
PARSERS: dict[str, tuple[Callable[[Row], tuple[bool, str]], tuple[str, ...], Path]] = {
    "missing-image": (read_missing, ADMITTING, COUNTED),
    "premise": (read_premise, ("corrects_premise",), Path(premise.__file__).with_name("counted.json")),
    "mismatch": (read_mismatch, ("names_contradiction",), Path(mismatch.__file__).with_name("counted.json")),
}


def rows_apart(acts: Sequence[str]) -> list[Row]:
    """The rows apart of which it is known whether one of the acts is there."""
    written = [row for row in written_rows() if row.split == APART and row.source in SETS]
    older = [row for row in all_rows() if row.split == KEPT_APART and row.source != "mmmu-pro"]
    rows = [*written, *older]
    return [row for row in rows if any(row.acts[act] for act in acts) or all(row.acts[act] is False for act in acts)]


def read_rows(name: str) -> list[ReadRow]:
    """All rows of a parser, read with and without the network."""
    read, acts, _ = PARSERS[name]
    rows = [row for row in rows_apart(acts) if name != "premise" or row.facts.get("premise")]
    rows = [row for row in rows if name != "missing-image" or not row.options]
    with_network = [read(row) for row in rows]
    found = []
    for row, (both, rule) in zip(rows, with_network, strict=True):
        # The network only adds: a reading of another rule is that of the rules alone.
        rules = False if rule.endswith(NETWORK) else both
        found.append(ReadRow(row, any(row.acts[act] for act in acts), rules, both, rule))
    return found


def kappa(true: Any, read: Any, weights: Any) -> Any:
    """Cohen's κ of weighted rows; one value for each set of weights."""
    n = weights.sum(-1)
    share_true, share_read = ((weights * each).sum(-1) / n for each in (true, read))
    agreed = (weights * (true == read)).sum(-1) / n
    by_luck = share_true * share_read + (1 - share_true) * (1 - share_read)
    return (agreed - by_luck) / (1 - by_luck)


def compare(rows: Sequence[ReadRow]) -> dict[str, Any]:
    """κ of both, and their difference, with intervals from resampled questions."""
    true, rules, both = (np.array([getattr(each, field) for each in rows]) for field in ("true", "rules", "both"))
    names = {group: place for place, group in enumerate(dict.fromkeys(each.row.group for each in rows))}
    group = np.array([names[each.row.group] for each in rows])
    draws = np.random.default_rng(SEED).multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLES)
    weights = np.vstack([np.ones(len(rows)), draws[:, group]])
    by_rules, by_both = kappa(true, rules, weights), kappa(true, both, weights)
    found: dict[str, Any] = {"n": len(rows), "present": int(true.sum()), "questions": len(names)}
    for name, each in (("rules", by_rules), ("both", by_both), ("difference", by_both - by_rules)):
        ends = np.nanpercentile(each[1:], (2.5, 97.5))
        found[name] = [round(float(value), 3) for value in (each[0], *ends)]
    return found


def main() -> None:
    """Print, and store with --write."""
    measured: dict[str, Any] = {}
    for name, (_, _, file) in PARSERS.items():
        rows = read_rows(name)
        sets: dict[str, list[ReadRow]] = defaultdict(list)
        for each in rows:
            sets[each.row.source if each.row.source in (*SETS, "replies") else "older rows"].append(each)
        sets["all written sets"] = [each for each in rows if each.row.source in SETS]
        measured[name] = {of: compare(each) for of, each in sets.items() if sum(row.true for row in each) > 4}
        counts: dict[str, list[int]] = {}
        for each in rows:
            if each.rule.endswith(NETWORK):
                right, n = counts.get(each.rule, [0, 0])
                counts[each.rule] = [right + (each.both == each.true), n + 1]
        measured[name]["network alone: right, of"] = counts
        for of, figures in measured[name].items():
            print(name, of, figures)
        if "--write" in sys.argv:
            kept = dict(read_counts(name, file))
            write_counted({name: {**kept, **{rule: (right, n) for rule, (right, n) in counts.items()}}}, file)
    if "--write" in sys.argv:
        MEASURED.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
