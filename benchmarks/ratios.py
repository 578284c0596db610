"""How a benchmark hands its ratios over to the page: `told(what, beside, rounds)`, once for each rival.

A script that calls it is on the page of `make bench`; run by itself it prints what it always printed. A ratio says how
many times as fast as the rival ours is, so that larger is better; `rounds` holds one ratio for each round in which both
took their turn. `QUICK` is set by `make bench QUICK=1`: smaller inputs, and `few(9)` is 3.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

QUICK = bool(os.environ.get("SNELLEN_BENCH_QUICK"))
FILE = os.environ.get("SNELLEN_BENCH_RATIOS")


def few(rounds: int) -> int:
    """How many rounds are made."""
    return min(3, rounds) if QUICK else rounds


def beside(theirs: Sequence[float], ours: Sequence[float]) -> list[float]:
    """The ratio of each round, from the time of both.

    >>> beside([6, 4], [2, 2])
    [3.0, 2.0]
    """
    return [other / own for other, own in zip(theirs, ours, strict=True)]


def told(what: str, beside: str, rounds: Sequence[float], *, package: str = "") -> None:
    """Hand over the ratios of all rounds; `package` is what the rival's version is looked up by."""
    if FILE:
        row = {"what": what, "beside": beside, "version": _version(package), "rounds": [float(each) for each in rounds]}
        with Path(FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _version(package: str) -> str:
    try:
        return version(package) if package else ""
    except PackageNotFoundError:
        return ""
