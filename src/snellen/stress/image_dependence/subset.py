"""Choose the items that need the image, once for all tests of a study.

They are given by a list, by ratings, or by a screening of their text. The screening uses how sure a text-only guesser
is, not if it is correct. Otherwise, models with the same habits as the guesser would score below chance.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from snellen.errors import StudyError
from snellen.files import find_inside, write_whole
from snellen.items import Item
from snellen.runtime import regex
from snellen.stress.base import Measure
from snellen.stress.image_dependence.guesser import ENOUGH_GROUPS, ENOUGH_ITEMS, guess
from snellen.stress.table import Table

Marks = NDArray[np.bool_]

_UNSPACED = regex("[\u3040-\u30ff\u3400-\u9fff]")
_WORD = regex(r"(?<!\S)[^\w\s]*\w\S*")
_SHOWN = 3
_LONGEST_ID = 10_000
TOO_FEW = "too few to learn from"
"""Remark in the description of a screening that had too few items to learn from."""


@dataclass(frozen=True)
class Needed:
    """Mask of the items that need the image, with the way they were chosen."""

    kept: Marks
    source: str


def _read_list(path: Path) -> tuple[bytes, set[str]]:
    """Read a list; return its bytes and its ids."""
    try:
        data = path.read_bytes()
        return data, set(_ids(path, data.decode("utf-8-sig")))
    except OSError as error:
        raise StudyError(
            f"The list of items that need the image cannot be read: {path} ({error.strerror}). "
            "Give a file with one item id per line, or no list to let the screen choose."
        ) from error
    except (ValueError, csv.Error) as error:
        raise StudyError(
            f"The list of items that need the image cannot be read: {path} ({error}). Expected an id on each line, "
            "a JSON list of ids, or rows with an id in a .jsonl or .csv file."
        ) from error


def _on_list(items: Sequence[Item], path: Path) -> tuple[Marks, str]:
    data, listed = _read_list(path)
    known = {item.id for item in items}
    others = f"; {len(listed - known)} of its {len(listed)} ids match no item" if listed - known else ""
    none = f", such as {_few(listed)}; the benchmark's ids are {_few(known)}" if not listed & known else ""
    source = f"the list {path.name} (sha256 {hashlib.sha256(data).hexdigest()[:8]}){others}{none}"
    return np.array([item.id in listed for item in items], dtype=bool), source


def _few(names: set[str]) -> str:
    shown = ", ".join(map(repr, sorted(names)[:_SHOWN]))
    return f"{shown}, …" if len(names) > _SHOWN else shown or "nothing"


def _ids(path: Path, text: str) -> list[str]:
    """Return the ids in a file; raise ValueError if its format is wrong."""
    kind = path.suffix.lower()
    if kind == ".json":
        rows = orjson.loads(text)
        if not isinstance(rows, list):
            raise ValueError("expected a JSON list")
        return [_id(row) for row in rows]
    if kind == ".csv":
        return [_id(row) for row in csv.DictReader(io.StringIO(text, newline=""))]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [_id(orjson.loads(line)) for line in lines] if kind == ".jsonl" else lines


def _id(row: Any) -> str:
    found = row.get("id") if isinstance(row, dict) else row
    if isinstance(found, bool) or not isinstance(found, str | int) or not str(found).strip():
        raise ValueError(f"no id in {str(row)[:80]!r}")
    if len(str(found)) > _LONGEST_ID:
        raise ValueError(f"an id of {len(str(found)):,} characters, at most {_LONGEST_ID:,}")
    return str(found).strip()


def _select_by_rating(items: Sequence[Item], field: str, at_least: float) -> tuple[Marks, str]:
    ratings = [_numbers(item.metadata.get(field)) for item in items]
    if not any(ratings):
        there = ", ".join(sorted({name for item in items for name in item.metadata})) or "none"
        return np.zeros(len(items), dtype=bool), f"ratings: no item has numbers in {field!r}; its fields are {there}"
    several = ", median of the raters" if any(len(numbers) > 1 for numbers in ratings) else ""
    missing = sum(not numbers for numbers in ratings)
    unrated = f"; {missing} of {len(items)} items not rated" if missing else ""
    chosen = [bool(numbers) and median(numbers) >= at_least for numbers in ratings]
    return np.array(chosen, dtype=bool), f"ratings: {field} at least {at_least:g}{several}{unrated}"


def _numbers(value: Any) -> list[float]:
    """Return the ratings in a metadata field; text counts if it is a number."""
    if isinstance(value, list | tuple):
        return [number for each in value for number in _numbers(each)]
    try:
        number = float("nan") if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return []
    return [] if np.isnan(number) else [number]


def _select_by_screen(items: Sequence[Item], *, words: int, sure: float) -> tuple[Marks, str]:
    chance = np.array([item.chance for item in items])
    # With two options, `sure` times chance may reach 1, so the limit is halfway to 1 at most.
    limit = np.minimum(sure * chance, (1 + chance) / 2)
    short = np.array([_length(item) <= words for item in items], dtype=bool)
    source = (
        f"screen: at most {words} words, and a guesser trained on the other items gives no option more than "
        f"{sure:g} times chance"
    )
    asked = [item for item in items if item.has_choice]
    if len(asked) < ENOUGH_ITEMS or len({item.cluster or item.id for item in asked}) < ENOUGH_GROUPS:
        source += f"; {len(asked)} questions are {TOO_FEW}"
    # NaN, for items without a guess, is not below any limit.
    return short & (guess(items).best <= limit + 1e-9), source


def _length(item: Item) -> float:
    """Count words of context and question. In scripts without spaces, two characters count as one word."""
    text = f"{item.context} {item.question}"
    rest, characters = _UNSPACED.subn(" ", text)
    return len(_WORD.findall(rest)) + characters / 2


@dataclass(frozen=True)
class Subset:
    """Settings that choose the items that need the image: list, ratings or screening.

    A rating is a metadata field with one or several raters' numbers; higher if the image matters more. The screening
    keeps items of at most `words` words for which the guesser gives no option more than `sure` times chance.
    """

    items: str = ""
    rating: str = ""
    at_least: float = 3.0
    words: int = 60
    sure: float = 1.5

    def __post_init__(self) -> None:
        for name in ("items", "rating"):
            object.__setattr__(self, name, str(getattr(self, name)))  # settings read from text turn 7 into a number
        for name in ("at_least", "words", "sure"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise StudyError(f"Expected {name} to be a number above 0, got {value!r}.")
        if self.items and self.rating:
            raise StudyError(
                "Expected a list or a rating to choose the items that need the image, got both: "
                f"{self.items!r} and {self.rating!r}. Remove one of them."
            )
        if self.items and not Path(self.items).is_file():
            raise StudyError(
                f"The list of items that need the image, {self.items!r}, is missing. Expected a file, one id per line."
            )

    @property
    def settings(self) -> str:
        """Settings that differ from the default, as in a test's name."""
        unusual = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        return ",".join(f"{name}={getattr(self, name)}" for name in unusual)

    @property
    def way(self) -> str:
        """How the items are chosen, in a few words."""
        return "by a list" if self.items else "by ratings" if self.rating else "by a screen of their text"

    def name_test(self, test: str) -> str:
        """Name a test with these settings."""
        return f"{test}:{self.settings}" if self.settings else test

    def select_items(self, items: tuple[Item, ...]) -> Needed:
        """Select the items that need the image."""
        return _apply_subset(items, self)

    def explain_mismatch(self, items: Sequence[Item]) -> str:
        """Explain why a list or rating selects no usable items.

        Returns "" if it selects some, and for the screening, which may select none.
        """
        if not (self.items or self.rating):
            return ""
        kept = self.select_items(tuple(items)).kept
        chosen = [item for item, is_kept in zip(items, kept, strict=True) if is_kept]
        if any(item.images for item in chosen):
            return ""
        if chosen:
            return f"expected items with an image, got {len(chosen)} without one, such as {chosen[0].id!r}"
        if self.items:
            listed = _few(_read_list(Path(self.items))[1])
            return f"expected ids such as {_few({item.id for item in items})}, got {listed} in {Path(self.items).name}"
        if numbers := [each for item in items for each in _numbers(item.metadata.get(self.rating))]:
            found = f"{min(numbers):g} to {max(numbers):g}"
            return f"expected ratings of at least {self.at_least:g} in {self.rating!r}, got {found}"
        fields = {name for item in items for name in item.metadata}
        return f"expected a field with numbers, got {self.rating!r}; the fields are {_few(fields)}"


@lru_cache(maxsize=16)
def _apply_subset(items: tuple[Item, ...], subset: Subset) -> Needed:
    if subset.items:
        chosen, source = _on_list(items, Path(subset.items))
    elif subset.rating:
        chosen, source = _select_by_rating(items, subset.rating, subset.at_least)
    else:
        chosen, source = _select_by_screen(items, words=subset.words, sure=subset.sure)
    # only a choice can need the image; whether an item had one is known from the arms
    choices = np.array([item.kind == "choice" for item in items], dtype=bool)
    return Needed(chosen & choices, source)


def describe_choice(measure: Measure, need: str) -> str:
    """Describe the chosen items of a measure."""
    return "pass a screen that had too few questions to learn from" if TOO_FEW in measure.subset else need


def only_needed(table: Table, subset: Subset) -> tuple[Table, Needed]:
    """Restrict a table to items that need the image and have one."""
    chosen = subset.select_items(table.items)
    if table.imageless is not None and table.imageless.any():
        pictured = ~table.imageless
        few = subset.select_items(tuple(item for item, seen in zip(table.items, pictured, strict=True) if seen))
        kept = np.zeros(len(table.items), dtype=bool)
        kept[pictured] = few.kept
        chosen = replace(few, kept=kept)
    return table.compute_once(("needed", subset), lambda: table.select_items(chosen.kept)), chosen


_LIST = regex(r"(?<=[:,])items=([^,]+)")


def with_list_kept(test: str, folder: Path) -> str:
    """Copy the list in a test's settings to a folder. Return the test's name with the copy."""
    named = _LIST.search(test)
    if named is None or not Path(named[1]).is_file():
        return test
    data = Path(named[1]).read_bytes()
    mark, given = hashlib.sha256(data).hexdigest()[:8], Path(named[1])
    kept = given.name if given.stem.endswith(mark) else f"{given.stem}-{mark}{given.suffix}"
    write_whole(folder / kept, data)
    return test.replace(named[0], f"items={kept}")


def with_list_found(test: str, folder: Path) -> str:
    """Return a stored test's name with the full path of its list."""
    named = _LIST.search(test)
    if named is None or not ((folder / named[1]).is_file() or Path(named[1]).is_file()):
        return test
    return test.replace(named[0], f"items={find_inside(folder, named[1]).resolve()}")
