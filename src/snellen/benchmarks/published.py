"""Published benchmarks: what each holds, whose it is and how to get it; and what all their loaders do alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from snellen.benchmarks.hub import ON_HUB, snapshot
from snellen.benchmarks.rows import Row, read
from snellen.benchmarks.shards import check_shards
from snellen.errors import DataError
from snellen.items import Benchmark, Collector, Item, Kind
from snellen.runtime import ALL_KEPT, few_collections

Tier = Literal["public", "gated", "private"]
"""Whether anybody may download it, whoever signs its terms, or nobody but its owners."""


@dataclass(frozen=True)
class Published:
    """A benchmark as its authors publish it.

    `splits` has the items of each split as published, None where nobody says how many. `clusters` says what items
    share that are not independent of each other. `prompt` names the paper's own prompt, where it prints one. Where the
    schema is `unverified` the loader was written without a look at the files: columns that it does not know, which
    `columns` are the known ones, are refused, since they may mean something.
    """

    name: str
    title: str
    asks: str
    tier: Tier
    get: str
    licence: str
    citation: str
    splits: Mapping[str, int | None]
    kinds: tuple[Kind, ...] = ("choice",)
    clusters: str = "none named"
    modalities: str = ""
    hub: str = ""
    prompt: str = ""
    unverified: bool = False
    columns: frozenset[str] = field(default=frozenset())

    def check(self, fields: Mapping[str, Any]) -> None:
        """Raise where a row has columns that an unverified loader does not know."""
        if self.unverified and self.columns and not self.columns.issuperset(fields):
            unknown = sorted(set(fields) - self.columns)
            raise DataError(
                f"it has the columns {', '.join(map(repr, unknown))}, which the loader of {self.title} does not know: "
                f"it was written from a description, without the files. Known are {', '.join(sorted(self.columns))}. "
                "Load the file as a table of your own, by its path"
            )

    def split(self, name: str) -> str:
        """The split of that name; DataError where there is none."""
        if name not in self.splits:
            raise DataError(f"{self.title} has no split {name!r}. Expected one of {', '.join(self.splits)}.")
        return name

    def folder(self, path: str | Path) -> Path:
        """The folder or file of the benchmark: as given, or the snapshot of the hub that `hf:OWNER/NAME` names."""
        if str(path) == "hf":
            if not self.hub:
                raise DataError(f"{self.title} is on no hub that we know of. {self.get}")
            path = f"{ON_HUB}{self.hub}"
        if str(path).startswith(ON_HUB):
            return snapshot(str(path), get=self.get)
        found = Path(path)
        if not found.exists():
            raise DataError(f"There is no folder or file {str(path)!r}. To get {self.title}: {self.get}")
        return found


def collected(
    published: Published,
    rows: Iterator[Row],
    item_of: Callable[[Row], Item],
    *,
    allow_broken: bool,
    name: str = "",
    **told: Any,
) -> Benchmark:
    """The items that a loader makes of its rows; a row that cannot be used is kept with the reason.

    The benchmark is called as published, unless by another `name`; what is `told` of it stands in its `about`.
    """
    collector = Collector(name or published.name)
    with few_collections(ALL_KEPT):
        for row in rows:
            try:
                if row.reason:
                    raise DataError(row.reason)
                published.check(row.fields)
                collector.add(row.where, item_of(row))
            except DataError as error:
                collector.refuse(row.where, str(row.fields.get("id", f"row-{row.number}")), str(error))
    about = {"licence": published.licence, "citation": published.citation, **told}
    if published.unverified:
        about["unverified"] = True
    return collector.benchmark(allow_broken=allow_broken, about=about)


def needed(fields: Mapping[str, Any], *names: str) -> None:
    """Raise where a row lacks one of these fields."""
    missing = [name for name in names if not (value := fields.get(name)) and value in (None, "", [])]
    if missing:
        raise DataError(f"it has no {' and no '.join(map(repr, missing))}; it has {', '.join(map(repr, fields))}")


def files_of(folder: Path, *patterns: str, what: str) -> list[Path]:
    """The files that the first matching pattern names, in the order of their names; DataError where none does."""
    if folder.is_file():
        told, meant = _splits_in(folder.name), _splits_in(" ".join(patterns))
        if told and meant and not told & meant:
            raise DataError(f"{folder.name} is by its name no part of {what}. Say which split it is with split=SPLIT.")
        return [folder]
    for pattern in patterns:
        if found := sorted(path for path in folder.glob(pattern) if path.is_file() and not path.name.startswith(".")):
            check_shards(found)
            return found
    there = ", ".join(sorted(path.name for path in folder.iterdir())[:12]) or "nothing"
    raise DataError(f"{folder}: expected {what} ({' or '.join(patterns)}), found {there}.")


_SPLITS = frozenset(("train", "training", "validation", "validate", "valid", "val", "dev", "test", "testing"))


def _splits_in(name: str) -> set[str]:
    return {*re.split(r"[^a-z]+", name.lower())} & _SPLITS


def parquet_of(folder: Path, split: str, *, config: str = "") -> list[Path]:
    """The shards of a split as the hub lays them out: `data/test-00000-of-00004.parquet`, or below its config."""
    below = [f"{config}/", f"data/{config}/"] if config else ["data/", "", "*/"]
    patterns = [f"{place}{split}{ending}" for place in below for ending in ("-*.parquet", ".parquet")]
    return files_of(folder, *patterns, what=f"the Parquet files of the split {split!r}")


def rows_of(files: Sequence[Path]) -> Iterator[Row]:
    """The rows of several files, one after the other, numbered through."""
    number = 0
    for file in files:
        for row in read(file):
            number += 1
            yield row._replace(number=number)


def frozen(**metadata: Any) -> Mapping[str, Any]:
    """Metadata without what is empty."""
    return MappingProxyType({name: value for name, value in metadata.items() if value not in (None, "", [], {})})
