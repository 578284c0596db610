"""How long the report of a 100,000-reply study takes to score and draw, and how large it is.

python benchmarks/report.py [--replies 100000]
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from snellen import report
from snellen.images import Image, encode
from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FakeModel
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study

WORDS = (
    "effusion",
    "mass",
    "nodule",
    "fracture",
    "cyst",
    "oedema",
    "infarct",
    "bleed",
    "hole",
    "drusen",
    "scar",
    "ulcer",
)
REASONS = (
    "The costophrenic angle is blunted and there is a meniscus along the wall.",
    "A rounded opacity stands in the left upper zone, with a smooth edge.",
    "The ventricles are wide for this age and the sulci are narrow.",
    "Nothing points at the heart: its size is within the usual range.",
)


def reply(request) -> str:
    """A reply of some sentences that ends as the prompt asks for; now and then it is something else."""
    number = request.key[0]
    if number < 10:
        return "I'm sorry, but I can't see an image in your message."
    return f"{REASONS[number % 4]} {REASONS[(number // 4) % 4]}\n\nAnswer: {'ABCDE'[number % 5]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=100_000)
    replies = parser.parse_args().replies
    pictures = [Image(encode(np.full((64, 64), 5 * shade, np.uint8)).data) for shade in range(50)]
    items = tuple(
        Item(
            id=f"q{i}",
            question=f"What does picture {i} show?",
            options=tuple(Option(f"{WORDS[(i + 3 * j) % 12]} {i % 97}{j}") for j in range(5)),
            answer=i % 5,
            images=(pictures[i % 50],),
            cluster=f"p{i // 3}",
        )
        for i in range(replies // 4)
    )
    folder = Path(tempfile.mkdtemp())
    study = Study(models=[FakeModel(reply)], benchmarks=[Benchmark("large", items)], out=folder)
    study.ask(lambda progress: None)
    with Store.open(folder) as store:
        started = time.perf_counter()
        results = score(store)
        scored = time.perf_counter() - started
        path = report.write(results, store)
        drawn = time.perf_counter() - started - scored
    size = path.stat().st_size / 1e6
    print(f"{len(items) * 4:,} replies: scored in {scored:.1f} s, drawn in {drawn:.1f} s, {size:.1f} MB")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
