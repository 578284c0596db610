"""Ballots: the cases, raters and votes of a review, in a SQLite file beside the study or in a PostgreSQL database.

What is shown of a case, how it stands and what it is about are three tables: whoever serves pages never reads the last.
Votes are never changed or deleted; of one rater's votes on a case the latest counts, and one that was taken back counts
nothing. A vote is on the disk when `cast` returns, or `together` where that was called around it.
"""

from __future__ import annotations

import hashlib
import random
import re
import secrets
import sqlite3
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Protocol, TypeVar

import orjson

from snellen.errors import MissingExtraError, StoreError, StudyError
from snellen.files import create_file
from snellen.store.files import damaged, find_damage
from snellen.store.shapes import read_record
from snellen.tools.review.case import BlindCase, DrawnCase, Passage, Subject, read_subject
from snellen.tools.review.task import Value
from snellen.tools.review.tasks import TASKS, task_named

FILE = "review.sqlite"
HELD = 2 * 3600.0
"""Seconds for which a case that was shown and not voted on is kept for its rater, where others could read it."""
BETWEEN_RELEASES = 60.0
"""Seconds between two looks for cases that were kept long enough."""
LOCK = 53_177
"""The number by which writers of one PostgreSQL database keep each other out."""
DAY = 86_400.0
LONGEST = DAY
"""Seconds that a case is said to have taken, at most."""
FORM = "1"
"""The form of the tables, noted in them."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS reviews (task TEXT PRIMARY KEY, record TEXT NOT NULL, created DOUBLE PRECISION NOT NULL);
CREATE TABLE IF NOT EXISTS cases (
    number INTEGER PRIMARY KEY, task TEXT NOT NULL, wanted INTEGER NOT NULL, state TEXT NOT NULL, needs INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS cases_in_need ON cases (needs);
CREATE TABLE IF NOT EXISTS contents (number INTEGER PRIMARY KEY, shown TEXT NOT NULL, images TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS subjects (number INTEGER PRIMARY KEY, record TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS raters (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE, settles INTEGER NOT NULL,
    created DOUBLE PRECISION NOT NULL, expires DOUBLE PRECISION NOT NULL, revoked DOUBLE PRECISION
);
CREATE TABLE IF NOT EXISTS assignments (
    rater INTEGER NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL,
    state TEXT NOT NULL, since DOUBLE PRECISION NOT NULL, held INTEGER NOT NULL, turn INTEGER NOT NULL,
    PRIMARY KEY (rater, number)
);
CREATE INDEX IF NOT EXISTS assignments_in_order ON assignments (rater, state, place);
CREATE INDEX IF NOT EXISTS assignments_in_turn ON assignments (rater, turn);
CREATE INDEX IF NOT EXISTS assignments_of_a_case ON assignments (number, state);
CREATE INDEX IF NOT EXISTS assignments_held ON assignments (since) WHERE held = 1;
CREATE TABLE IF NOT EXISTS votes (
    place INTEGER PRIMARY KEY, rater INTEGER NOT NULL, number INTEGER NOT NULL, nonce TEXT NOT NULL, value TEXT,
    seconds DOUBLE PRECISION NOT NULL, cast_at DOUBLE PRECISION NOT NULL, UNIQUE (rater, nonce)
);
CREATE INDEX IF NOT EXISTS votes_of_a_rater ON votes (rater, place);
CREATE INDEX IF NOT EXISTS votes_on_a_case ON votes (number, rater, place)
"""
OPEN, AGREED, DIFFERS, SETTLED = "open", "agreed", "differs", "settled"
"""What becomes of a case: it waits for votes, they agree, they do not, another rater has settled it."""
NOBODY, A_READER, A_SETTLER, ONLY_A_SETTLER = range(4)
"""Whom a case needs now. One that needs a settler takes one more reader where there is no settler, but only one."""
WAITING, SHOWN, VOTED, SKIPPED = "waiting", "shown", "voted", "skipped"
"""What becomes of a case for one rater; the last is also the key of a vote that says only: I cannot judge this."""
_LAST = 2**31 - 1
_NONCE = re.compile(r"[!-~]{1,100}")
_ID = re.compile(r"[0-9a-f]{16}")
Made = TypeVar("Made")


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
    """A case by its number, with what it is about, how many were to read it, and its votes.

    They stand in the order in which raters first judged it: who changes a vote does not become a later reader by that.
    """

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


class Turn(NamedTuple):
    """What a rater has before them: a case, or None where nothing is left; what they said of it before; how far they
    are; and the ids of the cases that they were shown before and after it.
    """

    case: BlindCase | None
    said: Value | None
    progress: Progress
    earlier: str = ""
    later: str = ""


class _Database(Protocol):
    """What SQLite and PostgreSQL have in common."""

    shared: bool

    def execute(self, query: str, values: Sequence[Any] = ()) -> Any: ...

    def execute_all(self, query: str, rows: Sequence[Sequence[Any]]) -> None: ...

    def reopen(self) -> None: ...

    def close(self) -> None: ...


class _LostError(StoreError):
    """The connection to the database is gone; what was not committed is not kept."""


class Ballots:
    """The cases, raters and votes of one study's review. Threads may share one; several processes may open it."""

    id: str
    """What tells this review from any other."""

    def __init__(self, database: _Database) -> None:
        self._database = database
        self._lock = RLock()
        self._inside = False
        self._release_at = 0.0
        self.together(self._make_tables)

    @classmethod
    def open(cls, place: str | Path, *, study: str = "") -> Ballots:
        """The ballots in a folder, or at a PostgreSQL address (`postgresql://…`).

        `study` says whose review it is, such as its name and when it was added; StudyError where they are another's.
        """
        ballots = cls(_Postgres(str(place)) if is_address(place) else _Sqlite(Path(place) / FILE))
        try:
            if study:
                ballots.together(lambda: ballots._belong_to(study))
        except BaseException:
            ballots.close()
            raise
        return ballots

    @staticmethod
    def are_in(folder: str | Path) -> bool:
        """Whether a folder holds ballots."""
        return (Path(folder) / FILE).is_file()

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            self._database.close()

    def __enter__(self) -> Ballots:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def _run(self, query: str, *values: Any) -> Any:
        return self._database.execute(query.replace("?", "%s") if self._database.shared else query, values)

    def _run_all(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        self._database.execute_all(query.replace("?", "%s") if self._database.shared else query, rows)

    def together(self, work: Callable[[], Made]) -> Made:
        """Do some work in one transaction, with nobody else writing; on an error nothing of it is kept.

        Where the connection was lost, it is opened again and the work is done once more.
        """
        with self._lock:
            if self._inside:
                return work()
            try:
                return self._transaction(work)
            except _LostError:
                self._database.reopen()
                return self._transaction(work)

    def _transaction(self, work: Callable[[], Made]) -> Made:
        self._run("BEGIN" if self._database.shared else "BEGIN IMMEDIATE")
        self._inside = True
        try:
            if self._database.shared:
                self._run("SELECT pg_advisory_xact_lock(?)", LOCK)
            done = work()
            self._run("COMMIT")
            return done
        except _LostError:
            raise
        except BaseException:
            self._run("ROLLBACK")
            raise
        finally:
            self._inside = False

    def _make_tables(self) -> None:
        for statement in SCHEMA.split(";\n"):
            self._run(statement)
        self._run("INSERT INTO about VALUES ('form', ?) ON CONFLICT (name) DO NOTHING", FORM)
        self._run("INSERT INTO about VALUES ('id', ?) ON CONFLICT (name) DO NOTHING", secrets.token_hex(8))
        (self.id,) = self._run("SELECT value FROM about WHERE name = 'id'").fetchone()
        (form,) = self._run("SELECT value FROM about WHERE name = 'form'").fetchone()
        if form != FORM:
            raise StoreError(
                f"These votes were kept by another version of snellen (form {form}). Upgrade to read them."
            )

    def _belong_to(self, study: str) -> None:
        self._run("INSERT INTO about VALUES ('study', ?) ON CONFLICT (name) DO NOTHING", study)
        (other,) = self._run("SELECT value FROM about WHERE name = 'study'").fetchone()
        if other != study:
            raise StudyError(
                f"The database holds the review of another study ({other}), not of this one ({study}). One database "
                "holds the review of one study: make another one and name it with --database."
            )

    # What is to be read -------------------------------------------------------------------------------------------

    def add_review(self, task: str, record: Mapping[str, Any], cases: Sequence[DrawnCase]) -> int:
        """Note a task's plan and the cases that were drawn; how many of them are new. Cases known already stay."""
        task_named(task)
        return self.together(lambda: self._add_review(task, record, cases))

    def _add_review(self, task: str, record: Mapping[str, Any], cases: Sequence[DrawnCase]) -> int:
        known = {record for (record,) in self._run("SELECT record FROM subjects").fetchall()}
        number = self._run("SELECT coalesce(max(number), 0) FROM cases").fetchone()[0]
        added: dict[str, DrawnCase] = {}
        for drawn in cases:
            subject = orjson.dumps([task, tuple(drawn.subject)]).decode()
            if subject not in known:
                added.setdefault(subject, drawn)
        new = [(number + place, subject, drawn) for place, (subject, drawn) in enumerate(added.items(), start=1)]
        self._run_all(
            "INSERT INTO cases VALUES (?, ?, ?, ?, ?)",
            [(number, task, drawn.wanted, OPEN, A_READER) for number, _, drawn in new],
        )
        self._run_all(
            "INSERT INTO contents VALUES (?, ?, ?)",
            [(number, drawn.shown.json, orjson.dumps(drawn.images).decode()) for number, _, drawn in new],
        )
        self._run_all("INSERT INTO subjects VALUES (?, ?)", [(number, subject) for number, subject, _ in new])
        for rater in self._raters():
            self._assign(rater.number, (number for number, _, _ in new))
        self._note_plan(task, record, known | set(added), new=bool(new))
        return len(new)

    def _note_plan(self, task: str, record: Mapping[str, Any], subjects: Iterable[str], *, new: bool) -> None:
        """Note by which plan cases were drawn; one that adds none changes nothing; what others drew counts.

        Earlier cases are a random part only of what they were drawn from, so that this stays.
        """
        before = self._run("SELECT record FROM reviews WHERE task = ?", task).fetchone()
        if before and not new:
            return
        earlier = orjson.loads(before[0]) if before else {}
        among = {name: each for name, each in earlier.items() if name == "among"}
        of_task = [read_subject(each) for each in subjects if orjson.loads(each)[0] == task]
        drawn = Counter(subject.stratum for subject in of_task)
        strata = [{**each, "drawn": drawn[each["stratum"]]} for each in record.get("strata", ())]
        counts = {"strata": strata, "cases": len(of_task)} if strata else {}
        self._run(
            "INSERT INTO reviews VALUES (?, ?, ?) ON CONFLICT (task) DO UPDATE SET record = excluded.record",
            task, orjson.dumps({**record, **counts, **among}).decode(), time.time(),
        )  # fmt: skip

    def reviews(self) -> dict[str, dict[str, Any]]:
        """The plans of the tasks that were set up."""
        rows = self.together(lambda: self._run("SELECT task, record FROM reviews ORDER BY created").fetchall())
        return {task: read_record(record, {str: object}, "a review") for task, record in rows}

    def _assign(self, rater: int, cases: Iterable[int]) -> None:
        """Cases for a rater, after those that there are, in an order and under ids that are this rater's own."""
        order = list(cases)
        random.SystemRandom().shuffle(order)
        (after,) = self._run("SELECT coalesce(max(place), 0) FROM assignments WHERE rater = ?", rater).fetchone()
        rows = [
            (rater, number, secrets.token_hex(8), place, WAITING, 0.0, 0, 0)
            for place, number in enumerate(order, start=after + 1)
        ]
        self._run_all("INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    # Who reads ----------------------------------------------------------------------------------------------------

    def invite(self, name: str, *, settles: bool = False, days: float = 14.0) -> str:
        """A new token for a rater, the only one that counts from now on; it is not kept, only its hash."""
        if not ((known_by := called(name)) and name.isprintable() and len(name) <= 80):
            raise StudyError(f"A rater needs a name of 1 to 80 letters that can be printed, got {name!r:.90}.")
        return self.together(lambda: self._invite(known_by, settles, days))

    def _invite(self, name: str, settles: bool, days: float) -> str:
        token, now = secrets.token_urlsafe(24), time.time()
        known = self._run("SELECT number, settles FROM raters WHERE name = ?", name).fetchone()
        if known:
            self._check_role(known[0], name, before=bool(known[1]), settles=settles)
            self._run(
                "UPDATE raters SET token = ?, settles = ?, expires = ?, revoked = NULL WHERE number = ?",
                _hash(token), int(settles), now + days * DAY, known[0],
            )  # fmt: skip
            if bool(known[1]) != settles:
                self._decide_all_of(known[0])
            return token
        number = self._run("SELECT coalesce(max(number), 0) + 1 FROM raters").fetchone()[0]
        row = (number, name, _hash(token), int(settles), now, now + days * DAY, None)
        self._run("INSERT INTO raters VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
        for task in TASKS:
            cases = self._run("SELECT number FROM cases WHERE task = ?", task).fetchall()
            self._assign(number, (case for (case,) in cases))
        return token

    def _check_role(self, rater: int, name: str, *, before: bool, settles: bool) -> None:
        """Refuse another role to who has voted: what they read on their own would count as settled, or the reverse."""
        if before == settles or not self._run("SELECT 1 FROM votes WHERE rater = ? LIMIT 1", rater).fetchone():
            return
        was, wanted = ("settler", "reader") if before else ("reader", "settler")
        raise StudyError(
            f"{name} has voted as a {was}, and these votes cannot count as those of a {wanted}. Let somebody else be "
            f"the {wanted}."
        )

    def revoke(self, name: str) -> bool:
        """Let a rater's link lead nowhere from now on; whether there was one. What they voted stays."""
        return name.isprintable() and self.together(lambda: self._revoke(called(name)))

    def _revoke(self, name: str) -> bool:
        known = self._run("SELECT number FROM raters WHERE name = ?", name).fetchone()
        if not known:
            return False
        self._run("UPDATE raters SET revoked = ? WHERE number = ?", time.time(), known[0])
        self._run("UPDATE assignments SET held = 0 WHERE rater = ?", known[0])
        self._decide_all_of(known[0])
        return True

    def _decide_all_of(self, rater: int) -> None:
        query = "SELECT number FROM assignments WHERE rater = ? AND state <> ?"
        for (number,) in self._run(query, rater, WAITING).fetchall():
            self._decide(number)

    def raters(self) -> list[Rater]:
        """Everybody who was invited."""
        return self.together(self._raters)

    def _raters(self) -> list[Rater]:
        query = "SELECT number, name, settles, created, expires, revoked FROM raters ORDER BY number"
        return [Rater(row[0], row[1], bool(row[2]), *row[3:]) for row in self._run(query).fetchall()]

    def rater(self, token: str) -> Rater | None:
        """Whose token this is, if it still counts."""
        query = (
            "SELECT number, name, settles, created, expires, revoked FROM raters "
            "WHERE token = ? AND revoked IS NULL AND expires > ?"
        )
        row = self.together(lambda: self._run(query, _hash(token), time.time()).fetchone())
        return Rater(row[0], row[1], bool(row[2]), *row[3:]) if row else None

    # What is read -------------------------------------------------------------------------------------------------

    def turn(self, rater: Rater, id_: str | None = None) -> Turn | None:
        """What a rater is to have before them now, or a case that they were shown; None for an id of no such case."""
        return self.together(lambda: self._turn(rater, id_))

    def _turn(self, rater: Rater, id_: str | None) -> Turn | None:
        found = self._next(rater) if id_ is None else self._shown(rater, id_)
        if found is None and id_ is not None:
            return None
        progress, earlier, later = self._standing(rater, found.turn if found else _LAST)
        if found is None:
            return Turn(None, None, progress, earlier)
        said = self._said(rater, found.number) if found.again else None
        return Turn(self._case(rater, found), said, progress, earlier, later)

    def next_case(self, rater: Rater) -> BlindCase | None:
        """The case that a rater is to read now: one that was shown and has no vote yet, or the next that needs one."""

        def find() -> BlindCase | None:
            found = self._next(rater)
            return self._case(rater, found) if found else None

        return self.together(find)

    def _next(self, rater: Rater) -> _Shown | None:
        now, me = time.time(), rater.number
        if now >= self._release_at:
            self._release_at = now + BETWEEN_RELEASES
            self._release(now - HELD)
        at = () if rater.settles else (now,)
        row = self._run(_NEXT_TO_SETTLE if rater.settles else _NEXT_TO_READ, me, me, me, *at).fetchone()
        if not row:
            return None
        found, was_held, last, stands = _Shown(*row[1:5]), row[5], row[6], row[7:]
        turn = found.turn or last + 1
        self._run(
            "UPDATE assignments SET state = ?, since = ?, held = 1, turn = ? WHERE rater = ? AND number = ?",
            SHOWN, now, turn, me, found.number,
        )  # fmt: skip
        wanted, state, needs, readers = stands
        readers += not rater.settles and not was_held
        self._note(found.number, state, wanted, readers, before=(state, needs))
        return found._replace(turn=turn, again=bool(found.turn))

    def _release(self, before: float) -> None:
        """Let others read what was kept for somebody who has not voted on it for long; they still may."""
        kept = self._run("SELECT DISTINCT number FROM assignments WHERE held = 1 AND since <= ?", before).fetchall()
        self._run("UPDATE assignments SET held = 0 WHERE held = 1 AND since <= ?", before)
        for (number,) in kept:
            self._decide(number)

    def case(self, rater: Rater, id_: str) -> BlindCase | None:
        """A case that this rater was shown, by the id it has for them; None for every other."""

        def find() -> BlindCase | None:
            found = self._shown(rater, id_)
            return self._case(rater, found) if found else None

        return self.together(find)

    def image(self, rater: Rater, id_: str, place: int) -> str | None:
        """The sha256 of an image of a case that this rater was shown."""
        if not _ID.fullmatch(id_):
            return None
        row = self.together(lambda: self._run(_IMAGES, rater.number, id_).fetchone())
        images: list[str] = orjson.loads(row[0]) if row else []
        return images[place] if 0 <= place < len(images) else None

    def _shown(self, rater: Rater, id_: str) -> _Shown | None:
        found = self._run(_BY_ID, rater.number, id_).fetchone() if _ID.fullmatch(id_) else None
        return _Shown(*found) if found else None

    def _case(self, rater: Rater, found: _Shown) -> BlindCase:
        case = BlindCase.of(found.id, found.shown)
        candidates = TASKS[case.task].candidates
        if not rater.settles or not candidates:
            return case
        said = self._counted(found.number)
        answers = sorted({str(vote[candidates]) for _, vote in said if vote and vote.get(candidates)})
        random.Random(found.id).shuffle(answers)
        given = tuple(Passage(f"Answer {place}", answer) for place, answer in enumerate(answers, start=1))
        return BlindCase(
            case.id, case.task, case.question, case.context, case.options, (*case.passages, *given), case.images
        )

    def _said(self, rater: Rater, number: int) -> Value | None:
        """What a rater said last of a case, also where they took it back."""
        query = (
            "SELECT value FROM votes WHERE number = ? AND rater = ? AND value IS NOT NULL ORDER BY place DESC LIMIT 1"
        )
        found = self._run(query, number, rater.number).fetchone()
        return _said(found[0]) if found else None

    def cast(self, rater: Rater, id_: str, value: Value | None, *, nonce: str, seconds: float = 0.0) -> bool:
        """Keep a vote on a case that this rater was shown; None skips the case. Whether it is new.

        `nonce` is the page's: the same vote that is sent twice is kept once, and another one under it is refused.
        """
        return self.together(lambda: self._cast(rater, id_, value, nonce, seconds))

    def _cast(self, rater: Rater, id_: str, value: Value | None, nonce: str, seconds: float) -> bool:
        _check_nonce(nonce)
        me = rater.number
        found = self._run(_TO_CAST, me, id_).fetchone() if _ID.fullmatch(id_) else None
        if found is None:
            raise StudyError("There is no such case for you. Open your link again.")
        number, task, shown = found
        kept: Value = {SKIPPED: True}
        if value is not None:
            kept = task_named(task).checked(value)
            task_named(task).check_marks(kept, BlindCase.of(id_, shown).response)
        sent = self._run("SELECT number, value FROM votes WHERE rater = ? AND nonce = ?", me, nonce).fetchone()
        if sent is None:
            self._keep(rater, number, nonce, kept, seconds, SKIPPED if value is None else VOTED)
            return True
        if sent[0] != number or sent[1] is None or orjson.loads(sent[1]) != kept:
            raise StudyError("This page was sent before, with another vote. Load it again, and vote again.")
        return False

    def take_back(self, rater: Rater, *, nonce: str) -> BlindCase | None:
        """The case that this rater voted on last, to be voted on again; its vote counts no more. None without one."""

        def find() -> BlindCase | None:
            found = self._take_back(rater, nonce)
            return self._case(rater, found) if found else None

        return self.together(find)

    def turn_back(self, rater: Rater, *, nonce: str) -> Turn | None:
        """What this rater has before them once they have taken their last vote back; None where there is none."""

        def find() -> Turn | None:
            found = self._take_back(rater, nonce)
            return self._turn(rater, found.id) if found else None

        return self.together(find)

    def _take_back(self, rater: Rater, nonce: str) -> _Shown | None:
        _check_nonce(nonce)
        query = "SELECT number FROM votes WHERE rater = ? AND nonce = ?"
        if sent := self._run(query, rater.number, nonce).fetchone():
            return _Shown(*self._run(_BY_NUMBER, rater.number, sent[0]).fetchone())
        found = self._run(_LAST_VOTED, rater.number).fetchone()
        if not found:
            return None
        self._keep(rater, found[0], nonce, None, 0.0, SHOWN)
        return _Shown(*found)

    def add_votes(self, votes: Sequence[Vote]) -> int:
        """Keep votes that were made elsewhere, all of them or none; how many are new.

        A rater who was not invited here is known by name from now on, and has no link. A vote that is here already is
        passed over; StudyError where the rater has said something else of the case.
        """
        return self.together(lambda: sum(map(self._add_vote, votes)))

    def _add_vote(self, vote: Vote) -> bool:
        known = {rater.name: rater for rater in self._raters()}
        if called(vote.rater) not in known:
            self.invite(vote.rater, settles=vote.settles, days=0.0)
            known = {rater.name: rater for rater in self._raters()}
        rater = known[called(vote.rater)]
        if vote.settles and not rater.settles:
            raise StudyError(f"{rater.name} reads here and does not settle, as the vote on case {vote.case} says.")
        found = self._run("SELECT task FROM cases WHERE number = ?", vote.case).fetchone()
        if found is None:
            raise StudyError(f"There is no case {vote.case} here to vote on.")
        kept = {SKIPPED: True} if vote.value is None else task_named(found[0]).checked(vote.value)
        query = "SELECT value FROM votes WHERE rater = ? AND number = ? ORDER BY place DESC LIMIT 1"
        before = self._run(query, rater.number, vote.case).fetchone()
        if before is not None and before[0] is not None:
            if orjson.loads(before[0]) == kept:
                return False
            raise StudyError(f"{vote.rater} has voted otherwise on case {vote.case} here. Leave one of the votes out.")
        state, nonce = SKIPPED if vote.value is None else VOTED, f"elsewhere-{secrets.token_hex(8)}"
        self._keep(rater, vote.case, nonce, kept, vote.seconds, state, vote.cast_at)
        return True

    def _keep(
        self, rater: Rater, number: int, nonce: str, value: Value | None, seconds: float, state: str, at: float = 0.0
    ) -> None:
        now = at or time.time()
        said = None if value is None else orjson.dumps(value).decode()
        spent = min(max(float(seconds), 0.0), LONGEST)
        self._run(
            "INSERT INTO votes SELECT coalesce(max(place), 0) + 1, ?, ?, ?, ?, ?, ? FROM votes",
            rater.number, number, nonce, said, spent, now,
        )  # fmt: skip
        self._run(
            "UPDATE assignments SET state = ?, since = ?, held = ? WHERE rater = ? AND number = ?",
            state, now, int(state == SHOWN), rater.number, number,
        )  # fmt: skip
        self._decide(number)

    def _decide(self, number: int) -> None:
        """What a case has come to with the votes that there are."""
        name, wanted, before, needs, held = self._run(_STANDS, number).fetchone()
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
        self._note(number, state, wanted, len(read) + held, before=(before, needs))

    def _note(self, number: int, state: str, wanted: int, readers: int, *, before: tuple[str, int]) -> None:
        """Note what a case has come to, and whom it needs that so many have read or have before them."""
        if state == DIFFERS:
            needs = A_SETTLER if readers <= wanted else ONLY_A_SETTLER
        else:
            needs = A_READER if state == OPEN and readers < wanted else NOBODY
        if (state, needs) != before:
            self._run("UPDATE cases SET state = ?, needs = ? WHERE number = ?", state, needs, number)

    def _counted(self, number: int) -> list[tuple[bool, Value | None]]:
        """The votes on a case that count: who settles, and what was said, None where it was skipped."""
        rows = self._run(_LATEST_ON_ONE, number, number).fetchall()
        return [(bool(settles), _said(value)) for settles, value in rows if value is not None]

    def progress(self, rater: Rater) -> Progress:
        """How far a rater is, and how long a case usually takes them."""
        return self.together(lambda: self._standing(rater, _LAST))[0]

    def _standing(self, rater: Rater, turn: int) -> tuple[Progress, str, str]:
        """How far a rater is, and the ids of the cases that they were shown before and after a turn."""
        query, me = _SETTLES if rater.settles else _READS, rater.number
        at = () if rater.settles else (time.time(),)
        row = self._run(query, me, me, *at, me, *at, me, turn, me, turn, me, me).fetchone()
        done, shown, all_, own, earlier, later, usual = row
        return Progress(done, shown + all_ - own, usual or 0.0), earlier or "", later or ""

    # What was said ------------------------------------------------------------------------------------------------

    def read(self, task: str) -> list[ReviewedCase]:
        """All cases of a task, with what they are about and the votes that count."""
        return self.together(lambda: self._read(task))

    def _read(self, task: str) -> list[ReviewedCase]:
        votes: dict[int, list[Vote]] = {}
        for number, name, settles, value, seconds, cast_at in self._run(_LATEST, task).fetchall():
            if value is not None:
                vote = Vote(number, name, bool(settles), _said(value), seconds, cast_at)
                votes.setdefault(number, []).append(vote)
        return [
            ReviewedCase(
                number, task, read_subject(record), BlindCase.of(str(number), shown), wanted, state,
                tuple(votes.get(number, ())),
            )
            for number, record, shown, wanted, state in self._run(_OF_A_TASK, task).fetchall()
        ]  # fmt: skip


class _Shown(NamedTuple):
    """A case that a rater was shown, by its number and by the id that they know it by; `turn` counts their cases."""

    number: int
    id: str
    turn: int
    shown: str
    again: bool = True
    """Whether they were shown it before."""


_FIRST_SAID = f"""min(CASE WHEN value IS NOT NULL AND value <> '{{"{SKIPPED}":true}}' THEN place END)"""
_LATEST = (
    "SELECT v.number, r.name, r.settles, v.value, v.seconds, v.cast_at FROM votes v "  # noqa: S608 - ours
    "JOIN raters r ON r.number = v.rater JOIN cases c ON c.number = v.number "
    f"JOIN (SELECT max(place) AS place, {_FIRST_SAID} AS first FROM votes GROUP BY rater, number) l "
    "ON l.place = v.place WHERE c.task = ? ORDER BY coalesce(l.first, v.place), v.place"
)
_OF_A_TASK = (
    "SELECT c.number, s.record, t.shown, c.wanted, c.state FROM cases c JOIN subjects s ON s.number = c.number "
    "JOIN contents t ON t.number = c.number WHERE c.task = ? ORDER BY c.number"
)
_LATEST_ON_ONE = (
    "SELECT r.settles, v.value FROM votes v JOIN raters r ON r.number = v.rater WHERE v.number = ? "
    "AND v.place IN (SELECT max(place) FROM votes WHERE number = ? GROUP BY rater) ORDER BY v.place"
)
_HELD = (
    "(SELECT count(*) FROM assignments o JOIN raters r ON r.number = o.rater "
    "WHERE o.number = c.number AND r.settles = 0 AND o.state = 'shown' AND o.held = 1)"
)
_READ = (
    "(SELECT count(*) FROM assignments o JOIN raters r ON r.number = o.rater "
    "WHERE o.number = c.number AND r.settles = 0 AND o.state = 'voted')"
)
_STANDS = f"SELECT c.task, c.wanted, c.state, c.needs, {_HELD} FROM cases c WHERE c.number = ?"  # noqa: S608 - ours
_NO_SETTLER = "NOT EXISTS (SELECT 1 FROM raters WHERE settles = 1 AND revoked IS NULL AND expires > ?)"
_NEEDS_A_READER = f"(c.needs = {A_READER} OR c.needs = {A_SETTLER} AND {_NO_SETTLER})"
_NEEDS_A_SETTLER = f"c.needs IN ({A_SETTLER}, {ONLY_A_SETTLER})"
_ASSIGNED = "SELECT a.number, a.id, a.turn, t.shown FROM assignments a JOIN contents t ON t.number = a.number WHERE "
_BY_ID = f"{_ASSIGNED} a.rater = ? AND a.id = ? AND a.state <> 'waiting'"
_BY_NUMBER = f"{_ASSIGNED} a.rater = ? AND a.number = ?"
_LAST_VOTED = f"{_ASSIGNED} a.rater = ? AND a.state IN ('voted', 'skipped') ORDER BY a.since DESC LIMIT 1"
_TO_CAST = (
    "SELECT a.number, c.task, t.shown FROM assignments a JOIN cases c ON c.number = a.number "
    "JOIN contents t ON t.number = a.number WHERE a.rater = ? AND a.id = ? AND a.state <> 'waiting'"
)
_IMAGES = (
    "SELECT t.images FROM assignments a JOIN contents t ON t.number = a.number "
    "WHERE a.rater = ? AND a.id = ? AND a.state <> 'waiting'"
)


def _next_where(needs: str) -> str:
    """The case that a rater has before them, or else the first in their order that is in need; and how it stands."""
    found = "FROM assignments a JOIN cases c ON c.number = a.number WHERE a.rater = ? AND a.state ="
    return (
        "SELECT n.first, a.number, a.id, a.turn, t.shown, a.held, "  # noqa: S608 - ours
        "(SELECT max(m.turn) FROM assignments m WHERE m.rater = ?), "
        f"c.wanted, c.state, c.needs, {_HELD} + {_READ} FROM ("
        f"SELECT * FROM (SELECT 0 AS first, a.rater, a.number {found} 'shown' ORDER BY a.since DESC LIMIT 1) s "
        f"UNION ALL SELECT * FROM (SELECT 1 AS first, a.rater, a.number {found} 'waiting' AND {needs} "
        "ORDER BY a.place LIMIT 1) w) n "
        "JOIN assignments a ON a.rater = n.rater AND a.number = n.number JOIN cases c ON c.number = n.number "
        "JOIN contents t ON t.number = n.number ORDER BY n.first LIMIT 1"
    )


_NEXT_TO_READ = _next_where(_NEEDS_A_READER)
_NEXT_TO_SETTLE = _next_where(_NEEDS_A_SETTLER)
_LAST_SECONDS = "FROM votes WHERE rater = ? AND seconds > 0 ORDER BY place DESC LIMIT 20"


def _standing_where(in_need: str, needs: str) -> str:
    """Everybody has every case, so that what is left of those in need are all but the ones that were shown."""
    return (
        "SELECT (SELECT count(*) FROM assignments WHERE rater = ? AND state IN ('voted', 'skipped')), "  # noqa: S608
        "(SELECT count(*) FROM assignments WHERE rater = ? AND state = 'shown'), "
        f"{in_need}, "
        "(SELECT count(*) FROM assignments a JOIN cases c ON c.number = a.number "
        f"WHERE a.rater = ? AND a.state IN ('shown', 'voted', 'skipped') AND {needs}), "
        "(SELECT id FROM assignments WHERE rater = ? AND turn > 0 AND turn < ? ORDER BY turn DESC LIMIT 1), "
        "(SELECT id FROM assignments WHERE rater = ? AND turn > ? ORDER BY turn LIMIT 1), "
        f"(SELECT seconds FROM (SELECT seconds {_LAST_SECONDS}) l ORDER BY seconds LIMIT 1 "
        f"OFFSET (SELECT count(*) / 2 FROM (SELECT seconds {_LAST_SECONDS}) k))"
    )


_NEED = "(SELECT count(*) FROM cases WHERE needs = {})"
_READS = _standing_where(
    f"{_NEED.format(A_READER)} + CASE WHEN {_NO_SETTLER} THEN {_NEED.format(A_SETTLER)} ELSE 0 END", _NEEDS_A_READER
)
_SETTLES = _standing_where(f"{_NEED.format(A_SETTLER)} + {_NEED.format(ONLY_A_SETTLER)}", _NEEDS_A_SETTLER)


def called(name: str) -> str:
    """A rater's name as it is kept: nobody is two raters for a space or for how an accent is written.

    >>> called(" Dr  A ")
    'Dr A'
    """
    return " ".join(unicodedata.normalize("NFC", name).split())


def _check_nonce(nonce: str) -> None:
    if not _NONCE.fullmatch(nonce):
        raise StudyError("A vote needs a nonce of 1 to 100 plain characters. Load the page again.")


def _said(value: str) -> Value | None:
    said: dict[str, Any] = read_record(value, {str: object}, "a vote")
    return None if said.get(SKIPPED) is True else said


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


class _Sqlite:
    """A SQLite file; what was committed stays, also if the power fails."""

    shared = False

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            create_file(path)
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            if found := find_damage(self._connection):
                raise damaged(path, found)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def execute(self, query: str, values: Sequence[Any] = ()) -> Any:
        try:
            return self._connection.execute(query, values)
        except sqlite3.Error as error:
            if query == "ROLLBACK" and not self._connection.in_transaction:
                return None  # SQLite has done so itself, as on a full disk
            raise self._unusable(error) from error

    def execute_all(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        try:
            self._connection.executemany(query, rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError | sqlite3.Error) -> StoreError:
        why = getattr(error, "strerror", None) or str(error).partition(" with text ")[0]
        return StoreError(f"{self._path} cannot be used for votes: {why}. Check the disk, or choose another folder.")

    def reopen(self) -> None:
        """A file is never lost."""

    def close(self) -> None:
        self._connection.close()


def is_address(place: str | Path) -> bool:
    """Whether ballots are at a PostgreSQL address, and not in a folder."""
    return str(place).startswith(("postgresql://", "postgres://"))


class _Postgres:
    """A PostgreSQL database; no message about it holds the password of its address."""

    shared = True

    def __init__(self, address: str) -> None:
        self._address = address
        self.reopen()

    def reopen(self) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise MissingExtraError("psycopg", "postgres") from error
        self._error: type[Exception] = psycopg.Error
        password = _password(self._address)
        connect: Callable[..., Any] = psycopg.connect
        try:
            # A network that falls silent must not hold all votes.
            silent = {"connect_timeout": 10, "keepalives_idle": 10, "tcp_user_timeout": 15_000}
            self._connection = connect(self._address, autocommit=True, **silent)
        except psycopg.Error as error:
            why = str(error).partition("\n")[0]
            why = why.replace(password, "…") if password else why
            raise StoreError(
                f"The PostgreSQL database cannot be reached: {why}. Check the address (postgresql://USER@HOST/NAME) "
                "and that the server runs."
            ) from None

    def execute(self, query: str, values: Sequence[Any] = ()) -> Any:
        with self._told():
            return self._connection.execute(query, values)

    def execute_all(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._told():
            self._connection.cursor().executemany(query, rows)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say what went wrong; what PostgreSQL itself says may quote what was to be kept."""
        try:
            yield
        except self._error as error:
            if self._connection.closed:
                raise _LostError("The connection to the PostgreSQL database was lost. Try again.") from None
            raise StoreError(f"The PostgreSQL database refused a vote or a case ({type(error).__name__}).") from None

    def close(self) -> None:
        self._connection.close()


def _password(address: str) -> str:
    """The password of an address that can be read; StudyError for another one, without a word of it."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        known = conninfo_to_dict(address)
    except ProgrammingError:
        known = {"host": "@"}
    if any("@" in str(known.get(part) or "") for part in ("host", "port")):
        raise StudyError(
            "The address of the database cannot be read. Expected postgresql://USER:PASSWORD@HOST:PORT/NAME, where "
            "@, :, / and % in a password are written as %40, %3A, %2F and %25."
        )
    return str(known.get("password") or "")
