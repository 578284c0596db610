"""Writer: the only thread that writes to the store. It commits responses in groups as they arrive."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.conditions import Variant
from snellen.errors import ModelError, StoreError
from snellen.images import EncodedImage
from snellen.items import Item
from snellen.models.base import Response
from snellen.prompts import Request
from snellen.store.files import FILE, connect
from snellen.store.records import changed_fields, dump_json, storable
from snellen.store.responses import ResponseCell
from snellen.store.store import Store
from snellen.store.transaction import transaction

LINGER = 0.01
"""Seconds that a response waits for others before it is committed. A killed process loses at most these."""


class NewResponse(NamedTuple):
    """A new response, the key of its request, and the cells that it answers."""

    key: bytes
    response: Response
    cells: Sequence[ResponseCell]


class TableRows(NamedTuple):
    """Rows for a table other than `responses`."""

    into: str
    rows: Sequence[Sequence[Any]]


Said = tuple[str, str, str, tuple[int | None, ...], float, str]
"""The parts of a response: text, finish, reasoning, usage, latency, and the model name that its server gave."""
Brought = tuple[bytes, Said, ResponseCell]
"""An imported response: key of its request, parts of the response, and the cell that it answers."""
Worded = tuple[int, Item, Item, str, str]
"""An item without images under an arm: ordinal, original, changed item, text and system message."""


class BroughtMany(NamedTuple):
    """Several imported responses."""

    replies: Sequence[Brought]


_Entry = NewResponse | TableRows | BroughtMany
VARIANT = "INSERT OR IGNORE INTO variants VALUES"
IMAGE = (
    "INSERT OR IGNORE INTO images "
    "(sha256, media_type, width, height, size, original_width, original_height, rule, side, path, data) VALUES"
)
MOVED = "UPDATE images SET path = ? WHERE sha256 = ? AND data IS NULL"
TRIAL = "INSERT OR IGNORE INTO trials VALUES"
RESPONSE = "INSERT INTO responses VALUES"
ATTEMPT = "INSERT INTO attempts (model, arm, ordinal, replicate, error, message, created) VALUES"
MOST_AT_ONCE = 20_000
"""The most rows in one commit when many arrive at once."""
LOG_PAGES = CACHE_PAGES = 10_000
"""Pages of 4 kB in SQLite's cache, and in its write-ahead log.

Keys are hashes, so they are spread over the whole index. With fewer pages, the same ones are written again and again.
"""
ROWS_AT_ONCE = 64
"""Rows per SQL statement. SQLite releases Python's lock once per statement, so large ones delay other threads less."""


class Writer:
    """Takes responses from any thread and stores them in order. Calls `committed` with the keys of each commit."""

    def __init__(self, store: Store, committed: Callable[[list[bytes]], object] = lambda keys: None) -> None:
        self._connection = connect(store.folder / FILE)
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        self._connection.execute(f"PRAGMA cache_size = {CACHE_PAGES}")
        self._committed = committed
        self._queue: queue.SimpleQueue[_Entry | threading.Event | None] = queue.SimpleQueue()
        self._next = int(self._connection.execute("SELECT coalesce(max(id), 0) + 1 FROM responses").fetchone()[0])
        self._images: set[str] = set()
        self._folders: dict[Path, Path] = {}
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="snellen-writer", daemon=True)
        self._thread.start()

    def store_response(self, key: bytes, response: Response, cells: Sequence[ResponseCell]) -> None:
        """Store a response and link it to the cells that it answers."""
        self._put(NewResponse(key, response, cells))

    def store_responses(self, replies: Sequence[Brought]) -> None:
        """Store many imported responses at once."""
        if replies:
            self._put(BroughtMany(replies))

    def store_wordings(self, arm: int, items: Sequence[Worded]) -> None:
        """Store the texts of many items without images under an arm."""
        rows = []
        for ordinal, original, item, text, system in items:
            changed = None if item is original else changed_fields(original, item)
            kept = dump_json(changed) if changed else None
            rows.append((arm, ordinal, None, "{}", kept, system or None, text, None))
        for start in range(0, len(rows), MOST_AT_ONCE):
            self._put(TableRows(VARIANT, rows[start : start + MOST_AT_ONCE]))

    def link_cell(self, response: int, cell: ResponseCell) -> None:
        """Link a stored response to another cell that it answers."""
        self._put(TableRows(TRIAL, [(*cell, response)]))

    def store_failure(self, cells: Sequence[ResponseCell], error: ModelError) -> None:
        """Store a failed attempt for each cell; the cells remain without a response."""
        said = (type(error).__name__, storable(str(error)), time.time())
        self._put(TableRows(ATTEMPT, [(*cell, *said) for cell in cells]))

    def store_variant(self, arm: int, ordinal: int, variant: Variant, request: Request) -> None:
        """Store an item as an arm changed it, and what was sent for it."""
        changed = {} if variant.item is variant.original else changed_fields(variant.original, variant.item)
        drawn = {**variant.drawn, **_of_images(variant, request)} if request.images else variant.drawn
        values = (dump_json(drawn), dump_json(changed) if changed else None)
        images = orjson.dumps([image.sha256 for image in request.images]).decode() if request.images else None
        row = (arm, ordinal, None, *values, request.system or None, request.text, images)
        self._put(TableRows(VARIANT, [row]))
        for image, sent in zip(variant.item.images, request.images, strict=True):
            if sent.sha256 not in self._images:
                self._images.add(sent.sha256)
                self._store_sent(sent, image.path)

    def store_image(self, image: EncodedImage) -> None:
        """Store an image that is sent with an example."""
        if image.sha256 not in self._images:
            self._images.add(image.sha256)
            self._store_sent(image, None)

    def inapplicable(self, arm: int, ordinal: int, reason: str) -> None:
        """Store the reason why an arm does not apply to an item."""
        self._put(TableRows(VARIANT, [(arm, ordinal, reason, None, None, None, None, None)]))

    def _store_sent(self, image: EncodedImage, path: Path | None) -> None:
        """Store an image as sent, or only its path if the file was sent unchanged."""
        about = (image.sha256, image.media_type, image.width, image.height, len(image.data))
        origin = (*(image.original or (None, None)), image.rule, image.side)
        kept = (self._resolve(path), None) if path else (None, image.data)
        self._put(TableRows(IMAGE, [(*about, *origin, *kept)]))
        if path:
            self._put(TableRows(MOVED, [(kept[0], image.sha256)]))

    def _resolve(self, path: Path) -> str:
        """Return the absolute path without symbolic links; each folder is resolved only once."""
        folder = self._folders.get(path.parent) or self._folders.setdefault(path.parent, path.parent.resolve())
        there = folder / path.name
        return str(there.resolve() if there.is_symlink() else there)

    def caught_up(self) -> threading.Event:
        """Return an event that is set once everything stored before is committed."""
        event = threading.Event()
        self._queue.put(event)
        return event

    def close(self) -> None:
        """Commit what is left and stop the thread; StoreError if anything could not be stored."""
        self._queue.put(None)
        self._thread.join()
        self._connection.close()
        self.check()

    def _put(self, entry: _Entry) -> None:
        self.check()
        self._queue.put(entry)

    def check(self) -> None:
        """Raise StoreError if anything could not be stored."""
        if self._error is not None:
            raise StoreError(f"Responses can no longer be stored: {self._error}. Responses stored before are safe.")

    def _work(self) -> None:
        ended = False
        while not ended:
            batch = [self._queue.get()]
            held = _rows_in(batch[0])
            if held == 1:
                time.sleep(LINGER)
            while len(batch) < 2048 and held < MOST_AT_ONCE:
                try:
                    batch.append(self._queue.get_nowait())
                except queue.Empty:
                    break
                held += _rows_in(batch[-1])
            ended = None in batch
            try:
                self._commit([entry for entry in batch if isinstance(entry, _Entry)])
            except Exception as error:
                self._error = error
                return
            for entry in batch:
                if isinstance(entry, threading.Event):
                    entry.set()

    def _commit(self, batch: list[_Entry]) -> None:
        keys: list[bytes] = []
        rows: dict[str, list[Sequence[Any]]] = {RESPONSE: [], TRIAL: []}
        for entry in batch:
            if isinstance(entry, TableRows):
                rows.setdefault(entry.into, []).extend(entry.rows)
        for entry in batch:
            number = self._next + len(keys)
            if isinstance(entry, NewResponse):
                keys.append(entry.key)
                rows[RESPONSE].append(_row(number, entry.key, entry.response))
                rows[TRIAL] += [(*cell, number) for cell in entry.cells]
            elif isinstance(entry, BroughtMany):
                keys += [key for key, _, _ in entry.replies]
                now = time.time()
                for at, (key, said, cell) in enumerate(entry.replies, number):
                    rows[RESPONSE].append(_row_of(at, key, said, now))
                    rows[TRIAL].append((*cell, at))
        with transaction(self._connection):
            for into, values in rows.items():
                if into == MOVED:
                    self._connection.executemany(MOVED, values)
                else:
                    self._insert(into, values)
        self._next += len(keys)
        if keys:
            self._committed(keys)

    def _insert(self, into: str, rows: list[Sequence[Any]]) -> None:
        whole = len(rows) - len(rows) % ROWS_AT_ONCE
        marks = f"({', '.join('?' * len(rows[0]))})" if rows else ""
        many = f"{into} {', '.join([marks] * ROWS_AT_ONCE)}"
        for start in range(0, whole, ROWS_AT_ONCE):
            self._connection.execute(many, list(chain.from_iterable(rows[start : start + ROWS_AT_ONCE])))
        if rows[whole:]:
            self._connection.executemany(f"{into} {marks}", rows[whole:])


def _of_images(variant: Variant, request: Request) -> dict[str, Any]:
    measured = [dict(image.measured) for image in request.images]
    shades = shades_of(variant, request)
    return {name: found for name, found in (("measured", measured), ("shades", shades)) if any(found)}


def shades_of(variant: Variant, request: Request) -> list[str]:
    """Return the shade of each sent image: "black", "white", or "".

    Only unchanged originals count, so the shade is "" for images that a condition changed.
    """
    own = variant.original.images
    sent = zip(variant.item.images, request.images, strict=True)
    return [each.shade if each.shade and image in own else "" for image, each in sent]


def _rows_in(entry: object) -> int:
    return len(entry[-1]) if isinstance(entry, TableRows | BroughtMany) else 1


def _row(number: int, key: bytes, response: Response) -> tuple[Any, ...]:
    sent = "[]"
    if response.sent:
        sent = orjson.dumps([tuple(image) if image.rule else image[:3] for image in response.sent]).decode()
    told = (response.text, response.finish, response.reasoning)
    said = (*told, response.usage, response.latency, response.served_by)
    return _row_of(number, key, said, time.time(), sent, response.logprobs or None)


def _row_of(
    number: int, key: bytes, said: Said, created: float, sent: str = "[]", logprobs: str | None = None
) -> tuple[Any, ...]:
    text, finish, reasoning, usage, latency, served_by = said
    return (
        number,
        key,
        storable(text),
        storable(finish),
        storable(reasoning),
        *usage[:3],
        latency,
        storable(served_by),
        sent,
        created,
        usage[3],
        logprobs,
    )
