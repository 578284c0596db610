"""Subset: which items need the image, as a test's settings say; chosen once for all tests of a study."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from snellen.errors import StudyError
from snellen.items import Item
from snellen.runtime import write_whole
from snellen.stress.base import Measure
from snellen.stress.image_dependence.needed import Needed, check_one_way, needed
from snellen.stress.table import Table


@dataclass(frozen=True)
class Subset:
    """How the items that need the image are chosen: by a list of ids, by ratings, or else by a screen."""

    items: str = ""
    rating: str = ""
    at_least: float = 3.0
    words: int = 60
    sure: float = 1.5

    def __post_init__(self) -> None:
        for name in ("items", "rating"):
            object.__setattr__(self, name, str(getattr(self, name)))  # a line's settings read 7 as a number
        for name in ("at_least", "words", "sure"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise StudyError(f"Expected {name} to be a number above 0, got {value!r}.")
        check_one_way(self.items, self.rating)
        if self.items and not Path(self.items).is_file():
            raise StudyError(
                f"The list of items that need the image, {self.items!r}, is not there. Expected a file, an id a line."
            )

    @property
    def settings(self) -> str:
        """The settings that are not the usual ones, as they stand in a test's name."""
        unusual = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        return ",".join(f"{name}={getattr(self, name)}" for name in unusual)

    @property
    def way(self) -> str:
        """How the items are chosen, in a few words."""
        return "by a list" if self.items else "by ratings" if self.rating else "by a screen of their text"

    def named(self, test: str) -> str:
        """A test's name with these settings."""
        return f"{test}:{self.settings}" if self.settings else test

    def of(self, items: tuple[Item, ...]) -> Needed:
        """The items that need the image."""
        return _chosen(items, self)


@lru_cache(maxsize=16)
def _chosen(items: tuple[Item, ...], subset: Subset) -> Needed:
    how: dict[str, Any] = {each.name: getattr(subset, each.name) for each in fields(subset) if each.name != "items"}
    return needed(items, listed=subset.items, **how)


def about(measure: Measure, chosen: Needed) -> Measure:
    """A measure of the chosen items, with how they were chosen."""
    return replace(measure, subset=chosen.source)


def only_needed(table: Table, subset: Subset) -> tuple[Table, Needed]:
    """The responses to the items that need the image."""
    chosen = subset.of(table.items)
    return table.once(("needed", subset), lambda: table.only(chosen.kept)), chosen


_LIST = re.compile(r"(?<=[:,])items=([^,]+)")


def with_list_kept(test: str, folder: Path) -> str:
    """A test's name with the list it names copied into a folder, so that it can be scored wherever that goes."""
    named = _LIST.search(test)
    if named is None or not Path(named[1]).is_file():
        return test
    data = Path(named[1]).read_bytes()
    mark, given = hashlib.sha256(data).hexdigest()[:8], Path(named[1])
    kept = given.name if given.stem.endswith(mark) else f"{given.stem}-{mark}{given.suffix}"
    write_whole(folder / kept, data)
    return test.replace(named[0], f"items={kept}")


def with_list_found(test: str, folder: Path) -> str:
    """A test's name with the list that is kept in a folder, by its whole path; any other name as it is."""
    named = _LIST.search(test)
    if named is None or not (folder / named[1]).is_file():
        return test
    return test.replace(named[0], f"items={(folder / named[1]).resolve()}")
