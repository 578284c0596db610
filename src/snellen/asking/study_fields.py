"""Study fields: check and read the settings of a study; StudyError for invalid ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from math import inf
from numbers import Integral, Real
from pathlib import Path
from reprlib import repr as short
from typing import Any

from snellen.cluster import address_of
from snellen.errors import StudyError
from snellen.plugins import did_you_mean
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
    """Read all fields with one value each, and check them together."""
    found = {name: _read_value(name, given[name]) for name in KINDS}
    _check_names(found["name"], found["out"], given["groups"])
    _check_amounts(found)
    if found["on"]:
        address_of(found["on"])
        if found["batch"]:
            raise StudyError(
                "Choose `batch` or `on`, not both: a provider computes a batch, and `on` runs your own models."
            )
    return found


def _read_value(name: str, value: Any) -> Any:
    """Check and read a field with one value."""
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
    """Raise StudyError for numbers that are too small or too large."""
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
