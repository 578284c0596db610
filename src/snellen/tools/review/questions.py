"""Questions to annotate: a benchmark's open questions in a folder for a review, before any model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snellen.asking.plan import ResolvedArm
from snellen.conditions import ORIGINAL, Pool
from snellen.errors import StudyError
from snellen.images.image import Encoder
from snellen.items import Benchmark
from snellen.prompts import PROVIDER_DEFAULTS, Arm, ask, prompt_named
from snellen.reading.parsers import OPEN, USUAL
from snellen.store import Store, Writer


def store_questions(folder: Path | str, benchmark: Benchmark, provenance: Mapping[str, Any]) -> str:
    """Store a benchmark's open questions with their images as a study without models; returns its name.

    The same questions are stored once. An item whose image cannot be read is an ImageError.
    """
    parts = [part for part in benchmark.by_kind() if part.kind == "open"]
    if not parts:
        raise StudyError(f"{benchmark.name} has no open questions, so there is nothing to annotate.")
    (part,) = parts
    arm = ResolvedArm(
        ORIGINAL.name, Arm(ORIGINAL), prompt_named("letter"), PROVIDER_DEFAULTS, "open",
        by_reference=True, image_side=None,
    )  # fmt: skip
    with Store.open(folder, write=True) as store:
        number, digest = store.studies.add_benchmark(part)
        record = _record(part, digest, arm)
        if known := store.studies.find(record):
            return known.name
        under = store.studies.add_arm(number, arm.name, arm.digest(digest, 0), arm.record(0))
        encode, writer = Encoder(), Writer(store)
        try:
            for ordinal, item in enumerate(part.items):
                asked = ask(item, prompt=arm.prompt, settings=arm.settings, encode=encode)
                writer.varied(under, ordinal, arm.vary(item, seed=0, pool=Pool(())), asked)
        finally:
            writer.close()
        return store.studies.add({**provenance, **record}, stem="annotation")


def _record(benchmark: Benchmark, digest: str, arm: ResolvedArm) -> dict[str, Any]:
    """What the store keeps of a study that asks no model."""
    return {
        "models": [],
        "benchmarks": {benchmark.name: digest},
        "sources": {benchmark.name: {"about": dict(benchmark.about), "broken": []}},
        "tests": [],
        "arms": {benchmark.name: {arm.name: arm.digest(digest, 0)}},
        "seed": 0,
        "epochs": 1,
        "limit": None,
        "prompt": arm.prompt.name,
        "settings": {},
        "parser": USUAL[OPEN],
    }
