"""How long reports take to score and draw, how large they are, and how soon a browser shows them.

Two studies: one of 100,000 responses, and a readiness exam of six organisms on 200 items. What a browser says is
printed where there is a Chromium.

python benchmarks/report.py [--replies 100000] [--items 200]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from snellen import report
from snellen.images import Image, encode
from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FunctionModel
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from browser import CHROMIUM, Browser

ORGANISMS = ("grounded", "mirage", "blind", "pretender", "refuser", "random")
OPENED = """(() => {
  const loaded = performance.getEntriesByType("navigation")[0];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [document.getElementsByTagName("*").length, paint ? paint.startTime : NaN, loaded.domContentLoadedEventEnd];
})()"""

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


def large(replies: int) -> Study:
    """A study of so many responses by one model, on images of one grey each."""
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
    return Study(models=[FunctionModel(reply)], benchmarks=[Benchmark("large", items)], out=tempfile.mkdtemp())


def readiness(items: int) -> Study:
    """The readiness protocol asked of organisms."""
    models = [f"organism/{name}" for name in ORGANISMS]
    return Study(models=models, tests=("readiness",), limit=items, out=tempfile.mkdtemp())


def measure(name: str, study: Study) -> None:
    """Ask a study, draw its report, and print what that took and what a browser says of it."""
    study.ask(lambda progress: None)
    with Store.open(study.out) as store:
        started = time.perf_counter()
        results = score(store)
        scored = time.perf_counter() - started
        path = report.write(results, store)
        drawn = time.perf_counter() - started - scored
    replies = sum(len(grades) for table in results.tables.values() for grades in table.arms.values())
    size = path.stat().st_size / 1e6
    print(f"{name}, {replies:,} responses: scored in {scored:.1f} s, drawn in {drawn:.1f} s, {size:.1f} MB, "
          f"{1e6 * size / replies:,.0f} kB for 1,000 responses")  # fmt: skip
    if CHROMIUM is not None:
        with Browser() as browser:
            browser.open(path.as_uri())
            browser.wait_for("performance.getEntriesByName('first-contentful-paint').length > 0")
            nodes, paint, ready = browser.evaluate(OPENED)
        print(f"  in a browser: {nodes:,} elements, first paint {paint / 1e3:.2f} s, DOM ready {ready / 1e3:.2f} s")
    shutil.rmtree(study.out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--items", type=int, default=200)
    sizes = parser.parse_args()
    measure("large study", large(sizes.replies))
    measure("readiness exam", readiness(sizes.items))


if __name__ == "__main__":
    main()
