"""Chosen benchmarks: the items that a study asks, and the questions that its tests add."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snellen.asking.plan import stored_in
from snellen.asking.sampling import allocate_items, draw_sample, spread_out
from snellen.benchmarks import load, takes_map
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.stress.design import Design, asked_of, drop_unused_questions


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
