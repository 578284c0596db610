"""Ballots: the cases, raters and votes of a review, in a SQLite file beside the study or in a PostgreSQL database.

What is shown of a case and what it is about stand in two tables: whoever serves pages reads only the first. Votes are
never changed or deleted; of one rater's votes on a case the latest counts, and one that was taken back counts nothing.
"""

from __future__ import annotations

import hashlib
import random
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Protocol

import orjson

from snellen.errors import MissingExtraError, StoreError, StudyError
from snellen.review.case import BlindCase, DrawnCase, Passage, Subject
from snellen.review.task import Value
from snellen.review.tasks import TASKS, task_named

FILE = "review.sqlite"
HELD = 2 * 3600.0
"""Seconds for which a case that was shown and not voted on is kept for its rater, where others could read it."""
LOCK = 53_177
"""The number by which writers of one PostgreSQL database keep each other out."""
DAY = 86_400.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS reviews (task TEXT PRIMARY KEY, record TEXT NOT NULL, created DOUBLE PRECISION NOT NULL);
CREATE TABLE IF NOT EXISTS cases (
    number INTEGER PRIMARY KEY, task TEXT NOT NULL, shown TEXT NOT NULL, images TEXT NOT NULL, wanted INTEGER NOT NULL,
    state TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS subjects (number INTEGER PRIMARY KEY, record TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS raters (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE, settles INTEGER NOT NULL,
    created DOUBLE PRECISION NOT NULL, expires DOUBLE PRECISION NOT NULL, revoked DOUBLE PRECISION
);
CREATE TABLE IF NOT EXISTS assignments (
    rater INTEGER NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL,
    state TEXT NOT NULL, since DOUBLE PRECISION NOT NULL, PRIMARY KEY (rater, number)
);
CREATE INDEX IF NOT EXISTS assignments_of_a_case ON assignments (number, state);
CREATE TABLE IF NOT EXISTS votes (
    place INTEGER PRIMARY KEY, rater INTEGER NOT NULL, number INTEGER NOT NULL, nonce TEXT NOT NULL, value TEXT,
    seconds DOUBLE PRECISION NOT NULL, cast_at DOUBLE PRECISION NOT NULL, UNIQUE (rater, nonce)
);
CREATE INDEX IF NOT EXISTS votes_on_a_case ON votes (number, rater, place)
"""
OPEN, AGREED, DIFFERS, SETTLED = "open", "agreed", "differs", "settled"
"""What becomes of a case: it waits for votes, they agree, they do not, another rater has settled it."""
WAITING, SHOWN, VOTED, SKIPPED = "waiting", "shown", "voted", "skipped"
"""What becomes of a case for one rater; the last is also the key of a vote that says only: I cannot judge this."""


class Rater(NamedTuple):
    """Somebody who was invited; `settles` is who decides what others disagree on, and reads nothing else."""

    number: int
    name: str
    settles: bool
    created: float
    expires: float
    revoked: float | None


class Vote(NamedTuple):
    """What one rater said last of one case; `value` is None where the case was skipped."""

    case: int
    rater: str
    settles: bool
    value: Value | None
    seconds: float
    cast_at: float


class ReviewedCase(NamedTuple):
    """A case by its number, with what it is about, how many were to read it, and its votes, the latest last."""

    number: int
    task: str
    subject: Subject
    shown: BlindCase
    wanted: int
    state: str
    votes: tuple[Vote, ...]


class Progress(NamedTuple):
    """How far a rater is: cases voted on, cases left as things stand, and the usual seconds for one."""

    done: int
    left: int
    seconds: float


class _Database(Protocol):
    """What SQLite and PostgreSQL have in common."""

    def execute(self, query: str, values: Sequence[Any] = ()) -> Any: ...

    def close(self) -> None: ...


class Ballots:
    """The cases, raters and votes of one study's review. Threads may share one; several processes may open it."""

    def __init__(self, database: _Database, *, shared: bool) -> None:
        self._database = database
        self._lock = RLock()
        self._shared = shared
        with self._writing():
            for statement in SCHEMA.split(";\n"):
                self._run(statement)

    @classmethod
    def open(cls, place: str | Path) -> Ballots:
        """The ballots in a folder, or at a PostgreSQL address (`postgresql://…`)."""
        if str(place).startswith(("postgresql://", "postgres://")):
            return cls(_postgres(str(place)), shared=True)
        return cls(_sqlite(Path(place) / FILE), shared=False)

    @staticmethod
    def are_in(folder: str | Path) -> bool:
        """Whether a folder holds ballots."""
        return (Path(folder) / FILE).is_file()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Ballots:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def _run(self, query: str, *values: Any) -> Any:
        return self._database.execute(query.replace("?", "%s") if self._shared else query, values)

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            found: list[tuple[Any, ...]] = self._run(query, *values).fetchall()
            return found

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, with nobody else writing; on an error nothing of it is kept."""
        with self._lock:
            self._run("BEGIN" if self._shared else "BEGIN IMMEDIATE")
            try:
                if self._shared:
                    self._run("SELECT pg_advisory_xact_lock(?)", LOCK)
                yield
            except BaseException:
                self._run("ROLLBACK")
                raise
            self._run("COMMIT")

    # What is to be read -------------------------------------------------------------------------------------------

    def add_review(self, task: str, record: Mapping[str, Any], cases: Sequence[DrawnCase]) -> int:
        """Note a task's plan and the cases that were drawn; how many of them are new. Cases known already stay."""
        task_named(task)
        with self._writing():
            values = (task, orjson.dumps(record).decode(), time.time())
            self._run(
                "INSERT INTO reviews VALUES (?, ?, ?) ON CONFLICT (task) DO UPDATE SET record = excluded.record",
                *values,
            )
            known = {record for (record,) in self._run("SELECT record FROM subjects").fetchall()}
            number = self._run("SELECT coalesce(max(number), 0) FROM cases").fetchone()[0]
            added = []
            for drawn in cases:
                subject = orjson.dumps([task, tuple(drawn.subject)]).decode()
                if subject in known:
                    continue
                number += 1
                known.add(subject)
                added.append(number)
                row = (number, task, drawn.shown.json, orjson.dumps(drawn.images).decode(), drawn.wanted, OPEN)
                self._run("INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?)", *row)
                self._run("INSERT INTO subjects VALUES (?, ?)", number, subject)
            for rater in self._raters():
                self._assign(rater.number, added)
        return len(added)

    def reviews(self) -> dict[str, dict[str, Any]]:
        """The plans of the tasks that were set up."""
        return {task: orjson.loads(record) for task, record in self._rows("SELECT task, record FROM reviews")}

    def _assign(self, rater: int, cases: Iterable[int]) -> None:
        """Cases for a rater, after those that there are, in an order and under ids that are this rater's own."""
        order = list(cases)
        random.SystemRandom().shuffle(order)
        (after,) = self._run("SELECT coalesce(max(place), 0) FROM assignments WHERE rater = ?", rater).fetchone()
        for place, number in enumerate(order, start=after + 1):
            row = (rater, number, secrets.token_hex(8), place, WAITING, 0.0)
            self._run("INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?)", *row)

    # Who reads ----------------------------------------------------------------------------------------------------

    def invite(self, name: str, *, settles: bool = False, days: float = 14.0) -> str:
        """A new token for a rater, the only one that counts from now on; it is not kept, only its hash."""
        if not name.strip() or len(name) > 80:
            raise StudyError(f"A rater needs a name of 1 to 80 characters, got {name!r:.90}.")
        token, now = secrets.token_urlsafe(24), time.time()
        with self._writing():
            known = self._run("SELECT number FROM raters WHERE name = ?", name).fetchone()
            if known:
                self._run(
                    "UPDATE raters SET token = ?, settles = ?, expires = ?, revoked = NULL WHERE number = ?",
                    _hash(token), int(settles), now + days * DAY, known[0],
                )  # fmt: skip
                return token
            number = self._run("SELECT coalesce(max(number), 0) + 1 FROM raters").fetchone()[0]
            row = (number, name, _hash(token), int(settles), now, now + days * DAY, None)
            self._run("INSERT INTO raters VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
            for task in TASKS:
                cases = self._run("SELECT number FROM cases WHERE task = ?", task).fetchall()
                self._assign(number, (case for (case,) in cases))
        return token

    def revoke(self, name: str) -> bool:
        """Let a rater's link lead nowhere from now on; whether there was one. What they voted stays."""
        with self._writing():
            if not self._run("SELECT 1 FROM raters WHERE name = ?", name).fetchone():
                return False
            self._run("UPDATE raters SET revoked = ? WHERE name = ?", time.time(), name)
            return True

    def raters(self) -> list[Rater]:
        """Everybody who was invited."""
        with self._lock:
            return self._raters()

    def _raters(self) -> list[Rater]:
        query = "SELECT number, name, settles, created, expires, revoked FROM raters ORDER BY number"
        return [Rater(row[0], row[1], bool(row[2]), *row[3:]) for row in self._run(query).fetchall()]

    def rater(self, token: str) -> Rater | None:
        """Whose token this is, if it still counts."""
        query = (
            "SELECT number, name, settles, created, expires, revoked FROM raters "
            "WHERE token = ? AND revoked IS NULL AND expires > ?"
        )
        found = self._rows(query, _hash(token), time.time())
        return Rater(found[0][0], found[0][1], bool(found[0][2]), *found[0][3:]) if found else None

    # What is read -------------------------------------------------------------------------------------------------

    def next_case(self, rater: Rater) -> BlindCase | None:
        """The case that a rater is to read now: one that was shown and has no vote yet, or the next that needs one."""
        with self._writing():
            found = self._run(_SHOWN, rater.number).fetchone()
            if not found:
                query = _TO_SETTLE if rater.settles else _TO_READ
                values = (rater.number,) if rater.settles else (rater.number, time.time() - HELD)
                found = self._run(query, *values).fetchone()
            if not found:
                return None
            number, id_ = found
            self._run(
                "UPDATE assignments SET state = ?, since = ? WHERE rater = ? AND number = ?",
                SHOWN, time.time(), rater.number, number,
            )  # fmt: skip
            return self._case(rater, number, id_)

    def case(self, rater: Rater, id_: str) -> BlindCase | None:
        """A case that this rater was shown, by the id it has for them; None for every other."""
        with self._lock:
            number = self._number(rater, id_)
            return None if number is None else self._case(rater, number, id_)

    def image(self, rater: Rater, id_: str, place: int) -> str | None:
        """The sha256 of an image of a case that this rater was shown."""
        with self._lock:
            number = self._number(rater, id_)
            if number is None:
                return None
            images: list[str] = orjson.loads(
                self._run("SELECT images FROM cases WHERE number = ?", number).fetchone()[0]
            )
            return images[place] if 0 <= place < len(images) else None

    def _number(self, rater: Rater, id_: str) -> int | None:
        query = "SELECT number FROM assignments WHERE rater = ? AND id = ? AND state <> ?"
        found = self._run(query, rater.number, id_, WAITING).fetchone()
        return int(found[0]) if found else None

    def _case(self, rater: Rater, number: int, id_: str) -> BlindCase:
        case = BlindCase.of(id_, self._run("SELECT shown FROM cases WHERE number = ?", number).fetchone()[0])
        candidates = TASKS[case.task].candidates
        if not rater.settles or not candidates:
            return case
        answers = sorted({str(vote[candidates]) for _, vote in self._counted(number) if vote and vote.get(candidates)})
        random.Random(id_).shuffle(answers)
        given = tuple(Passage(f"Answer {place}", answer) for place, answer in enumerate(answers, start=1))
        return BlindCase(
            id_, case.task, case.question, case.context, case.options, (*case.passages, *given), case.images
        )

    def cast(self, rater: Rater, id_: str, value: Value | None, *, nonce: str, seconds: float = 0.0) -> bool:
        """Keep a vote on a case that this rater was shown; None skips the case. Whether it is new.

        `nonce` is the page's: the same vote that is sent twice is kept once.
        """
        with self._writing():
            number = self._number(rater, id_)
            if number is None:
                raise StudyError("There is no such case for you. Open your link again.")
            task = task_named(self._run("SELECT task FROM cases WHERE number = ?", number).fetchone()[0])
            kept = {SKIPPED: True} if value is None else task.checked(value)
            return self._keep(rater, number, nonce, kept, seconds, SKIPPED if value is None else VOTED)

    def take_back(self, rater: Rater, *, nonce: str) -> BlindCase | None:
        """The case that this rater voted on last, to be voted on again; its vote counts no more. None without one."""
        with self._writing():
            query = "SELECT number, id FROM assignments WHERE rater = ? AND state IN (?, ?) ORDER BY since DESC LIMIT 1"
            found = self._run(query, rater.number, VOTED, SKIPPED).fetchone()
            if not found:
                return None
            self._keep(rater, found[0], nonce, None, 0.0, SHOWN)
            return self._case(rater, found[0], found[1])

    def _keep(self, rater: Rater, number: int, nonce: str, value: Value | None, seconds: float, state: str) -> bool:
        now = time.time()
        if self._run("SELECT 1 FROM votes WHERE rater = ? AND nonce = ?", rater.number, nonce).fetchone():
            return False
        said = None if value is None else orjson.dumps(value).decode()
        (place,) = self._run("SELECT coalesce(max(place), 0) + 1 FROM votes").fetchone()
        row = (place, rater.number, number, nonce, said, seconds, now)
        self._run("INSERT INTO votes VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
        self._run(
            "UPDATE assignments SET state = ?, since = ? WHERE rater = ? AND number = ?",
            state, now, rater.number, number,
        )  # fmt: skip
        self._decide(number)
        return True

    def _decide(self, number: int) -> None:
        """What a case has come to with the votes that there are."""
        name, wanted = self._run("SELECT task, wanted FROM cases WHERE number = ?", number).fetchone()
        task, counted = task_named(name), self._counted(number)
        read = [vote for settles, vote in counted if not settles and vote is not None]
        if any(settles and vote is not None for settles, vote in counted):
            state = SETTLED
        elif len(read) < wanted:
            state = OPEN
        elif not task.settles or not task.differ(read):
            state = AGREED
        else:
            state = SETTLED if len(read) > wanted and task.most_say(read) is not None else DIFFERS
        self._run("UPDATE cases SET state = ? WHERE number = ?", state, number)

    def _counted(self, number: int) -> list[tuple[bool, Value | None]]:
        """The votes on a case that count: who settles, and what was said, None where it was skipped."""
        rows = self._run(f"{_LATEST_ON_ONE} ORDER BY v.place", number, number).fetchall()
        return [(bool(row[2]), _said(row[3])) for row in rows if row[3] is not None]

    def progress(self, rater: Rater) -> Progress:
        """How far a rater is, and how long a case usually takes them."""
        with self._lock:
            query = "SELECT state, count(*) FROM assignments WHERE rater = ? GROUP BY state"
            counts = dict(self._run(query, rater.number).fetchall())
            done, shown = counts.get(VOTED, 0) + counts.get(SKIPPED, 0), counts.get(SHOWN, 0)
            open_ = _ALL_TO_SETTLE if rater.settles else _ALL_TO_READ
            values = (rater.number,) if rater.settles else (rater.number, time.time() - HELD)
            left = shown + int(self._run(open_, *values).fetchone()[0])
            query = "SELECT seconds FROM votes WHERE rater = ? AND seconds > 0 ORDER BY cast_at DESC LIMIT 20"
            spent = sorted(row[0] for row in self._run(query, rater.number).fetchall())
        return Progress(done, left, spent[len(spent) // 2] if spent else 0.0)

    # What was said ------------------------------------------------------------------------------------------------

    def read(self, task: str) -> list[ReviewedCase]:
        """All cases of a task, with what they are about and the votes that count."""
        with self._lock:
            votes: dict[int, list[Vote]] = {}
            query = f"{_LATEST} JOIN cases c ON c.number = v.number WHERE c.task = ? ORDER BY v.place"
            for number, name, settles, value, seconds, cast_at in self._run(query, task).fetchall():
                if value is not None:
                    vote = Vote(number, name, bool(settles), _said(value), seconds, cast_at)
                    votes.setdefault(number, []).append(vote)
            query = (
                "SELECT c.number, s.record, c.shown, c.wanted, c.state FROM cases c JOIN subjects s "
                "ON s.number = c.number WHERE c.task = ? ORDER BY c.number"
            )
            return [
                ReviewedCase(
                    number, task, Subject(*orjson.loads(record)[1]), BlindCase.of(str(number), shown), wanted, state,
                    tuple(votes.get(number, ())),
                )
                for number, record, shown, wanted, state in self._run(query, task).fetchall()
            ]  # fmt: skip


_LATEST = (
    "SELECT v.number, r.name, r.settles, v.value, v.seconds, v.cast_at FROM votes v "
    "JOIN raters r ON r.number = v.rater "
    "JOIN (SELECT max(place) AS place FROM votes GROUP BY rater, number) l ON l.place = v.place"
)
_LATEST_ON_ONE = (
    "SELECT v.number, r.name, r.settles, v.value FROM votes v JOIN raters r ON r.number = v.rater WHERE v.number = ? "
    "AND v.place IN (SELECT max(place) FROM votes WHERE number = ? GROUP BY rater)"
)
_SHOWN = "SELECT number, id FROM assignments WHERE rater = ? AND state = 'shown' ORDER BY since LIMIT 1"
_TO_READ_FROM = (
    "FROM assignments a JOIN cases c ON c.number = a.number WHERE a.rater = ? AND a.state = 'waiting' AND "
    "(SELECT count(*) FROM assignments o JOIN raters r ON r.number = o.rater WHERE o.number = a.number AND "
    "r.settles = 0 AND (o.state = 'voted' OR (o.state = 'shown' AND o.since > ?))) < c.wanted + "
    "(CASE WHEN c.state = 'differs' AND NOT EXISTS (SELECT 1 FROM raters WHERE settles = 1 AND revoked IS NULL) "
    "THEN 1 ELSE 0 END)"
)
_TO_SETTLE_FROM = (
    "FROM assignments a JOIN cases c ON c.number = a.number "
    "WHERE a.rater = ? AND a.state = 'waiting' AND c.state = 'differs'"
)
_TO_READ = f"SELECT a.number, a.id {_TO_READ_FROM} ORDER BY a.place LIMIT 1"
_TO_SETTLE = f"SELECT a.number, a.id {_TO_SETTLE_FROM} ORDER BY a.place LIMIT 1"
_ALL_TO_READ = f"SELECT count(*) {_TO_READ_FROM}"
_ALL_TO_SETTLE = f"SELECT count(*) {_TO_SETTLE_FROM}"


def _said(value: str) -> Value | None:
    said: dict[str, Any] = orjson.loads(value)
    return None if said.get(SKIPPED) is True else said


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _sqlite(path: Path) -> _Database:
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        raise StoreError(
            f"{path} cannot be used for votes: {error}. Choose a folder that can be written to."
        ) from error
    return connection


def _postgres(address: str) -> _Database:
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError("psycopg", "postgres") from error
    connect: Callable[..., Any] = psycopg.connect
    try:
        database: _Database = connect(address, autocommit=True)
    except psycopg.Error as error:
        raise StoreError(
            f"The PostgreSQL database cannot be reached: {str(error).splitlines()[0]}. Check the address "
            "(postgresql://USER@HOST/NAME) and that the server runs."
        ) from error
    return database
