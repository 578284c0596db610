"""Study files: the file that a study was read from, and the foreign resources that it uses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from snellen.asking.consent import FileUse
from snellen.benchmarks import paths_in
from snellen.cluster import address_of
from snellen.models import MEMBERS
from snellen.models.base import Model
from snellen.models.client.address import host_elsewhere
from snellen.models.client.provider import Access
from snellen.models.entry import ModelEntry
from snellen.plugins import find


@dataclass(frozen=True)
class StudySource:
    """A study file. It may come from a stranger, so it cannot make decisions that belong to the user.

    `record` holds the fields that the file sets and the caller does not override. `files` are the files from which its
    prompts were read.
    """

    path: Path
    record: Mapping[str, Any]
    files: tuple[Path, ...] = ()
    says_yes: bool = False
    """True if the file has `yes`, which is ignored."""

    def list_uses(self, entries: Sequence[Any], models: Sequence[Model]) -> Iterator[FileUse]:
        """List the foreign resources of a study file: new hosts, other key variables, files elsewhere.

        `entries` are the models as the file describes them, `models` the same models opened.
        """
        for entry, model in zip(entries, models, strict=True) if "models" in self.record else ():
            if isinstance(entry, ModelEntry):
                yield from _uses_of_entry(entry, model)
        cluster = address_of(self.record["on"]) if self.record.get("on") else ""
        if ":" in cluster and (host := host_elsewhere(f"//{cluster}")):
            yield FileUse(host, "cluster", cluster, f"runs its models on the Ray cluster at {cluster}")
        servers = {model.host: model.at or model.host for model in models if model.address}
        for path in dict.fromkeys(self._files_outside()) if servers else ():
            for host, at in servers.items():
                yield FileUse(host, "file", str(path), f"sends what is in {path} to {at}")

    def _files_outside(self) -> Iterator[Path]:
        """Yield the files and folders outside the study file's folder that it names. Links are followed."""
        folder = _follow_links(self.path.parent)
        for path in (*self.files, *self._benchmark_paths(folder)):
            if not (found := _follow_links(path)).is_relative_to(folder):
                yield found
                continue
            inside = (f"{place}/{name}" for place, *names in os.walk(path) for name in chain(*names))
            links = map(_follow_links, filter(os.path.islink, inside))
            yield from (each for each in links if not each.is_relative_to(folder))

    def _benchmark_paths(self, folder: Path) -> Iterator[Path]:
        for name in ("benchmarks", "examples"):
            given = self.record.get(name, ())
            for each in given if isinstance(given, list | tuple) else [given]:
                spec = str(each.get("benchmark", "") if isinstance(each, Mapping) else each)
                yield from paths_in(folder / spec) if spec and name == "examples" else ()
                yield from paths_in(spec)


def _uses_of_entry(entry: ModelEntry, model: Model) -> Iterator[FileUse]:
    access = getattr(find("models", MEMBERS, entry.name.partition("/")[0]), "access", None)
    if not isinstance(access, Access):
        access = Access(key_variables=_usual_variable(entry.name))
    usual = (os.environ.get(access.address_variable, ""), access.official)
    at = entry.base_url or ""
    if host_elsewhere(at) and urlsplit(at)[:2] not in [urlsplit(each)[:2] for each in usual]:
        yield FileUse(model.host, "host", model.address, f"asks {model.name} at {model.address}")
    if entry.api_key_env and entry.api_key_env not in access.key_variables:
        said = f"sends the value of {entry.api_key_env} as the key to {model.at or model.host}"
        yield FileUse(model.host, "variable", entry.api_key_env, said)


def _usual_variable(spec: str) -> tuple[str, ...]:
    """Return the usual key variable of a provider, such as VLLM_API_KEY, also behind `inspect/`."""
    provider = spec.removeprefix("inspect/").partition("/")[0]
    return (f"{provider.upper().replace('-', '_')}_API_KEY",)


def _follow_links(path: str | Path) -> Path:
    """Return the path with links followed; circular links raise nothing."""
    return Path(os.path.realpath(path))
