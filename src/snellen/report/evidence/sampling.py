"""Sampling of the responses that the page shows, by a hash alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item
from snellen.reading.columns import NOTHING, Integers
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying
from snellen.stress.table import Grades, Table

Ranks = NDArray[np.uint64]
Candidates = Mapping[ArmAddress, Integers]
"""Places of responses by model, benchmark and condition."""
RUNS = 20
"""Number of candidates considered per response to choose.

Items with more repeats than this may crowd out others.
"""


def ranks(items: Sequence[Item]) -> Ranks:
    """Rank items by a hash of their ids."""
    return np.fromiter((_number(item.id) for item in items), dtype=np.uint64, count=len(items))


def item_ranks(table: Table) -> Ranks:
    """Return the ranks of a table's items, computed once."""
    return table.compute_once("item ranks", lambda: ranks(table.items))


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest(), "big")


def mark_changed(grades: Grades, baseline: Grades | None) -> NDArray[np.bool_]:
    """Mark responses that chose another option than the baseline.

    Compared are responses to the same item with the same repeat.
    """
    found = np.zeros(len(grades), dtype=bool)
    if baseline is None or not len(baseline) or not len(grades):
        return found
    width = 1 + max(grades.replicate.max(initial=0), baseline.replicate.max(initial=0))
    cells, before = (each.ordinal * width + each.replicate for each in (grades, baseline))
    _, here, there = np.intersect1d(cells, before, assume_unique=True, return_indices=True)
    one, two = grades.chosen[here], baseline.chosen[there]
    found[here] = (one != NOTHING) & (two != NOTHING) & (one != two)
    return found


def take_shortest(evidence: Evidence, few: Sequence[tuple[ArmAddress, int]]) -> tuple[ArmAddress, int, Saying]:
    """Find the shortest of a few responses, with its address and place."""
    found = ((address, place, evidence.sayings(address, [place])[place]) for address, place in few)
    return min(found, key=lambda each: len(each[2].reply.text))


def first_by_hash(evidence: Evidence, places: Candidates, size: int) -> list[tuple[ArmAddress, int]]:
    """Choose up to `size` responses by a hash, preferably of different items."""
    found: list[tuple[int, int, ArmAddress, int]] = []
    for address, those in places.items():
        ordinals = evidence.grades(address).ordinal[those]
        rank = item_ranks(evidence.table(address))[ordinals] ^ np.uint64(_number(address.model))
        first = np.lexsort((those, rank))[: size * RUNS]
        found += [(int(rank[at]), int(ordinals[at]), address, int(those[at])) for at in first]
    fresh: dict[tuple[str, int], tuple[ArmAddress, int]] = {}
    again: list[tuple[ArmAddress, int]] = []
    for _, ordinal, address, place in sorted(found, key=lambda each: each[0]):
        if fresh.setdefault((address.benchmark, ordinal), (address, place)) != (address, place):
            again.append((address, place))
    turns: Counter[str] = Counter()
    numbered = []  # every model comes once before any model comes twice
    for address, place in fresh.values():
        numbered.append((turns[address.model], (address, place)))
        turns[address.model] += 1
    return [*(each for _, each in sorted(numbered, key=lambda each: each[0])), *again][:size]
