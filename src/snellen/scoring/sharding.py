"""Sharding: a store written again with the responses of each model in a file of its own, by several processes."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import orjson

from snellen.errors import StoreError, StudyError
from snellen.files import STATE, create_folder, folder_written_whole, write_whole
from snellen.scoring.portions import Count, Watch
from snellen.scoring.processes import Tell, every_done, processes_for
from snellen.store import Store
from snellen.store.files import FILE
from snellen.store.shards import FOLDER, file_of, models_in, write_head, write_shard
from snellen.store.viewing import mark
from snellen.stress.image_dependence.subset import with_list_found


@dataclass(frozen=True)
class Splitting:
    """Which store is written in shards, and where to."""

    source: Path
    folder: Path

    @contextmanager
    def begun(self, tell: Tell) -> Iterator[Callable[[tuple[int, str]], tuple[int, str]]]:
        """What writes the shard of a model, unless it is there already."""

        def written(model: tuple[int, str]) -> tuple[int, str]:
            number, file = model
            path = self.folder / file
            if not path.exists():
                # a name of its own: a process of an export that was killed may still write
                beside = path.with_name(f".{uuid4().hex}.part")
                try:
                    with _told(path):
                        write_shard(self.source, beside, number)
                    beside.replace(path)
                finally:
                    beside.unlink(missing_ok=True)
            tell(1)
            return model

        yield written


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
    (responses,) = store.connections.main.execute("SELECT coalesce(max(id), 0) FROM responses").fetchone()
    processes = processes_for(responses, len(models))
    with folder_written_whole(folder, state) as partial:
        create_folder(partial / FOLDER)
        made = list(every_done(Splitting(source, partial), models, tell=count, processes=processes))
        with _told(partial / FILE):
            write_head(source, partial / FILE, made)
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
