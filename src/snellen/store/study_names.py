"""Studies: the names of those that a store holds, and the folder in which the results of each lie."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from snellen.errors import StudyError
from snellen.plugins import did_you_mean
from snellen.store.shapes import STUDY, read_record

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""What a study may be called. There is no dot in it, so that its folder has the name of no file beside it."""
CONTENT = ("models", "benchmarks", "tests", "arms", "seed", "epochs", "limit", "parser")
"""What makes a study this one; arms and benchmarks are digests of everything that decides a request."""
_IN_ANY_ORDER = ("models", "tests")


@dataclass(frozen=True)
class StoredStudy:
    """A study as a store holds it; `added` is when it was first asked for, `record` what was said of it last."""

    name: str
    added: float
    record: Mapping[str, Any]
    folder: Path
    """Where its results and its report lie."""
    latest: bool

    @property
    def imported(self) -> bool:
        """Whether its responses come from files."""
        return "imported" in self.record


def check_name(name: str) -> str:
    """The name, if it can be that of a folder everywhere; else StudyError."""
    if NAME.fullmatch(name):
        return name
    raise StudyError(
        f"A study cannot be called {name!r}: expected at most 64 letters (a to z), digits, hyphens and underscores, "
        "and a letter or a digit first."
    )


def studies_in(folder: Path, rows: Iterable[tuple[float, str]]) -> list[StoredStudy]:
    """The studies that the rows of a store tell of, in the order in which they were added.

    A row that has no name was written before studies had any. It is the study before it that has the same content, or,
    if it was imported, the one that it adds to.
    """
    added: dict[str, float] = {}
    records: dict[str, Mapping[str, Any]] = {}
    home, latest = "", ""
    for created, text in rows:
        record = read_record(text, STUDY, "a study")
        if "reader" in record:  # what parsers were called before there were schemas
            record["parser"] = record.pop("reader")
        name = check_name(str(record["name"])) if "name" in record else _unnamed(record, records)
        home = name if "name" not in record or not home else home
        latest = name
        added.setdefault(name, created)
        records[name] = {**record, "name": name}
    return [
        StoredStudy(name, added[name], record, folder if name == home else folder / name, name == latest)
        for name, record in records.items()
    ]


def _unnamed(record: Mapping[str, Any], known: dict[str, Mapping[str, Any]]) -> str:
    for name, other in reversed(known.items()):
        if _content(other) == _content(record) or ("imported" in other and "imported" in record):
            return name
    return _free("", known)


def chosen(studies: Sequence[StoredStudy], name: str | None, where: Path) -> StoredStudy:
    """The study of that name, by default the latest; StudyError with the names there are."""
    for study in studies:
        if study.latest if name is None else study.name == name:
            return study
    names = [study.name for study in studies]
    raise StudyError(
        f"There is no study {name!r} in {where}.{did_you_mean(name or '', names)} There are: {', '.join(names)}."
    )


def same(studies: Sequence[StoredStudy], record: Mapping[str, Any]) -> StoredStudy | None:
    """The study that has the content of a record, the latest one of several."""
    alike = [study for study in studies if _content(study.record) == _content(record)]
    return next((study for study in alike if study.latest), alike[-1] if alike else None)


def name_for(
    record: Mapping[str, Any], studies: Sequence[StoredStudy], folder: Path, *, given: str = "", stem: str = ""
) -> str:
    """What a study is to be called: as it is called already, as given, or the first name that is free."""
    if given:
        return _given(check_name(given), record, studies, folder)
    if known := same(studies, record):
        return known.name
    taken = {study.name for study in studies}
    # A folder that is there already is somebody's.
    taken |= {path.name for path in folder.iterdir()} if studies else set()
    return _free(re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")[:56], taken, first=len(studies) + 1)


def _given(name: str, record: Mapping[str, Any], studies: Sequence[StoredStudy], folder: Path) -> str:
    for study in studies:
        if study.name.casefold() != name.casefold():
            continue
        if study.name != name:
            raise StudyError(f"{folder} holds the study {study.name!r}, and {name!r} would be the same folder to some.")
        if study.imported and "imported" in record:  # a second import adds to the first
            return name
        here, there = _content(record), _content(study.record)
        if other := [part for part in CONTENT if here[part] != there[part]]:
            words = " and ".join(filter(None, (", ".join(other[:-1]), *other[-1:]))).replace("arms", "conditions")
            raise StudyError(
                f"{folder} holds another study called {name!r}, with other {words}. Choose another name: what both "
                "ask is asked once."
            )
        return name
    if studies and (folder / name).exists():
        raise StudyError(f"A study in {folder} cannot be called {name!r}: {folder / name} is there already.")
    return name


def _free(stem: str, taken: Iterable[str], *, first: int | None = None) -> str:
    """The stem, or else the stem with a number; without one, `study-` and how many there are with it."""
    used = {name.casefold() for name in taken}
    if stem and stem.casefold() not in used:
        return stem
    numbers = count(2 if stem else first or len(used) + 1)
    return next(name for each in numbers if (name := f"{stem or 'study'}-{each}").casefold() not in used)


def _content(record: Mapping[str, Any]) -> dict[str, Any]:
    found = {part: record.get(part) for part in CONTENT}
    return {part: sorted(value, key=str) if value and part in _IN_ANY_ORDER else value for part, value in found.items()}
