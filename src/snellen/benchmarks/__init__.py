"""Datasets: one file a benchmark; each has a `load` that returns a Benchmark and takes `allow_broken`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from snellen.benchmarks.columns import parse_map, with_columns
from snellen.benchmarks.hub import ON_HUB, snapshot
from snellen.benchmarks.published import Published
from snellen.errors import PluginError, SnellenError, StudyError
from snellen.items import Benchmark
from snellen.plugins import Members, did_you_mean, find, made, names, parse_settings, read_settings

__all__ = [
    "MEMBERS", "about", "answers", "columns", "files_beside", "folder", "gallery", "hub", "load", "paths_in",
    "phantoms", "printed_options", "published", "questions", "rows", "takes_map",
]  # fmt: skip

MEMBERS: Members = {
    "phantoms": "snellen.benchmarks.phantoms:load",
    "folder": "snellen.benchmarks.folder:load",
    "classes": "snellen.benchmarks.classes:load",
    "vqa-rad": "snellen.benchmarks.vqa_rad:load",
    "slake": "snellen.benchmarks.slake:load",
    "path-vqa": "snellen.benchmarks.path_vqa:load",
    "pmc-vqa": "snellen.benchmarks.pmc_vqa:load",
    "omnimedvqa": "snellen.benchmarks.omnimedvqa:load",
    "medxpertqa": "snellen.benchmarks.medxpertqa:load",
    "microvqa": "snellen.benchmarks.microvqa:load",
    "rexvqa": "snellen.benchmarks.rexvqa:load",
    "openi": "snellen.benchmarks.openi:load",
    "mmmu": "snellen.benchmarks.mmmu:mmmu",
    "mmmu-pro": "snellen.benchmarks.mmmu:mmmu_pro",
    "video-mme": "snellen.benchmarks.video_mme:load",
    "video-mmmu": "snellen.benchmarks.mmmu:video_mmmu",
    "europemedqa": "snellen.benchmarks.europemedqa:load",
    "nejm-image-challenge": "snellen.benchmarks.nejm_image_challenge:load",
    "jama-challenge": "snellen.benchmarks.jama_challenge:load",
    "bones-and-joints": "snellen.benchmarks.bones_and_joints:load",
    "mediconfusion": "snellen.benchmarks.mediconfusion:load",
    "ddr": "snellen.benchmarks.ddr:load",
    "kermany-oct": "snellen.benchmarks.image_sets:kermany_oct",
    "brain-mri": "snellen.benchmarks.image_sets:brain_mri",
    "covid-cxr": "snellen.benchmarks.image_sets:covid_cxr",
    "mirage-questions": "snellen.benchmarks.mirage:questions",
    "mirage-diagnoses": "snellen.benchmarks.mirage:diagnoses",
}


_HOW_READ = ("map", "images_root")
"""Settings that say how files are read, not what is asked: they are no part of a benchmark's name."""


def load(
    spec: str | Path,
    *,
    seed: int | None = None,
    keep_unreadable: bool = False,
    takes_limit: bool = False,
    **settings: Any,
) -> Benchmark:
    """The benchmark a line names: `phantoms`, `phantoms:leak=0.5,items=400`, `vqa-rad:PATH,split=all`, or a folder.

    Settings in the line win over those given as arguments, and stand in the benchmark's name. `map=category:COLUMN`
    says which column of a published benchmark is its category, modality, body_part or cluster, if these are missing.
    `limit=60` is how many items a study asks of it, for callers that take one (`takes_limit`). `seed` is for
    benchmarks that draw something, such as the phantoms; others have no use for it. `keep_unreadable` is
    for audits: an item whose image is missing or unreadable is kept, with an `Unreadable` in its place, by the
    benchmarks that read files.
    """
    spec = str(spec)
    name, _, rest = spec.partition(":")
    failure = f"The benchmark {spec!r} cannot be loaded"
    if spec.startswith(ON_HUB):
        name, rest = _on_hub(rest)
    if name not in MEMBERS and _is_there(spec):
        loader: Callable[..., Benchmark] = find("datasets", MEMBERS, "folder")
        return _loaded(loader, spec, failure=failure, **_kept(loader, keep_unreadable), **settings)
    if name not in MEMBERS and name not in (known := names("datasets", MEMBERS)):
        raise _unknown(spec, known)
    loader = find("datasets", MEMBERS, name)
    rest, common = _take_common(loader, rest)
    bare, given = parse_settings(rest)
    if seed is not None and "seed" in signature(loader).parameters:
        settings = {"seed": seed, **settings}
    settings = {**_kept(loader, keep_unreadable), **settings}
    if not bare and "path" not in {**settings, **given} and _needs_path(loader):
        raise StudyError(f"The benchmark {spec!r} does not say where its files are. Write {name}:PATH.")
    positional, named = read_settings(partial(loader, **settings), rest, failure=failure)
    benchmark = _loaded(loader, *map(_at_home, positional), failure=failure, **{**settings, **named})
    if "map" in common:
        benchmark = with_columns(benchmark, parse_map(common["map"]))
    if "limit" in common:
        benchmark = replace(benchmark, limit=_read_limit(common["limit"], failure, takes_limit=takes_limit))
    chosen = ",".join(f"{key}={value}" for key, value in named.items() if key not in _HOW_READ)
    return replace(benchmark, name=f"{benchmark.name}:{chosen}") if chosen else benchmark


def _take_common(loader: Callable[..., Benchmark], line: str) -> tuple[str, dict[str, str]]:
    """A benchmark's line without the settings that every benchmark has and its loader does not read itself."""
    common = {"map", "limit"} - {*signature(loader).parameters}
    parts = [part.partition("=") for part in line.split(",")]
    left = ",".join("".join(part) for part in parts if part[0].strip() not in common)
    return left, {name.strip(): value.strip() for name, _, value in parts if name.strip() in common}


def _read_limit(text: str, failure: str, *, takes_limit: bool) -> int:
    if not takes_limit:
        raise StudyError(f"{failure}: a limit is for what a study asks. Remove limit={text}.")
    if not text.isdecimal() or int(text) < 1:
        raise StudyError(f"{failure}: expected limit to be a whole number of 1 or more, got {text!r}.")
    return int(text)


def takes_map(spec: str | Path) -> bool:
    """Whether a benchmark's line names a table of one's own, whose columns a map can name."""
    name = str(spec).partition(":")[0]
    if name not in MEMBERS:
        return _is_there(str(spec)) or str(spec).startswith(ON_HUB)
    return "map" in signature(find("datasets", MEMBERS, name)).parameters


def paths_in(spec: str | Path) -> list[Path]:
    """The files and folders that a benchmark's line names, as far as they are there."""
    line = str(spec)
    values = [] if line.startswith(ON_HUB) else [line, *line.partition(":")[2].split(",")]
    named = [_at_home(each.partition("=")[2] if "=" in each and not _is_there(each) else each) for each in values]
    return [Path(each) for each in named if _is_there(each)]


def published() -> dict[str, Published]:
    """Every published benchmark that has a loader, ours and those of plug-ins, by the loader's name."""
    found = {name: about(name) for name in names("datasets", MEMBERS)}
    return {name: told for name, told in found.items() if told is not None}


def about(name: str) -> Published | None:
    """What is known of the published benchmark that a loader loads; None for your own files and the like.

    A loader says it as its `about`, or its module does as `ABOUT`.
    """
    loader = find("datasets", MEMBERS, name)
    told = getattr(loader, "about", getattr(sys.modules.get(getattr(loader, "__module__", "")), "ABOUT", None))
    return told if isinstance(told, Published) else None


def _on_hub(rest: str) -> tuple[str, str]:
    """The loader of a dataset of the hub and its line: the benchmark's own if we know it, else that of any table."""
    dataset, sign, settings = rest.partition(",")
    known = {told.hub.lower(): name for name, told in published().items() if told.hub}
    name = known.get(dataset.partition("@")[0].lower())
    path = f"{ON_HUB}{dataset}" if name else str(snapshot(f"{ON_HUB}{dataset}"))
    return name or "folder", f"{path}{sign}{settings}"


def _kept(loader: Callable[..., Benchmark], keep_unreadable: bool) -> dict[str, bool]:
    """The setting that keeps unreadable images, for a loader that has it."""
    return {"keep_unreadable": True} if keep_unreadable and "keep_unreadable" in signature(loader).parameters else {}


def _loaded(loader: Callable[..., Benchmark], *positional: Any, failure: str, **settings: Any) -> Benchmark:
    benchmark = made(loader, *positional, failure=failure, **settings)
    if not isinstance(benchmark, Benchmark):
        raise PluginError(f"{failure}: expected the plug-in to give a Benchmark, got {type(benchmark).__name__}.")
    return benchmark


def _unknown(spec: str, known: Sequence[str]) -> SnellenError:
    name, _, rest = spec.partition(":")
    if rest and _is_there(name):
        return StudyError(
            f"The benchmark {spec!r} cannot be loaded: settings follow a comma. Write {name}, or folder:{name},{rest}."
        )
    if "/" in name or os.sep in name:
        return StudyError(f"There is no folder or file {spec!r}.")
    hint = did_you_mean(name, known)
    return PluginError(f"There is no dataset, folder or file {name!r}.{hint} Datasets: {', '.join(known)}.")


def _is_there(path: str) -> bool:
    try:
        return bool(path) and Path(path).exists()
    except (OSError, ValueError):  # a name too long for any file
        return False


def _at_home(path: Any) -> Any:
    """No shell sees the tilde after `vqa-rad:`."""
    return str(Path(path).expanduser()) if isinstance(path, str) and path.startswith("~/") else path


def _needs_path(loader: Callable[..., Benchmark]) -> bool:
    path = signature(loader).parameters.get("path")
    return path is not None and path.default is Parameter.empty
