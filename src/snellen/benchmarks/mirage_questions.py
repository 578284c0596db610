"""Mirage questions: 200 questions about images that do not exist, 20 categories of ten, written by us.

After the design of Phantom-0 ("Mirage", section 7.2), whose questions are not public. Each is plausible with an image
and cannot be answered without one: the only right response says that there is none.
"""

from __future__ import annotations

from importlib.resources import files

import orjson

from snellen.items import Benchmark, Item

RIGHT = "There is no image."
FILE = "mirage_questions.jsonl"


def load(*, allow_broken: bool = False) -> Benchmark:
    """All 200, one of each category after the other, so that the first twenty are one of each."""
    rows = [orjson.loads(line) for line in files("snellen.benchmarks").joinpath(FILE).read_bytes().splitlines()]
    by_category: dict[str, list[Item]] = {}
    for row in rows:
        by_category.setdefault(row["category"], []).append(_item(row))
    in_turn = zip(*by_category.values(), strict=True)
    return Benchmark("mirage-questions", tuple(item for each in in_turn for item in each), about={"source": "ours"})


def _item(row: dict[str, str]) -> Item:
    return Item(
        id=row["id"],
        question=row["question"],
        answer=RIGHT,
        kind="open",
        category=row["category"],
        metadata={name: row[name] for name in ("domain", "modality", "urgency")},
    )
