"""How scoring and exporting grow with a study: time, processor time and memory at 10^5, 10^6 and 10^7 responses.

The responses are simulated: short ones, as models give them to questions with options, drawn with NumPy and put into
the store in bulk. Nothing is asked of any model. Every step runs in a process of its own, so that its memory is its own.

python studies/large_studies.py [--sizes 100000 1000000 10000000] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from snellen.images import Image, encode
from snellen.items import LETTERS, Benchmark, Item, Option
from snellen.models.fake import FakeModel
from snellen.scoring.results import study_record
from snellen.store import Store
from snellen.study import Study, export, provenance, publish

HERE = Path(__file__).parent
SHAPES = {100_000: (5, 5_000, 1), 1_000_000: (10, 12_500, 2), 10_000_000: (20, 25_000, 5)}
"""Models, items and runs of each size; the standard tests ask every item under five conditions."""
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
    asked = [FakeModel(lambda request: "A", name=f"simulated-{number:02d}") for number in range(models)]
    Study(models=asked[:1], benchmarks=[benchmark], out=folder, canary=False).ask(lambda progress: None)
    study = Study(models=asked, benchmarks=[benchmark], out=folder, epochs=runs, canary=False)
    rng = np.random.default_rng(seed)
    with Store.open(folder, write=True) as store:
        record = study_record(study.plan(), store, provenance())
        store.add_study(record, name="large")
        numbers = [store.add_model(model.name, model.revision) for model in asked]
        skill = rng.uniform(0.3, 0.85, size=models)
        for arm, digest in record["arms"]["simulated"].items():
            number, _ = store.arm(digest)
            changes, without = store.changes(number), store.inapplicable(number)
            keys = np.array([_key(changes.get(at, {}), item) for at, item in enumerate(benchmark.items)])
            applies = np.array([at not in without for at in range(items)])
            seen = 0.35 if "removed" in arm else 1.0
            for m, model in enumerate(numbers):
                _draw(store, rng, model, number, keys, applies, runs, seen * skill[m], first=m == 0)


def _key(changed: dict, item: Item) -> int:
    answer = changed.get("answer", item.answer)
    return answer if isinstance(answer, int) else -1


def _draw(store, rng, model, arm, keys, applies, runs, right, *, first) -> None:
    """The responses of one model under one condition."""
    ordinal, replicate = (each.ravel() for each in np.meshgrid(np.flatnonzero(applies), range(runs), indexing="ij"))
    if first:  # asked already
        ordinal, replicate = ordinal[replicate > 0], replicate[replicate > 0]
    size = len(ordinal)
    letters = np.where((rng.random(size) < right) & (keys[ordinal] >= 0), keys[ordinal], rng.integers(0, 5, size))
    form = rng.choice(len(FORMS), size, p=(0.5, 0.15, 0.05, 0.15, 0.1, 0.03, 0.02))
    silent = np.where(rng.random(size) < SILENCE, rng.integers(0, len(SILENT), size), -1)
    failed = rng.random(size) < FAILED
    said = [[(form.format(letter), "stop") for letter in LETTERS[:5]] for form in FORMS]
    connection = store.connection
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM responses").fetchone()
    now = time.time()
    marks = ", ".join("?" * COLUMNS)
    for start in range(0, size, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        rows, trials, attempts = [], [], []
        columns = zip(*(each[part].tolist() for each in (ordinal, replicate, letters, form, silent, failed)), strict=True)
        for at, run, letter, shape, none, lost in columns:
            if lost:
                attempts.append((model, arm, at, run, "TransientError", "503: the server is busy", now))
                continue
            last += 1
            text, finish = SILENT[none] if none >= 0 else said[shape][letter]
            key = b"simulated" + last.to_bytes(23, "big")
            rows.append((last, key, text, finish, "", 310, 4, None, 0.8, "", "[]", now, None, None))
            trials.append((model, arm, at, run, last))
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(f"INSERT INTO responses VALUES ({marks})", rows)  # noqa: S608 - question marks
        connection.executemany("INSERT INTO trials VALUES (?, ?, ?, ?, ?)", trials)
        connection.executemany(
            "INSERT INTO attempts (model, arm, ordinal, replicate, error, message, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
            attempts,
        )
        connection.execute("COMMIT")
