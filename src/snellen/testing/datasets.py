"""Contract of benchmarks."""

from __future__ import annotations

from snellen.items import Benchmark
from snellen.testing.contract import explain_errors, require


def check_dataset(benchmark: Benchmark, again: Benchmark) -> None:
    """Check unique ids, whole images and identical loads; `again` is the second load."""
    require(benchmark.items, f"{benchmark.name} has no items.")
    ids = [item.id for item in benchmark]
    require(len(set(ids)) == len(ids), f"Two items of {benchmark.name} have the same id.")
    for item in benchmark:
        problem = item.problem()
        require(problem is None, f"Item {item.id!r} cannot be used: {problem}.")
    for item in benchmark.items[:20]:
        for image in item.images:
            with explain_errors(f"An image of item {item.id!r}", "Hand in files or pixels that can be read."):
                encoded = image.encoded()
            require(encoded.width > 0 and encoded.height > 0, f"Item {item.id!r} has an empty image.")
    require(
        benchmark.digest == again.digest,
        f"{benchmark.name} changes when it is loaded again. Remove what is random or depends on time.",
    )
