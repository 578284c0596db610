"""snellen view: a study seen over HTTP and in a browser while it goes on, and once it is finished."""

import asyncio
import http.client
import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from hashlib import sha256
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from browser import PATIENCE
from snellen import listening
from snellen.conditions import IMAGE_REMOVED
from snellen.errors import StoreBusyError, StoreChangedError, StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.prompts import Arm
from snellen.report.live import NOT_FINAL, estimates, situation
from snellen.store import Store
from snellen.store.lock import being_written
from snellen.store.viewing import open_view
from snellen.stress.base import Expectation, StressTest
from snellen.study import Study
from snellen.tools import view
from strategies import items
from watched_study import HOSTILE, KEY

SCRIPT = Path(__file__).parents[1] / "watched_study.py"


class Run:
    """A study of 8 items under three conditions in a process of its own, which answers when told to."""

    def __init__(self, out):
        self._process = subprocess.Popen([sys.executable, str(SCRIPT), str(out), "8"], stdin=subprocess.PIPE, text=True)
        until(lambda: Store.is_in(out) and being_written(out) and has_study(out))

    def answer(self, count):
        """Allow so many more responses."""
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()

    def end(self, count):
        """Answer the rest and wait for the end."""
        self._process.communicate(f"{count}\n")
        assert self._process.returncode == 0

    def kill(self):
        """End it at once."""
        self._process.kill()
        self._process.communicate()


def has_study(out):
    """Whether the store knows what is asked."""
    try:
        with open_view(out) as store:
            return bool(store.studies.load_all())
    except Exception:
        return False


def until(true):
    """Wait for something that happens in another process."""
    started = time.monotonic()
    while not true():
        assert time.monotonic() - started < PATIENCE
        time.sleep(0.02)


@pytest.fixture
def run(tmp_path):
    """A study that goes on."""
    going = Run(tmp_path)
    yield going
    going.kill()


@contextmanager
def seen(out, study=None):
    """The address of a viewer of a folder, in a thread."""
    loop, ready = asyncio.new_event_loop(), threading.Event()
    url = []

    async def main():
        async with await view.start(out, study) as server:
            url.append(server.url)
            stop.append(asyncio.Event())
            ready.set()
            await stop[0].wait()

    stop = []
    thread = threading.Thread(target=lambda: loop.run_until_complete(main()))
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield url[0]
    finally:
        loop.call_soon_threadsafe(stop[0].set)
        thread.join()
        loop.close()


def fetched(url, path="/", *, method="GET", **headers):
    """Status, headers and text of what is served, with the path sent as it is given."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
    try:
        connection.request(method, path, headers=headers)
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read().decode()
    finally:
        connection.close()


def status(url):
    """What the live page is told."""
    return json.loads(fetched(url, "/status.json")[2])


def contents(folder):
    """Every file of a folder with its bytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A study with all its responses; nobody has read it yet."""
    out = tmp_path_factory.mktemp("finished")
    model = FakeModel(lambda request: "Answer: B", name="fake/b")
    Study(models=[model], benchmarks=[Benchmark("b", items(6))], tests=["image-needed"], out=out).ask(lambda _: None)
    return out


def words(html):
    """The text of what is shown, on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", unescape(html)).split())


def test_a_run_is_followed_until_it_ends(tmp_path, run):
    """Counts grow, the first table comes without verdicts, failures without keys; then it is over."""
    with seen(tmp_path) as url:
        told = status(url)
        assert (told["state"], told["stored"], told["wanted"], told["estimates"]) == ("running", 0, 24, None)
        assert told["title"] == "fake/told on b"
        run.answer(9)  # three items under three conditions, one of which fails
        until(lambda: status(url)["stored"] == 6 and status(url)["shown"]["failures"])
        until(lambda: (status(url)["estimates"] or {"stored": 0})["stored"] == 6)
        told = status(url)
        assert told["sentence"] == "Running: 25% of the responses are there."
        assert "fake/told 6 of 24 3" in words(told["shown"]["progress"])
        assert words(told["shown"]["progress"]).count("2 of 8") == 3
        assert "request not accepted, 3 ×" in words(told["shown"]["failures"])
        assert "[hidden]" in told["shown"]["failures"]
        assert KEY not in json.dumps(told)
        so_far = words(told["estimates"]["shown"])
        assert NOT_FINAL in so_far
        assert "Model Accuracy so far Follows the image? Honest without the image? Steady?" in so_far
        assert re.search(r"told 0% \(0 to \d+\) n 2 ", so_far)
        assert 'class="status' not in told["estimates"]["shown"]
        assert told["shown"]["newest"].count("<article") == 6
        assert "&lt;/script&gt;" in told["shown"]["newest"]
        assert "Reading the responses" in fetched(url)[2]
        assert "Not final: 18 of 24 responses are missing" in fetched(url, "/report")[2]
        run.end(100)
        until(lambda: status(url)["state"] == "stopped")
        told = status(url)
        assert told["sentence"].startswith("Stopped: 3 of 24 responses are missing, 3 of them after failed requests.")
        assert "Not final: 3 of 24 responses are missing" in fetched(url, "/report")[2]


def test_what_a_model_says_is_text_in_the_browser(tmp_path, run, browser):
    """The page follows the run by itself, hostile responses stay text, and the end is told with a link."""
    with seen(tmp_path) as url:
        run.answer(9)
        browser.open(url)
        browser.wait_for("document.querySelectorAll('#newest .reply').length === 6")
        browser.wait_for("document.querySelectorAll('#so-far tbody tr').length === 1")
        quoted = browser.evaluate("document.querySelector('#newest .reply').textContent")
        assert quoted == HOSTILE.replace("\u202e", "⟨U+202E⟩")
        assert browser.evaluate("document.querySelectorAll('main img, .reply b').length") == 0
        assert NOT_FINAL in browser.evaluate("document.getElementById('so-far').textContent")
        assert browser.evaluate("document.getElementById('overall').value") == 6
        assert browser.evaluate("document.querySelectorAll('progress').length") == 1
        browser.evaluate("document.querySelector('#progress details details').open = true")
        run.end(100)
        browser.wait_for("document.getElementById('sentence').textContent.startsWith('Stopped: 3 of 24')")
        assert browser.evaluate("document.querySelector('#progress details details').open")
        assert browser.evaluate("document.getElementById('report').hidden") is False
        assert browser.evaluate("document.body.dataset.hacked === undefined")
        assert browser.complaints == []


def test_numbers_so_far_are_read_as_the_marks_need(tmp_path):
    """With half of the responses: what is said without the image, by the parser of these words, and no mark."""
    models = [f"organism/{name}" for name in ("grounded", "mirage")]
    tests = ["image-needed", "blank-image"]
    Study(models=models, benchmarks=["phantoms:items=24"], tests=tests, out=tmp_path).ask(lambda _: None)
    with closing(sqlite3.connect(tmp_path / "responses.sqlite")) as stored, stored:
        stored.execute("DELETE FROM trials WHERE ordinal >= 12")
    with Store.open(tmp_path) as store:
        so_far = words(estimates(store, situation(store, None, writing=True))["shown"])
    for name, share in (("grounded", r"100% \(\d+ to 100\)"), ("mirage", r"0% \(0 to \d+\)")):
        admits = rf"{share} n 12 says that it cannot see, or declines, without the image"
        assert re.search(rf" {name} 100% \(\d+ to 100\) n 12 – {admits} –", so_far)


def test_nothing_is_counted_or_sent_again_while_nothing_changes(finished, monkeypatch):
    """The same tag, no body, and the store is not opened."""
    with seen(finished) as url:
        until(lambda: status(url)["report"])
        headers = fetched(url, "/status.json")[1]
        monkeypatch.setattr(view, "open_view", None)
        again, _, body = fetched(url, "/status.json", **{"If-None-Match": headers["ETag"]})
        assert (again, body) == (304, "")
        assert fetched(url, "/status.json")[0] == 200


def test_a_finished_study_is_its_report_and_no_file_changes(finished, browser):
    """The report is drawn from the store and shown whole; names and bytes in the folder are as before."""
    before = contents(finished)
    with seen(finished) as url:
        told = status(url)
        assert told["sentence"] == "Finished: all 12 responses are there. The report is being drawn."
        assert (told["shown"], told["estimates"]) == ({}, None)
        until(lambda: 'id="verdicts"' in fetched(url)[2])
        code, headers, page = fetched(url)
        browser.open(url)
        assert browser.evaluate("document.querySelector('#verdicts') !== null")
        assert browser.complaints == []
    assert (code, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "Not final" not in page
    assert "fake/b" in page
    assert contents(finished) == before
    assert sorted(before) == ["responses.sqlite", "responses.sqlite.lock"]


def test_the_page_becomes_the_report_once_that_is_drawn(finished, browser, monkeypatch):
    """Meanwhile a finished study shows one sentence, and neither bars nor tables."""
    drawn = threading.Event()

    def report(store, now, own=view.report):
        assert drawn.wait(PATIENCE)
        return own(store, now)

    monkeypatch.setattr(view, "PATIENCE", 0.01)
    monkeypatch.setattr(view, "report", report)
    with seen(finished) as url:
        browser.open(url)
        browser.wait_for("document.getElementById('sentence').textContent.startsWith('Finished')")
        assert browser.evaluate("document.querySelectorAll('main table').length") == 0
        assert browser.evaluate("document.getElementById('overall').hidden && document.getElementById('report').hidden")
        drawn.set()
        browser.wait_for("document.querySelector('#verdicts') !== null")
        assert browser.complaints == []


def test_a_killed_run_is_stopped_and_viewing_leaves_its_log_alone(tmp_path, run):
    """What stands in the log is counted, and no byte beside it changes."""
    run.answer(9)
    with seen(tmp_path) as url:
        until(lambda: status(url)["stored"] == 6)
    run.kill()
    before = contents(tmp_path)
    assert "responses.sqlite-wal" in before
    with seen(tmp_path) as url:
        told = status(url)
        assert (told["state"], told["stored"]) == ("stopped", 6)
        assert "Not final" in fetched(url, "/report")[2]
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("127.0.0.1:8001", 200), ("localhost:9999", 200), ("other.example", 403), ("127.0.0.1.other.example", 403),
        ("", 403), ("user@127.0.0.1", 403), ("[", 403), ("0.0.0.0:8001", 403),
    ],
)  # fmt: skip
def test_only_pages_of_this_computer_are_answered(finished, host, code):
    """A name that was pointed here from elsewhere gets nothing."""
    with seen(finished) as url:
        got, _, body = fetched(url, "/status.json", Host=host)
        assert got == code
        assert ("fake/b" in body) == (code == 200)


def test_pages_of_other_sites_are_refused_and_so_is_a_crowd(finished, monkeypatch):
    """A page of another site cannot load the study, a link there leads to it, and connections are limited."""
    with seen(finished) as url:
        assert fetched(url, "/status.json", **{"Sec-Fetch-Site": "cross-site"})[0] == 403
        assert fetched(url, "/status.json", Origin="https://evil.example")[0] == 403
        assert fetched(url, **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})[0] == 200
        monkeypatch.setattr(listening, "MOST_PER_CLIENT", 0)
        assert fetched(url, "/status.json")[0] == 429


def test_nothing_but_its_three_pages_is_served_and_only_to_be_read(finished):
    """Other paths are not there, other methods not allowed, and every reply says to keep and embed nothing."""
    paths = ("/responses.sqlite", "/../responses.sqlite", "/%2e%2e/etc/passwd", "//etc/passwd", "/report/", "/static/x")
    with seen(finished) as url:
        assert [fetched(url, path)[0] for path in paths] == [404] * len(paths)
        assert [fetched(url, "/", method=method)[0] for method in ("POST", "PUT", "DELETE")] == [405] * 3
        assert fetched(url, "/", method="HEAD")[2] == ""
        for path in ("/", "/report", "/status.json", "/other"):
            headers = fetched(url, path)[1]
            assert headers["Cache-Control"] == "no-store"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_a_study_that_is_not_there_is_refused_before_anything_is_served(finished):
    """The error names the studies that there are."""
    with pytest.raises(StudyError, match=r"There is no study 'other'.*study-1"):
        asyncio.run(view.start(finished, "other"))


def test_a_report_that_cannot_be_drawn_says_why(tmp_path):
    """A test that exists only in a script is told; the counts are there all the same."""
    own = StressTest("own", "?", arms=(Arm(IMAGE_REMOVED),), expects=Expectation.WORSE)
    model = FakeModel(lambda request: "Answer: B", name="fake/b")
    Study(models=[model], benchmarks=[Benchmark("b", items(3))], tests=[own], out=tmp_path).ask(lambda _: None)
    with seen(tmp_path) as url:
        code, _, text = fetched(url, "/report")
        assert (code, "'own'" in text) == (503, True)
        assert "Reading the responses" in fetched(url)[2]
        assert status(url)["stored"] == 6


def test_a_writer_that_begins_meanwhile_is_noticed(finished, tmp_path):
    """What was read as a file that does not change is not believed; and a look at the lock keeps no writer out."""
    model = FakeModel(lambda request: "Answer: B", name="fake/b")
    Study(models=[model], benchmarks=[Benchmark("b", items(3))], tests=["image-needed"], out=tmp_path).ask(
        lambda _: None
    )
    with pytest.raises(StoreChangedError):
        look_while_somebody_writes(tmp_path)
    assert not being_written(tmp_path)


def look_while_somebody_writes(folder):
    """A look that begins before a writer does and ends after it."""
    with open_view(folder), Store.open(folder, write=True):
        assert being_written(folder)
        with pytest.raises(StoreBusyError):
            Store.open(folder, write=True)


def test_the_command_says_where_it_listens_and_ctrl_c_ends_it(finished):
    """One line, exit status 0, and nothing on standard error."""
    command = [
        sys.executable, "-c",
        # a shell that starts the tests in the background has Ctrl-C ignored in all they start
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from snellen.__main__ import main; main()",
        "view", str(finished), "--port", "0",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+/", line).group()
        assert fetched(url, "/status.json")[0] == 200
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, rest, errors) == (0, "", "")
