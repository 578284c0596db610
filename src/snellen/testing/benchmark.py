"""Contract of benchmarks, and small ones for tests, written from a few rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from snellen.conditions import generator
from snellen.files import create_folder, write_whole
from snellen.images import encode
from snellen.items import Benchmark
from snellen.testing.contract import explain_errors, require


def own_benchmark(folder: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write a benchmark as items.jsonl, with a random image for each missing file.

    Returns the folder, which `load`, `Study` and `--benchmark` accept.

    >>> from snellen.benchmarks import load
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     row = {"question": "Effusion?", "options": ["Yes", "No"], "answer": "No", "image": "1.png"}
    ...     [item] = load(own_benchmark(Path(home), [row]))
    >>> item.letter
    'B'
    """
    create_folder(folder)
    rows = tuple(rows)
    write_whole(folder / "items.jsonl", b"".join(orjson.dumps(row) + b"\n" for row in rows))
    for name in (name for row in rows for name in (*row.get("images", ()), row.get("image")) if name):
        if not (path := folder / name).exists():
            create_folder(path.parent)
            write_whole(path, encode(generator(0, name).integers(0, 256, (32, 32), dtype=np.uint8)).data)
    return folder


def check_dataset(benchmark: Benchmark, again: Benchmark) -> None:
    """Check that ids are unique, images whole, and both loads identical. `again` is the second load."""
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
