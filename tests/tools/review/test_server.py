"""The server of a review as browsers meet it: every vote saved once, nobody else's case, nothing that is blind."""

import asyncio
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import suppress
from types import SimpleNamespace

import aiohttp
import pytest
import trustme

from reviewing import PNG, Browser, cases, serving, trusting
from snellen import listening
from snellen.cli import cli
from snellen.errors import SnellenError, StoreError, StudyError
from snellen.items import Benchmark, Item, Option
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.study import Study
from snellen.tools.review import server as module
from snellen.tools.review.ballots import FILE, Ballots
from snellen.tools.review.server import Desk, Images, csrf, listen
from snellen.tools.review.tasks import TASKS
from strategies import picture

RIGHT, WRONG = {"verdict": "correct"}, {"verdict": "incorrect"}
BLIND = ("secret-9", "hidden-bench", "stratum-x", "original", "item-", "anna", "bert")


@pytest.fixture
def ballots(tmp_path):
    """A review of four cases, each with an image that can be read and one that cannot."""
    with Ballots.open(tmp_path) as opened:
        opened.add_review("verdict", {}, cases(4, images=(PNG.sha256, "0" * 64)))
        yield opened


@pytest.fixture
def review(ballots):
    """A server of it, with the browsers of two raters."""
    with serving(ballots) as running:
        running.anna, running.bert = (Browser(running.url, ballots.invite(name)) for name in ("anna", "bert"))
        yield running


def votes(ballots):
    return sorted((vote.rater, vote.value) for case in ballots.read("verdict") for vote in case.votes)


def test_a_link_leads_to_a_case_and_each_vote_to_the_next(review, ballots):
    """A rater enters, votes by script and by plain form, sends a vote twice, takes one back, and comes to the end."""
    anna = review.anna
    status, headers, _ = anna.ask("GET", f"/enter/{anna.token}")
    assert (status, headers["Location"]) == (303, "/")
    assert re.fullmatch(
        r"snellen-review-[0-9a-f]{16}=.*; HttpOnly; Max-Age=\d+; Path=/; SameSite=lax", headers["Set-Cookie"]
    )
    _, text = anna.get()
    assert "What is seen in" in text
    first = dict(anna.form)
    assert anna.vote(RIGHT) == 200
    assert anna.form["case"] != first["case"]
    second = anna.form["case"]
    assert anna.vote(RIGHT, case=first["case"], nonce=first["nonce"]) == 200
    assert anna.form["case"] == second
    assert anna.vote(WRONG, case=first["case"], nonce=first["nonce"]) == 422
    assert votes(ballots) == [("anna", RIGHT)]
    anna.get()
    assert anna.submit("/vote", verdict="incorrect", reason="") == (303, "/")
    anna.get()
    assert anna.vote(None) == 200
    status, text = anna.post("/undo", {"nonce": "undo-1"})
    assert status == 200
    assert 'name="case"' in text
    assert ballots.progress(ballots.rater(anna.token)).done == 2
    anna.get()
    assert anna.submit("/undo", nonce="undo-2") == (303, "/")
    assert [said for _, said in votes(ballots)] == [RIGHT]
    for _ in range(3):
        anna.get()
        assert anna.vote(RIGHT) == 200
    status, text = anna.get()
    assert (status, "Nothing left to read" in text) == (200, True)
    assert anna.get(f"/case/{first['case']}")[0] == 200
    assert re.search(r'value="correct"[^>]* checked', anna.get(f"/case/{first['case']}")[1])
    assert votes(ballots) == [("anna", RIGHT)] * 4


def test_nobody_sees_the_cases_or_images_of_another(review):
    """An id leads to a case and its images only for the rater who was shown it."""
    review.anna.get()
    case = review.anna.form["case"]
    status, headers, body = review.anna.ask("GET", f"/image/{case}/0")
    assert (status, headers["Content-Type"], body) == (200, "image/png", PNG.data)
    review.bert.get()
    for path in (f"/case/{case}", f"/image/{case}/0"):
        assert review.bert.ask("GET", path)[0] == 404
    status, text = review.bert.post("/vote", {"case": case, "value": RIGHT, "nonce": "1", "seconds": 1})
    assert (status, json.loads(text)["error"]) == (422, "There is no such case for you. Open your link again.")
    for place in ("2", "-1", "x", "٣", "1e3", "99999999999999999999"):
        assert review.anna.ask("GET", f"/image/{case}/{place.encode().hex() if place == '٣' else place}")[0] == 404
    for unknown in ("0" * 16, "%00", "%ff", "..%2f..%2fetc%2fpasswd"):
        assert review.anna.ask("GET", f"/case/{unknown}")[0] == 404


def test_an_image_that_cannot_be_read_is_said(review):
    """The rater gets a sentence without a path, and the host is told which image it is."""
    review.anna.get()
    status, _, body = review.anna.ask("GET", f"/image/{review.anna.form['case']}/1")
    assert (status, body.decode()) == (404, module.NO_IMAGE)
    assert any("has changed since it was sent" in each for each in review.told)


def test_a_link_that_was_revoked_has_expired_or_never_was_is_refused_at_once(review, ballots):
    """The page that is open already can neither vote nor load an image."""
    anna = review.anna
    anna.get()
    ballots.revoke("anna")
    assert anna.vote(RIGHT) == 403
    assert anna.ask("GET", f"/image/{anna.form['case']}/0")[0] == 403
    refused = (Browser(review.url, ballots.invite("late", days=-1)), Browser(review.url, "guessed"), anna)
    for each in refused:
        status, _, body = each.ask("GET", f"/enter/{each.token}")
        assert (status, "This link is not valid" in body.decode()) == (403, True)
        assert each.get()[0] == 403
    assert votes(ballots) == []
    again = Browser(review.url, ballots.invite("anna"))
    again.get()
    assert (again.vote(RIGHT), anna.get()[0]) == (200, 403)


def test_other_sites_and_other_names_are_refused(review, ballots):
    """A vote needs the page's own secret, the same origin, and a server by its own name."""
    anna = review.anna
    anna.get()
    sent = {"case": anna.form["case"], "value": RIGHT, "nonce": "1", "seconds": 1}
    for headers in (
        {"X_CSRF": ""},
        {"X_CSRF": csrf("another token")},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": review.url.replace("127.0.0.1", "127.0.0.1.evil.example")},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Host": "evil.example"},
    ):
        assert anna.post("/vote", sent, **headers)[0] == 403, headers
    assert anna.ask("GET", "/", headers={"Host": "evil.example"})[0] == 403
    anna.form["csrf"] = "wrong"
    assert anna.submit("/vote", verdict="correct") == (403, None)
    assert votes(ballots) == []


HOSTILE = {
    "broken": b'{"case": ',
    "no text": b"\xff\xfe\x00",
    "a surrogate": b'{"case": "\\ud800", "nonce": "1", "value": null}',
    "nesting": b"[" * 100_000,
    "a list": [],
    "a number": 7,
    "no vote": {"value": None},
    "skipped by accident": {"case": "CASE", "nonce": "1"},
    "a case that is none": {"case": "0" * 16, "nonce": "1", "value": RIGHT},
    "a case of NUL": {"case": "\x00", "nonce": "1", "value": RIGHT},
    "a case that is a list": {"case": [], "nonce": "1", "value": RIGHT},
    "a nonce of NUL": {"case": "CASE", "nonce": "\x00", "value": RIGHT},
    "a long nonce": {"case": "CASE", "nonce": "x" * 1000, "value": RIGHT},
    "seconds of text": {"case": "CASE", "nonce": "1", "value": RIGHT, "seconds": "soon"},
    "seconds of yes": {"case": "CASE", "nonce": "1", "value": RIGHT, "seconds": True},
    "a value of text": {"case": "CASE", "nonce": "1", "value": "correct"},
    "a value that is none": {"case": "CASE", "nonce": "1", "value": {"verdict": {"correct": 1}}},
    "other fields": {"case": "CASE", "nonce": "1", "value": {**RIGHT, "\x00": 1}},
    "a book": {"case": "CASE", "nonce": "1", "value": {**RIGHT, "reason": "x" * 30_000}},
}


def test_hostile_votes_are_refused_and_the_next_is_kept(review, ballots):
    """Nothing of what is wrong is kept, each is told in a sentence, and the server goes on."""
    anna = review.anna
    anna.get()
    for what, sent in HOSTILE.items():
        raw = sent if isinstance(sent, bytes) else json.dumps(sent).replace("CASE", anna.form["case"]).encode()
        status, text = anna.post("/vote", raw)
        assert (status, set(json.loads(text))) == (422, {"error"}), what
        assert 0 < len(json.loads(text)["error"]) <= 500, what
    assert anna.post("/vote", b" " * 300_000)[0] == 413
    assert anna.post("/vote", b"", Content_Length="99999999999999")[0] == 413
    assert anna.post("/vote", b"{}", Content_Type="text/plain")[0] == 415
    assert anna.ask("POST", "/")[0] == 405
    assert votes(ballots) == []
    for seconds in (-5, 1e300):
        anna.get()
        assert anna.vote(RIGHT, seconds=seconds) == 200
    assert [vote.seconds for case in ballots.read("verdict") for vote in case.votes] in ([0, 86400], [86400, 0])
    assert review.told == []


def test_nothing_that_is_sent_tells_whose_a_case_is(review, capfd, caplog):
    """No header, page or message has a model, benchmark, condition or rater; no log has a link or a word of a case."""
    anna, bert = review.anna, review.bert
    bert.get()
    assert bert.vote(WRONG) == 200
    paths = ["/", f"/enter/{anna.token}", "/enter/x", "/nothing", "/review.css", "/review.js", "/case/x", "/image/x/0"]
    anna.get()
    paths += [f"/image/{anna.form['case']}/{place}" for place in (0, 1)]
    for path in paths:
        _, headers, body = anna.ask("GET", path)
        for name, value in module.HEADERS.items():
            assert headers[name] == value, path
        sent = (str(headers).replace(anna.token, "") + body.decode(errors="replace")).replace("X-Content", "")
        assert [word for word in BLIND if word in sent and not path.startswith("/review.")] == [], path
        assert "server" not in headers
    said = capfd.readouterr().out + capfd.readouterr().err + caplog.text
    assert [word for word in (anna.token, bert.token, "effusion", *BLIND) if word in said] == []


def test_a_page_that_fails_tells_no_word_of_a_case(review, monkeypatch, capfd):
    """The host is told where it failed, and neither page nor log has what the error says."""

    def fail(*given, **named):
        raise RuntimeError("An effusion of acme/secret-9")

    monkeypatch.setattr(module.page, "case_part", fail)
    status, text = review.anna.get()
    assert (status, module.BROKEN in text) == (500, True)
    assert review.told == [f"A page failed: RuntimeError in test_server.py, line {fail.__code__.co_firstlineno + 1}."]
    assert "effusion" not in "".join(capfd.readouterr())


def test_a_vote_that_cannot_be_saved_is_not_said_to_be(review, ballots, monkeypatch):
    """A full disk is answered with 503, and the same vote is kept once there is room."""
    anna = review.anna
    anna.get()

    def full(*given, **named):
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(ballots, "cast", full)
        assert anna.vote(RIGHT) == 503
        patched.setattr(ballots, "turn", full)
        assert module.NOT_READ in anna.get()[1]
    assert review.told == ["A vote or a case could not be saved or read. The disk is full."] * 2
    anna.get()
    assert anna.vote(RIGHT) == 200
    assert votes(ballots) == [("anna", RIGHT)]


def test_connections_that_say_nothing_are_closed(ballots, monkeypatch):
    """Whoever only connects, or sends half a head, keeps nobody else out."""
    monkeypatch.setattr(listening, "SLOWEST_HEAD", 0.1)
    with serving(ballots) as running:
        port = int(running.url.rpartition(":")[2])
        for said in (b"", b"GET / HTTP/1.1\r\nHost: "):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as silent:
                silent.sendall(said)
                with suppress(ConnectionResetError):  # closed before the half head was read
                    assert silent.recv(1) == b""


def test_a_crowd_and_a_head_without_end_are_closed(ballots, monkeypatch):
    """One client's connections are limited, and so is what it says before it asks for anything."""
    with serving(ballots) as running:
        port = int(running.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as endless, suppress(OSError):
            endless.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000)
            assert b"".join(iter(lambda: endless.recv(10_000), b"")).startswith((b"HTTP/1.0 400 ", b"HTTP/1.1 400 "))
        monkeypatch.setattr(listening, "MOST_PER_CLIENT", 0)
        assert Browser(running.url, "x").ask("GET", "/")[0] == 429


def test_two_reviews_on_one_host_keep_their_raters(tmp_path):
    """A browser that entered two reviews of one host, at two ports, votes in both: cookies know no ports."""

    async def rate(*links):
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            for url, token in links:
                async with browser.get(f"{url}/enter/{token}") as reply:
                    assert reply.status == 200
            found = []
            for url, _ in links:
                async with browser.get(url) as reply:
                    found.append(reply.status)
            return found

    for name in "ab":
        (tmp_path / name).mkdir()
    with Ballots.open(tmp_path / "a") as one, Ballots.open(tmp_path / "b") as other:
        for ballots in (one, other):
            ballots.add_review("verdict", {}, cases(2))
        with serving(one) as first, serving(other) as second:
            links = [(first.url, one.invite("anna")), (second.url, other.invite("anna"))]
            assert asyncio.run(rate(*links)) == [200, 200]


def test_one_bad_vote_among_many_spoils_no_other(ballots):
    """What waits is done in one transaction; where one is refused, the others are kept all the same."""
    raters = [ballots.rater(ballots.invite(name)) for name in ("anna", "bert")]
    shown = [ballots.next_case(rater) for rater in raters]

    async def all_at_once():
        desk = Desk(ballots)
        works = [lambda _, rater=rater, case=case: ballots.cast(rater, case.id, RIGHT, nonce="1")
                 for rater, case in zip(raters, shown, strict=True)]  # fmt: skip
        bad = lambda _: ballots.cast(raters[0], "none", RIGHT, nonce="2")  # noqa: E731
        return await asyncio.gather(*map(desk.do, (works[0], bad, works[1])), return_exceptions=True)

    first, refused, second = asyncio.run(all_at_once())
    assert (first, second, type(refused)) == (True, True, StudyError)
    assert len(votes(ballots)) == 2


def test_images_in_memory_are_bounded(monkeypatch):
    """The image that was not asked for longest is let go of."""
    asked = []

    def encoded(sha256):
        asked.append(sha256)
        return PNG

    monkeypatch.setattr(module, "MOST_CACHED", 2 * len(PNG.data))
    images = Images(SimpleNamespace(images=SimpleNamespace(load_encoded=encoded)))
    for sha256 in "abacaba":
        images.image(sha256)
    assert "".join(asked) == "abcb"


def test_tls_by_file(ballots, tmp_path):
    """Pages travel under the certificate that is named, the cookie only so, and a wrong file is told."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    certificate, key = tmp_path / "review.pem", tmp_path / "review.key"
    issued.cert_chain_pems[0].write_to_path(certificate)
    issued.private_key_pem.write_to_path(key)
    with serving(ballots, certificate=certificate, key=key) as running:
        anna = Browser(running.url, ballots.invite("anna"), trusting=trusting(authority))
        _, headers, _ = anna.ask("GET", f"/enter/{anna.token}")
        assert headers["Set-Cookie"].endswith("; Secure")
        assert anna.get()[0] == 200
        assert anna.vote(RIGHT) == 200
    with pytest.raises(StudyError, match=r"review.key and its key cannot be used for TLS"):
        listen("127.0.0.1", 0, certificate=key)


LINK = re.compile(r"^(\w+): (http://127\.0\.0\.1:\d+)/enter/(\S+)$", re.M)


class Command:
    """`snellen review` in a process of its own, until it serves."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "snellen", "review", *map(str, arguments), "--port", "0"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "200"}
        )
        self.said = ""
        while "Raters are served at " not in self.said:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.said += line
        self.url = re.search(r"Raters are served at (\S+)", self.said)[1]
        self.links = {name: token for name, _, token in LINK.findall(self.said)}

    def end(self, how):
        """Status, and all that was said after the links."""
        self.process.send_signal(how)
        rest = "".join(self.process.communicate())
        return self.process.returncode, rest


@pytest.fixture
def study(tmp_path):
    """A study of one model on four questions with images, and a review of it that is not begun."""

    def answer(request):
        return Response("As acme/secret-9 I see an effusion. Answer: A", sent=tuple(map(receipt, request.images)))

    items = [
        Item(f"item-{number}", f"Is {number} normal?", (Option("No"), Option("Yes")), 0, (picture(number),))
        for number in range(4)
    ]
    model = FakeModel(answer, name="acme/secret-9")
    Study(models=[model], benchmarks=[Benchmark("hidden-bench", tuple(items))], tests=["rationale"],
          out=tmp_path / "out").ask(lambda progress: None)  # fmt: skip
    return tmp_path / "out"


def test_a_server_that_is_killed_between_two_votes_loses_none(study, capsys):
    """The command draws, invites and serves; killed, it goes on where it was, with the same links; Ctrl-C ends it."""
    begun = Command(study, "--task", "rationale", "--rater", "anna", "--rater", "bert")
    anna = Browser(begun.url, begun.links["anna"])
    _, text = anna.get()
    assert "secret-9" not in text
    image = f"/image/{anna.form['case']}/0"
    assert anna.ask("GET", image)[0] == (200 if image in text else 404)  # the first case may be one without its image
    marks = {"patterns": [{"tag": TASKS["rationale"].fields[0].values[0]}]}
    assert anna.vote(marks) == 200
    before = dict(anna.form)
    status, said = begun.end(signal.SIGKILL)
    assert status == -signal.SIGKILL

    again = Command(study, "--task", "rationale", "--rater", "anna")
    assert (again.links, "anna already has a link until" in again.said) == ({}, True)
    anna.url = again.url
    assert anna.vote({"patterns": []}, **before) == 200
    main_of("review", "revoke", study, "anna")
    assert anna.get()[0] == 403
    status, rest = again.end(signal.SIGINT)
    assert (status, "All votes and links are kept" in rest) == (0, True)
    for token in begun.links.values():
        assert token not in said + rest + again.said

    with sqlite3.connect(study / FILE) as kept:
        assert kept.execute("SELECT count(*) FROM votes").fetchone() == (2,)
    main_of("review", "status", study)
    assert re.search(r"anna .* 2 .* revoked", capsys.readouterr().out)


def main_of(*arguments):
    """Run the command line here."""
    cli.main([str(each) for each in arguments], standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--task", "verdikt"), "Did you mean .verdict"),
        ((), "Which task"),
        (("--task", "rationale"), "Which raters"),
        (("--task", "rationale", "--rater", "a", "--settler", "a"), "one link"),
        (("--host", "0.0.0.0", "--rater", "a"), "Without TLS"),
        (("--database", "mysql://x:s3cret@y/z"), "Expected a database"),
        (("--task", "rationale", "--rater", "a", "--rater", " a "), "one link"),
        (("--task", "rationale", "--rater", "a", "--host", "é..é", "--insecure"), "an address of this computer"),
    ],
)
def test_what_cannot_be_served_is_told(study, arguments, told):
    """Before anything is served, the command says what is missing."""
    with pytest.raises(SnellenError, match=told) as said:
        main_of("review", study, *arguments)
    assert "s3cret" not in str(said.value)
