"""Processor time of scoring varied short responses of the standard suite, on one core and in a fresh process.

python benchmarks/scoring.py [--items 1500] [--rounds 3] [--profile]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from ratios import few

FORMS = (
    "Answer: {0}",
    "The answer is {0}. The heart is enlarged in case {1}.",
    "{0}) Effusion, number {1}",
    "I cannot see an image ({1}), so I guess {0}.",
    "In view {1}, there is a nodule on the left. Answer: {0}",
)
"""Short responses; letter and number follow from the request, so that few texts come twice."""
OPTIONS = ("Cardiomegaly", "Effusion", "Nodule", "Normal", "Pneumothorax")
SCORE = """
import sys, time
start = time.process_time()
from snellen.scoring.results import score
from snellen.store import Store
loaded = time.process_time()
profile = None
if sys.argv[2:]:
    import cProfile
    profile = cProfile.Profile()
    profile.enable()
with Store.open(sys.argv[1]) as store:
    results = score(store)
if profile:
    profile.disable()
    profile.dump_stats(sys.argv[2])
responses = sum(len(grades) for table in results.tables.values() for grades in table.arms.values())
print(loaded - start, time.process_time() - start, responses)
"""


def answer(request) -> str:
    """One of several forms, by a hash of what is asked."""
    number = int(hashlib.md5(request.text.encode()).hexdigest()[:4], 16)
    return FORMS[number % len(FORMS)].format("ABCDE"[number % 7 % 5], number)


def ask(folder: Path, items: int) -> Path:
    """Ask the standard suite of a function that answers at once; the folder of the responses."""
    import cv2
    import numpy as np

    from snellen import FunctionModel, Study

    benchmark = folder / "benchmark"
    benchmark.mkdir()
    rng = np.random.default_rng(0)
    for number in range(20):
        (benchmark / f"{number}.png").write_bytes(
            cv2.imencode(".png", rng.integers(0, 255, (64, 64), dtype=np.uint8))[1].tobytes()
        )
    rows = [
        {
            "id": f"q{at}",
            "question": f"Question {at}: what does the image show?",
            "answer": "ABCDE"[at % 5],
            "options": OPTIONS,
            "images": [f"{at * 20 // items}.png"],
        }
        for at in range(items)
    ]
    (benchmark / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    out, models = folder / "out", [FunctionModel(answer)]
    study = Study(models=models, benchmarks=[str(benchmark)], tests=["standard"], out=out, canary=False)
    study.ask(lambda progress: None)
    return out


def main() -> None:
    """Ask once, score several times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=few(3))
    parser.add_argument("--profile", help="a file for the profile of one more round")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = ask(Path(folder), given.items)
        command = [sys.executable, "-c", SCORE, str(out)]
        alone = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")}
        rounds = []
        for _ in range(given.rounds):
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=alone)
            rounds.append([float(each) for each in done.stdout.split()])
        imports, whole, responses = (statistics.median(each) for each in zip(*rounds, strict=True))
        print(f"{responses:,.0f} responses: {whole:.2f} s of processor time, {imports:.2f} s of it imports")
        if given.profile:
            subprocess.run([*command, given.profile], check=True, stdout=subprocess.DEVNULL, env=alone)


if __name__ == "__main__":
    main()
