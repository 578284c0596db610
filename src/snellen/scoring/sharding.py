"""Sharding: a store written again with the responses of each model in a file of its own."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import orjson

from snellen.errors import StoreError, StudyError
from snellen.files import STATE, create_folder, folder_written_whole, write_whole
from snellen.scoring.portions import Count, Watch
from snellen.store import Store
from snellen.store.files import FILE
from snellen.store.shards import FOLDER, file_of, models_in, write_head, write_shard
from snellen.store.viewing import mark
from snellen.stress.image_dependence.subset import with_list_found


def _write_shard(source: Path, path: Path, model: int) -> None:
    """Write the shard of a model, unless it is there already."""
    if path.exists():
        return
    # a name of its own: a process of an export that was killed may still write
    beside = path.with_name(f".{uuid4().hex}.part")
    try:
        with _told(path):
            write_shard(source, beside, model)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """StoreError where SQLite cannot write a file."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path} cannot be written: {error}.") from error


def export_shards(store: Store, folder: Path, *, watch: Watch) -> int:
    """Write a store in shards to a folder, which is there whole or not at all; returns how many responses it has.

    Shards of an export that was interrupted are taken over, if nothing was written to the store in between.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StudyError(f"{folder} is there already and not empty. Choose another folder, or remove it first.")
    if store.connections.shard_files:
        raise StudyError(f"The responses in {store.folder} are in shards already. Copy the folder instead.")
    state = hashlib.sha256(orjson.dumps(mark(store.folder), default=str)).hexdigest()[:STATE]
    models = [(number, file_of(number, name)) for number, name in models_in(store.connections.main)]
    count = Count(watch, "writing the shards", len(models))
    source = store.folder / FILE
    with folder_written_whole(folder, state) as partial:
        create_folder(partial / FOLDER)
        for number, file in models:
            _write_shard(source, partial / file, number)
            count(1)
        with _told(partial / FILE):
            write_head(source, partial / FILE, models)
        _copy_lists(store, partial)
    with Store.open(folder) as written:  # checks every shard
        return sum(
            int(each.execute("SELECT count(*) FROM responses").fetchone()[0]) for each in written.connections.open_all()
        )


def _copy_lists(store: Store, folder: Path) -> None:
    """Copy the lists of items that tests of the studies name."""
    for study in store.studies.all():
        for test in study.record["tests"]:
            found = with_list_found(test, store.folder)
            path = Path(found.partition("items=")[2].partition(",")[0])
            if found != test and path.is_file():
                write_whole(folder / path.name, path.read_bytes())
