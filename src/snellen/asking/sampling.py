"""Sampling: a part of a benchmark that has its categories in the same proportions, the same for the same seed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import floor

from snellen.items import Benchmark, Item


def sampled(benchmark: Benchmark, count: int, *, seed: int) -> Benchmark:
    """So many items of a benchmark, drawn by category, in their order; all of them where there are no more.

    Each category has its share of the sample, by largest remainder, and one item at least where there are enough.
    Which items of a category are drawn depends on the seed and their ids alone.
    """
    if count >= len(benchmark):
        return benchmark
    sizes = Counter(item.category for item in benchmark)
    wanted = allotted(sizes, count)
    drawn: set[str] = set()
    for category in sizes:
        of = sorted((item for item in benchmark if item.category == category), key=lambda item: _lot(item, seed))
        drawn |= {item.id for item in of[: wanted[category]]}
    by = f"drawn by category ({len(sizes)})" if len(sizes) > 1 else "drawn at random"
    told = f"{count:,} of {len(benchmark):,} items, {by}, seed {seed}"
    items = tuple(item for item in benchmark if item.id in drawn)
    return replace(benchmark, items=items, about={**benchmark.about, "sample": told})


def _lot(item: Item, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{item.id}".encode()).digest()


def allotted(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """How many of `count` items each category has, in proportion to its size, and one at least where that is possible.

    >>> allotted({"chest": 60, "brain": 38, "bone": 2}, 10)
    {'chest': 6, 'brain': 3, 'bone': 1}
    """
    total = sum(sizes.values())
    share = {name: count * size / total for name, size in sizes.items()}
    least = 1 if len(sizes) <= count else 0
    found = {name: max(least, floor(each)) for name, each in share.items()}
    while sum(found.values()) > count:
        most = max((name for name in found if found[name] > least), key=lambda name: (found[name] - share[name], name))
        found[most] -= 1
    while sum(found.values()) < count:
        open_to = (name for name in found if found[name] < sizes[name])
        fewest = max(open_to, key=lambda name: (share[name] - found[name], name))
        found[fewest] += 1
    return found
