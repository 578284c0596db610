"""Confidence: how likely a reading is right, by how often its rule was right on labelled responses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import orjson

from snellen.files import write_whole

Counts = Mapping[str, tuple[int, int]]
"""By rule, how many labelled responses it read right, and how many it read."""

UNSURE = 0.9
"""A reading of less confidence is unsure."""

COUNTED = Path(__file__).with_name("counted.json")
"""Made by `research/replies/measure.py` and, for open answers, by `research/open_answers/measure.py`."""


@cache
def counted(parser: str, file: Path = COUNTED) -> Counts:
    """What was counted for one of our parsers; a study of its own has a file of its own."""
    counts: dict[str, dict[str, tuple[int, int]]] = orjson.loads(file.read_bytes())
    return {rule: (right, n) for rule, (right, n) in counts.get(parser, {}).items()}


def write_counted(counts: Mapping[str, Counts], path: Path = COUNTED) -> None:
    """Replace what was counted for the parsers named, and keep all others."""
    stored: dict[str, Counts] = orjson.loads(path.read_bytes()) if path.exists() else {}
    parts = (
        f'"{parser}": {{\n' + ",\n".join(f'  "{rule}": {list(pair)}' for rule, pair in rules.items()) + "\n}"
        for parser, rules in {**stored, **counts}.items()
    )
    write_whole(path, ("{\n" + ",\n".join(parts) + "\n}\n").encode())


def confidence(right: int, n: int) -> float:
    """The chance that the next reading of a rule is right (Laplace's rule of succession); ½ where nothing is known.

    >>> confidence(98, 100), confidence(0, 0)
    (0.9705882352941176, 0.5)
    """
    return (right + 1) / (n + 2)
