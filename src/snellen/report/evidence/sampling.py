"""Which responses stand behind a number on the page: a few of every kind, chosen by a hash and by nothing else."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.grading.columns import NOTHING, Integers
from snellen.items import Item
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.stress.table import Grades

Ranks = NDArray[np.uint64]
Candidates = Mapping[ArmAddress, Integers]
"""Places of responses by model, benchmark and arm."""
RUNS = 20
"""An item asked more often than this may crowd out others where a few are chosen."""


def ranks(items: Sequence[Item]) -> Ranks:
    """A number for each item that its id alone decides: an order that favours no item."""
    return np.fromiter((_number(item.id) for item in items), dtype=np.uint64, count=len(items))


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


def sample(grades: Grades, rank: Ranks, kinds: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The places of at most `size` responses, the same number of every kind as far as there are so many, in item order.

    Responses to one item have neighbouring ranks in every arm and model, so that the same items turn up in all of them.
    """
    order = np.lexsort((grades.replicate, rank[grades.ordinal], kinds))
    ordered = kinds[order]
    first = np.searchsorted(ordered, ordered)
    turn = np.arange(len(ordered)) - first
    chosen = order[np.lexsort((ordered, turn))[:size]]
    return np.sort(chosen).astype(np.int64)


def first_by_hash(evidence: Evidence, places: Candidates, size: int) -> list[tuple[ArmAddress, int]]:
    """At most `size` of the places, of different items as far as there are, by a hash of item and model alone."""
    known: dict[str, Ranks] = {}
    found: list[tuple[int, int, ArmAddress, int]] = []
    for address, those in places.items():
        if address.benchmark not in known:
            known[address.benchmark] = ranks(evidence.table(address).items)
        ordinals = evidence.grades(address).ordinal[those]
        rank = known[address.benchmark][ordinals] ^ np.uint64(_number(address.model))
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
