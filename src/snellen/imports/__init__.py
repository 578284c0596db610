"""Answers that somebody already has: read from a file in one of several formats, and stored to be scored here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from snellen.errors import BrokenRow, BrokenRowsError, DataError, StudyError
from snellen.imports.answer import Answer
from snellen.imports.gathering import Gathering
from snellen.imports.inspect_log import read_inspect_log
from snellen.imports.jsonl import jsonl_line, read_jsonl
from snellen.imports.stored import stored_answers
from snellen.imports.storing import Places, Storing, tests_of
from snellen.items import Benchmark
from snellen.stats import Human
from snellen.store import Store, Writer

__all__ = ["FORMATS", "Answer", "Imported", "import_answers", "jsonl_line", "stored_answers"]

Source = Callable[[], Iterator[Answer | BrokenRow]]
"""A file that can be read again and again."""

FORMATS: Mapping[str, Callable[..., Iterator[Answer | BrokenRow]]] = {
    "jsonl": read_jsonl,
    "inspect": read_inspect_log,
}


@dataclass(frozen=True)
class Imported:
    """What an import brought: replies by model, benchmark and arm, and what could not be used."""

    folder: Path
    replies: Mapping[tuple[str, str, str], int]
    failed: int
    broken: tuple[BrokenRow, ...]
    tests: tuple[str, ...]
    readers: tuple[str, ...]


def import_answers(
    files: Sequence[str | Path],
    out: str | Path,
    *,
    format: str,  # noqa: A002 - the word people use
    arm: str | None = None,
    name: str | None = None,
    benchmarks: Sequence[Benchmark] = (),
    allow_broken: bool = False,
    provenance: Mapping[str, Any] | None = None,
    human: Human | None = None,
) -> Imported:
    """Store the answers of some files in a folder, beside those that an earlier import put there.

    Every file is read twice: to see that all of it can be used, and to store it. Nothing counts before all is stored;
    what a stopped import left behind is never counted.
    """
    if format not in FORMATS:
        raise StudyError(f"There is no format {format!r}. There are: {', '.join(FORMATS)}.")
    known = {"known": {each.name: each for each in benchmarks}} if format == "jsonl" else {}
    read: list[Source] = []
    for file in map(Path, files):
        if not file.is_file():
            raise DataError(f"There is no file {str(file)!r}.")
        read.append(partial(FORMATS[format], file, arm=arm, name=name, **known))
    with Store.open(out, write=True) as store:
        before = _imported_before(store)
        gathered = Gathering()
        if before:
            gathered.add(stored_answers(store), stored=True)
        broken = [gathered.add(answers()) for answers in read]
        _check(gathered, files, allow_broken=allow_broken)
        sources = [*before.get("imported", ()), *({"file": Path(file).name, "sha256": _sha256(file)} for file in files)]
        record = _record(gathered, sources, before)
        places = Places(store, gathered, _generation(sources, arm, name))
        writer = Writer(store)
        try:
            storing = Storing(store, writer, places)
            storing.items(gathered)
            if before:
                storing.replies(stored_answers(store))
            for answers, unusable in zip(read, broken, strict=True):
                storing.replies(answers(), unusable)
        finally:
            writer.close()
        found = {"benchmarks": places.digests, "arms": places.arm_digests, "human": human or before.get("human")}
        store.add_study({**(provenance or {}), **record, **found})
    return Imported(
        store.folder, gathered.replies, gathered.failed, tuple(gathered.broken), tuple(record["tests"]),
        (record["reader"], *record["beside"]),
    )  # fmt: skip


def _imported_before(store: Store) -> dict[str, Any]:
    """The study of an earlier import into this store, if there is one; a study that was run here is left alone."""
    if not store.has_study():
        return {}
    study = store.latest_study()
    if "imported" not in study:
        raise StudyError(f"{store.folder} holds a study that was run, not imported. Choose another --out.")
    return study


def _check(gathered: Gathering, files: Sequence[str | Path], *, allow_broken: bool) -> None:
    total = gathered.replies.total() + gathered.failed
    if gathered.broken and not (allow_broken and total):
        raise BrokenRowsError(", ".join(Path(file).name for file in files), gathered.broken, total)
    if not total:
        raise DataError(f"{', '.join(map(str, files))}: no answers were found.")


def _generation(sources: Sequence[Mapping[str, str]], arm: str | None, name: str | None) -> str:
    """What is imported together: the same again is the same generation, anything else is another."""
    return hashlib.sha256(orjson.dumps((list(sources), arm, name))).hexdigest()


def _record(gathered: Gathering, sources: Sequence[Mapping[str, str]], before: Mapping[str, Any]) -> dict[str, Any]:
    """The study as the store keeps it: how many replies there should be is not known, so `epochs` is None."""
    names = gathered.benchmarks()
    return {
        "imported": list(sources),
        "left_out": [*before.get("left_out", ()), *(list(row) for row in gathered.broken)],
        "models": [[model, revision] for model, revision in gathered.revisions.items()],
        "sources": {name: {"about": {}, "broken": []} for name in names},
        "tests": tests_of(gathered.arms(name) for name in names),
        "seed": None,
        "epochs": None,
        "limit": None,
        "prompt": "as imported",
        "settings": {},
        "reader": "lenient",
        "beside": gathered.readers(),
    }


def _sha256(file: str | Path) -> str:
    with Path(file).open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
