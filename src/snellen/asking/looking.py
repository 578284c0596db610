"""Looking: whether the image files of a plan can be used, before anything is sent; loading does not open them."""

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
"""So many files of a benchmark are opened, spread over it; the others are checked when they are sent."""
THREADS = max(2, min(8, os.cpu_count() or 1))


def look_at_images(plan: Plan) -> None:
    """Raise BrokenRowsError where an image file that is to be asked about is damaged, too large or none at all."""
    for benchmark in plan.benchmarks:
        items = benchmark.items[: plan.wanted(benchmark)]
        if broken := list(_broken(benchmark, items)):
            advice = (
                "Mend them, or allow it with --allow-broken (allow_broken=True): these items are then asked only under "
                "conditions that need no image."
            )
            raise BrokenRowsError(benchmark.name, broken, len(items) - len(broken), advice)


def _broken(benchmark: Benchmark, items: tuple[Item, ...]) -> Iterator[BrokenRow]:
    """The items with an image file that cannot be used, each with its reason."""
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
