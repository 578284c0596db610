"""Confidence: the share of labelled responses that a rule read correctly."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import orjson

from snellen.files import write_whole

Counts = Mapping[str, tuple[int, int]]
"""For each rule: how many labelled responses it read correctly, and how many it read."""

UNSURE = 0.9
"""A reading with less confidence is unsure."""

COUNTED = Path(__file__).with_name("counted.json")
"""File of counts written by `research/replies/measure.py` and, for open answers, by `research/open_answers/measure.py`.
"""


@cache
def read_counts(parser: str, file: Path = COUNTED) -> Counts:
    """Load the counts of one parser by rule. A study has its own file."""
    counts: dict[str, dict[str, tuple[int, int]]] = orjson.loads(file.read_bytes())
    return {rule: (right, n) for rule, (right, n) in counts.get(parser, {}).items()}


def write_counted(counts: Mapping[str, Counts], path: Path = COUNTED) -> None:
    """Replace the counts of the given parsers in a file; keep those of all others."""
    stored: dict[str, Counts] = orjson.loads(path.read_bytes()) if path.exists() else {}
    parts = (
        f'"{parser}": {{\n' + ",\n".join(f'  "{rule}": {list(pair)}' for rule, pair in rules.items()) + "\n}"
        for parser, rules in {**stored, **counts}.items()
    )
    write_whole(path, ("{\n" + ",\n".join(parts) + "\n}\n").encode())


def confidence(right: int, n: int) -> float:
    """Return the probability that a rule's next reading is right (Laplace). ½ if there are no counts.

    >>> confidence(98, 100), confidence(0, 0)
    (0.9705882352941176, 0.5)
    """
    return (right + 1) / (n + 2)
