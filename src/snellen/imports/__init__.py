"""Answers that somebody already has: read from a file in one of several formats, and stored to be scored here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any

from snellen.errors import BrokenRow, BrokenRowsError, DataError, StudyError
from snellen.imports.answer import Answer
from snellen.imports.gathering import Gathering
from snellen.imports.inspect_log import read_inspect_log
from snellen.imports.jsonl import jsonl_line, read_jsonl
from snellen.imports.stored import stored_answers
from snellen.imports.storing import Places, put_items, put_replies, tests_of
from snellen.items import Benchmark
from snellen.stats import Human
from snellen.store import Store, Writer

__all__ = ["FORMATS", "Answer", "Imported", "import_answers", "jsonl_line", "stored_answers"]

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

    Every file is read twice: to see that all of it can be used, and to store it. Nothing counts before all is stored.
    """
    if format not in FORMATS:
        raise StudyError(f"There is no format {format!r}. There are: {', '.join(FORMATS)}.")
    read: list[Callable[[], Iterator[Answer | BrokenRow]]] = []
    for file in map(Path, files):
        if not file.is_file():
            raise DataError(f"There is no file {str(file)!r}.")
        settings: dict[str, Any] = {"known": {each.name: each for each in benchmarks}} if format == "jsonl" else {}
        read.append(partial(FORMATS[format], file, arm=arm, name=name, **settings))
    with Store.open(out, write=True) as store:
        imported = _imported_before(store)
        if imported:
            read.insert(0, partial(stored_answers, store))
        gathered = Gathering()
        for answers in read:
            gathered.add(answers())
        _check(gathered, files, allow_broken=allow_broken)
        sources = [*imported, *({"file": Path(file).name, "sha256": _sha256(Path(file))} for file in files)]
        places = _store(store, gathered, read)
        record = _record(gathered, places, sources)
        store.add_study({**(provenance or {}), **record, "human": human})
    return Imported(
        store.folder, gathered.replies, gathered.failed, tuple(gathered.broken), tuple(record["tests"]),
        (record["reader"], *record["beside"]),
    )  # fmt: skip


def _imported_before(store: Store) -> list[dict[str, str]]:
    """The files of an earlier import into this store; a study that was run here is left alone."""
    if not store.has_study():
        return []
    study = store.latest_study()
    if "imported" not in study:
        raise StudyError(f"{store.folder} holds a study that was run, not imported. Choose another --out.")
    files: list[dict[str, str]] = study["imported"]
    return files


def _check(gathered: Gathering, files: Sequence[str | Path], *, allow_broken: bool) -> None:
    total = gathered.replies.total() + gathered.failed
    if gathered.broken and not (allow_broken and total):
        raise BrokenRowsError(", ".join(Path(file).name for file in files), gathered.broken, total)
    if not total:
        raise DataError(f"{', '.join(map(str, files))}: no answers were found.")


def _store(store: Store, gathered: Gathering, read: Sequence[Callable[[], Iterator[Answer | BrokenRow]]]) -> Places:
    places = Places(store, gathered, {})
    writer = Writer(store)
    try:
        put_items(writer, gathered, places)
        for answers in read:
            put_replies(store, writer, answers(), places, set(gathered.broken))
    finally:
        writer.close()
    return places


def _record(gathered: Gathering, places: Places, sources: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """The study as the store keeps it: how many replies there should be is not known, so `epochs` is None."""
    names = gathered.benchmarks()
    broken = [list(row) for row in gathered.broken]
    return {
        "imported": list(sources),
        "models": [[model, revision] for model, revision in gathered.revisions.items()],
        "benchmarks": places.digests,
        "sources": {name: {"about": {}, "broken": broken if name == names[0] else []} for name in names},
        "tests": tests_of(gathered.arms(name) for name in names),
        "arms": places.arm_digests,
        "seed": None,
        "epochs": None,
        "limit": None,
        "prompt": "as imported",
        "settings": {},
        "reader": "lenient",
        "beside": gathered.readers(),
    }


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
