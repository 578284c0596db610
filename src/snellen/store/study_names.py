"""Names of the studies in a store, and the folders of their results."""

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
"""Pattern of a study's name. It has no dot, so that the study's folder cannot have the name of a file in the store."""
CONTENT = ("models", "benchmarks", "tests", "arms", "seed", "epochs", "limit", "parser")
"""Fields that make two studies the same one. Arms and benchmarks are digests of everything that decides a request."""
_IN_ANY_ORDER = ("models", "tests")


@dataclass(frozen=True)
class StoredStudy:
    """A study in a store: `added` is the time when it was first added, `record` its latest record."""

    name: str
    added: float
    record: Mapping[str, Any]
    folder: Path
    """Folder of the study's results and report."""
    latest: bool

    @property
    def imported(self) -> bool:
        """Whether the study's responses were imported from files."""
        return "imported" in self.record


def check_name(name: str) -> str:
    """Return the name if every operating system allows it for a folder; otherwise raise StudyError."""
    if NAME.fullmatch(name):
        return name
    raise StudyError(
        f"A study cannot be called {name!r}: expected at most 64 letters (a to z), digits, hyphens and underscores, "
        "and a letter or a digit first."
    )


def studies_in(folder: Path, rows: Iterable[tuple[float, str]]) -> list[StoredStudy]:
    """Return the studies in the rows of a store, in the order of adding.

    A row without a name was written by an early version. It belongs to the last study with the same content. If it was
    imported, it may also belong to the last imported study.
    """
    added: dict[str, float] = {}
    records: dict[str, Mapping[str, Any]] = {}
    home, latest = "", ""
    for created, text in rows:
        record = read_record(text, STUDY, "a study")
        if "reader" in record:  # the field's name before records had version numbers
            record["parser"] = record.pop("reader")
        if "name" in record:
            name = check_name(str(record["name"]))
        else:
            alike = (
                known
                for known, other in reversed(records.items())
                if _content(other) == _content(record) or ("imported" in other and "imported" in record)
            )
            name = next(alike, "") or _free("", records)
        home = name if "name" not in record or not home else home
        latest = name
        added.setdefault(name, created)
        records[name] = {**record, "name": name}
    return [
        StoredStudy(name, added[name], record, folder if name == home else folder / name, name == latest)
        for name, record in records.items()
    ]


def choose_study(studies: Sequence[StoredStudy], name: str | None, where: Path) -> StoredStudy:
    """Return the study with this name, by default the latest; StudyError lists the known names."""
    for study in studies:
        if study.latest if name is None else study.name == name:
            return study
    names = [study.name for study in studies]
    raise StudyError(
        f"There is no study {name!r} in {where}.{did_you_mean(name or '', names)} There are: {', '.join(names)}."
    )


def same(studies: Sequence[StoredStudy], record: Mapping[str, Any]) -> StoredStudy | None:
    """Return the study with the same content as a record. The latest if there are several, None if there is none."""
    alike = [study for study in studies if _content(study.record) == _content(record)]
    return next((study for study in alike if study.latest), alike[-1] if alike else None)


def name_for(
    record: Mapping[str, Any], studies: Sequence[StoredStudy], folder: Path, *, given: str = "", stem: str = ""
) -> str:
    """Return the name of a study: the one it has, the given one, or the first free one."""
    if given:
        return _check_given_name(check_name(given), record, studies, folder)
    if known := same(studies, record):
        return known.name
    taken = {study.name for study in studies}
    # An existing folder may belong to somebody else.
    taken |= {path.name for path in folder.iterdir()} if studies else set()
    return _free(re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")[:56], taken, first=len(studies) + 1)


def _check_given_name(name: str, record: Mapping[str, Any], studies: Sequence[StoredStudy], folder: Path) -> str:
    for study in studies:
        if study.name.casefold() != name.casefold():
            continue
        if study.name != name:
            raise StudyError(
                f"{folder} already holds the study {study.name!r}. Some file systems do not distinguish this name from "
                f"{name!r}. Choose another name."
            )
        if study.imported and "imported" in record:  # a second import adds to the first
            return name
        here, there = _content(record), _content(study.record)
        if other := [part for part in CONTENT if here[part] != there[part]]:
            words = " and ".join(filter(None, (", ".join(other[:-1]), *other[-1:]))).replace("arms", "conditions")
            raise StudyError(
                f"{folder} holds another study called {name!r}, with other {words}. Choose another name; questions "
                "in both are asked only once."
            )
        return name
    if studies and (folder / name).exists():
        raise StudyError(f"A study in {folder} cannot be called {name!r}: {folder / name} already exists.")
    return name


def _free(stem: str, taken: Iterable[str], *, first: int | None = None) -> str:
    """Return a free name: the stem, with a number if needed; without a stem, `study-` and a number."""
    used = {name.casefold() for name in taken}
    if stem and stem.casefold() not in used:
        return stem
    numbers = count(2 if stem else first or len(used) + 1)
    return next(name for each in numbers if (name := f"{stem or 'study'}-{each}").casefold() not in used)


def _content(record: Mapping[str, Any]) -> dict[str, Any]:
    found = {part: record.get(part) for part in CONTENT}
    return {part: sorted(value, key=str) if value and part in _IN_ANY_ORDER else value for part, value in found.items()}
