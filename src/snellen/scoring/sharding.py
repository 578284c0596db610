"""Export of a store with one file (shard) of responses per model."""

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
from snellen.scoring.portions import ResponseCount, Watch
from snellen.store import Store
from snellen.store.files import FILE
from snellen.store.shards import FOLDER, file_of, models_in, write_head, write_shard
from snellen.store.viewing import mark
from snellen.stress.image_dependence.subset import with_list_found


def _write_shard(source: Path, path: Path, model: int) -> None:
    if path.exists():
        return
    # a unique name, because a process of a killed export may still be writing
    beside = path.with_name(f".{uuid4().hex}.part")
    try:
        with _raise_store_error(path):
            write_shard(source, beside, model)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _raise_store_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path} cannot be written: {error}.") from error


def export_shards(store: Store, folder: Path, *, watch: Watch) -> int:
    """Write a sharded copy of a store to a folder, complete or not at all.

    Return its number of responses. Shards of an interrupted export are reused if the store has not changed.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StudyError(f"{folder} is there already and not empty. Choose another folder, or remove it first.")
    if store.connections.shard_files:
        raise StudyError(f"The responses in {store.folder} are in shards already. Copy the folder instead.")
    state = hashlib.sha256(orjson.dumps(mark(store.folder), default=str)).hexdigest()[:STATE]
    models = [(number, file_of(number, name)) for number, name in models_in(store.connections.main)]
    count = ResponseCount(watch, "writing the shards", len(models))
    source = store.folder / FILE
    with folder_written_whole(folder, state) as partial:
        create_folder(partial / FOLDER)
        for number, file in models:
            _write_shard(source, partial / file, number)
            count(1)
        with _raise_store_error(partial / FILE):
            write_head(source, partial / FILE, models)
        _copy_lists(store, partial)
    with Store.open(folder) as written:  # opening checks every shard
        return sum(
            int(each.execute("SELECT count(*) FROM responses").fetchone()[0]) for each in written.connections.open_all()
        )


def _copy_lists(store: Store, folder: Path) -> None:
    """Copy the lists of items that the studies' tests refer to."""
    for study in store.studies.load_all():
        for test in study.record["tests"]:
            found = with_list_found(test, store.folder)
            path = Path(found.partition("items=")[2].partition(",")[0])
            if found != test and path.is_file():
                write_whole(folder / path.name, path.read_bytes())
