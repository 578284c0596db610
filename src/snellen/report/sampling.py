"""Which replies stand behind a number on the page: a few of every kind, chosen by a hash and by nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item
from snellen.stress.table import NOTHING, Grades

Ranks = NDArray[np.uint64]


def ranks(items: Sequence[Item]) -> Ranks:
    """A number for each item that its id alone decides: an order that favours no item."""
    digests = (hashlib.blake2b(item.id.encode(errors="replace"), digest_size=8).digest() for item in items)
    return np.fromiter((int.from_bytes(digest, "big") for digest in digests), dtype=np.uint64, count=len(items))


def moved(grades: Grades, baseline: Grades | None) -> NDArray[np.bool_]:
    """Which replies chose another option than the baseline's reply to the same item and replicate."""
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
    """The places of at most `size` replies, the same number of every kind as far as there are so many, in item order.

    Replies to one item have neighbouring ranks in every arm and model, so that the same items turn up in all of them.
    """
    order = np.lexsort((grades.replicate, rank[grades.ordinal], kinds))
    ordered = kinds[order]
    first = np.searchsorted(ordered, ordered)
    turn = np.arange(len(ordered)) - first
    chosen = order[np.lexsort((ordered, turn))[:size]]
    return np.sort(chosen).astype(np.int64)
