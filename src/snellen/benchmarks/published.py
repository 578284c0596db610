"""Published benchmarks: description, licence and access, with shared loading.

Each is declared in `published.toml`. Its module has a function that reads a `SplitSource`; the decorator `loads` turns
it into the benchmark's loader, with common settings.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, update_wrapper
from importlib.resources import files
from inspect import Parameter, signature
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.hub import ON_HUB, snapshot
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.rows import FileRow, read, suffix
from snellen.benchmarks.shards import check_shards, read_shards
from snellen.errors import DataError
from snellen.items import Benchmark, Collector, Item, Kind
from snellen.runtime import ALL_KEPT, few_collections

Tier = Literal["public", "gated", "private"]
"""Access to the benchmark: for everyone, for everyone who signs its terms, or only for its owners."""
_NO_NAMES: Mapping[str, Sequence[str]] = MappingProxyType({})


@dataclass(frozen=True)
class Published:
    """Benchmark as its authors publish it.

    `splits` has the number of items of each split, None if unknown. `clusters` describes what dependent items share.
    `prompt` is the paper's own prompt, if it prints one. If the schema is `unverified`, the loader was written without
    seeing the files; columns other than `columns` then raise an error, since they may matter.

    `files` are searched in each of the `places`; `{split}` stands for the split, or for its `names` in files. Images
    are in `folders` or `zips`. A row without one of the columns in `needs` is broken.
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
    places: tuple[str, ...] = ("",)
    files: tuple[str, ...] = ()
    names: Mapping[str, Sequence[str]] = field(default_factory=lambda: _NO_NAMES, hash=False)
    folders: tuple[str, ...] = ("",)
    zips: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def check(self, fields: Mapping[str, Any]) -> None:
        """Raise DataError if a row has columns that an unverified loader does not know."""
        if self.unverified and self.columns and not self.columns.issuperset(fields):
            unknown = sorted(set(fields) - self.columns)
            raise DataError(
                f"it has the columns {', '.join(map(repr, unknown))}, unknown to the loader of {self.title}. The "
                f"loader knows only {', '.join(sorted(self.columns))} and was never tested with real files. "
                "Load the file as a table of your own, by its path"
            )

    def split(self, name: str) -> str:
        """Return the split's name; DataError if it is unknown."""
        if name not in self.splits:
            raise DataError(f"{self.title} has no split {name!r}. Expected one of {', '.join(self.splits)}.")
        return name

    def names_of(self, split: str) -> Sequence[str]:
        """Return the names of a split in the benchmark's files."""
        return self.names.get(split, (split,))

    def expand_paths(self, paths: Iterable[str], split: str) -> list[str]:
        """Replace `{split}` in paths by each name of the split; return each path once."""
        return list(dict.fromkeys(path.replace("{split}", name) for path in paths for name in self.names_of(split)))

    def folder(self, path: str | Path) -> Path:
        """Return the given folder, or the snapshot of `hf:OWNER/NAME`."""
        if str(path) == "hf":
            if not self.hub:
                raise DataError(f"No copy of {self.title} on the hub is known. {self.get}")
            path = f"{ON_HUB}{self.hub}"
        if str(path).startswith(ON_HUB):
            return snapshot(str(path), get=self.get)
        found = Path(path)
        if not found.exists():
            raise DataError(f"There is no folder or file {str(path)!r}. To get {self.title}: {self.get}")
        return found


@cache
def load_declared() -> Mapping[str, Published]:
    """Return the benchmarks declared in `published.toml`, by their loaders' names."""
    text = files("snellen.benchmarks").joinpath("published.toml").read_text(encoding="utf-8")
    declared = {}
    for name, told in tomllib.loads(text).items():
        fixed: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
        fixed["splits"] = MappingProxyType({split: count or None for split, count in told["splits"].items()})
        fixed["columns"] = frozenset(told.get("columns", ()))
        declared[name] = Published(**{"name": name, **fixed})
    return declared


class SplitSource:
    """Files of one split of a published benchmark.

    `told` has the settings, and the split if there are several.
    """

    def __init__(
        self,
        about: Published,
        path: str | Path,
        split: str,
        *,
        allow_broken: bool = False,
        keep_unreadable: bool = False,
        settings: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.about = about
        self.split = about.split(split)
        self.folder = about.folder(path)
        self.allow_broken = allow_broken
        self.keep_unreadable = keep_unreadable
        self.told: dict[str, Any] = {} if [*about.splits] == ["all"] else {"split": split}
        self.told |= settings

    @property
    def home(self) -> Path:
        """Folder of the benchmark, also if a file in it was given."""
        return self.folder if self.folder.is_dir() else self.folder.parent

    @cached_property
    def files(self) -> list[Path]:
        """Tables of the split; DataError if they are missing."""
        part = "" if [*self.about.splits] == ["all"] else f" of the split {self.split!r}"
        return files_of(self.folder, *self.patterns, what=f"{self.about.title}'s files{part}")

    @property
    def patterns(self) -> list[str]:
        """Possible paths of the split's tables."""
        paths = [f"{place}{file}" for place in self.about.places for file in self.about.files]
        return self.about.expand_paths(paths, self.split)

    @cached_property
    def pictures(self) -> Pictures:
        """Images of the rows, in folders and ZIP files."""
        return self.open_pictures(self.about.expand_paths(self.about.folders, self.split), self.about.zips)

    def open_pictures(self, folders: Sequence[str] = ("",), zips: Sequence[str] = ()) -> Pictures:
        """Return the images in folders and ZIP files next to the tables."""
        return Pictures(self.folder, folders=folders, zips=zips, keep_unreadable=self.keep_unreadable)

    def open_gallery(self, root: Path | None = None, *, check_files: bool = False) -> Gallery:
        """Return the images in a folder; by default, the benchmark's."""
        return Gallery(root or self.home, check_files=check_files, keep_unreadable=self.keep_unreadable)

    def rows(self, tables: Sequence[Path] | None = None) -> Iterator[FileRow]:
        """Return the rows of files; images in Parquet files are read later."""
        found = self.files if tables is None else tables
        shards = bool(found) and suffix(found[0]) == ".parquet"
        return read_shards(found, keep_unreadable=self.keep_unreadable) if shards else rows_of(found)

    def collect(self, rows: Iterable[FileRow], item_of: Callable[[FileRow], Item]) -> Benchmark:
        """Build the benchmark from rows; unusable rows are kept with their reasons."""
        collector = Collector(self.about.name)
        with few_collections(ALL_KEPT):
            for row in rows:
                try:
                    if row.reason:
                        raise DataError(row.reason)
                    self.about.check(row.fields)
                    require_fields(row.fields, *self.about.needs)
                    collector.add(row.where, item_of(row))
                except DataError as error:
                    collector.refuse(row.where, str(row.fields.get("id", f"row-{row.number}")), str(error))
        return self.finish(collector)

    def finish(self, collector: Collector) -> Benchmark:
        """Build the benchmark, with licence, citation and description."""
        about = {"licence": self.about.licence, "citation": self.about.citation, **self.told}
        if self.about.unverified:
            about["unverified"] = True
        return collector.benchmark(allow_broken=self.allow_broken, about=about)


Loader = Callable[..., Benchmark]


def loads(name: str) -> Callable[[Loader], Loader]:
    """Return a decorator that turns a function of `SplitSource` into a benchmark's loader."""
    about = load_declared()[name]

    def decorate(read_source: Loader) -> Loader:
        own = [each for each in signature(read_source, eval_str=True).parameters.values() if each.name != "source"]
        defaults = {each.name: each.default for each in own}

        def load(
            path: str | Path,
            *,
            split: str = next(iter(about.splits)),
            allow_broken: bool = False,
            keep_unreadable: bool = False,
            **settings: Any,
        ) -> Benchmark:
            chosen = {**defaults, **settings}
            source = SplitSource(
                about, path, split, allow_broken=allow_broken, keep_unreadable=keep_unreadable, settings=chosen
            )
            return read_source(source, **chosen)

        common = signature(load, eval_str=True)
        kept = [each for each in common.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        update_wrapper(load, read_source)
        load.__signature__ = common.replace(parameters=[*kept[:2], *own, *kept[2:]])  # type: ignore[attr-defined]
        load.about = about  # type: ignore[attr-defined]
        return load

    return decorate


def require_fields(fields: Mapping[str, Any], *names: str) -> None:
    """Raise DataError if a row lacks one of these fields."""
    missing = [name for name in names if not (value := fields.get(name)) and value in (None, "", [])]
    if missing:
        raise DataError(f"it has no {' and no '.join(map(repr, missing))}; it has {', '.join(map(repr, fields))}")


def files_of(folder: Path, *patterns: str, what: str) -> list[Path]:
    """Return the files of the first matching pattern, sorted; DataError if there are none."""
    if folder.is_file():
        told, meant = _splits_in(folder.name), _splits_in(" ".join(patterns))
        if told and meant and not told & meant:
            raise DataError(f"The name of {folder.name} does not match {what}. Name its split: split=SPLIT.")
        return [folder]
    if found := first_matching(folder, patterns):
        return found
    there = ", ".join(sorted(path.name for path in folder.iterdir())[:12]) or "nothing"
    raise DataError(f"{folder}: expected {what} ({' or '.join(patterns)}), found {there}.")


def first_matching(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """Return the files of the first pattern that matches any; else an empty list."""
    for pattern in patterns:
        if found := sorted(path for path in folder.glob(pattern) if path.is_file() and not path.name.startswith(".")):
            check_shards(found)
            return found
    return []


_SPLITS = frozenset(("train", "training", "validation", "validate", "valid", "val", "dev", "test", "testing"))


def _splits_in(name: str) -> set[str]:
    return {*re.split(r"[^a-z]+", name.lower())} & _SPLITS


def parquet_of(folder: Path, split: str, *, config: str = "") -> list[Path]:
    """Return the shards of a split on the hub: `data/test-00000-of-00004.parquet`."""
    below = [f"{config}/", f"data/{config}/"] if config else ["data/", "", "*/"]
    patterns = [f"{place}{split}{ending}" for place in below for ending in ("-*.parquet", ".parquet")]
    return files_of(folder, *patterns, what=f"the Parquet files of the split {split!r}")


def rows_of(tables: Sequence[Path]) -> Iterator[FileRow]:
    """Yield the rows of several files, numbered continuously."""
    number = 0
    for file in tables:
        for row in read(file):
            number += 1
            yield row._replace(number=number)


def freeze_metadata(**metadata: Any) -> Mapping[str, Any]:
    """Return read-only metadata without empty values."""
    return MappingProxyType({name: value for name, value in metadata.items() if value not in (None, "", [], {})})
