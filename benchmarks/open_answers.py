"""Open answers graded offline: seconds for 10,000 on one core, and beside them an exact match and string similarity.

python benchmarks/open_answers.py

The responses are those of research/open_answers to questions of our own wording, varied so that hardly two are alike;
no cache holds a response. Processor time, medians of three. RapidFuzz is measured where it is installed.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from snellen.items import Item
from snellen.reading import grade
from snellen.reading.open.said import read_statement

LABELLED = Path(__file__).parents[1] / "research" / "open_answers" / "labelled.jsonl"
N = 10_000
REFERENCES = (
    "right upper lobe", "chest x-ray", "pleural effusion", "left MCA", "T2 weighted MRI", "5.6 cm", "cardiomegaly",
    "bilateral frontal lobes and body of corpus callosum", "axial", "moderate edema", "2", "no fracture",
)  # fmt: skip


def answers() -> list[tuple[str, Item]]:
    """10,000 responses with their questions."""
    rows = map(json.loads, LABELLED.read_text(encoding="utf-8").splitlines())
    texts = [row["response"] for row in rows if "response" in row]
    items = [
        Item(
            id=f"o/{at}", question=f"What is seen in image {at}?", kind="open", answer=REFERENCES[at % len(REFERENCES)]
        )
        for at in range(1_000)
    ]
    return [(f"{texts[at % len(texts)]} ({at})", items[at % len(items)]) for at in range(N)]


def exact(text: str, item: Item) -> bool:
    """The same words."""
    return text.strip(" .").casefold() == str(item.answer).casefold()


def measured(name: str, one: Callable[[str, Item], object], asked: list[tuple[str, Item]]) -> None:
    """Print the median time for all."""
    took = []
    for _ in range(3):
        read_statement.cache_clear()
        began = time.process_time()
        for text, item in asked:
            one(text, item)
        took.append(time.process_time() - began)
    print(f"{name}: {statistics.median(took):.2f} s for {len(asked):,}")


def main() -> None:
    """Measure each."""
    asked = answers()
    measured("match", lambda text, item: grade(text, "stop", item, "match"), asked)
    measured("match, the same short answer often", lambda _, item: grade("A mass.", "stop", item, "match"), asked)
    measured("exact match", exact, asked)
    try:
        from rapidfuzz.fuzz import token_set_ratio
    except ModuleNotFoundError:
        return
    measured("RapidFuzz", lambda text, item: token_set_ratio(text, str(item.answer)), asked)


if __name__ == "__main__":
    main()
