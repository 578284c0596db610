"""Assignment of a table's columns to our fields, by the user's map or by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.gallery import holds_image, names_image_file
from snellen.errors import StudyError
from snellen.items import Benchmark, Item
from snellen.plugins import did_you_mean

FIELDS = (
    "id", "question", "options", "answer", "answer_index", "images", "kind", "context", "category", "language",
    "cluster", "split", "modality", "body_part", "regions",
)  # fmt: skip
"""Fields to which a column can be assigned."""
NONE = "none"
"""Value in a map for a field that should not be read from any column."""
LOOKED_AT = 200
"""Number of rows from which the columns are assigned."""

_OWN = {
    "id": ("id",),
    "question": ("question", "input"),
    "options": ("options", "choices"),
    "answer": ("answer", "target", "answers", "references", "reference", "steps", "answer_index"),
    "images": ("image", "images"),
}
"""Our own column names for a field. If one of them is present, no other column is guessed."""
_REPLACED = {
    **_OWN,
    "answer": ("answer", "target", "answer_index"),
    "answer_index": ("answer", "target", "answer_index"),
}
"""Our own column names that a map replaces if it assigns the field to another column or to none."""
_BESIDE = "column "
"""Prefix for the name of a column that looks like a field but is not read as one."""
_CALLED: Mapping[str, Sequence[str]] = {
    "id": ("id", "question_id", "qid", "item_id", "sample_id", "uid", "index", "idx"),
    "question": ("question", "query", "prompt", "question_text", "problem", "text", "instruction"),
    "options": ("options", "choices", "candidates", "answer_choices", "answer_options", "multiple_choices"),
    "answer": (
        "answer", "gt_answer", "correct_answer", "answer_label", "correct_option", "correct_choice", "answer_idx",
        "answer_key", "ground_truth", "gold", "gt", "label", "correct", "anwser",
    ),
    "answer_index": ("correct_index", "correct_idx", "correct_answer_index", "gold_index"),
    "images": (
        "image", "images", "image_path", "image_paths", "imagepath", "img", "imgs", "img_path", "img_name",
        "image_name", "image_file", "image_filename", "figure_path", "figure", "picture", "file_name", "filename",
        "file", "path", "image_url", "picture_link",
    ),
}  # fmt: skip
"""Common column names in other people's tables, the likeliest first."""
_SURELY_IMAGES = frozenset(("image", "images", "image_path", "image_paths", "imagepath", "img", "imgs", "img_path"))
_COUNTED_OPTION = re.compile(r"(?:option|choice|op|opt|candidate)[ _-]?(\d{1,2}|[a-l])", re.IGNORECASE)
_LETTER_OPTION = re.compile(r"(?:(?:option|choice)[ _])?([A-L])", re.IGNORECASE)
_NUMBERED_IMAGE = re.compile(r"image_\d+")


@dataclass(frozen=True)
class ColumnMap:
    """Columns of each field, and sentences about guesses."""

    read: Mapping[str, tuple[str, ...]]
    """Columns of the fields that have another name in the table; empty for a field that is not read."""
    guesses: tuple[str, ...] = ()

    def rename(self, row: dict[str, Any]) -> None:
        """Rename a row's columns to fields. Another column with a field's name gets a prefix."""
        row.update({name: row.pop(column) for column, name in self._names if column in row})
        for field, columns in self._several.items():
            given = [row.pop(_BESIDE + column, None) for column in columns]
            if field == "options":
                given = _up_to_last(given)
            if values := [value for value in given if value is not None]:
                row[field] = [each for value in values for each in (value if isinstance(value, list) else [value])]
        if self.read.get("images") == ():
            for name in [name for name, value in row.items() if _is_image(name.removeprefix(_BESIDE), value)]:
                del row[name]

    @cached_property
    def _several(self) -> dict[str, tuple[str, ...]]:
        return {field: columns for field, columns in self.read.items() if len(columns) > 1}

    @cached_property
    def _names(self) -> Sequence[tuple[str, str]]:
        """New names of the columns to rename."""
        names = {name: _BESIDE + name for field in self.read for name in _REPLACED.get(field, (field,))}
        for field, columns in self.read.items():
            names |= {column: field if len(columns) == 1 else f"{_BESIDE}{column}" for column in columns}
        return [(column, name) for column, name in names.items() if column != name]


def _up_to_last(values: Sequence[Any]) -> list[Any]:
    """Return the values up to the last non-empty one. Gaps stay, so that letters do not move."""
    end = max((at for at, value in enumerate(values, start=1) if value is not None), default=0)
    return ["" if value is None else value for value in values[:end]]


def _is_image(name: str, value: object) -> bool:
    called = _plain(name) in _CALLED["images"] or _NUMBERED_IMAGE.fullmatch(name) is not None
    return called or holds_image(value) or names_image_file(value)


def parse_map(text: str) -> dict[str, tuple[str, ...]]:
    """Parse a map such as `question=Q,images=front+side,id=none`.

    In a benchmark's text it is written `question:Q/images:front+side`.

    >>> parse_map("question=Q,images=front+side"), parse_map("answer:label/images:none")
    ({'question': ('Q',), 'images': ('front', 'side')}, {'answer': ('label',), 'images': ()})
    """
    sign, between = ("=", ",") if "=" in text else (":", "/")
    parts = [part.partition(sign) for part in text.split(between) if part.strip()]
    if wrong := next((field for field, found, column in parts if not found or not column.strip()), None):
        raise StudyError(f"A map is written as question=COLUMN,answer=COLUMN; got {wrong.strip()!r} in {text!r}.")
    if twice := [field for field, count in Counter(part[0].strip() for part in parts).items() if count > 1]:
        raise StudyError(f"The map {text!r} names {twice[0]!r} twice. Several columns are written as {twice[0]}=a+b.")
    return checked_map({field.strip(): column.strip() for field, _, column in parts})


def checked_map(given: object) -> dict[str, tuple[str, ...]]:
    """Check a map of fields to one column, several or none.

    >>> checked_map({"images": ["front", "side"], "id": None})
    {'images': ('front', 'side'), 'id': ()}
    """
    if isinstance(given, str):
        return parse_map(given)
    if not isinstance(given, Mapping):
        raise StudyError(f'Expected a map such as {{"question": "Q", "images": "image_path"}}, got {given!r}.')
    read: dict[str, tuple[str, ...]] = {}
    for field, column in given.items():
        name = "images" if field == "image" else field
        if name not in FIELDS:
            hint = did_you_mean(str(field), FIELDS)
            raise StudyError(f"A map has no field {field!r}.{hint} Fields: {', '.join(FIELDS)}.")
        if column is None or column == NONE:
            read[name] = ()
        elif isinstance(column, str):
            several = tuple(part.strip() for part in column.split("+") if part.strip())
            read[name] = several if "+" in column else (column,)
        elif isinstance(column, list | tuple) and all(isinstance(each, str) for each in column):
            read[name] = tuple(column)
        else:
            raise StudyError(f"The map's {field!r} is {column!r}, expected a column's name, several, or none.")
        if not read[name] and name == "question":
            raise StudyError("A question cannot be mapped to none.")
        if len(read[name]) > 1 and name not in ("images", "options"):
            raise StudyError(f"Only images and options can have several columns, not {field!r}.")
    return read


RELATING = ("category", "modality", "body_part", "cluster")
"""Fields that relate questions to each other. A map can name their columns in any benchmark."""


def with_columns(benchmark: Benchmark, given: Mapping[str, tuple[str, ...]]) -> Benchmark:
    """Return the benchmark with fields read from columns in the metadata."""
    if strange := [field for field in given if field not in RELATING]:
        raise StudyError(f"{benchmark.name} finds {strange[0]!r} itself. A map can name only {', '.join(RELATING)}.")
    there = dict.fromkeys(name for item in benchmark for name in item.metadata)
    for column in (column for columns in given.values() for column in columns if column not in there):
        known = ", ".join(map(repr, there)) or "none"
        raise StudyError(f"{benchmark.name} has no column {column!r}; its columns are {known}.")
    return replace(benchmark, items=tuple(_with_fields(item, given) for item in benchmark))


def _with_fields(item: Item, given: Mapping[str, tuple[str, ...]]) -> Item:
    read = {field: str(item.metadata.get(columns[0], "") or "") if columns else "" for field, columns in given.items()}
    category, cluster = read.pop("category", item.category), read.pop("cluster", item.cluster)
    made = replace(item, category=category, cluster=cluster, metadata=MappingProxyType({**item.metadata, **read}))
    object.__setattr__(made, "found_usable", item.found_usable)
    return made


def columns_of(rows: Iterable[Mapping[str, Any]], given: Mapping[str, tuple[str, ...]], *, name: str = "") -> ColumnMap:
    """Assign a table's columns to fields by the map, else by name, with a note.

    StudyError if the first rows lack a column of the map. `rows` are the first rows of the table.
    """
    seen: dict[str, list[Any]] = {}
    known: set[str] = set()
    for row in rows:
        if known.issuperset(row):
            continue
        for column, value in row.items():
            if column not in known and value is not None and value != "":
                values = seen.setdefault(column, [])
                values.append(value)
                if len(values) == 3:
                    known.add(column)
    for field, columns in given.items():
        if strange := [column for column in columns if column not in seen]:
            hint = did_you_mean(strange[0], seen)
            there = ", ".join(map(repr, seen)) or "none"
            missing = f"{name} has no column {strange[0]!r}, which the map gives for {field}"
            raise StudyError(f"{missing}; its columns are {there}.{hint}")
    read, guesses = dict(given), []
    taken = {column for columns in given.values() for column in columns}
    for field in _CALLED:
        if field in given or not _may_be_guessed(field, seen, read):
            continue
        if found := _guess_columns(field, seen, taken):
            read[field] = found[:1]
            taken.add(found[0])
            guesses.append(_describe_guess(field, found))
    if "options" not in read and (counted := _option_columns(seen, taken)):
        read["options"] = counted
        guesses.append(f"read {_format_names(counted)} as options; say --map options=none if that is wrong")
    return ColumnMap(read, tuple(guesses))


def _may_be_guessed(field: str, seen: Mapping[str, Any], read: Mapping[str, Any]) -> bool:
    """Return True if a missing field may be guessed from a column's name."""
    if "findings" in seen or "impression" in seen:
        return field in ("id", "images")
    return field != "answer_index" or ("answer" not in read and _lacks("answer", seen))


def _lacks(field: str, seen: Mapping[str, Any]) -> bool:
    """Return True if no column has one of our own names for a field."""
    if field == "images" and any(map(_NUMBERED_IMAGE.fullmatch, seen)):
        return False
    return not any(name in seen for name in _OWN.get(field, (field,)))


def _guess_columns(field: str, seen: Mapping[str, list[Any]], taken: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that may be a field, the likeliest first."""
    if not _lacks(field, seen) or (field == "options" and _has_letters(seen)):
        return ()
    likely = {name: place for place, name in enumerate(_CALLED[field])}
    called = sorted((likely[_plain(column)], column) for column in seen if _plain(column) in likely)
    found = tuple(column for _, column in called if column not in taken)
    if field == "images":
        found = tuple(
            each for each in found if _plain(each) in _SURELY_IMAGES or any(map(_refers_to_image, seen[each]))
        )
    if field == "answer_index":
        found = tuple(each for each in found if all(str(value).strip().isdecimal() for value in seen[each]))
    return found


def _refers_to_image(value: object) -> bool:
    address = isinstance(value, str) and value.startswith(("http://", "https://"))
    return address or holds_image(value) or names_image_file(value)


def _option_columns(seen: Mapping[str, list[Any]], taken: Iterable[str]) -> tuple[str, ...]:
    """Return columns of options such as `opa` or `option1`, in order."""
    if _has_letters(seen) or not _lacks("options", seen):
        return ()
    matches = ((name, _COUNTED_OPTION.fullmatch(name)) for name in seen if name not in taken)
    found = {match[1].upper(): name for name, match in matches if match}
    ordered = sorted(found, key=lambda mark: (not mark.isdecimal(), int(mark) if mark.isdecimal() else 0, mark))
    starts = ordered[:2] in (["0", "1"], ["1", "2"], ["A", "B"])
    return tuple(found[mark] for mark in ordered) if starts else ()


def _has_letters(seen: Iterable[str]) -> bool:
    """Return True if each option has a column named by its letter."""
    return {"A", "B"} <= {match[1].upper() for name in seen if (match := _LETTER_OPTION.fullmatch(name))}


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def _describe_guess(field: str, found: Sequence[str]) -> str:
    what = "the answer's place, counted from 0" if field == "answer_index" else field
    beside = f" (and not {_format_names(found[1:])})" if found[1:] else ""
    other = f"{field}=COLUMN" if field in ("question", "answer", "answer_index") else f"{field}=none"
    return f"read `{found[0]}` as {what}{beside}; say --map {other} if that is wrong"


def _format_names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
