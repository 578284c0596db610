"""The guard's log: one line per decision, only ever added to, with no word, image or key of anybody in it.

Queries and replies stand in it as hashes under a key of this installation. Equal ones can be counted; nobody without
the key can try out what they held. Every line seals the one before: a line that was changed or taken out is noticed.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Self, get_args

import orjson

from snellen.errors import SnellenError, StoreError

Status = Literal["moved", "unmoved", "undecided", "unchecked"]
Action = Literal["passed", "annotated", "warned", "blocked", "held back"]
REASONS = {
    "": "decided",
    "not drawn": "the rate left it out",
    "several replies": "the query asks for several replies",
    "tools": "the query offers tools",
    "earlier turns": "the query holds earlier replies",
    "no words": "the query holds no words",
    "other parts": "the query holds sound or files",
    "too long": "the query or a reply is too long to be compared",
    "not compared": "the replies could not be compared",
    "image not counted": "the server counted no tokens for the image",
    "extra calls failed": "the upstream did not answer the extra calls",
    "patience": "the extra calls took too long",
    "unreadable": "the reply was no chat completion",
    "upstream error": "the upstream answered with an error",
    "client left": "the client hung up",
    "guard failed": "the guard itself failed",
}
"""Why a query was left unchecked or undecided: the word in the log, and what it means."""
_KEY_BYTES = 32
_NAME = re.compile(r"[\w.:/@+-]{1,100}")


@dataclass(frozen=True)
class Decision:
    """What the guard made of one query with an image.

    Times are in milliseconds: of the reply, of the slowest extra call, of all, and what the guard took beyond the
    slower of the two. `query` and `reply` are keyed hashes; `reply` is empty where there was none.
    """

    time: str
    model: str
    status: Status
    reason: str = ""
    kind: str = ""
    score: float | None = None
    threshold: float | None = None
    policy: str = "annotate"
    action: Action = "passed"
    streamed: bool = False
    images: int = 0
    asked: int = 0
    upstream_status: int = 0
    reply_ms: float | None = None
    extra_ms: float | None = None
    total_ms: float | None = None
    overhead_ms: float | None = None
    query: str = ""
    reply: str = ""


def now() -> str:
    """The time as the log has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def model_name(given: object) -> str:
    """A model's name where it looks like one: clients choose it, and could write anything.

    >>> model_name("openai/gpt-5"), model_name("Mrs Jones, born 1950")
    ('openai/gpt-5', '')
    """
    return given if isinstance(given, str) and _NAME.fullmatch(given) else ""


class Installation:
    """The key of this installation, under which everything is hashed."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def at(cls, path: Path) -> Self:
        """The key in a file that only its owner can read; it is made where there is none."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                return cls(_read_key(path))
            with os.fdopen(made, "wb") as file:
                file.write(secrets.token_hex(_KEY_BYTES).encode() + b"\n")
            return cls(_read_key(path))
        except OSError as error:
            raise SnellenError(f"The guard's key {path} cannot be read or made: {error.strerror}.") from error

    def hashed(self, *parts: bytes) -> str:
        """The hash of something under the key, in 32 hexadecimal digits."""
        made = hashlib.blake2b(key=self._key, digest_size=16)
        for part in parts:
            made.update(part)
        return made.hexdigest()


def _read_key(path: Path) -> bytes:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise SnellenError(f"The guard's key {path} can be read by others (mode {mode:o}). Run: chmod 600 {path}")
    try:
        key = bytes.fromhex(path.read_text("ascii").strip())
    except ValueError as error:
        raise SnellenError(f"The guard's key {path} is damaged: expected 64 hexadecimal digits.") from error
    if len(key) != _KEY_BYTES:
        raise SnellenError(f"The guard's key {path} is damaged: expected 64 hexadecimal digits.")
    return key


class Log:
    """A log that is being written: lines are added at its end, each in one piece."""

    def __init__(self, path: Path, installation: Installation) -> None:
        self.path, self._installation = path, installation
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise SnellenError(f"The log {path} cannot be written: {error.strerror}. Choose another --log.") from error
        self._held_alone()
        self._seal = self._last_seal()

    def _held_alone(self) -> None:
        """Lock the log: two guards that write to one would break each other's seals."""
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise SnellenError(f"Another guard writes to {self.path}. Choose another --log.") from error

    def _last_seal(self) -> str:
        """The seal of the last whole line; a line that a crash cut off is closed, so that the next begins anew."""
        size = os.fstat(self._file).st_size
        tail = os.pread(self._file, 10_000, max(0, size - 10_000))
        if tail and not tail.endswith(b"\n"):
            os.write(self._file, b"\n")
        for line in reversed(tail.splitlines()):
            row = _row(line)
            if row is not None and isinstance(row.get("seal"), str):
                return str(row["seal"])
        return ""

    def add(self, decision: Decision) -> None:
        """Write one line; raises OSError where that cannot be done."""
        content = orjson.dumps(decision)
        seal = self._installation.hashed(self._seal.encode(), content)
        line = content[:-1] + b',"seal":"' + seal.encode() + b'"}\n'
        if (written := os.write(self._file, line)) != len(line):
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise OSError("the log took only a part of a line")
        self._seal = seal

    def close(self) -> None:
        """Let go of the log."""
        os.close(self._file)


@dataclass(frozen=True)
class LogRead:
    """What a log holds: its decisions, and how many lines are no decision."""

    decisions: tuple[Decision, ...]
    damaged: int = 0


def read_log(path: Path) -> LogRead:
    """The decisions of a log; raises StoreError where there is none."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise StoreError(f"The log {path} cannot be read: {error.strerror}.") from error
    read = [_decision(_row(line)) for line in lines if line.strip()]
    return LogRead(tuple(each for each in read if each is not None), sum(each is None for each in read))


def broken_seals(path: Path, installation: Installation) -> tuple[int, ...]:
    """The lines, counted from 1, before or in which something was changed, put in or taken out."""
    return tuple(_broken(path.read_bytes().splitlines(), installation))


def _broken(lines: list[bytes], installation: Installation) -> Iterator[int]:
    before = ""
    for number, line in enumerate(lines, 1):
        content, found, seal = line.rpartition(b',"seal":"')
        seal = seal.removesuffix(b'"}')
        if not found or installation.hashed(before.encode(), content + b"}") != seal.decode(errors="replace"):
            yield number
        before = seal.decode(errors="replace") if found else before


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row if isinstance(row, dict) else None


_FIELDS = {each.name: each.type for each in fields(Decision)}
_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,), "Action": (str,), "bool": (bool,), "int": (int,), "float | None": (int, float, type(None)),
}  # fmt: skip


def _decision(row: dict[str, Any] | None) -> Decision | None:
    """The decision of a line, None where it is none; fields of later versions are left out."""
    given = {name: value for name, value in (row or {}).items() if name in _FIELDS}
    if given.get("status") not in get_args(Status):
        return None
    if not all(isinstance(value, _TYPES.get(str(_FIELDS[name]), (str,))) for name, value in given.items()):
        return None
    try:
        return Decision(**given)
    except TypeError:
        return None
