"""Ballots keep every vote once, show each case to as many as should read it, and tell nobody a password."""

import itertools
import random
import time

import pytest

from reviewing import Postgres, cases
from snellen.errors import DataError, StoreError, StudyError
from snellen.tools.review import ballots as module
from snellen.tools.review.ballots import Ballots
from snellen.tools.review.results import readings
from snellen.tools.review.tasks import TASKS

RIGHT, WRONG = {"verdict": "correct"}, {"verdict": "incorrect"}


@pytest.fixture(scope="module")
def postgres():
    """A real PostgreSQL server."""
    with Postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Where ballots can be kept."""
    if request.param == "sqlite":
        return tmp_path
    return request.getfixturevalue("postgres").url(f"db{random.SystemRandom().randrange(10**9)}")


def invited(ballots, *names, settles=False):
    return [ballots.rater(ballots.invite(name, settles=settles)) for name in names]


def states(ballots, task="verdict"):
    return [case.state for case in ballots.read(task)]


def test_votes_are_private_and_never_behind_a_link(tmp_path):
    """Nor their log; a link by the name of their file is left alone."""
    with Ballots.open(tmp_path):
        assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o600}
    other = tmp_path / "other"
    other.mkdir()
    (other / module.FILE).symlink_to(tmp_path / "target")
    with pytest.raises(StoreError, match="is a link or not a plain file"):
        Ballots.open(other)
    assert not (tmp_path / "target").exists()


def test_two_read_a_case_and_a_third_settles_it(place):
    """A case is open, then differs, is offered to the settler alone, and is settled by what they say."""
    with Ballots.open(place) as ballots:
        ballots.add_review("verdict", {}, cases(1))
        anna, bert, dora = invited(ballots, "anna", "bert", "dora")
        (carla,) = invited(ballots, "carla", settles=True)
        assert ballots.next_case(carla) is None
        for rater, said, seconds, state in ((anna, RIGHT, 4, "open"), (bert, WRONG, 1e9, "differs")):
            assert ballots.cast(rater, ballots.next_case(rater).id, said, nonce="1", seconds=seconds)
            assert states(ballots) == [state]
        assert ballots.next_case(dora) is None
        assert ballots.progress(carla)[:2] == (0, 1)
        assert ballots.cast(carla, ballots.next_case(carla).id, RIGHT, nonce="1", seconds=-1)
        assert states(ballots) == ["settled"]
        votes = [(vote.rater, vote.settles, vote.value, vote.seconds) for vote in ballots.read("verdict")[0].votes]
        assert votes == [("anna", False, RIGHT, 4), ("bert", False, WRONG, 86_400), ("carla", True, RIGHT, 0)]
        assert [ballots.progress(rater) for rater in (anna, carla)] == [(1, 0, 4), (1, 0, 0)]


def test_a_settler_reads_what_the_readers_wrote_but_not_who_wrote_it(tmp_path, monkeypatch):
    """Their answers stand below the case in an order of its own; readers see none. Cases come also after raters."""
    ids = itertools.count()
    monkeypatch.setattr(module.secrets, "token_hex", lambda size: f"{next(ids):016x}")
    with Ballots.open(tmp_path) as ballots:
        raters = dict(zip(invited(ballots, "anna", "bert"), ("cyst", "mass"), strict=True))
        (carla,) = invited(ballots, "carla", settles=True)
        (dora,) = invited(ballots, "dora")
        ballots.add_review("reference", {}, cases(8, task="reference"))
        ballots.cast(dora, ballots.next_case(dora).id, None, nonce="1")
        for (rater, said), number in itertools.product(raters.items(), range(8)):
            case = ballots.next_case(rater)
            assert [each.title for each in case.passages] == ["Response"]
            ballots.cast(rater, case.id, {"answer": said}, nonce=str(number))
        seen = set()
        for number in range(8):
            case = ballots.next_case(carla)
            assert ballots.case(carla, case.id) == ballots.turn(carla, case.id).case == case
            assert [each.title for each in case.passages] == ["Response", "Answer 1", "Answer 2"]
            seen.add(tuple(each.text for each in case.passages[1:]))
            ballots.cast(carla, case.id, {"answer": "cyst"}, nonce=str(number))
        assert seen == {("cyst", "mass"), ("mass", "cyst")}
        assert (ballots.revoke("nobody"), ballots.revoke("anna"), ballots.turn(carla, "f" * 16)) == (False, True, None)


def test_without_a_settler_one_more_reads_what_differs(place):
    """The third vote decides; the link of a settler that has expired or was revoked is none."""
    with Ballots.open(place) as ballots:
        ballots.add_review("verdict", {}, cases(1))
        anna, bert, dora, emil = invited(ballots, "anna", "bert", "dora", "emil")
        ballots.invite("gone", settles=True)
        ballots.revoke("gone")
        ballots.invite("expired", settles=True, days=-1)
        ballots.cast(anna, ballots.next_case(anna).id, RIGHT, nonce="1")
        ballots.cast(bert, ballots.next_case(bert).id, WRONG, nonce="1")
        case = ballots.next_case(dora)
        assert ballots.next_case(emil) is None
        ballots.cast(dora, case.id, WRONG, nonce="1")
        assert states(ballots) == ["settled"]
        ballots.cast(anna, ballots.turn(anna).earlier, RIGHT, nonce="2")
        assert list(readings(ballots.read("verdict")[0])) == ["anna", "bert"]  # she came first, and dora to settle it


def test_a_plan_says_what_was_drawn_in_all(place):
    """A smaller plan later takes nothing away, and one with more cases counts those that were there."""

    def plan(drawn, **how):
        return {**how, "strata": [{"stratum": "stratum-x", "drawn": drawn, "of": 9}], "cases": drawn}

    with Ballots.open(place) as ballots:
        ballots.add_review("verdict", plan(4, each=4), cases(4))
        ballots.add_review("verdict", plan(2, each=2), cases(2))
        assert ballots.reviews()["verdict"] == plan(4, each=4)
        ballots.add_review("verdict", plan(3, seed=1), cases(6)[3:])
        assert ballots.reviews()["verdict"] == plan(6, seed=1)


def test_who_changes_a_vote_stays_one_of_the_first_readers(place):
    """The third reader of what two disagree on does not take the place of one who votes again."""
    with Ballots.open(place) as ballots:
        ballots.add_review("verdict", {}, cases(1))
        anna, bert, dora = invited(ballots, "anna", "bert", "dora")
        first = ballots.next_case(anna).id
        for rater, said in ((anna, RIGHT), (bert, WRONG), (dora, WRONG)):
            ballots.cast(rater, ballots.next_case(rater).id, said, nonce="1")
        ballots.turn_back(anna, nonce="2")
        ballots.cast(anna, first, RIGHT, nonce="3")
        assert [vote.rater for vote in ballots.read("verdict")[0].votes] == ["anna", "bert", "dora"]
        ballots.cast(bert, ballots.turn_back(bert, nonce="2").case.id, None, nonce="3")
        assert [(vote.rater, vote.value) for vote in ballots.read("verdict")[0].votes if vote.value is not None] == [
            ("anna", RIGHT), ("dora", WRONG),
        ]  # fmt: skip


def test_who_has_voted_keeps_the_role_they_voted_in(place):
    """A reader's own votes would else all count as settled; without a vote the role may change."""
    with Ballots.open(place) as ballots:
        ballots.add_review("verdict", {}, cases(2))
        (anna,) = invited(ballots, "anna")
        assert invited(ballots, "anna", settles=True)[0].settles
        (anna,) = invited(ballots, "anna")
        ballots.cast(anna, ballots.next_case(anna).id, RIGHT, nonce="1")
        with pytest.raises(StudyError, match=r"anna has voted as a rater, .* Choose another person as the settler"):
            ballots.invite("anna", settles=True)
        assert [rater.settles for rater in ballots.raters()] == [False]
        assert states(ballots) == ["open", "open"]


def test_a_vote_is_kept_once_and_can_be_taken_back(place):
    """What is sent again changes nothing, an undoing that is sent twice undoes once, and a skip is no vote."""
    with Ballots.open(place) as ballots:
        ballots.add_review("verdict", {}, cases(3, wanted=1))
        (anna,) = invited(ballots, "anna")
        first = ballots.next_case(anna)
        assert ballots.cast(anna, first.id, RIGHT, nonce="a")
        assert not ballots.cast(anna, first.id, RIGHT, nonce="a")
        second = ballots.next_case(anna)
        for case, value in ((second, RIGHT), (first, WRONG), (first, None)):
            with pytest.raises(StudyError, match="Another vote was already sent"):
                ballots.cast(anna, case.id, value, nonce="a")
        ballots.cast(anna, second.id, None, nonce="b")
        assert ballots.progress(anna)[:2] == (2, 1)
        assert sorted(states(ballots)) == ["agreed", "open", "open"]
        back = [ballots.turn_back(anna, nonce="undo") for _ in range(2)]
        assert [turn.case.id for turn in back] == [second.id, second.id]
        with pytest.raises(StudyError, match="Another vote was already sent"):
            ballots.cast(anna, second.id, RIGHT, nonce="undo")
        assert back[0].earlier == first.id
        again = ballots.turn_back(anna, nonce="undo-more")
        assert (again.case.id, again.said, again.later) == (first.id, RIGHT, second.id)
        assert ballots.next_case(anna).id == first.id
        assert states(ballots) == ["open"] * 3
        assert ballots.progress(anna)[:2] == (0, 3)


def test_a_mark_lies_in_the_response(place):
    """Words that a response does not have cannot be marked."""
    with Ballots.open(place) as ballots:
        ballots.add_review("rationale", {}, cases(1, task="rationale"))
        (anna,) = invited(ballots, "anna")
        case = ballots.next_case(anna)
        mark = {"tag": TASKS["rationale"].fields[0].values[0], "start": 0, "end": len(case.response)}
        with pytest.raises(DataError, match="a mark ends beyond the response, which has 15 characters"):
            ballots.cast(anna, case.id, {"patterns": [{**mark, "end": 16}]}, nonce="1")
        assert ballots.cast(anna, case.id, {"patterns": [mark]}, nonce="1")


def test_hostile_values_are_refused_or_kept_whole(place):
    """No id, nonce or name reaches the database that it could not hold, and a text loses nothing but NUL."""
    with Ballots.open(place) as ballots:
        ballots.add_review("verdict", {}, cases(1))
        assert not ballots.revoke("\udcff")
        (anna,) = invited(ballots, "anna")
        case = ballots.next_case(anna)
        for id_ in ("", "\x00", "\ud800", "0" * 16, f"{case.id}\n", "' OR 1=1 --"):
            assert (ballots.case(anna, id_), ballots.image(anna, id_, 0)) == (None, None)
            with pytest.raises(StudyError, match="no such case"):
                ballots.cast(anna, id_, RIGHT, nonce="1")
        for nonce in ("", "\x00", "\ud800", "x" * 101):
            with pytest.raises(StudyError, match="nonce"):
                ballots.cast(anna, case.id, RIGHT, nonce=nonce)
        for name in ("", "  ", "a\x00", "\ud800", "x" * 81):
            with pytest.raises(StudyError, match="name"):
                ballots.invite(name)
        with pytest.raises(DataError, match="no answer to verdict"):
            ballots.cast(anna, case.id, {}, nonce="1")
        assert ballots.rater("\ud800\x00") is None
        reason = "Größe\x00 \u202e'); DROP TABLE votes; --"
        ballots.cast(anna, case.id, {**RIGHT, "reason": reason}, nonce="1")
        (vote,) = ballots.read("verdict")[0].votes
        assert vote.value["reason"] == reason.replace("\x00", "")


def test_a_database_holds_the_review_of_one_study(place):
    """Another study is told so, and neither changes what the first has."""
    with Ballots.open(place, study="lungs, added today") as ballots:
        ballots.add_review("verdict", {}, cases(1))
        assert ballots.add_review("verdict", {}, cases(2)) == 1
    with pytest.raises(StudyError, match=r"another study \(lungs, added today\), not of this one \(joints\)"):
        Ballots.open(place, study="joints")
    with Ballots.open(place, study="lungs, added today") as ballots:
        assert len(ballots.read("verdict")) == 2


LEFT = """
SELECT count(*) FROM assignments a JOIN cases c ON c.number = a.number WHERE a.rater = ? AND (a.state = 'shown' OR
a.state = 'waiting' AND (SELECT count(*) FROM assignments o JOIN raters r ON r.number = o.rater WHERE
o.number = a.number AND r.settles = 0 AND (o.state = 'voted' OR o.state = 'shown' AND o.held = 1 AND
o.since > ?)) <
c.wanted + (CASE WHEN c.state = 'differs' THEN 1 ELSE 0 END))
"""


def test_what_is_left_is_what_counting_everything_would_find(tmp_path, monkeypatch):
    """Through votes, skips, undoings, revoked links and hours of silence, the kept counts are those of a full count."""
    rng, now = random.Random(1), [1e9]
    monkeypatch.setattr(time, "time", lambda: now[0])
    with Ballots.open(tmp_path) as ballots:
        ballots.add_review("verdict", {}, cases(12))
        raters = invited(ballots, *"abcde")
        for step in range(300):
            rater = rng.choice(raters)
            now[0] += rng.choice([1, 1, 1, 70, module.HELD / 3])
            act = rng.random()
            if act < 0.1:
                ballots.turn_back(rater, nonce=f"undo-{step}")
            elif act < 0.15:
                ballots.revoke(rater.name)
                ballots.invite(rater.name)
            elif (case := ballots.next_case(rater)) and act < 0.7:
                ballots.cast(rater, case.id, rng.choice([RIGHT, RIGHT, WRONG, None]), nonce=str(step))
            now[0] += module.BETWEEN_RELEASES
            ballots.next_case(rater)
            for each in raters:
                counted = ballots._run(LEFT, each.number, now[0] - module.HELD).fetchone()[0]
                assert ballots.progress(each).left == counted, step
        read = ballots.read("verdict")
        assert all(len({vote.rater for vote in case.votes}) == len(case.votes) for case in read)
        assert {case.state for case in read} >= {"agreed", "settled"}


def test_a_case_that_somebody_left_is_given_to_another_but_their_late_vote_counts(tmp_path, monkeypatch):
    """A case is kept for whoever has it before them for two hours."""
    now = [1e9]
    monkeypatch.setattr(time, "time", lambda: now[0])
    with Ballots.open(tmp_path) as ballots:
        ballots.add_review("verdict", {}, cases(1, wanted=1))
        anna, bert = invited(ballots, "anna", "bert")
        late = ballots.next_case(anna)
        now[0] += module.HELD - 1
        assert ballots.next_case(bert) is None
        now[0] += module.BETWEEN_RELEASES
        ballots.cast(bert, ballots.next_case(bert).id, RIGHT, nonce="1")
        assert ballots.cast(anna, late.id, RIGHT, nonce="1")
        assert len(ballots.read("verdict")[0].votes) == 2


def test_a_connection_that_was_lost_is_opened_again(postgres):
    """A vote after PostgreSQL was restarted is kept like one before; while it is down, nothing is said to be kept."""
    with Ballots.open(postgres.url("restarted")) as ballots:
        ballots.add_review("verdict", {}, cases(3))
        (anna,) = invited(ballots, "anna")
        ballots.cast(anna, ballots.next_case(anna).id, RIGHT, nonce="1")
        case = ballots.next_case(anna)
        postgres.stop()
        try:
            with pytest.raises(StoreError, match="cannot be reached") as told:
                ballots.cast(anna, case.id, RIGHT, nonce="2")
            assert "s3cret" not in str(told.value)
        finally:
            postgres.start()
        assert ballots.cast(anna, case.id, RIGHT, nonce="2")
        assert ballots.progress(anna).done == 2


@pytest.mark.parametrize(
    "address",
    [
        "{right}:wrong-s3cret@127.0.0.1:{port}/postgres",
        "{right}:s3cret@word@127.0.0.1:{port}/postgres",
        "{right}:s3cret/word@127.0.0.1:{port}/postgres",
        "{right}:s3cret%zz@127.0.0.1:{port}/postgres",
        "{right}:s3cret@127.0.0.1:1/postgres",
        "{right}:s3cret@127.0.0.1:{port}/nowhere?s3cret=1",
    ],
)
def test_no_password_is_in_a_message(postgres, address):
    """Whatever is wrong with an address, its password is not told."""
    port = postgres.url().rpartition(":")[2].partition("/")[0]
    with pytest.raises((StoreError, StudyError), match="database") as told:
        Ballots.open(address.format(right="postgresql://reviewer", port=port))
    assert "s3cret" not in repr(told.value)
    assert told.value.__cause__ is None


def test_a_transaction_that_sqlite_has_ended_itself_is_no_second_error(tmp_path):
    """On a full disk SQLite rolls back before it is asked to; any other error is told."""
    database = module._Sqlite(tmp_path / "votes.sqlite")
    assert database.execute("ROLLBACK") is None
    with pytest.raises(StoreError):
        database.execute("COMMIT")
    database.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError):
        database.execute("BEGIN IMMEDIATE")
    database.execute("ROLLBACK")
    database.close()
