"""The guard's log: one line per decision, without any text, image or key.

Queries and responses are stored as hashes under a secret key of this installation. So equal ones can be counted,
but without the key their content cannot be guessed. Each line has a *seal*, a hash of itself and of the seal before,
which reveals changed or removed lines. The *head*, a file next to the log, holds the number of lines and the last seal,
which reveals lines removed at the end. Whoever has the key can forge log and head.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self, get_args

import orjson

from snellen.errors import SnellenError, StoreError
from snellen.files import PRIVATE_FILE, create_folder, open_handle, open_plain
from snellen.models.secrets import environment_secrets, masking

Status = Literal["moved", "unmoved", "undecided", "unchecked"]
Action = Literal["passed", "annotated", "warned", "blocked", "held back"]
REASONS = {
    "": "decided",
    "not drawn": "it was not among the queries drawn for checking (rate)",
    "several replies": "the query asks for several responses",
    "tools": "the query offers tools",
    "earlier turns": "the query holds earlier responses",
    "no words": "the query holds no words",
    "other parts": "the query holds parts or fields that the guard does not know",
    "image in the text": "the text of the query may hold an image",
    "other model": "the query names another model",
    "too long": "the query or a response is too long to be compared",
    "not compared": "the responses could not be compared",
    "image not counted": "the server counted no tokens for the image",
    "extra calls failed": "the upstream did not answer the extra calls",
    "patience": "the extra calls took too long",
    "unreadable": "the response was not a chat completion",
    "upstream error": "the upstream answered with an error",
    "client left": "the client closed the connection",
    "guard failed": "the guard itself failed",
}
"""Why a query was unchecked or undecided: the word in the log, and its explanation."""
HEADLESS = {
    "missing": "The log has no *.head file, so lines removed from its end cannot be noticed.",
    "forged": "The *.head file of the log is damaged or made with another key, so lines may be missing at its end.",
}
"""Warnings about a log whose end cannot be checked, by the state of its head."""
_KEY_BYTES = 32
_NAME = re.compile(r"[\w.:/@+-]{1,100}")


@dataclass(frozen=True)
class GuardDecision:
    """The guard's decision on one query with an image.

    `query` and `reply` are keyed hashes; `reply` is empty without a response. Durations are in milliseconds: the
    response, the slowest extra call, both together, and the guard's own time (total minus the slower of the two).
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
    """Return the current time in the format of the log."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def model_name(given: object) -> str:
    """Return `given` if it is plausible as a model's name, else an empty string.

    Clients can send anything here, even a key.

    >>> model_name("openai/gpt-5"), model_name("Mrs Jones, born 1950"), model_name("sk-proj-9f3a77c0")
    ('openai/gpt-5', '', '')
    """
    known = isinstance(given, str) and _NAME.fullmatch(given) and not masking(environment_secrets()).search(given)
    return str(given) if known else ""


class Installation:
    """The secret key of this installation, for hashes and seals."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Load the key from a private file; create the file if it is missing."""
        try:
            create_folder(path.parent)
            with suppress(FileExistsError):
                made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
                with os.fdopen(made, "wb") as file:
                    file.write(secrets.token_hex(_KEY_BYTES).encode() + b"\n")
            return cls(_read_key(path))
        except OSError as error:
            raise SnellenError(f"The guard's key {path} cannot be read or made: {error.strerror}.") from error

    def hash_parts(self, *parts: bytes, said: bool = False) -> str:
        """Hash the parts under the key; return 32 hexadecimal digits.

        Use `said=True` for text of clients and models: their hashes then differ from seals, so no text can imitate one.
        """
        made = hashlib.blake2b(key=self._key, digest_size=16, person=b"said" if said else b"")
        for part in parts:
            made.update(part)
        return made.hexdigest()


def _read_key(path: Path) -> bytes:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise SnellenError(f"The guard's key {path} can be read by others (mode {mode:o}). Run: chmod 600 {path}")
    try:
        key = bytes.fromhex(path.read_text("ascii").strip())
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise SnellenError(f"The guard's key {path} is damaged: expected 64 hexadecimal digits.")
    return key


class GuardLog:
    """A log open for writing; new lines are added at its end.

    `doubt` describes a problem with the existing log; empty if there is none.
    """

    doubt = ""

    def __init__(self, path: Path, installation: Installation) -> None:
        self.path, self._installation = path, installation
        try:
            create_folder(path.parent)
            self._file = open_handle(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise SnellenError(f"The log {path} cannot be written: {error.strerror}. Choose another --log.") from error
        self._held_alone()
        try:
            self.head = self._continue()
            self._head_file = open_handle(head_path(path), os.O_WRONLY | os.O_CREAT)
        except OSError as error:
            os.close(self._file)
            said = f"The head {head_path(path)} of the log cannot be written: {error.strerror}"
            raise SnellenError(f"{said}. Choose another --log.") from error

    def _held_alone(self) -> None:
        """Lock the log, because two guards writing to one log would break each other's seals."""
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise SnellenError(f"Another guard is writing to {self.path}. Choose another --log.") from error

    def _continue(self) -> Head:
        """Return the head to continue from, and end an incomplete last line after a crash.

        If lines were removed from the end, continue from the old head: the broken seal then stays visible.
        """
        head, found, last, line = read_head(self.path, self._installation), None, Head(0, ""), b"\n"
        with self.path.open("rb") as file:
            for line in file:
                if seal := _split_seal(line.rstrip(b"\n"))[1]:
                    last = Head(last.lines + 1, seal)
                    found = last if isinstance(head, Head) and seal == head.seal else found
        if not line.endswith(b"\n"):
            os.write(self._file, b"\n")
        if not isinstance(head, Head):
            self.doubt = HEADLESS[head] if last.lines else ""
            return last
        if found is None:
            self.doubt = "Lines were removed from the end of the log. Keep a copy of it and of its *.head file."
            return head
        return Head(head.lines + last.lines - found.lines, last.seal)

    def add(self, decision: GuardDecision) -> None:
        """Write one line, then the head; raise OSError if that fails."""
        content = orjson.dumps(decision)
        seal = self._installation.hash_parts(self.head.seal.encode(), content)
        line = content[:-1] + b',"seal":"' + seal.encode() + b'"}\n'
        if (written := os.write(self._file, line)) != len(line):
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise OSError("only part of a line could be written")
        self.head = Head(self.head.lines + 1, seal)
        # One short write replaces the old head: a crash leaves one of the two, and no disk space is needed.
        os.pwrite(self._head_file, self.head.format(self._installation), 0)

    def close(self) -> None:
        """Close the log, which also unlocks it."""
        os.close(self._file)
        os.close(self._head_file)


@dataclass(frozen=True)
class Head:
    """The number of lines written to a log, and the seal of the last one."""

    lines: int
    seal: str

    def format(self, installation: Installation) -> bytes:
        """Format the head with a keyed hash that proves it was written with the key."""
        said = f"{self.lines:020} {self.seal}".encode()
        return said + b" " + installation.hash_parts(b"head", said).encode() + b"\n"


def head_path(log: Path) -> Path:
    """Return the path of a log's head."""
    return log.with_name(f"{log.name}.head")


def read_head(log: Path, installation: Installation) -> Head | Literal["missing", "forged"]:
    """Read the head of a log; "forged" if it is invalid."""
    try:
        content = _read_plain(head_path(log))
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "forged"
    if not content:
        return "missing"
    match = re.fullmatch(rb"(\d{20}) (\w{32}) \w{32}\n", content)
    if match is None or (head := Head(int(match[1]), match[2].decode())).format(installation) != content:
        return "forged"
    return head


@dataclass(frozen=True)
class LogRead:
    """The decisions of a log, and the number of lines that are not valid decisions."""

    decisions: tuple[GuardDecision, ...]
    damaged: int = 0


@dataclass(frozen=True)
class SealCheck:
    """Result of checking a log's seals with the key.

    `broken` are line numbers, from 1: at or before each, a line was changed, inserted or removed. `torn` are lines
    that were not written completely. `cut` is True if the last line written is gone; `missing` is the number
    of lines that are gone. Both need a valid head. `last` is the last line present.
    """

    broken: tuple[int, ...] = ()
    torn: tuple[int, ...] = ()
    head: Literal["", "missing", "forged"] = ""
    cut: bool = False
    missing: int = 0
    last: Head = Head(0, "")


def read_log(path: Path) -> LogRead:
    """Read the decisions of a log; raise StoreError if it cannot be read."""
    try:
        lines = _read_plain(path).splitlines()
    except OSError as error:
        raise StoreError(f"The log {path} cannot be read: {error.strerror}.") from error
    read = [_read_decision(line) for line in lines if line.strip()]
    return LogRead(tuple(each for each in read if each is not None), read.count(None))


def check_seals(path: Path, installation: Installation) -> SealCheck:
    """Check the seal of every line of a log, and its head."""
    head = read_head(path, installation)  # first: a guard that still writes is ahead of it
    broken, torn, seals = [], [], [""]
    for number, line in enumerate(_read_plain(path).splitlines(), 1):
        content, seal = _split_seal(line)
        if not seal:
            torn.append(number)
            continue
        if installation.hash_parts(seals[-1].encode(), content) != seal:
            broken.append(number)
        seals.append(seal)
    checked = SealCheck(tuple(broken), tuple(torn), last=Head(len(seals) - 1, seals[-1]))
    if not isinstance(head, Head):
        return replace(checked, head=head)
    return replace(checked, cut=head.seal not in seals, missing=max(0, head.lines - checked.last.lines))


def _read_plain(path: Path) -> bytes:
    with open_plain(path) as file:
        return file.read()


def _split_seal(line: bytes) -> tuple[bytes, str]:
    """Split a line into content and seal; both empty if the line is incomplete."""
    match = re.fullmatch(rb'(\{.*),"seal":"(\w{32})"\}', line)
    return (match[1] + b"}", match[2].decode()) if match else (b"", "")


_FIELDS = {each.name: each.type for each in fields(GuardDecision)}
_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,), "Action": (str,), "bool": (bool,), "int": (int,), "float | None": (int, float, type(None)),
}  # fmt: skip


def _read_decision(line: bytes) -> GuardDecision | None:
    """Parse a decision, ignoring fields of later versions; None if it is invalid."""
    try:
        known = {name: value for name, value in orjson.loads(line).items() if name in _FIELDS}
        decision = GuardDecision(**known)
    except (orjson.JSONDecodeError, AttributeError, TypeError):
        return None
    typed = all(isinstance(value, _TYPES.get(str(_FIELDS[name]), (str,))) for name, value in known.items())
    return decision if typed and decision.status in get_args(Status) else None
