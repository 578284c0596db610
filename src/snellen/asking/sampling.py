"""Sampling: the items that a study asks, drawn so that they keep the proportions of categories."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snellen.asking.plan import stored_in
from snellen.benchmarks import load, takes_map
from snellen.errors import StudyError
from snellen.items import LETTERS, Benchmark, Item
from snellen.stress.design import Design, asked_of, drop_unused_questions

MOST_ANSWERS = 12
"""Up to this many different correct answers are balanced by text. If there are more, by letter."""
MOST_CELLS = 1_000
"""Up to this many pairs of category and answer are balanced. If there are more, only categories are."""
MOST_STEPS = 10_000
MOST_PARTNERS = 4
"""Up to this many items with the same text are kept together as counterfactuals. More are just similar questions."""


def draw_sample(benchmark: Benchmark, count: int, *, seed: int) -> Benchmark:
    """Draw `count` items by category, in their original order; all if there are no more.

    Each category gets its share of the sample by largest remainder, and at least one item if there are enough. Items
    that belong together are drawn together, even if the sample is then smaller. Within a category, the draw depends
    only on the seed and the items' ids.
    """
    if count >= len(benchmark):
        return benchmark
    sizes = Counter(item.category for item in benchmark)
    wanted = allocate_items(sizes, count)
    drawn: set[str] = set()
    for category in sizes:
        of = [item for item in benchmark if item.category == category]
        paired = ([of[at] for at in unit] for unit in pair_items(of))
        units = sorted(paired, key=lambda unit: _drawn_by(unit[0].id, seed))
        drawn |= {item.id for unit in units[: _count_units(units, wanted[category])] for item in unit}
    by = f"drawn by category ({len(sizes)})" if len(sizes) > 1 else "drawn at random"
    told = f"{len(drawn):,} of {len(benchmark):,} items, {by}, seed {seed}"
    items = tuple(item for item in benchmark if item.id in drawn)
    return replace(benchmark, items=items, about={**benchmark.about, "sample": told})


def spread_out(benchmark: Benchmark, count: int | None = None) -> Benchmark:
    """Order the items so that the first `count` keep the proportions of categories and answers.

    The order is the same for any `count`, so the first 10 are among the first 20 and have nearly the same proportions.
    It depends only on the items, not on a seed. Items that belong together follow each other; if `count` would separate
    them, fewer items are asked. If all items are asked, their order stays.
    """
    if count is not None and count >= len(benchmark):
        return benchmark
    categories, answers = [item.category for item in benchmark], _answers(benchmark.items)
    units = pair_items(benchmark.items)
    first = [unit[0] for unit in units]
    of_first = ([each[place] for place in first] for each in (categories, answers, [item.id for item in benchmark]))
    ordered = [units[at] for at in spread(*of_first)]
    made = replace(benchmark, items=tuple(benchmark.items[place] for unit in ordered for place in unit))
    if count is None:
        return made
    count = sum(map(len, ordered[: max(1, _count_units(ordered, count))]))
    over = [(len(set(each)), what) for each, what in ((categories, "categories"), (answers, "answers"))]
    told = [f"{number} {what}" for number, what in over if number > 1]
    by = f"spread over {' and '.join(told)} in proportion" if told else "drawn by a hash of their ids"
    said = f"{count:,} of {len(benchmark):,} items, {by}, the same for any seed"
    return replace(made, about={**benchmark.about, "limit": said}, limit=count)


def pair_items(items: Sequence[Item]) -> list[list[int]]:
    """Return the positions of items, with those that belong together in one list.

    These are items with the same `pair`, and items with the same text about a premise that is true for one image only.
    """
    named: dict[Hashable, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        pair = item.metadata.get("pair")
        words = (item.context, item.question) if item.premise is not None else None
        named[(str(pair),) if pair not in (None, "") else words or place].append(place)
    return [
        part for unit in named.values() for part in ([unit] if len(unit) <= MOST_PARTNERS else [[at] for at in unit])
    ]


def _count_units(units: Sequence[Sequence[object]], count: int) -> int:
    """Return how many of the first units have at most `count` items together."""
    return sum(total <= count for total in accumulate(map(len, units)))


def _answers(items: Sequence[Item]) -> list[str]:
    """Return the correct answer of each item: its text if few texts differ, else its letter."""
    right = [item.options[item.answer].text if isinstance(item.answer, int) else str(item.answer) for item in items]
    plain = {text: " ".join(text.casefold().split()).strip(".") for text in set(right)}
    if len(set(plain.values())) <= MOST_ANSWERS:
        return [plain[text] for text in right]
    return [LETTERS[item.answer] if isinstance(item.answer, int) else "" for item in items]


def spread(categories: Sequence[str], answers: Sequence[str], ids: Sequence[str]) -> list[int]:
    """Order positions so that every beginning nearly keeps the proportions of categories and answers.

    At each step, the next item is the one whose category, answer and pair of both are furthest below their share. Items
    of the same pair are ordered by a hash of their ids. After MOST_STEPS steps no small part can be uneven, so the
    pairs then take turns by their size.

    >>> places = spread(["a", "a", "a", "b"] * 2, [""] * 8, list("12345678"))
    >>> sorted(places), sum(place in (3, 7) for place in places[:4])
    ([0, 1, 2, 3, 4, 5, 6, 7], 1)
    """
    cells: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, cell in enumerate(zip(categories, answers, strict=True)):
        cells[cell].append(place)
    if len(cells) > MOST_CELLS:
        few = len(set(categories)) <= MOST_CELLS and any(answers)
        return spread(categories if few else [""] * len(ids), [""] * len(ids), ids)
    names = sorted(cells)
    queues = [sorted(cells[name], key=lambda place: _drawn_by(ids[place], 0), reverse=True) for name in names]
    order = _furthest_behind(names, queues)
    ranks = np.concatenate([np.empty(0), *(np.arange(1, len(queue) + 1) / max(1, len(queue)) for queue in queues)])
    left = [place for queue in queues for place in queue]
    return [*order, *(left[at] for at in np.argsort(ranks, kind="stable").tolist())]


def _furthest_behind(names: Sequence[tuple[str, str]], queues: Sequence[list[int]]) -> list[int]:
    """Remove and return first positions, each from the (category, answer) pair furthest below its share."""
    sizes = np.array([len(queue) for queue in queues], dtype=np.int64)
    same = [_sharing([name[at] for name in names]) for at in (0, 1)]
    shares = (sizes + sum(np.array([sizes[each].sum() for each in members]) for members in same)) / sizes.sum()
    # An item of a cell counts for the cell, and for all cells with the same category or the same answer.
    takes = np.zeros((len(names), len(names)))
    for cell in range(len(names)):
        takes[cell, cell] += 1
        for members in same:
            takes[cell, members[cell]] += 1
    taken = np.where(sizes > 0, 0.0, np.inf)
    order: list[int] = []
    for step in range(1, min(MOST_STEPS, int(sizes.sum())) + 1):
        cell = int((step * shares - taken).argmax())
        order.append(queues[cell].pop())
        taken += takes[cell]
        if not queues[cell]:
            taken[cell] = np.inf
    return order


def _sharing(names: Sequence[str]) -> list[NDArray[np.int64]]:
    codes = np.unique(names, return_inverse=True)[1].tolist()
    together = {code: np.array([at for at, each in enumerate(codes) if each == code]) for code in set(codes)}
    return [together[code] for code in codes]


def _drawn_by(item_id: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{item_id}".encode()).digest()


def allocate_items(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """Divide `count` items among categories in proportion, at least one each if possible.

    >>> allocate_items({"chest": 60, "brain": 38, "bone": 2}, 10)
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


@dataclass(frozen=True, kw_only=True)
class BenchmarkChoice:
    """Benchmarks of a study with their limits; the fields are those of `Study`."""

    named: Sequence[str | Path | Benchmark]
    out: str | Path
    seed: int
    limit: int | None
    sample: int | None
    map: Mapping[str, Any] | str
    allow_broken: bool

    def choose(self, tests: Sequence[Design]) -> Iterator[Benchmark]:
        """Yield the chosen benchmarks, split by kind of question, then the benchmarks that tests add."""
        kinds = {test.item_kind for test in tests if not test.questions}
        if self.map and self.named and not any(isinstance(each, str | Path) and takes_map(each) for each in self.named):
            raise StudyError("`map` works only with your own tables, and this study has none.")
        for entry in self.named:
            benchmark = entry if isinstance(entry, Benchmark) else self.load(entry)
            parts = benchmark.by_kind() if kinds - {"choice"} else (benchmark,)
            asked = [drop_unused_questions(tests, each) for each in parts if len(parts) == 1 or each.kind in kinds]
            yield from self._sample_parts(asked, tests)
        given = [entry.name if isinstance(entry, Benchmark) else str(entry) for entry in self.named]
        for questions in dict.fromkeys(test.questions for test in tests if test.questions):
            if questions not in given:
                yield load(questions)

    def load(self, spec: str | Path) -> Benchmark:
        """Load a benchmark. A loader that draws items at random uses the study's seed by default."""
        # loaders accept no negative seeds, so the seed is taken as 64 bits without sign
        named: dict[str, Any] = {"map": self.map} if self.map and takes_map(spec) else {}
        return load(spec, seed=self.seed % 2**64, allow_broken=self.allow_broken, takes_limit=True, **named)

    def _sample_parts(self, parts: Sequence[Benchmark], tests: Sequence[Design]) -> Iterator[Benchmark]:
        """Apply limit or sample to the parts of a benchmark (kinds of question)."""
        limit = next((part.limit for part in parts), None) or self.limit
        wanted = limit or self.sample
        whole = {part.name for part in parts if any(test.whole for test in asked_of(tests, part.name, part.kind))}
        sizes = {part.name: len(part) for part in parts if part.name not in whole}
        shares = allocate_items(sizes, wanted) if wanted is not None and wanted < sum(sizes.values()) else sizes
        for part in parts:
            share = max(1, shares.get(part.name, 0))
            if part.name in whole:
                yield part
            elif wanted is None:
                yield self._in_stored_order(part)
            else:
                yield spread_out(part, share) if limit is not None else draw_sample(part, share, seed=self.seed)

    def _in_stored_order(self, benchmark: Benchmark) -> Benchmark:
        """Return the benchmark in its stored order if only that order has stored responses."""
        with stored_in(self.out) as store:
            if store is None:
                return benchmark
            spread = spread_out(benchmark)
            return (
                spread
                if store.studies.holds_benchmark(spread.digest) and not store.studies.holds_benchmark(benchmark.digest)
                else benchmark
            )


def list_applicable(
    tests: Sequence[Design], benchmarks: Sequence[Benchmark], alone: Collection[str]
) -> Iterator[Design]:
    """Yield the tests that fit a benchmark. Tests that the user named stay in any case."""
    brought = {test.questions for test in tests}
    kinds = {benchmark.kind for benchmark in benchmarks if benchmark.name not in brought}
    for test in tests:
        if test.questions or test.item_kind in kinds or test.name.partition(":")[0] in alone:
            yield test
