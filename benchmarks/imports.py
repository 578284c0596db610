"""How fast answers are brought in and read: rows of our own format, real ones where they are there, and Inspect's logs.

python benchmarks/imports.py [--replies 100000] [--samples 400]
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import tempfile
import time
from pathlib import Path

REAL = Path(__file__).parents[1].parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
FINDINGS = ("an effusion on the left", "a nodule in the right upper zone", "a wide heart", "no sign of a fracture")


def rows(replies: int):
    """Replies of a few sentences, to 500 questions of ten options, in two arms."""
    runs = replies // 1000
    for n in range(500):
        for arm in ("original", "image-blank"):
            for run in range(runs):
                letter = "ABCDEFGHIJ"[(n + run) % 10]
                said = f"The image shows {FINDINGS[(n + run) % 4]}. " * (1 + run % 4)
                yield {
                    "model": "a/m", "benchmark": "b", "item_id": f"q{n}", "arm": arm, "replicate": run,
                    "question": f"What does picture {n} show?", "options": [f"finding {k}" for k in range(10)],
                    "answer": "ABCDEFGHIJ"[n % 10], "response": f"{said}\n\nThe answer is ({letter}).",
                }  # fmt: skip


def brought(file: Path, folder: Path) -> tuple[float, float]:
    """Seconds to import a file and to score what it holds."""
    from snellen.study import bring, rescore

    started = time.perf_counter()
    bring([file], folder, format="jsonl")
    imported = time.perf_counter()
    rescore(folder)
    return imported - started, time.perf_counter() - imported


def inspect_log(folder: Path, samples: int) -> Path:
    """A log that Inspect writes of its own mock model."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import multiple_choice

    questions = [Sample(id=n, input=f"Question {n}?", choices=["a", "b", "c"], target="A") for n in range(samples)]
    task = Task(MemoryDataset(questions), solver=multiple_choice(), name="mock")
    said = ModelOutput.from_content("mockllm/model", "ANSWER: A")
    said.usage = ModelUsage(input_tokens=9, output_tokens=3, total_tokens=12)  # else it is counted over the network
    model = get_model("mockllm/model", custom_outputs=[said] * samples)
    [log] = evaluate(task, model=model, log_dir=str(folder), display="none", log_format="eval")
    return Path(log.location.removeprefix("file://"))


def logs(file: Path) -> None:
    """Our reading of a log against Inspect's own, in turns."""
    from inspect_ai.log import read_eval_log

    from snellen.imports.inspect_log import read_inspect_log

    ours, theirs = [], []
    for _ in range(3):
        started = time.perf_counter()
        count = len(list(read_inspect_log(file)))
        middle = time.perf_counter()
        read_eval_log(str(file))
        ours.append(middle - started)
        theirs.append(time.perf_counter() - middle)
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"Inspect log, {count} samples: ours {a:.2f} s, read_eval_log {b:.2f} s, ratio {b / a:.1f}")


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--samples", type=int, default=400)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made = folder / "rows.jsonl.gz"
        with gzip.open(made, "wt", compresslevel=1) as file:
            file.writelines(json.dumps(row) + "\n" for row in rows(chosen.replies))
        for name, source in (("made", made), ("real", REAL)):
            if source.exists():
                came, scored = brought(source, folder / name)
                size = source.stat().st_size
                print(f"{name} rows, {size:,} bytes packed: imported {came:.2f} s, scored {scored:.2f} s")
        logs(inspect_log(folder / "logs", chosen.samples))


if __name__ == "__main__":
    main()
