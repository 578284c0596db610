"""Benchmarks: the function `load`, and one module with a loader for each."""

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
from snellen.plugins import Members, create_member, did_you_mean, find, names, parse_settings, read_settings

__all__ = [
    "MEMBERS", "answers", "columns", "files_beside", "folder", "gallery", "hub", "list_published", "load",
    "look_up_published", "paths_in", "phantoms", "printed_options", "published", "questions", "rows", "takes_map",
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
    "vindr-cxr": "snellen.benchmarks.grounded:vindr_cxr",
    "ms-cxr": "snellen.benchmarks.grounded:ms_cxr",
    "padchest-gr": "snellen.benchmarks.grounded:padchest_gr",
    "medvigil": "snellen.benchmarks.grounded:medvigil",
    "mirage-questions": "snellen.benchmarks.mirage:questions",
    "mirage-diagnoses": "snellen.benchmarks.mirage:diagnoses",
}


_READING_SETTINGS = ("map", "images_root")
"""Settings of reading, which do not change the questions. They are not part of a benchmark's name."""


def load(
    spec: str | Path,
    *,
    seed: int | None = None,
    keep_unreadable: bool = False,
    takes_limit: bool = False,
    **settings: Any,
) -> Benchmark:
    """Load the benchmark that a text names, such as `phantoms:leak=0.5,items=400` or a folder.

    Settings in the text replace arguments and become part of the benchmark's name. `map=category:COLUMN` names the
    column of a published benchmark for its category, modality, body_part or cluster, if these are missing. `limit=60`
    is the number of items that a study asks; callers allow it with `takes_limit`. `seed` is for benchmarks with a
    random part, such as the phantoms. `keep_unreadable` is for audits: an item whose image is missing or unreadable is
    kept, with an `Unreadable` in its place.
    """
    spec = str(spec)
    name, _, rest = spec.partition(":")
    failure = f"The benchmark {spec!r} cannot be loaded"
    if spec.startswith(ON_HUB):
        name, rest = _find_hub_loader(rest)
    if name not in MEMBERS and _is_there(spec):
        loader: Callable[..., Benchmark] = find("datasets", MEMBERS, "folder")
        return _run_loader(loader, spec, failure=failure, **_build_settings(loader, keep_unreadable), **settings)
    if name not in MEMBERS and name not in (known := names("datasets", MEMBERS)):
        raise _make_unknown_error(spec, known)
    loader = find("datasets", MEMBERS, name)
    rest, common = _take_common(loader, rest)
    bare, given = parse_settings(rest)
    if seed is not None and "seed" in signature(loader).parameters:
        settings = {"seed": seed, **settings}
    settings = {**_build_settings(loader, keep_unreadable), **settings}
    if not bare and "path" not in {**settings, **given} and _needs_path(loader):
        raise StudyError(f"The benchmark {spec!r} does not say where its files are. Write {name}:PATH.")
    positional, named = read_settings(partial(loader, **settings), rest, failure=failure)
    benchmark = _run_loader(loader, *map(_expand_home, positional), failure=failure, **{**settings, **named})
    if "map" in common:
        benchmark = with_columns(benchmark, parse_map(common["map"]))
    if "limit" in common:
        benchmark = replace(benchmark, limit=_read_limit(common["limit"], failure, takes_limit=takes_limit))
    chosen = ",".join(f"{key}={value}" for key, value in named.items() if key not in _READING_SETTINGS)
    return replace(benchmark, name=f"{benchmark.name}:{chosen}") if chosen else benchmark


def _take_common(loader: Callable[..., Benchmark], line: str) -> tuple[str, dict[str, str]]:
    """Split off the settings `map` and `limit` if the loader does not read them itself."""
    common = {"map", "limit"} - {*signature(loader).parameters}
    parts = [part.partition("=") for part in line.split(",")]
    left = ",".join("".join(part) for part in parts if part[0].strip() not in common)
    return left, {name.strip(): value.strip() for name, _, value in parts if name.strip() in common}


def _read_limit(text: str, failure: str, *, takes_limit: bool) -> int:
    if not takes_limit:
        raise StudyError(f"{failure}: limit= works only for a benchmark that a study asks. Remove limit={text}.")
    if not text.isdecimal() or int(text) < 1:
        raise StudyError(f"{failure}: expected limit to be a whole number of 1 or more, got {text!r}.")
    return int(text)


def takes_map(spec: str | Path) -> bool:
    """Return True if a text names a user's own table, which may have a map."""
    name = str(spec).partition(":")[0]
    if name not in MEMBERS:
        return _is_there(str(spec)) or str(spec).startswith(ON_HUB)
    return "map" in signature(find("datasets", MEMBERS, name)).parameters


def paths_in(spec: str | Path) -> list[Path]:
    """Return the existing files and folders that a benchmark's text names."""
    line = str(spec)
    values = [] if line.startswith(ON_HUB) else [line, *line.partition(":")[2].split(",")]
    named = [_expand_home(each.partition("=")[2] if "=" in each and not _is_there(each) else each) for each in values]
    return [Path(each) for each in named if _is_there(each)]


def list_published() -> dict[str, Published]:
    """Return the published benchmarks that have a loader, including plug-ins, by loader name."""
    found = {name: look_up_published(name) for name in names("datasets", MEMBERS)}
    return {name: told for name, told in found.items() if told is not None}


def look_up_published(name: str) -> Published | None:
    """Return the published benchmark of a loader; None for a user's own files.

    It is the loader's attribute `about`, or `ABOUT` in its module.
    """
    loader = find("datasets", MEMBERS, name)
    told = getattr(loader, "about", getattr(sys.modules.get(getattr(loader, "__module__", "")), "ABOUT", None))
    return told if isinstance(told, Published) else None


def _find_hub_loader(rest: str) -> tuple[str, str]:
    """Return the loader of a hub dataset (else the one for folders) and its settings."""
    dataset, sign, settings = rest.partition(",")
    known = {told.hub.lower(): name for name, told in list_published().items() if told.hub}
    name = known.get(dataset.partition("@")[0].lower())
    path = f"{ON_HUB}{dataset}" if name else str(snapshot(f"{ON_HUB}{dataset}"))
    return name or "folder", f"{path}{sign}{settings}"


def _build_settings(loader: Callable[..., Benchmark], keep_unreadable: bool) -> dict[str, bool]:
    """Return the setting that keeps unreadable images, if the loader has it."""
    return {"keep_unreadable": True} if keep_unreadable and "keep_unreadable" in signature(loader).parameters else {}


def _run_loader(loader: Callable[..., Benchmark], *positional: Any, failure: str, **settings: Any) -> Benchmark:
    benchmark = create_member(loader, *positional, failure=failure, **settings)
    if not isinstance(benchmark, Benchmark):
        raise PluginError(f"{failure}: expected the plug-in to give a Benchmark, got {type(benchmark).__name__}.")
    return benchmark


def _make_unknown_error(spec: str, known: Sequence[str]) -> SnellenError:
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


def _needs_path(loader: Callable[..., Benchmark]) -> bool:
    path = signature(loader).parameters.get("path")
    return path is not None and path.default is Parameter.empty


def _expand_home(path: Any) -> Any:
    """Expand a leading `~/`, since shells leave it unchanged after `vqa-rad:`."""
    return str(Path(path).expanduser()) if isinstance(path, str) and path.startswith("~/") else path
