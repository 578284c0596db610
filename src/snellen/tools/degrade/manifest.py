"""The manifest: settings in the first line, then one line per copy or omitted file.

A copy is written before its line. If the process is killed, copies without a line and an incomplete last line may
remain; these copies are made again.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any

import orjson

from snellen.errors import StoreBusyError, StoreError, StudyError
from snellen.files import create_folder, open_private, write_whole, written_whole
from snellen.schemas import later
from snellen.tools.degrade.copies import SCANS, UNFINISHED

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FILE = "manifest.jsonl"
FORMAT = 1


def made_with() -> dict[str, str]:
    """Return the versions of all packages that affect the bytes of a copy."""
    packages = {"snellen": "snellen", "numpy": "numpy", "opencv": "opencv-python-headless", "pillow": "pillow"}
    return {name: version(package) for name, package in packages.items()}


class Manifest:
    """The manifest of one folder of copies, open for writing by one process."""

    def __init__(self, out: Path, settings: Mapping[str, Any]) -> None:
        self.path = out / FILE
        self._out = out
        self._header = {"manifest": "snellen degrade", "format": FORMAT, **settings, "made_with": made_with()}
        self._per_picture = len(settings["artefacts"])
        try:
            create_folder(out)
            if not self.path.exists() and any(each.name != UNFINISHED for each in out.iterdir()):
                raise StudyError(f"{out} contains files that are not copies made by Snellen. Choose another --out.")
            if self.path.is_symlink() or (out / UNFINISHED).is_symlink():
                raise StudyError(f"{out} holds a link that leads out of it. Choose another --out.")
            create_folder(out / UNFINISHED)
            self._lock = _lock_folder(out)
            self._begin()
            self._file = open_private(self.path, "ab")
        except OSError as error:
            raise StoreError(f"{out} cannot be written to: {error.strerror}. Choose another --out.") from error

    def __enter__(self) -> Manifest:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # a line that could not be written was told
            self._file.close()
        os.close(self._lock)

    def add(self, lines: bytes) -> None:
        """Append lines about finished copies."""
        try:
            self._file.write(lines)
            self._file.flush()
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be written: {error.strerror}. Fix this and run the same command to continue."
            ) from error

    def settle(self, size_of: Callable[[str], int | None]) -> set[str]:
        """Return the sources with all copies present, and remove the lines of all others.

        `size_of` returns the current size of a source's file; None if it is gone, and then its lines stay.
        """
        present: Counter[str] = Counter()
        last: dict[str, dict[str, Any]] = {}
        others = 0
        for row in self._rows():
            if "left_out" in row:
                others += 1
            else:
                present[source_of(row)] += self._is_there(row)
                last[source_of(row)] = row
        settled = {
            source
            for source, row in last.items()
            if present[source] == self._per_picture * row.get("pictures", 1)
            and size_of(source) in (None, row["source_bytes"])
        }
        if others or len(settled) < len(last):
            self._keep(settled)
        return settled

    def _begin(self) -> None:
        """Write the settings, or compare them with the existing ones; remove an incomplete last line."""
        for each in (self._out / UNFINISHED).iterdir():
            each.unlink()
        if not self.path.exists() or not (size := self.path.stat().st_size):
            write_whole(self.path, orjson.dumps(self._header, option=orjson.OPT_APPEND_NEWLINE))
            return
        with open_private(self.path, "r+b") as file:
            first = file.readline()
            if not first.endswith(b"\n"):
                file.seek(0)
                file.truncate()
                file.write(orjson.dumps(self._header, option=orjson.OPT_APPEND_NEWLINE))
                return
            self._check(first)
            file.truncate(_whole_lines(file, size))

    def _check(self, first: bytes) -> None:
        try:
            there = orjson.loads(first)
            known = there.get("manifest") == self._header["manifest"]
        except (orjson.JSONDecodeError, AttributeError):
            known = False
        if not known:
            raise StudyError(f"{self.path} is not a manifest of degraded copies. Choose another --out.")
        if said := later(self.path, there.get("format"), FORMAT):
            raise StudyError(said)
        for name, wanted in self._header.items():
            if there.get(name) != wanted:
                other = f"{_short(there.get(name))} instead of {_short(wanted)}"
                what = "of another folder" if name == "of" else f"with another {_WORDS.get(name, name)} ({other})"
                raise StudyError(
                    f"{self._out} holds copies {what}. Choose another --out, or use the settings of those copies."
                )

    def _rows(self) -> Iterator[dict[str, Any]]:
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = orjson.loads(line)
                    if number > 1:
                        row["image"], row.get("left_out") or (row["copy"], row["bytes"], row["source_bytes"])
                        yield row
                except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                    raise StoreError(
                        f"{self.path}: line {number} is damaged. Remove it and run the same command to continue."
                    ) from error

    def _is_there(self, row: Mapping[str, Any]) -> bool:
        copy = row["copy"]
        if not isinstance(copy, str) or copy.startswith("/") or ".." in copy.split("/"):
            return False  # no copy of ours lies elsewhere
        try:
            return bool(os.stat(self._out / copy).st_size == row["bytes"])  # noqa: PTH116
        except (OSError, ValueError):
            return False

    def _keep(self, settled: set[str]) -> None:
        """Rewrite the manifest with only the lines of these sources."""
        with written_whole(self.path) as file:
            file.write(orjson.dumps(self._header, option=orjson.OPT_APPEND_NEWLINE))
            for row in self._rows():
                if "left_out" not in row and source_of(row) in settled:
                    file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        self._file.close()
        self._file = open_private(self.path, "ab")


_WORDS = {"artefacts": "list of artefacts", "made_with": "set of versions"}


def _short(value: object) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 200 else f"{text[:199]}…"


def source_of(row: Mapping[str, Any]) -> str:
    """Return the name of a copy's source.

    >>> source_of({"image": "a/b.png"}), source_of({"image": "scans/5f/03.png", "pictures": 20})
    ('a/b.png', 'scans/5f')
    """
    image: str = row["image"]
    return image.rpartition("/")[0] if "pictures" in row and image.startswith(f"{SCANS}/") else image


def _whole_lines(file: Any, size: int) -> int:
    """Return the number of bytes up to the end of the last complete line."""
    end = size
    while end > 0:
        start = max(0, end - 65_536)
        file.seek(start)
        if (at := file.read(end - start).rfind(b"\n")) >= 0:
            return int(start + at + 1)
        end = start
    return 0


def _lock_folder(out: Path) -> int:
    """Lock a folder for writing copies, until the process ends."""
    if fcntl is None:
        raise StoreError(f"No copies can be written to {out}: Snellen writes on Linux and macOS only, or under WSL.")
    handle = os.open(out / UNFINISHED, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise StoreBusyError(
            f"Another process is writing copies to {out}. Wait for it to end, or choose another --out."
        ) from None
    return handle
