"""Image checks: open the image files of a plan before anything is sent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from snellen.asking.plan import Plan
from snellen.errors import BrokenRow, BrokenRowsError, ImageError
from snellen.images import Image, check
from snellen.items import Benchmark, Item

MOST = 2_000
"""Files of a benchmark that are opened, spread over it. The others are checked when they are sent."""
THREADS = max(2, min(8, os.cpu_count() or 1))


def look_at_images(plan: Plan) -> None:
    """Raise BrokenRowsError if an image file of the plan is damaged, too large or missing."""
    for benchmark in plan.benchmarks:
        items = benchmark.items[: plan.count_wanted(benchmark)]
        if broken := list(_find_broken(benchmark, items)):
            advice = (
                "Fix them, or continue with --allow-broken (allow_broken=True): these items are then asked only under "
                "conditions that need no image."
            )
            raise BrokenRowsError(benchmark.name, broken, len(items) - len(broken), advice)


def _find_broken(benchmark: Benchmark, items: tuple[Item, ...]) -> Iterator[BrokenRow]:
    """Yield the items with an unusable image file, with the reason."""
    sources = dict.fromkeys(image.source for item in items for image in item.images if not image.steps)
    files = [each for each in sources if isinstance(each, Path)]
    some = files[:: max(1, -(-len(files) // MOST))]
    with ThreadPoolExecutor(THREADS) as threads:
        looked_at = zip(some, threads.map(_problem, some), strict=True)
        problems: dict[object, str] = {file: why for file, why in looked_at if why}
    for item in items if problems else ():
        why = next((found for image in item.images if (found := problems.get(image.source))), None)
        if why is not None:
            yield BrokenRow(str(benchmark.about.get("file") or benchmark.name), item.id, why)


def _problem(file: Path) -> str:
    try:
        check(Image(file).read(), name=file.name)
    except ImageError as error:
        return str(error)
    return ""
