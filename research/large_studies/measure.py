"""How scoring and exporting grow with a study: time, processor time and memory at 10^5, 10^6 and 10^7 responses.

The responses are simulated: short ones, as models give them to questions with options, drawn with NumPy and put into
the store in bulk. No model is asked anything. Every step runs in a process of its own, whose memory is measured.

python research/large_studies/measure.py [--sizes 100000 1000000 10000000] [--folder DIR]
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
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from snellen.images import Image, encode
from snellen.items import LETTERS, Benchmark, Item, Option
from snellen.models.fake import FunctionModel
from snellen.report.publishing import publish
from snellen.runtime import provenance
from snellen.scoring.resolving import study_record
from snellen.store import Store
from snellen.study import Study, export

HERE = Path(__file__).parent
SHAPES = {10_000: (5, 500, 1), 100_000: (5, 5_000, 1), 1_000_000: (25, 5_000, 2), 10_000_000: (50, 10_000, 5)}
"""Models, items and runs of each size; the standard tests ask each of these items under four conditions."""
CONDITIONS = 4
WORDS = ("effusion", "mass", "nodule", "fracture", "cyst", "oedema", "infarct", "bleed", "drusen", "scar", "ulcer")
FORMS = ("{}", "{}.", "({})", "Answer: {}", "The answer is {}.", "**{}**", "Final answer: {}")
SILENT = (
    ("I'm sorry, but I can't help with interpreting medical images.", "stop"),
    ("I cannot tell without seeing the image.", "stop"),
    ("Several of these would fit.", "stop"),
    ("The image shows", "length"),
    ("", "content_filter"),
)
"""Responses that choose nothing: a refusal, one that abstains, one that cannot be read, one cut off, one filtered."""
SILENCE, FAILED = 0.08, 0.002
"""The shares of responses that choose nothing, and of requests that failed and were never answered."""
AT_ONCE = 100_000
COLUMNS = 14


def questions(count: int) -> Benchmark:
    """Questions with five options each, on images of one grey."""
    pictures = [Image(encode(np.full((64, 64), 5 * shade, np.uint8)).data) for shade in range(50)]
    items = (
        Item(
            id=f"q{i}",
            question=f"What does picture {i} show?",
            options=tuple(Option(f"{WORDS[(i + 3 * j) % 11]} {i % 97}{j}") for j in range(5)),
            answer=i % 5,
            images=(pictures[i % 50],),
            cluster=f"p{i // 3}",
        )
        for i in range(count)
    )
    return Benchmark("simulated", tuple(items))


def simulate(folder: Path, responses: int, seed: int = 0) -> None:
    """A study of so many responses: one model is asked once, so that every condition is stored; the rest is drawn."""
    models, items, runs = SHAPES[responses]
    benchmark = questions(items)
    asked = [FunctionModel(lambda request: "A", name=f"simulated-{number:02d}") for number in range(models)]
    Study(models=asked[:1], benchmarks=[benchmark], out=folder, canary=False).ask(lambda progress: None)
    study = Study(models=asked, benchmarks=[benchmark], out=folder, epochs=runs, canary=False)
    rng = np.random.default_rng(seed)
    with Store.open(folder, write=True) as store:
        record = study_record(study.plan(), store, provenance())
        store.studies.add(record, name="large")
        numbers = [store.studies.add_model(model.name, model.revision) for model in asked]
        skill = rng.uniform(0.3, 0.85, size=models)
        for digest in record["arms"]["simulated"].values():
            number, _ = store.studies.arm(digest)
            changes, without = store.variants.changes(number), store.variants.inapplicable(number)
            keys = np.array([_key(changes.get(at, {}), item) for at, item in enumerate(benchmark.items)])
            applies = np.array([at not in without for at in range(items)])
            shown = bool(store.variants.with_images(number))
            seen = 1.0 if shown else 0.35
            for m, model in enumerate(numbers):
                cells = (model, number, runs, 566 if shown else 310)
                _draw(store, rng, cells, keys, applies, seen * skill[m], first=m == 0)


def _key(changed: dict, item: Item) -> int:
    answer = changed.get("answer", item.answer)
    return answer if isinstance(answer, int) else -1


def _draw(store, rng, cells, keys, applies, right, *, first) -> None:
    """The responses of one model under one condition."""
    model, arm, runs, tokens = cells
    ordinal, replicate = (each.ravel() for each in np.meshgrid(np.flatnonzero(applies), range(runs), indexing="ij"))
    if first:  # asked already
        ordinal, replicate = ordinal[replicate > 0], replicate[replicate > 0]
    size = len(ordinal)
    letters = np.where((rng.random(size) < right) & (keys[ordinal] >= 0), keys[ordinal], rng.integers(0, 5, size))
    form = rng.choice(len(FORMS), size, p=(0.5, 0.15, 0.05, 0.15, 0.1, 0.03, 0.02))
    silent = np.where(rng.random(size) < SILENCE, rng.integers(0, len(SILENT), size), -1)
    failed = rng.random(size) < FAILED
    said = [[(form.format(letter), "stop") for letter in LETTERS[:5]] for form in FORMS]
    connection = store.connections.main
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM responses").fetchone()
    now = time.time()
    marks = ", ".join("?" * COLUMNS)
    for start in range(0, size, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        rows, trials, attempts = [], [], []
        columns = zip(
            *(each[part].tolist() for each in (ordinal, replicate, letters, form, silent, failed)), strict=True
        )
        for at, run, letter, shape, none, lost in columns:
            if lost:
                attempts.append((model, arm, at, run, "TransientError", "503: the server is busy", now))
                continue
            last += 1
            text, finish = SILENT[none] if none >= 0 else said[shape][letter]
            key = b"simulated" + last.to_bytes(23, "big")
            rows.append((last, key, text, finish, "", tokens, 4, None, 0.8, "", "[]", now, None, None))
            trials.append((model, arm, at, run, last))
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(f"INSERT INTO responses VALUES ({marks})", rows)
        connection.executemany("INSERT INTO trials VALUES (?, ?, ?, ?, ?)", trials)
        connection.executemany(
            "INSERT INTO attempts (model, arm, ordinal, replicate, error, message, created) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            attempts,
        )
        connection.execute("COMMIT")


STEPS = {
    "score": lambda folder: publish(folder, study="large"),
    "parquet": lambda folder: export(folder, folder / "parquet", format="parquet", study="large"),
    "shards": lambda folder: export(folder, folder / "sharded", format="shards"),
    "score of the shards": lambda folder: publish(folder / "sharded", study="large"),
}
"""What is measured, each in a process of its own."""


def step(name: str, folder: Path) -> None:
    """Do one step and print what it took as JSON: seconds, processor seconds, megabytes of each kind of process."""
    started = time.perf_counter()
    STEPS[name](folder)
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({
        "step": name,
        "seconds": time.perf_counter() - started,
        "processor": sum(each.ru_utime + each.ru_stime for each in (own, children)),
        "own_mb": own.ru_maxrss / 1e3,
        "largest_child_mb": children.ru_maxrss / 1e3,
    }))  # fmt: skip


def measured(name: str, folder: Path) -> dict:
    """One step in a process of its own."""
    command = [sys.executable, __file__, "--step", name, "--folder", str(folder)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(found.stdout.splitlines()[-1])


def size_of(path: Path) -> float:
    """Megabytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(each.stat().st_size for each in files if each.is_file()) / 1e6


def study(responses: int, folder: Path, steps: list[str]) -> dict:
    """One size, measured."""
    started = time.perf_counter()
    if not (folder / "responses.sqlite").exists():
        simulate(folder, responses)
    made: dict[str, Any] = {"responses": responses, "simulated_seconds": time.perf_counter() - started, "steps": []}
    for name in steps:
        made["steps"].append(measured(name, folder))
        print(responses, made["steps"][-1], flush=True)
    parts = {
        "store": "responses.sqlite",
        "parquet": "parquet",
        "shards": "sharded/shards",
        "report": "large/report.html",
    }
    made["megabytes"] = {name: size_of(folder / part) for name, part in parts.items() if (folder / part).exists()}
    return made


INK = {"score": "#1f4e79", "parquet": "#b3541e", "shards": "#4c7a34", "score of the shards": "#7a4c9a"}
WIDTH, HEIGHT, LEFT, TOP = 330, 260, 60, 40


def points(found: list[dict], name: str, value: str) -> list[tuple[float, float, bool]]:
    """Responses, value and whether it was measured; a size that did not run is told from the last two that did."""
    there = [(each["responses"], step[value]) for each in found for step in each["steps"] if step["step"] == name]
    drawn = [(x, y, True) for x, y in sorted(there)]
    if len(drawn) > 1 and drawn[-1][0] < max(SHAPES):
        (x1, y1, _), (x2, y2, _) = drawn[-2:]
        slope = np.log(y2 / y1) / np.log(x2 / x1)
        drawn.append((max(SHAPES), float(y2 * (max(SHAPES) / x2) ** slope), False))
    return drawn


def peak(found: list[dict]) -> list[dict]:
    """The same with the memory of the largest process under one name."""
    return [
        {**each, "steps": [{**one, "mb": max(one["own_mb"], one["largest_child_mb"])} for one in each["steps"]]}
        for each in found
    ]


def panel(found: list[dict], value: str, title: str, left: int) -> list[str]:
    """One log-log plot: filled marks were measured, hollow ones with a dashed line are extrapolated."""
    every = [each for name in STEPS for each in points(found, name, value)]
    low, high = (
        10 ** np.floor(np.log10(min(y for _, y, _ in every))),
        10 ** np.ceil(np.log10(max(y for _, y, _ in every))),
    )

    def at(x: float, y: float) -> tuple[float, float]:
        across = np.log10(x / 1e5) / 2
        up = np.log10(y / low) / np.log10(high / low)
        return round(left + LEFT + WIDTH * across, 1), round(TOP + HEIGHT * (1 - up), 1)

    parts = [f'<text x="{left + LEFT}" y="24" font-weight="bold">{title}</text>']
    for power in range(5, 8):
        x, y = at(10**power, low)
        parts.append(f'<path d="M{x},{y} V{TOP}" stroke="#ddd"/>')
        parts.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">10{"⁵⁶⁷"[power - 5]}</text>')
    for power in range(int(np.log10(low)), int(np.log10(high)) + 1):
        x, y = at(1e5, 10.0**power)
        parts.append(f'<path d="M{x},{y} h{WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 6}" y="{y + 4}" text-anchor="end">{10**power:,}</text>')
    for name, ink in INK.items():
        drawn = points(found, name, value)
        for (x1, y1, _), (x2, y2, real) in pairwise(drawn):
            (a, b), (c, d) = at(x1, y1), at(x2, y2)
            dash = "" if real else ' stroke-dasharray="4 4"'
            parts.append(f'<path d="M{a},{b} L{c},{d}" stroke="{ink}" fill="none"{dash}/>')
        for x, y, real in drawn:
            a, b = at(x, y)
            parts.append(f'<circle cx="{a}" cy="{b}" r="4" stroke="{ink}" fill="{ink if real else "white"}"/>')
    return parts


def drawing(found: list[dict]) -> str:
    """Processor time and memory by the number of responses."""
    found = peak(found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * (WIDTH + LEFT) + 60} {HEIGHT + TOP + 70}" '
        'font-family="sans-serif" font-size="12">',
        *panel(found, "processor", "Seconds of processor time, all processes", 0),
        *panel(found, "mb", "Megabytes, the largest process", WIDTH + LEFT + 30),
    ]
    for place, (name, ink) in enumerate(INK.items()):
        x, y = LEFT + 170 * place, HEIGHT + TOP + 50
        parts.append(f'<circle cx="{x}" cy="{y - 4}" r="4" fill="{ink}"/><text x="{x + 10}" y="{y}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def page(found: list[dict]) -> str:
    """What was found, in words and a table."""
    done, most = max(each["responses"] for each in found if each["steps"]), max(SHAPES)
    shapes = "; ".join(
        f"{size:,}: {models} models, {items:,} items, {runs} run{'s' * (runs > 1)}"
        for size, (models, items, runs) in list(SHAPES.items())[1:]
    )
    lines = [
        "# Time and memory of large studies",
        "Measure again with `python research/large_studies/measure.py`, which writes `large_studies.json`, this page "
        "and its figure.",
        "The responses are simulated: letters in seven forms (92%), and refusals, abstentions, unreadable, cut-off and "
        "filtered ones (8%); 0.2% of the requests failed. Models are right on 30 to 85% of the questions, and less "
        f"often without the image. Every item is asked under four conditions ({shapes}). They are put into the store "
        "in bulk; no model is asked.",
    ]
    if done < most:
        lines.append(
            f"**The largest size that was run is {done:,}.** What stands for {most:,} in the figure is extrapolated "
            "from the last two sizes (hollow marks, dashed lines) and was not measured."
        )
    lines += [
        "- *score*: `snellen report`, with results and report. *parquet*: the export to a folder of Parquet files. "
        "*shards*: the export to an SQLite file for each model, and *score of the shards* the same from these.\n"
        "- *Processor seconds* are those of all processes together. *Seconds* are by the clock on a machine of two "
        "processors that was busy with other work all the time, so that they say little.\n"
        "- *MB* is the peak resident memory, of the process that was started and of the largest of those that it "
        "starts (from 200,000 responses on). At 10,000,000 the process that scores has 1.3 GB until all is measured, "
        "and the rest while the report is made.",
        "\n".join(_rows(found)),
        "![Processor time and memory by the number of responses](large_studies.svg)",
        "Files, in MB:",
        "\n".join(_files(found)),
    ]
    return "\n\n".join(lines) + "\n"


def _rows(found: list[dict]) -> Iterator[str]:
    yield "| responses | step | processor seconds | µs a response | seconds | MB, own | MB, largest child |"
    yield "|---|---|---|---|---|---|---|"
    for each in found:
        for one in each["steps"]:
            each_takes = 1e6 * one["processor"] / each["responses"]
            yield (
                f"| {each['responses']:,} | {one['step']} | {one['processor']:,.0f} | {each_takes:,.0f} | "
                f"{one['seconds']:,.0f} | {one['own_mb']:,.0f} | {one['largest_child_mb']:,.0f} |"
            )


def _files(found: list[dict]) -> Iterator[str]:
    names = ("store", "parquet", "shards", "report")
    yield f"| responses | {' | '.join(names)} |"
    yield "|---|---|---|---|---|"
    for each in found:
        sizes = (each["megabytes"].get(name) for name in names)
        yield f"| {each['responses']:,} | {' | '.join('' if size is None else f'{size:,.1f}' for size in sizes)} |"


def main() -> None:
    """Measure the sizes that are asked for, and keep what was found beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SHAPES)[1:])
    parser.add_argument("--steps", nargs="+", default=list(STEPS), choices=list(STEPS))
    parser.add_argument("--folder", type=Path, help="where the studies are kept; by default nowhere")
    parser.add_argument("--step", choices=list(STEPS), help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=HERE / "large_studies.json")
    given = parser.parse_args()
    if given.step:
        step(given.step, given.folder)
        return
    kept = given.folder or Path(tempfile.mkdtemp())
    found = json.loads(given.out.read_text()) if given.out.exists() else []
    for size in given.sizes:
        made = study(size, kept / str(size), given.steps)
        found = sorted(
            [*(each for each in found if each["responses"] != size), made], key=lambda each: each["responses"]
        )
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    given.out.with_name("README.md").write_text(page(found))
    given.out.with_suffix(".svg").write_text(drawing(found))
    if given.folder is None:
        shutil.rmtree(kept)


if __name__ == "__main__":
    main()
