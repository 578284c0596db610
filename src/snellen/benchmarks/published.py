"""Published benchmarks: what each holds, whose it is and how to get it; and what all their loaders do alike.

Each is declared in `published.toml`. Its module has a function that makes items of a `Source`; `loads` makes the loader
of it, with its settings and those of all.
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
from snellen.benchmarks.rows import Row, read, suffix
from snellen.benchmarks.shards import check_shards, read_shards
from snellen.errors import DataError
from snellen.items import Benchmark, Collector, Item, Kind
from snellen.runtime import ALL_KEPT, few_collections

Tier = Literal["public", "gated", "private"]
"""Whether anybody may download it, whoever signs its terms, or nobody but its owners."""
_NO_NAMES: Mapping[str, Sequence[str]] = MappingProxyType({})


@dataclass(frozen=True)
class Published:
    """A benchmark as its authors publish it.

    `splits` has the items of each split as published, None where nobody says how many. `clusters` says what items
    share that are not independent of each other. `prompt` names the paper's own prompt, where it prints one. Where the
    schema is `unverified` the loader was written without a look at the files: columns that it does not know, which
    `columns` are the known ones, are refused, since they may mean something.

    `files` are sought in each of the `places`; `{split}` in them is the split, or the `names` that files have for it.
    Images lie in `folders` or `zips`. A row without one of the columns that it `needs` is broken.
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

    def names_of(self, split: str) -> Sequence[str]:
        """What its files call a split."""
        return self.names.get(split, (split,))

    def named(self, paths: Iterable[str], split: str) -> list[str]:
        """Paths with each name of the split in the place of `{split}`, each path once."""
        return list(dict.fromkeys(path.replace("{split}", name) for path in paths for name in self.names_of(split)))

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


@cache
def declared() -> Mapping[str, Published]:
    """The benchmarks that `published.toml` declares, by their loaders' names."""
    text = files("snellen.benchmarks").joinpath("published.toml").read_text(encoding="utf-8")
    return {name: _published(**{"name": name, **told}) for name, told in tomllib.loads(text).items()}


def _published(*, splits: Mapping[str, int], columns: Sequence[str] = (), **told: Any) -> Published:
    fixed: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    counts = MappingProxyType({name: count or None for name, count in splits.items()})
    return Published(**fixed, splits=counts, columns=frozenset(columns))


class Source:
    """The files of one split of a published benchmark, and what is made of them.

    What is `told` of the loaded benchmark is the split, where it has several, and the settings.
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
        """The folder, or that of the file that was given."""
        return self.folder if self.folder.is_dir() else self.folder.parent

    @cached_property
    def files(self) -> list[Path]:
        """The tables of the split; DataError where there are none."""
        every = [*self.about.splits] == ["all"]
        what = f"{self.about.title}'s files{'' if every else f' of the split {self.split!r}'}"
        return files_of(self.folder, *self.patterns, what=what)

    @property
    def patterns(self) -> list[str]:
        """Where the tables of the split may lie."""
        return [f"{place}{file}" for place in self.about.places for file in self._named(self.about.files)]

    def _named(self, paths: Iterable[str]) -> list[str]:
        return self.about.named(paths, self.split)

    @cached_property
    def pictures(self) -> Pictures:
        """The images that the rows refer to, in the folders and ZIP files of the benchmark."""
        return self.open_pictures(self._named(self.about.folders), self.about.zips)

    def open_pictures(self, folders: Sequence[str] = ("",), zips: Sequence[str] = ()) -> Pictures:
        """The images in folders and ZIP files beside the tables."""
        return Pictures(self.folder, folders=folders, zips=zips, keep_unreadable=self.keep_unreadable)

    def open_gallery(self, root: Path | None = None, *, check_files: bool = False) -> Gallery:
        """The images in a folder: that of the benchmark, unless it is another."""
        return Gallery(root or self.home, check_files=check_files, keep_unreadable=self.keep_unreadable)

    def rows(self, tables: Sequence[Path] | None = None) -> Iterator[Row]:
        """The rows of some files, or of all: of Parquet files with their images still in them."""
        found = self.files if tables is None else tables
        shards = bool(found) and suffix(found[0]) == ".parquet"
        return read_shards(found, keep_unreadable=self.keep_unreadable) if shards else rows_of(found)

    def collect(self, rows: Iterable[Row], item_of: Callable[[Row], Item]) -> Benchmark:
        """The items that are made of rows; a row that cannot be used is kept with the reason."""
        collector = Collector(self.about.name)
        with few_collections(ALL_KEPT):
            for row in rows:
                try:
                    if row.reason:
                        raise DataError(row.reason)
                    self.about.check(row.fields)
                    needed(row.fields, *self.about.needs)
                    collector.add(row.where, item_of(row))
                except DataError as error:
                    collector.refuse(row.where, str(row.fields.get("id", f"row-{row.number}")), str(error))
        return self.finish(collector)

    def finish(self, collector: Collector) -> Benchmark:
        """The benchmark of what was gathered, with its licence, its citation and what is told of it."""
        about = {"licence": self.about.licence, "citation": self.about.citation, **self.told}
        if self.about.unverified:
            about["unverified"] = True
        return collector.benchmark(allow_broken=self.allow_broken, about=about)


Loader = Callable[..., Benchmark]


def loads(name: str) -> Callable[[Loader], Loader]:
    """Makes the loader of a declared benchmark from what makes a benchmark of its `Source` and of its own settings."""
    about = declared()[name]

    def made(read_source: Loader) -> Loader:
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
            source = Source(
                about, path, split, allow_broken=allow_broken, keep_unreadable=keep_unreadable, settings=chosen
            )
            return read_source(source, **chosen)

        common = signature(load, eval_str=True)
        kept = [each for each in common.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        update_wrapper(load, read_source)
        load.__signature__ = common.replace(parameters=[*kept[:2], *own, *kept[2:]])  # type: ignore[attr-defined]
        load.about = about  # type: ignore[attr-defined]
        return load

    return made


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
    if found := first_matching(folder, patterns):
        return found
    there = ", ".join(sorted(path.name for path in folder.iterdir())[:12]) or "nothing"
    raise DataError(f"{folder}: expected {what} ({' or '.join(patterns)}), found {there}.")


def first_matching(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """The files that the first matching pattern names; none where none does."""
    for pattern in patterns:
        if found := sorted(path for path in folder.glob(pattern) if path.is_file() and not path.name.startswith(".")):
            check_shards(found)
            return found
    return []


_SPLITS = frozenset(("train", "training", "validation", "validate", "valid", "val", "dev", "test", "testing"))


def _splits_in(name: str) -> set[str]:
    return {*re.split(r"[^a-z]+", name.lower())} & _SPLITS


def parquet_of(folder: Path, split: str, *, config: str = "") -> list[Path]:
    """The shards of a split as the hub lays them out: `data/test-00000-of-00004.parquet`, or below its config."""
    below = [f"{config}/", f"data/{config}/"] if config else ["data/", "", "*/"]
    patterns = [f"{place}{split}{ending}" for place in below for ending in ("-*.parquet", ".parquet")]
    return files_of(folder, *patterns, what=f"the Parquet files of the split {split!r}")


def rows_of(tables: Sequence[Path]) -> Iterator[Row]:
    """The rows of several files, one after the other, numbered through."""
    number = 0
    for file in tables:
        for row in read(file):
            number += 1
            yield row._replace(number=number)


def frozen(**metadata: Any) -> Mapping[str, Any]:
    """Metadata without what is empty."""
    return MappingProxyType({name: value for name, value in metadata.items() if value not in (None, "", [], {})})
