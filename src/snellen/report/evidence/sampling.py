"""Which responses the page shows: chosen by a hash and by nothing else."""

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
"""Places of responses by model, benchmark and arm."""
RUNS = 20
"""An item asked more often than this may crowd out others where a few are chosen."""


def ranks(items: Sequence[Item]) -> Ranks:
    """A number for each item that its id alone decides: an order that favours no item."""
    return np.fromiter((_number(item.id) for item in items), dtype=np.uint64, count=len(items))


def item_ranks(table: Table) -> Ranks:
    """The same of a table's items, counted once."""
    return table.once("item ranks", lambda: ranks(table.items))


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(errors="replace"), digest_size=8).digest(), "big")


def moved(grades: Grades, baseline: Grades | None) -> NDArray[np.bool_]:
    """Which responses chose another option than the baseline's response to the same item and replicate."""
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
    """The shortest of a few responses, and where it is."""
    found = ((address, place, evidence.sayings(address, [place])[place]) for address, place in few)
    return min(found, key=lambda each: len(each[2].reply.text))


def first_by_hash(evidence: Evidence, places: Candidates, size: int) -> list[tuple[ArmAddress, int]]:
    """At most `size` of the places, of different items as far as there are, by a hash of item and model alone."""
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
    return [*_by_turns(list(fresh.values())), *again][:size]


def _by_turns(found: list[tuple[ArmAddress, int]]) -> list[tuple[ArmAddress, int]]:
    """In their order, but every model once before any twice."""
    turns: Counter[str] = Counter()
    numbered = []
    for address, place in found:
        numbered.append((turns[address.model], (address, place)))
        turns[address.model] += 1
    return [each for _, each in sorted(numbered, key=lambda each: each[0])]
