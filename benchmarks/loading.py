"""How fast a large benchmark is loaded and planned: 90,000 questions about 118,000 image files, made for it.

python benchmarks/loading.py [--items 90000] [--images 118000] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from snellen.images import encode

DATASETS = 42
MODALITIES = ("CT", "MR", "X-Ray", "ultrasound", "fundus photography", "dermoscopy", "microscopy", "OCT")
ASKED = ("What imaging technique was used here?", "Which organ is shown?", "Which disease does the image show?")
STEPS = {
    "load": "from snellen.benchmarks import load; load({folder!r})",
    "load and filter": "from snellen.benchmarks import load; "
    "[i for i in load({folder!r}) if i.metadata.get('modality_type') == 'CT']",
    "exam --dry-run": "import sys; from snellen.cli import main; "
    "sys.argv = ['snellen', 'exam', '--model', 'openai/m', '--benchmark', {folder!r}, '--out', {out!r}, '--dry-run']; "
    "main()",
    "exam --limit 200 --dry-run": "import sys; from snellen.cli import main; "
    "sys.argv = ['snellen', 'exam', '--model', 'openai/m', '--benchmark', {folder!r}, '--out', {out!r}, '--dry-run', "
    "'--limit', '200']; main()",
}
"""What is measured, each in a process of its own."""


def make(folder: Path, items: int, images: int) -> None:
    """Rows as OmniMedVQA publishes them, and small files in the place of its images."""
    each = -(-images // DATASETS)
    pictures = [encode(np.full((8 + k % 9, 8 + k // 9), k, np.uint8)).data for k in range(90)]
    for n in range(DATASETS):
        place = folder / "Images" / f"Dataset {n}"
        place.mkdir(parents=True)
        for k in range(min(each, images - n * each)):
            (place / f"img_{k}.png").write_bytes(pictures[k % 90])
    rows = []
    for n in range(items):
        at, k = n % DATASETS, (n // DATASETS) % each
        right = f"finding {n % 37} of kind {at}"
        wrong = [f"finding {(n + step) % 37} of kind {at}" for step in (5, 11, 17)]
        place = n % 4
        options = [*wrong[:place], right, *wrong[place:]]
        rows.append(
            {
                "dataset": f"Dataset {at}",
                "question_id": f"dataset_{at}_{n:06d}",
                "question_type": "Disease Diagnosis",
                "question": f"{ASKED[n % 3]} (study {n % 1000})",
                "gt_answer": right,
                "image_path": f"Images/Dataset {at}/img_{k}.png",
                **{f"option_{letter}": text for letter, text in zip("ABCD", options, strict=True)},
                "modality_type": MODALITIES[at % len(MODALITIES)],
            }
        )
    (folder / "items.json").write_text(json.dumps(rows))


def measured(code: str) -> tuple[float, float, float]:
    """Wall and processor seconds of a fresh process, and its peak memory in MB."""
    started = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{told}"], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - started, spent, int(done.stdout.split()[-1]) / 1024


def main() -> None:
    """Make the benchmark, and measure each step three times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=90_000)
    parser.add_argument("--images", type=int, default=118_000)
    parser.add_argument("--keep", type=Path, help="folder to make it in, or where it is already")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch) / "benchmark"
        if not (folder / "items.json").exists():
            make(folder, given.items, given.images)
        os.environ.setdefault("OPENAI_API_KEY", "none")
        for name, code in STEPS.items():
            found = [measured(code.format(folder=str(folder), out=f"{scratch}/out")) for _ in range(given.rounds)]
            wall, spent, memory = (sorted(each)[len(found) // 2] for each in zip(*found, strict=True))
            print(f"{name}: {wall:.1f} s, {spent:.1f} s of processor, {memory:,.0f} MB at most", flush=True)


if __name__ == "__main__":
    main()
