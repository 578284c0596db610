"""Ballots: the cases, raters and votes of a review, in SQLite or PostgreSQL.

Terms: a *task* is a kind of review, such as "verdict". A *settler* is a rater who decides only the cases on which
others disagree. A case is *held* for a rater who was shown it but has not voted, so that no other rater reads it
meanwhile. The content of a case, its state and its subject (model, condition, …) are in separate tables, so that
serving pages never reads the subject. Votes are never changed or deleted; a rater's latest vote on a case counts, and
none counts if it was taken back. `cast` returns once the vote is on disk, or with the surrounding transaction.
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
from dataclasses import replace
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import orjson

from snellen.errors import MissingExtraError, StoreError, StudyError
from snellen.files import create_file
from snellen.store.files import damage_error, find_damage
from snellen.store.shapes import read_record
from snellen.tools.review.case import BlindCase, CasePassage, DrawnCase, Subject, read_subject
from snellen.tools.review.task import Value
from snellen.tools.review.tasks import TASKS, task_named

FILE = "review.sqlite"
HELD = 2 * 3600.0
"""Seconds for which a case is held for a rater who was shown it and has not voted."""
BETWEEN_RELEASES = 60.0
"""Seconds between two checks for cases held too long."""
LOCK = 53_177
"""Number of the advisory lock for writers of one PostgreSQL database."""
DAY = 86_400.0
LONGEST = DAY
"""Maximum seconds recorded for one case."""
FORM = "1"
"""Version of the tables, stored in them."""
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
"""State of a case: waiting for votes; votes agree; votes differ; decided by a settler or a majority."""
NOBODY, A_READER, A_SETTLER, ONLY_A_SETTLER = range(4)
"""The kind of rater that a case needs now.

A case that needs a settler may instead take one more rater if there is no settler.
"""
WAITING, SHOWN, VOTED, SKIPPED = "waiting", "shown", "voted", "skipped"
"""State of a case for one rater. `skipped` is also the key of a vote "I cannot judge this"."""
_LAST = 2**31 - 1
_NONCE = re.compile(r"[!-~]{1,100}")
_ID = re.compile(r"[0-9a-f]{16}")
Made = TypeVar("Made")
Given = ParamSpec("Given")


class Rater(NamedTuple):
    """An invited person; `settles` marks a settler."""

    number: int
    name: str
    settles: bool
    created: float
    expires: float
    revoked: float | None


class Vote(NamedTuple):
    """A rater's latest vote on one case; `value` is None if the case was skipped."""

    case: int
    rater: str
    settles: bool
    value: Value | None
    seconds: float
    cast_at: float


class ReviewedCase(NamedTuple):
    """A case with its subject, its planned number of raters, and its votes.

    Votes are ordered by when each rater first voted; changing a vote does not change the order.
    """

    number: int
    task: str
    subject: Subject
    shown: BlindCase
    wanted: int
    state: str
    votes: tuple[Vote, ...]


class RaterProgress(NamedTuple):
    """A rater's progress: cases done, cases left, and median seconds per case."""

    done: int
    left: int
    seconds: float


class RaterTurn(NamedTuple):
    """A rater's current case (None at the end), earlier vote, progress, and neighbouring cases' ids."""

    case: BlindCase | None
    said: Value | None
    progress: RaterProgress
    earlier: str = ""
    later: str = ""


class _LostError(StoreError):
    """The database connection was lost, with all changes that were not committed."""


def _transactional(
    method: Callable[Concatenate[Ballots, Given], Made],
) -> Callable[Concatenate[Ballots, Given], Made]:
    """Wrap a method so that it runs in one transaction, or within the surrounding one."""

    @wraps(method)
    def run(self: Ballots, /, *args: Given.args, **kwargs: Given.kwargs) -> Made:
        return self.in_transaction(lambda: method(self, *args, **kwargs))

    return run


class Ballots:
    """The cases, raters and votes of one study's review.

    Several threads may share one object, and several processes may open the same review.
    """

    id: str
    """Random identifier of this review."""

    def __init__(self, database: _Sqlite | _Postgres) -> None:
        self._database = database
        self._lock = RLock()
        self._inside = False
        self._release_at = 0.0
        self.in_transaction(self._make_tables)

    @classmethod
    def open(cls, place: str | Path, *, study: str = "") -> Ballots:
        """Open the ballots in a folder, or at a PostgreSQL address (`postgresql://…`).

        `study` identifies the study, such as by name and date; raise StudyError if the ballots belong to another.
        """
        ballots = cls(_Postgres(str(place)) if is_address(place) else _Sqlite(Path(place) / FILE))
        try:
            if study:
                ballots.in_transaction(lambda: ballots._belong_to(study))
        except BaseException:
            ballots.close()
            raise
        return ballots

    @staticmethod
    def are_in(folder: str | Path) -> bool:
        """Return whether the folder contains ballots."""
        return (Path(folder) / FILE).is_file()

    def close(self) -> None:
        """Close the database."""
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

    def in_transaction(self, work: Callable[[], Made]) -> Made:
        """Run `work` in one transaction; if it fails, all its changes are undone.

        If the connection is lost, reconnect and run `work` once more.
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
        self.id = self._store_once("id", secrets.token_hex(8))
        if (form := self._store_once("form", FORM)) != FORM:
            raise StoreError(f"Another version of snellen stored these votes (form {form}). Upgrade to read them.")

    def _store_once(self, name: str, value: str) -> str:
        """Store a value about the review unless it has one; return the stored value."""
        self._run("INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, value)
        (stored,) = self._run("SELECT value FROM about WHERE name = ?", name).fetchone()
        return str(stored)

    def _belong_to(self, study: str) -> None:
        if (other := self._store_once("study", study)) != study:
            raise StudyError(
                f"The database contains the review of another study ({other}), not of this one ({study}). Use one "
                "database per study: name another with --database."
            )

    # Cases and plans ----------------------------------------------------------------------------------------------

    @_transactional
    def add_review(self, task: str, record: Mapping[str, Any], cases: Sequence[DrawnCase]) -> int:
        """Add a task's plan and drawn cases; return how many cases are new.

        Existing cases stay unchanged.
        """
        task_named(task)
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
        for rater in self.raters():
            self._assign(rater.number, (number for number, _, _ in new))
        self._note_plan(task, record, known | set(added), new=bool(new))
        return len(new)

    def _note_plan(self, task: str, record: Mapping[str, Any], subjects: Iterable[str], *, new: bool) -> None:
        """Store the plan of a draw, unless it added no case.

        The source of a simple random sample (`among`) stays that of the first draw, because it holds only for that one.
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

    @_transactional
    def reviews(self) -> dict[str, dict[str, Any]]:
        """Return the plan of each task of the review."""
        rows = self._run("SELECT task, record FROM reviews ORDER BY created").fetchall()
        return {task: read_record(record, {str: object}, "a review") for task, record in rows}

    def _assign(self, rater: int, cases: Iterable[int]) -> None:
        """Assign cases to a rater in random order, after the rater's earlier ones."""
        order = list(cases)
        random.SystemRandom().shuffle(order)
        (after,) = self._run("SELECT coalesce(max(place), 0) FROM assignments WHERE rater = ?", rater).fetchone()
        rows = [
            (rater, number, secrets.token_hex(8), place, WAITING, 0.0, 0, 0)
            for place, number in enumerate(order, start=after + 1)
        ]
        self._run_all("INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    # Raters -------------------------------------------------------------------------------------------------------

    @_transactional
    def invite(self, name: str, *, settles: bool = False, days: float = 14.0) -> str:
        """Return a new token for a rater's link; it replaces earlier ones.

        Only its hash is stored.
        """
        if not (normalise_name(name) and name.isprintable() and len(name) <= 80):
            raise StudyError(f"A rater needs a name of 1 to 80 letters that can be printed, got {name!r:.90}.")
        name, token, now = normalise_name(name), secrets.token_urlsafe(24), time.time()
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
        """Raise StudyError if the role of a rater with votes would change."""
        if before == settles or not self._run("SELECT 1 FROM votes WHERE rater = ? LIMIT 1", rater).fetchone():
            return
        was, wanted = ("settler", "rater") if before else ("rater", "settler")
        raise StudyError(
            f"{name} has voted as a {was}, and these votes cannot count as those of a {wanted}. Choose "
            f"another person as the {wanted}."
        )

    @_transactional
    def revoke(self, name: str) -> bool:
        """Make a rater's link invalid; return False for an unknown name. The rater's votes stay."""
        query = "SELECT number FROM raters WHERE name = ?"
        known = self._run(query, normalise_name(name)).fetchone() if name.isprintable() else None
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

    @_transactional
    def raters(self) -> list[Rater]:
        """Return all invited raters."""
        return [_read_rater(row) for row in self._run(f"{_RATERS} ORDER BY number").fetchall()]

    @_transactional
    def rater(self, token: str) -> Rater | None:
        """Return the rater with this token; None if it is unknown, expired or revoked."""
        query = f"{_RATERS} WHERE token = ? AND revoked IS NULL AND expires > ?"
        row = self._run(query, _hash(token), time.time()).fetchone()
        return _read_rater(row) if row else None

    # Showing cases and storing votes ------------------------------------------------------------------------------

    @_transactional
    def turn(self, rater: Rater, id_: str | None = None) -> RaterTurn | None:
        """Return the rater's current case, or an earlier one by id; else None."""
        shown = self._next(rater) if id_ is None else self._find_shown(rater, id_)
        if shown is None and id_ is not None:
            return None
        progress, earlier, later = self._standing(rater, shown.turn if shown else _LAST)
        if shown is None:
            return RaterTurn(None, None, progress, earlier)
        vote = self._find_last_vote(rater, shown.number) if shown.again else None
        return RaterTurn(self._case(rater, shown), vote, progress, earlier, later)

    @_transactional
    def next_case(self, rater: Rater) -> BlindCase | None:
        """Return the rater's current case, or the next that needs one; None at the end."""
        shown = self._next(rater)
        return self._case(rater, shown) if shown else None

    def _next(self, rater: Rater) -> _ShownCase | None:
        now, me = time.time(), rater.number
        if now >= self._release_at:
            self._release_at = now + BETWEEN_RELEASES
            self._release(now - HELD)
        at = () if rater.settles else (now,)
        row = self._run(_NEXT_TO_SETTLE if rater.settles else _NEXT_TO_READ, me, me, me, *at).fetchone()
        if not row:
            return None
        found, was_held, last, stands = _ShownCase(*row[1:5]), row[5], row[6], row[7:]
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
        """Release cases held since before a time, for other raters."""
        kept = self._run("SELECT DISTINCT number FROM assignments WHERE held = 1 AND since <= ?", before).fetchall()
        self._run("UPDATE assignments SET held = 0 WHERE held = 1 AND since <= ?", before)
        for (number,) in kept:
            self._decide(number)

    @_transactional
    def case(self, rater: Rater, id_: str) -> BlindCase | None:
        """Return a case that this rater was shown, by its id; else None."""
        shown = self._find_shown(rater, id_)
        return self._case(rater, shown) if shown else None

    @_transactional
    def image(self, rater: Rater, id_: str, place: int) -> str | None:
        """Return the sha256 of an image that this rater was shown; else None."""
        row = self._run(_IMAGES, rater.number, id_).fetchone() if _ID.fullmatch(id_) else None
        images: list[str] = orjson.loads(row[0]) if row else []
        return images[place] if 0 <= place < len(images) else None

    def _find_shown(self, rater: Rater, id_: str) -> _ShownCase | None:
        row = self._run(_BY_ID, rater.number, id_).fetchone() if _ID.fullmatch(id_) else None
        return _ShownCase(*row) if row else None

    def _case(self, rater: Rater, found: _ShownCase) -> BlindCase:
        case = BlindCase.from_record(found.id, found.shown)
        candidates = TASKS[case.task].candidates
        if not rater.settles or not candidates:
            return case
        votes = self._list_counting_votes(found.number)
        answers = sorted({str(vote[candidates]) for _, vote in votes if vote and vote.get(candidates)})
        random.Random(found.id).shuffle(answers)
        passages = tuple(CasePassage(f"Answer {place}", answer) for place, answer in enumerate(answers, start=1))
        return replace(case, passages=(*case.passages, *passages))

    def _find_last_vote(self, rater: Rater, number: int) -> Value | None:
        """Return the rater's last vote on a case, even if taken back."""
        where = "number = ? AND rater = ? AND value IS NOT NULL"
        query = f"SELECT value FROM votes WHERE {where} ORDER BY place DESC LIMIT 1"  # noqa: S608 - ours
        row = self._run(query, number, rater.number).fetchone()
        return _read_vote(row[0]) if row else None

    @_transactional
    def cast(self, rater: Rater, id_: str, value: Value | None, *, nonce: str, seconds: float = 0.0) -> bool:
        """Store a vote on a case shown to this rater; return whether it is new.

        `value` is None to skip the case. `nonce` comes from the page: a vote sent twice is stored once, and a different
        vote with the same nonce raises StudyError.
        """
        _check_nonce(nonce)
        found = self._find_shown(rater, id_)
        if found is None:
            raise StudyError("There is no such case for you. Open your link again.")
        kept: Value = {SKIPPED: True}
        if value is not None:
            case = BlindCase.from_record(id_, found.shown)
            kept = task_named(case.task).validate(value, response=case.response)
        query = "SELECT number, value FROM votes WHERE rater = ? AND nonce = ?"
        sent = self._run(query, rater.number, nonce).fetchone()
        if sent is None:
            self._keep(rater, found.number, nonce, kept, seconds, SKIPPED if value is None else VOTED)
            return True
        if sent[0] != found.number or sent[1] is None or orjson.loads(sent[1]) != kept:
            raise StudyError("Another vote was already sent from this page. Load it again and vote again.")
        return False

    @_transactional
    def turn_back(self, rater: Rater, *, nonce: str) -> RaterTurn | None:
        """Take back the rater's last vote and return that case; None without a vote."""
        _check_nonce(nonce)
        query = "SELECT number FROM votes WHERE rater = ? AND nonce = ?"
        if sent := self._run(query, rater.number, nonce).fetchone():
            row = self._run(_BY_NUMBER, rater.number, sent[0]).fetchone()
        elif row := self._run(_LAST_VOTED, rater.number).fetchone():
            self._keep(rater, row[0], nonce, None, 0.0, SHOWN)
        return self.turn(rater, _ShownCase(*row).id) if row else None

    @_transactional
    def add_votes(self, votes: Sequence[Vote]) -> int:
        """Store votes from elsewhere, all or none; return how many are new.

        An unknown rater is added without a link. A vote that is stored already is skipped. Raise StudyError if the
        rater has another vote on that case.
        """
        return sum(map(self._add_vote, votes))

    def _add_vote(self, vote: Vote) -> bool:
        name = normalise_name(vote.rater)
        if name not in {rater.name for rater in self.raters()}:
            self.invite(vote.rater, settles=vote.settles, days=0.0)
        rater = next(rater for rater in self.raters() if rater.name == name)
        if vote.settles and not rater.settles:
            raise StudyError(
                f"The vote on case {vote.case} names {rater.name} as a settler, but {rater.name} is not one. Correct "
                "the vote."
            )
        row = self._run("SELECT task FROM cases WHERE number = ?", vote.case).fetchone()
        if row is None:
            raise StudyError(f"This review has no case {vote.case}.")
        kept = {SKIPPED: True} if vote.value is None else task_named(row[0]).validate(vote.value)
        query = "SELECT value FROM votes WHERE rater = ? AND number = ? ORDER BY place DESC LIMIT 1"
        before = self._run(query, rater.number, vote.case).fetchone()
        if before is not None and before[0] is not None:
            if orjson.loads(before[0]) == kept:
                return False
            raise StudyError(f"{vote.rater} already has another vote on case {vote.case}. Remove it from the file.")
        state, nonce = SKIPPED if vote.value is None else VOTED, f"elsewhere-{secrets.token_hex(8)}"
        self._keep(rater, vote.case, nonce, kept, vote.seconds, state, vote.cast_at)
        return True

    def _keep(
        self, rater: Rater, number: int, nonce: str, value: Value | None, seconds: float, state: str, at: float = 0.0
    ) -> None:
        now = at or time.time()
        stored = None if value is None else orjson.dumps(value).decode()
        spent = min(max(float(seconds), 0.0), LONGEST)
        self._run(
            "INSERT INTO votes SELECT coalesce(max(place), 0) + 1, ?, ?, ?, ?, ?, ? FROM votes",
            rater.number, number, nonce, stored, spent, now,
        )  # fmt: skip
        self._run(
            "UPDATE assignments SET state = ?, since = ?, held = ? WHERE rater = ? AND number = ?",
            state, now, int(state == SHOWN), rater.number, number,
        )  # fmt: skip
        self._decide(number)

    def _decide(self, number: int) -> None:
        name, wanted, before, needs, held = self._run(_STANDS, number).fetchone()
        task, counted = task_named(name), self._list_counting_votes(number)
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
        if state == DIFFERS:
            needs = A_SETTLER if readers <= wanted else ONLY_A_SETTLER
        else:
            needs = A_READER if state == OPEN and readers < wanted else NOBODY
        if (state, needs) != before:
            self._run("UPDATE cases SET state = ?, needs = ? WHERE number = ?", state, needs, number)

    def _list_counting_votes(self, number: int) -> list[tuple[bool, Value | None]]:
        """List the votes that count on a case: whether by a settler, and the value."""
        rows = self._run(_LATEST_ON_ONE, number, number).fetchall()
        return [(bool(settles), _read_vote(value)) for settles, value in rows if value is not None]

    @_transactional
    def progress(self, rater: Rater) -> RaterProgress:
        """Return a rater's progress."""
        return self._standing(rater, _LAST)[0]

    def _standing(self, rater: Rater, turn: int) -> tuple[RaterProgress, str, str]:
        """Return a rater's progress, and the ids of the cases before and after a turn."""
        query, me = _SETTLES if rater.settles else _READS, rater.number
        at = () if rater.settles else (time.time(),)
        row = self._run(query, me, me, *at, me, *at, me, turn, me, turn, me, me).fetchone()
        done, shown, all_, own, earlier, later, usual = row
        return RaterProgress(done, shown + all_ - own, usual or 0.0), earlier or "", later or ""

    # Reading the votes --------------------------------------------------------------------------------------------

    @_transactional
    def read(self, task: str) -> list[ReviewedCase]:
        """Return all cases of a task, with their subjects and the votes that count."""
        votes: dict[int, list[Vote]] = {}
        for number, name, settles, value, seconds, cast_at in self._run(_LATEST, task).fetchall():
            if value is not None:
                vote = Vote(number, name, bool(settles), _read_vote(value), seconds, cast_at)
                votes.setdefault(number, []).append(vote)
        return [
            ReviewedCase(
                number, task, read_subject(record), BlindCase.from_record(str(number), shown), wanted, state,
                tuple(votes.get(number, ())),
            )
            for number, record, shown, wanted, state in self._run(_OF_A_TASK, task).fetchall()
        ]  # fmt: skip


class _ShownCase(NamedTuple):
    """A case shown to a rater: number, the rater's own id of it, and turn."""

    number: int
    id: str
    turn: int
    shown: str
    again: bool = True
    """Whether the rater was shown the case before."""


_FIRST_SAID = f"""min(CASE WHEN value IS NOT NULL AND value <> '{{"{SKIPPED}":true}}' THEN place END)"""
_LATEST = (
    "SELECT v.number, r.name, r.settles, v.value, v.seconds, v.cast_at FROM votes v "  # noqa: S608 - ours
    "JOIN raters r ON r.number = v.rater JOIN cases c ON c.number = v.number "
    f"JOIN (SELECT max(place) AS place, {_FIRST_SAID} AS first FROM votes GROUP BY rater, number) l "
    "ON l.place = v.place WHERE c.task = ? ORDER BY coalesce(l.first, v.place), v.place"
)
_RATERS = "SELECT number, name, settles, created, expires, revoked FROM raters"
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
_IMAGES = (
    "SELECT t.images FROM assignments a JOIN contents t ON t.number = a.number "
    "WHERE a.rater = ? AND a.id = ? AND a.state <> 'waiting'"
)


def _next_where(needs: str) -> str:
    """Build the query for a rater's current or next case.

    `needs` is the SQL condition that a new case must fulfil.
    """
    assigned = "FROM assignments a JOIN cases c ON c.number = a.number WHERE a.rater = ? AND a.state ="
    return (
        "SELECT n.first, a.number, a.id, a.turn, t.shown, a.held, "  # noqa: S608 - ours
        "(SELECT max(m.turn) FROM assignments m WHERE m.rater = ?), "
        f"c.wanted, c.state, c.needs, {_HELD} + {_READ} FROM ("
        f"SELECT * FROM (SELECT 0 AS first, a.rater, a.number {assigned} 'shown' ORDER BY a.since DESC LIMIT 1) s "
        f"UNION ALL SELECT * FROM (SELECT 1 AS first, a.rater, a.number {assigned} 'waiting' AND {needs} "
        "ORDER BY a.place LIMIT 1) w) n "
        "JOIN assignments a ON a.rater = n.rater AND a.number = n.number JOIN cases c ON c.number = n.number "
        "JOIN contents t ON t.number = n.number ORDER BY n.first LIMIT 1"
    )


_NEXT_TO_READ = _next_where(_NEEDS_A_READER)
_NEXT_TO_SETTLE = _next_where(_NEEDS_A_SETTLER)
_LAST_SECONDS = "FROM votes WHERE rater = ? AND seconds > 0 ORDER BY place DESC LIMIT 20"


def _standing_where(in_need: str, needs: str) -> str:
    """Build the query for a rater's progress; it relies on every rater having every case."""
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


def normalise_name(name: str) -> str:
    """Normalise a rater's name: spacing and Unicode form make no second rater.

    >>> normalise_name(" Dr  A ")
    'Dr A'
    """
    return " ".join(unicodedata.normalize("NFC", name).split())


def _read_rater(row: Sequence[Any]) -> Rater:
    return Rater(row[0], row[1], bool(row[2]), *row[3:])


def _check_nonce(nonce: str) -> None:
    if not _NONCE.fullmatch(nonce):
        raise StudyError("A vote needs a nonce of 1 to 100 plain characters. Load the page again.")


def _read_vote(value: str) -> Value | None:
    vote: dict[str, Any] = read_record(value, {str: object}, "a vote")
    return None if vote.get(SKIPPED) is True else vote


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


class _Sqlite:
    """A SQLite file; committed votes survive a power failure."""

    shared = False

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._convert_errors():
            create_file(path)
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            if found := find_damage(self._connection):
                raise damage_error(path, found)

    def execute(self, query: str, values: Sequence[Any] = ()) -> Any:
        if query == "ROLLBACK" and not self._connection.in_transaction:
            return None  # SQLite has done so itself, as on a full disk
        with self._convert_errors():
            return self._connection.execute(query, values)

    def execute_all(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._convert_errors():
            self._connection.executemany(query, rows)

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            why = getattr(error, "strerror", None) or str(error).partition(" with text ")[0]
            raise StoreError(
                f"{self._path} cannot be used for votes: {why}. Check the disk, or choose another folder."
            ) from error

    def reopen(self) -> None:
        """Do nothing: a file needs no new connection."""

    def close(self) -> None:
        self._connection.close()


def is_address(place: str | Path) -> bool:
    """Return whether `place` is a PostgreSQL address, not a folder."""
    return str(place).startswith(("postgresql://", "postgres://"))


class _Postgres:
    """A PostgreSQL database; error messages never contain its password."""

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
            # Without these limits, a dead network connection would block all votes.
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
        with self._convert_errors():
            return self._connection.execute(query, values)

    def execute_all(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._convert_errors():
            self._connection.cursor().executemany(query, rows)

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        """Convert PostgreSQL's errors, which may quote stored values, to our own."""
        try:
            yield
        except self._error as error:
            if self._connection.closed:
                raise _LostError("The connection to the PostgreSQL database was lost. Try again.") from None
            raise StoreError(f"The PostgreSQL database refused a vote or a case ({type(error).__name__}).") from None

    def close(self) -> None:
        self._connection.close()


def _password(address: str) -> str:
    """Return the password in a database address; raise StudyError if the address is invalid."""
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
