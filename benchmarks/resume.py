"""Resuming a store with 1,000,000 finished replies: how long until the first request goes out, and how much memory.

python benchmarks/resume.py [--replies 1000000] [--items 10000]
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def study(items: int, epochs: int, folder: Path, answer):
    """A study of phantoms, two arms, so many epochs."""
    from snellen.models.fake import FunctionModel
    from snellen.study import Study

    return Study(
        models=[FunctionModel(answer)],
        benchmarks=[f"phantoms:items={items}"],
        tests=["option-order"],
        epochs=epochs,
        out=folder,
    )


def fill(items: int, epochs: int, folder: Path) -> int:
    """Store a reply for every cell but the last epoch's last ten items, as a run would have left them."""
    import orjson

    from snellen.conditions import Pool, vary
    from snellen.prompts import ask
    from snellen.scoring.resolving import study_record
    from snellen.store import Store, changed_fields

    plan = study(items, epochs, folder, lambda request: "").plan()
    (benchmark,) = plan.benchmarks
    text = "The picture shows what it shows. " * 30 + "\n\nAnswer: B"
    pool = Pool(benchmark.items)
    with Store.open(folder, write=True) as store:
        store.studies.add(study_record(plan, store, {}))
        number, digest = store.studies.add_benchmark(benchmark)
        model = store.studies.add_model(plan.models[0].name, plan.models[0].revision)
        connection, response = store.connections.main, 0
        connection.execute("BEGIN")
        for arm in plan.arms_of(benchmark):
            home = store.studies.add_arm(number, arm.name, arm.digest(digest, 0), arm.record(0))
            for ordinal, item in enumerate(benchmark.items):
                variant = vary(item, arm.arm.condition, seed=0, pool=pool)
                request = ask(variant.item, prompt=arm.prompt, settings=arm.settings, encode=lambda image: _TINY)
                drawn = orjson.dumps(variant.drawn).decode()
                changed = orjson.dumps(changed_fields(item, variant.item)).decode()
                values = (home, ordinal, None, drawn, changed, None, request.text, None)
                connection.execute("INSERT INTO variants VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
                left_out = ordinal >= items - 10
                for replicate in range(epochs - left_out):
                    response += 1
                    key = request.address_to("fake/function", "", replicate).key
                    row = (response, key, text, "stop", "", 900, 20, None, 0.1, "m", "[]", 0.0)
                    connection.execute("INSERT INTO responses VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", row)
                    connection.execute(
                        "INSERT INTO trials VALUES (?,?,?,?,?)", (model, home, ordinal, replicate, response)
                    )
        connection.execute("COMMIT")
    return response


class _Tiny:
    sha256 = "0" * 64


_TINY = _Tiny()


def resume(items: int, epochs: int, folder: Path) -> None:
    """Run the study again and say when the first request went out."""
    first: list[float] = []

    def answer(request) -> str:
        first.append(time.perf_counter())
        return "Answer: B"

    started = time.perf_counter()
    progress = study(items, epochs, folder, answer).ask(lambda progress: None)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("RESULT", json.dumps({"first": first[0] - started, "asked": progress.done, "mb": memory}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--resume", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    epochs = arguments.replies // (2 * arguments.items) + 1
    if arguments.resume:
        resume(arguments.items, epochs, Path(arguments.resume))
        return
    folder = Path(tempfile.mkdtemp())
    stored = fill(arguments.items, epochs, folder)
    command = [sys.executable, __file__, "--replies", str(arguments.replies), "--items", str(arguments.items)]
    done = subprocess.run([*command, "--resume", str(folder)], capture_output=True, text=True)
    if "RESULT" not in done.stdout:
        raise SystemExit(done.stderr)
    result = json.loads(done.stdout.split("RESULT")[1])
    print(
        f"{stored:,} replies stored, {arguments.items:,} items: first request after {result['first']:.2f} s, "
        f"{result['asked']} asked, peak {result['mb']:.0f} MB"
    )
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
