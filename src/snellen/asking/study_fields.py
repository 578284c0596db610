"""Study fields: check the settings of a study, and list the foreign resources that a study file uses."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from math import inf
from numbers import Integral, Real
from pathlib import Path
from reprlib import repr as short
from typing import Any
from urllib.parse import urlsplit

from snellen.asking.consent import FileUse
from snellen.benchmarks import paths_in
from snellen.cluster import address_of
from snellen.errors import StudyError
from snellen.models import MEMBERS
from snellen.models.base import Model
from snellen.models.client.address import host_elsewhere
from snellen.models.client.provider import Access
from snellen.models.entry import ModelEntry
from snellen.plugins import did_you_mean, find
from snellen.prompts import Prompt, Settings
from snellen.store import check_name

SMALLEST_SIDE = 32
"""The smallest allowed limit on the side of images, in pixels."""
MOST_EPOCHS = 2**20
KINDS: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(
        ("seed", "epochs", "limit", "sample", "max_connections", "image_side"), (Integral, "a whole number")
    ),
    **dict.fromkeys(("name", "parser"), (str, "a name")),
    "on": (str, "ray or ray://HOST:PORT"),
    "prompt": (str | Path | Mapping | Prompt, "a name, a file, a template or a table"),
    "system": (str | Path, "a text or a file"),
    "timeout": (Real, "a number of seconds"),
    "budget": (Real, "a number of dollars"),
    **dict.fromkeys(("image_dependence", "margin"), (Real, "a share between 0 and 1")),
    "out": (str | Path, "a folder"),
    **dict.fromkeys(
        ("allow_broken", "canary", "accept_blind", "batch", "yes", "until_settled", "repeat"), (bool, "true or false")
    ),
}
OPTIONAL = ("limit", "sample", "budget", "timeout", "image_side", "system")


def read_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read all fields that hold one value, and check them together."""
    found = {name: _read_value(name, given[name]) for name in KINDS}
    _check_names(found["name"], found["out"], given["groups"])
    _check_amounts(found)
    if found["on"]:
        address_of(found["on"])
        if found["batch"]:
            raise StudyError(
                "Choose `batch` or `on`, not both: a batch runs at a provider, and `on` runs your own models."
            )
    return found


def _read_value(name: str, value: Any) -> Any:
    kind, words = KINDS[name]
    if value is None and name in OPTIONAL:
        return None
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise StudyError(f"Expected {name} to be {words}, got {value!r}.")
    if kind is not Integral:
        return value
    most = MOST_EPOCHS if name == "epochs" else 2**63 - 1
    if not -(2**63) <= value <= most:
        raise StudyError(f"Expected {name} to be at most {most:,}, got {str(value)[:40]}.")
    return int(value)


def read_list(name: str, given: Any, kind: Any, example: str) -> Sequence[Any]:
    """Return what a study lists as a sequence. A single entry counts as a list of one."""
    if isinstance(given, kind):
        return (given,)
    if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
        raise StudyError(f"Expected {name} to be a list of entries such as {example}; got {short(given)}.")
    entries = given if isinstance(given, list | tuple) else tuple(given)
    for entry in entries:
        if not isinstance(entry, kind):
            raise StudyError(f"Expected each of the {name} to be {example}; got {short(entry)}.")
    return entries


def read_settings(given: object, *, where: str) -> Settings:
    """Read settings from a mapping of names and values."""
    if isinstance(given, Settings):
        return given
    if not isinstance(given, Mapping):
        raise StudyError(f"Expected {where} to be names and values, such as temperature = 0.0; got {given!r}.")
    return Settings(**check_known(Settings, given, where=where))


def check_known(record: type, values: Mapping[str, Any], *, where: str) -> Mapping[str, Any]:
    """Return the values; StudyError if the record has no field for one of them."""
    names = [each.name for each in fields(record) if each.compare]
    for name in values:
        if name not in names:
            hint = did_you_mean(name, names) or f" There are: {', '.join(names)}."
            raise StudyError(f"{where}: there is no setting {name!r}.{hint}")
    return values


def _check_names(name: str, out: str | Path, groups: object) -> None:
    """Raise StudyError for names of study, folder or groups that cannot be stored."""
    if name:
        check_name(name)
    if "\0" in str(out):
        raise StudyError(f"Expected out to be a folder, got {str(out)!r:.80}, which has a null byte.")
    if not isinstance(groups, Mapping) or not all(
        isinstance(group, str) and isinstance(members, list | tuple) and all(isinstance(each, str) for each in members)
        for group, members in groups.items()
    ):
        raise StudyError(f'Expected groups such as {{"medical": ["hf/llava-med"]}}, got {short(groups)}.')


def _check_amounts(given: Mapping[str, Any]) -> None:
    for name in ("image_dependence", "margin"):
        if not 0 < given[name] < 1:
            raise StudyError(f"Expected {name} to be a share between 0 and 1, got {given[name]}.")
    for name, unit in (("budget", "dollars"), ("timeout", "seconds")):
        if given[name] is not None and not 0 < given[name] < inf:
            raise StudyError(f"Expected a {name} of more than 0 {unit}, got {given[name]}.")
    if given["max_connections"] < 1:
        raise StudyError(f"Expected at least one connection, got max_connections={given['max_connections']}.")
    if given["image_side"] and given["image_side"] < SMALLEST_SIDE:
        raise StudyError(
            f"Expected an image_side of at least {SMALLEST_SIDE} pixels, or 0 for images in their own size, got "
            f"{given['image_side']}."
        )
    sample, limit = given["sample"], given["limit"]
    if sample is not None and (sample < 1 or limit is not None):
        raise StudyError(f"Expected either sample or limit, at least 1, got sample={sample}, limit={limit}.")


def find_large(value: Any, name: str = "a value") -> str:
    """Describe the first whole number that is too large to store. Empty if there is none."""
    if isinstance(value, Mapping):
        return next(filter(None, (find_large(each, field) for field, each in value.items())), "")
    if isinstance(value, list):
        return next(filter(None, (find_large(each, name) for each in value)), "")
    is_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return f"{name} is {str(value)[:40]}…" if is_large else ""


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
                yield FileUse(host, "file", str(path), f"sends the contents of {path} to {at}")

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
