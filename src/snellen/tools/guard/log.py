"""The guard's log: one line per decision, only ever added to, with no word, image or key of anybody in it.

Queries and replies stand in it as hashes under a key of this installation. Equal ones can be counted; nobody without
the key can try out what they held. Every line seals the one before: a line that was changed or taken out is noticed.
A file beside the log, its head, says under the same key how many lines were written and what the last seal is: so a
log that was cut off at its end is noticed as well. Whoever holds the key can write both anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Self, get_args

import orjson

from snellen.errors import SnellenError, StoreError
from snellen.files import PRIVATE_FILE, create_folder, open_handle, open_plain
from snellen.models.secrets import environment_secrets, masking

Status = Literal["moved", "unmoved", "undecided", "unchecked"]
Action = Literal["passed", "annotated", "warned", "blocked", "held back"]
REASONS = {
    "": "decided",
    "not drawn": "the rate left it out",
    "several replies": "the query asks for several replies",
    "tools": "the query offers tools",
    "earlier turns": "the query holds earlier replies",
    "no words": "the query holds no words",
    "other parts": "the query holds parts or fields that the guard does not know",
    "image in the text": "the text of the query may hold an image",
    "other model": "the query names another model",
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
HEADLESS = {
    "missing": "The log has no head beside it (*.head), so that lines cut off at its end are not noticed.",
    "forged": "The head beside the log (*.head) is damaged or of another key, so that lines may be cut off at its end.",
}
"""What is said of a log whose end cannot be checked."""
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
    """A model's name where it looks like one: clients choose it, and could write anything, even a key.

    >>> model_name("openai/gpt-5"), model_name("Mrs Jones, born 1950"), model_name("sk-proj-9f3a77c0")
    ('openai/gpt-5', '', '')
    """
    known = isinstance(given, str) and _NAME.fullmatch(given) and not masking(environment_secrets()).search(given)
    return str(given) if known else ""


class Installation:
    """The key of this installation, under which everything is hashed."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def at(cls, path: Path) -> Self:
        """The key in a file that only its owner can read; it is made where there is none."""
        try:
            create_folder(path.parent)
            try:
                made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
            except FileExistsError:
                return cls(_read_key(path))
            with os.fdopen(made, "wb") as file:
                file.write(secrets.token_hex(_KEY_BYTES).encode() + b"\n")
            return cls(_read_key(path))
        except OSError as error:
            raise SnellenError(f"The guard's key {path} cannot be read or made: {error.strerror}.") from error

    def hashed(self, *parts: bytes, said: bool = False) -> str:
        """The hash of something under the key, in 32 hexadecimal digits.

        What clients and models `said` is hashed apart from seals: they could say what makes a seal otherwise.
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
    except ValueError as error:
        raise SnellenError(f"The guard's key {path} is damaged: expected 64 hexadecimal digits.") from error
    if len(key) != _KEY_BYTES:
        raise SnellenError(f"The guard's key {path} is damaged: expected 64 hexadecimal digits.")
    return key


class Log:
    """A log that is being written: lines are added at its end, each in one piece.

    `doubt` is what seems wrong with the log that was there; empty where nothing does.
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

    def _continue(self) -> Head:
        """The head that the log goes on from; a line that a crash cut off is closed, so that the next begins anew.

        After a cut the log goes on from the old head, so that the next seal tells of the cut for ever.
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
            self.doubt = "The log was cut off at its end since the last guard wrote to it. Keep a copy of both files."
            return head
        return Head(head.lines + last.lines - found.lines, last.seal)

    def add(self, decision: Decision) -> None:
        """Write one line, then the head; raises OSError where that cannot be done."""
        content = orjson.dumps(decision)
        seal = self._installation.hashed(self.head.seal.encode(), content)
        line = content[:-1] + b',"seal":"' + seal.encode() + b'"}\n'
        if (written := os.write(self._file, line)) != len(line):
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise OSError("the log took only a part of a line")
        self.head = Head(self.head.lines + 1, seal)
        # One short write over the last one: a kill leaves either, and a full disk has room for it.
        os.pwrite(self._head_file, self.head.format(self._installation), 0)

    def close(self) -> None:
        """Let go of the log."""
        os.close(self._file)
        os.close(self._head_file)


@dataclass(frozen=True)
class Head:
    """How many lines a log was given, and the seal of the last."""

    lines: int
    seal: str

    def format(self, installation: Installation) -> bytes:
        """The line of the head's file, always of one length, with a proof that the key's owner wrote it."""
        said = f"{self.lines:020} {self.seal}".encode()
        return said + b" " + installation.hashed(b"head", said).encode() + b"\n"


def head_path(log: Path) -> Path:
    """The file beside a log that holds its head."""
    return log.with_name(f"{log.name}.head")


def read_head(log: Path, installation: Installation) -> Head | Literal["missing", "forged"]:
    """The head of a log."""
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
    """What a log holds: its decisions, and how many lines are no decision."""

    decisions: tuple[Decision, ...]
    damaged: int = 0


@dataclass(frozen=True)
class SealCheck:
    """What the key shows of a log.

    `broken` are the lines, counted from 1, in or before which something was changed, put in or taken out; `torn` those
    that were not written whole. `cut` says whether the last line that was written is gone, and `missing` how many of
    all lines are, both as far as there is a `head`. `last` is the last line that is there.
    """

    broken: tuple[int, ...] = ()
    torn: tuple[int, ...] = ()
    head: Literal["", "missing", "forged"] = ""
    cut: bool = False
    missing: int = 0
    last: Head = Head(0, "")


def read_log(path: Path) -> LogRead:
    """The decisions of a log; raises StoreError where there is none."""
    try:
        lines = _read_plain(path).splitlines()
    except OSError as error:
        raise StoreError(f"The log {path} cannot be read: {error.strerror}.") from error
    read = [_decision(_row(line)) for line in lines if line.strip()]
    return LogRead(tuple(each for each in read if each is not None), sum(each is None for each in read))


def check_seals(path: Path, installation: Installation) -> SealCheck:
    """Check every line of a log against the one before, and its end against its head."""
    head = read_head(path, installation)  # first: a guard that still writes is ahead of it
    broken, torn, seals = [], [], [""]
    for number, line in enumerate(_read_plain(path).splitlines(), 1):
        content, seal = _split_seal(line)
        if not seal:
            torn.append(number)
            continue
        if installation.hashed(seals[-1].encode(), content) != seal:
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
    """What a line says, and its seal; empty where it is not whole."""
    match = re.fullmatch(rb'(\{.*),"seal":"(\w{32})"\}', line)
    return (match[1] + b"}", match[2].decode()) if match else (b"", "")


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
