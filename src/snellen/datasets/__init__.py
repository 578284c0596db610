"""Datasets: one file a benchmark; each has a `load` that returns a Benchmark and takes `allow_broken`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.plugins import find, parse_settings

MEMBERS = {
    "phantoms": "snellen.datasets.phantoms:load",
    "folder": "snellen.datasets.folder:load",
    "classes": "snellen.datasets.classes:load",
    "vqa-rad": "snellen.datasets.vqa_rad:load",
    "mirage-questions": "snellen.datasets.mirage_questions:load",
    "mirage-diagnoses": "snellen.datasets.mirage_diagnoses:load",
}


def load(spec: str, *, seed: int | None = None, **settings: Any) -> Benchmark:
    """The benchmark a line names: `phantoms`, `phantoms:leak=0.5,items=400`, `vqa-rad:PATH,split=all`, or a folder.

    Settings in the line win over those given as arguments, and stand in the benchmark's name. `seed` is for benchmarks
    that draw something, such as the phantoms; others have no use for it.
    """
    name, _, rest = spec.partition(":")
    path = Path(spec).exists() and name not in MEMBERS
    if path:
        name = "folder"
    elif "/" in spec.partition(":")[0]:
        raise StudyError(f"There is no folder or file {spec!r}.")
    loader: Callable[..., Benchmark] = find("datasets", MEMBERS, name)
    positional, named = ([spec], {}) if path else parse_settings(rest)
    if seed is not None and "seed" in signature(loader).parameters:
        settings = {"seed": seed, **settings}
    if not positional and "path" not in {**settings, **named} and _needs_path(loader):
        raise StudyError(f"The benchmark {spec!r} does not say where its files are. Write {name}:PATH.")
    try:
        benchmark = loader(*positional, **{**settings, **named})
    except (TypeError, ValueError) as error:
        about = (loader.__doc__ or "").strip().partition("\n")[0]
        raise StudyError(f"The benchmark {spec!r} cannot be loaded: {error}. ({name}: {about})") from error
    chosen = ",".join(f"{key}={value}" for key, value in named.items())
    return replace(benchmark, name=f"{benchmark.name}:{chosen}") if chosen else benchmark


def _needs_path(loader: Callable[..., Benchmark]) -> bool:
    path = signature(loader).parameters.get("path")
    return path is not None and path.default is Parameter.empty
