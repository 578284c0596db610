"""The training split next to a benchmark on this machine, found by names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import NamedTuple

from snellen.benchmarks import MEMBERS, look_up_published
from snellen.benchmarks.hub import ON_HUB
from snellen.plugins import find, names, parse_settings

MOST_ITEMS = 20_000
"""A larger published training split is not read without being named."""
_SCORED = re.compile(r"(?<![a-z])(?:test|testing|val|valid|validation|dev)(?P<set>_?set)?(?![a-z])", re.IGNORECASE)
"""What the name of a split says that models are scored on."""


class Sibling(NamedTuple):
    """A training split: its benchmark line, and its published number of items."""

    line: str
    items: int | None = None


def find_sibling(line: str | Path) -> Sibling | None:
    """Find the training split next to a benchmark's split; None if there is none.

    A published benchmark has it by the names of its splits. A file or folder of your own with `test` or `validation`
    in its name has it if the same name with `train` is there.
    """
    line = str(line)
    if line.startswith(ON_HUB):
        return None
    if Path(line).exists():
        return next((Sibling(str(each)) for each in _list_beside(Path(line))), None)
    name, _, rest = line.partition(":")
    if name not in names("datasets", MEMBERS):
        return None
    bare, given = parse_settings(rest)
    path = Path(bare[0]).expanduser() if bare else None
    if path is None or not path.exists():
        return None
    told, split = look_up_published(name), str(given.get("split", _default_split(name)))
    if told and (train := _name_training(split, told.splits)):
        return Sibling(_with_split(name, rest, train), told.splits[train])
    if not told and split and _SCORED.fullmatch(split):
        return Sibling(_with_split(name, rest, "train"))
    if not told and not split:
        rest_of = rest.partition(",")[2]
        return next((Sibling(f"{name}:{each}{',' * bool(rest_of)}{rest_of}") for each in _list_beside(path)), None)
    return None


def _default_split(name: str) -> str:
    split = signature(find("datasets", MEMBERS, name)).parameters.get("split")
    return split.default if split is not None and isinstance(split.default, str) else ""


def _name_training(split: str, splits: Mapping[str, int | None]) -> str:
    """Name the training split that matches a split; "" if there is none.

    >>> _name_training("test-2", {"test": 1, "test-2": 1, "train": 1, "train-2": 1})
    'train-2'
    >>> _name_training("authors-test", {"authors-test": 1, "train": 1})
    ''
    """
    usual = _SCORED.match(split)
    wanted = (f"train{split[usual.end() :]}", "train") if usual else ()
    return next((each for each in wanted if each in splits), "")


def _with_split(name: str, rest: str, split: str) -> str:
    kept = [each for each in rest.split(",") if each.partition("=")[0].strip() != "split"]
    return f"{name}:{','.join([*kept, f'split={split}'])}"


def _list_beside(path: Path) -> Iterator[Path]:
    """Files or folders with the same name, but for the name of the split."""
    whole = path.resolve()
    for word in ("train", "training"):
        other = whole.with_name(_SCORED.sub(rf"{word}\g<set>", whole.name, count=1))
        if other != whole and other.exists() and other.is_dir() == whole.is_dir():
            yield other
