"""Storage of a benchmark's questions for raters, without asking a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from snellen.asking.plan import ResolvedArm
from snellen.conditions import ORIGINAL, Pool
from snellen.errors import StudyError
from snellen.images.image import Encoder
from snellen.items import Benchmark, Kind
from snellen.prompts import PROVIDER_DEFAULTS, Arm, ask, prompt_named
from snellen.reading.parsers import OPEN, USUAL
from snellen.store import Store, Writer


def store_questions(
    folder: Path | str,
    benchmark: Benchmark,
    provenance: Mapping[str, Any],
    *,
    kinds: Sequence[Kind] = ("open",),
    stem: str = "annotation",
) -> str:
    """Store a benchmark's questions and images as a study without models; return its name.

    The same questions are stored only once. Raise ImageError if an item's image cannot be read.
    """
    parts = [part for part in benchmark.by_kind() if part.kind in kinds]
    if not parts:
        raise StudyError(f"{benchmark.name} has no {' or '.join(kinds)} questions, so there is nothing to review.")
    with Store.open(folder, write=True) as store:
        added = [(part, _resolve(part), *store.studies.add_benchmark(part)) for part in parts]
        record = _record([(part, arm, digest) for part, arm, _, digest in added])
        if known := store.studies.find(record):
            return known.name
        encode = Encoder()
        for part, arm, number, digest in added:
            under = store.studies.add_arm(number, arm.name, arm.digest(digest, 0), arm.record(0))
            writer = Writer(store)
            try:
                for ordinal, item in enumerate(part.items):
                    asked = ask(item, prompt=arm.prompt, settings=arm.settings, encode=encode)
                    writer.store_variant(under, ordinal, arm.vary(item, seed=0, pool=Pool(())), asked)
            finally:
                writer.close()
        return store.studies.add({**provenance, **record}, stem=stem)


def _resolve(part: Benchmark) -> ResolvedArm:
    prompt = prompt_named("letter")
    return ResolvedArm(
        ORIGINAL.name, Arm(ORIGINAL), prompt, PROVIDER_DEFAULTS, part.kind,
        by_reference=part.kind == "open", image_side=None,
    )  # fmt: skip


def _record(parts: Sequence[tuple[Benchmark, ResolvedArm, str]]) -> dict[str, Any]:
    return {
        "models": [],
        "benchmarks": {part.name: digest for part, _, digest in parts},
        "sources": {part.name: {"about": dict(part.about), "broken": []} for part, _, _ in parts},
        "tests": [],
        "arms": {part.name: {arm.name: arm.digest(digest, 0)} for part, arm, digest in parts},
        "seed": 0,
        "epochs": 1,
        "limit": None,
        "prompt": parts[0][1].prompt.name,
        "settings": {},
        "parser": USUAL[OPEN],
    }
