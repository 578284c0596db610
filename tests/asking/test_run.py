"""Running: asked once, resumed anywhere, stopped cleanly, nothing lost and nothing silent."""

import asyncio
import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import ClassVar
from zlib import crc32

import pytest

from snellen.asking import run as running
from snellen.asking.plan import Plan
from snellen.asking.progress import state
from snellen.asking.run import FAILURES_IN_A_ROW, Nobody, Tally, run, takes_no_images
from snellen.cli.terminal import say_failures
from snellen.conditions import IMAGE_REMOVED, Condition
from snellen.errors import (
    BusyError,
    ImageError,
    RejectedError,
    StoreError,
    TransientError,
    UnusableModelError,
    raise_first,
)
from snellen.images import Image
from snellen.items import Benchmark
from snellen.models.base import Response, Usage, receipt
from snellen.models.client.transport import ServerResponse, Transport
from snellen.models.fake import FakeModel
from snellen.models.openai import OpenAI
from snellen.prompts import PROMPTS, Settings
from snellen.scoring.resolving import study_record
from snellen.scoring.results import score
from snellen.sight.witness import ImageWitness
from snellen.store import Store
from snellen.stress import stress_test
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.design import Design
from strategies import items, picture


class Counting(FakeModel):
    """Answers B and remembers what it was asked."""

    def __init__(self, name="fake/counting", reply=lambda request: "Answer: B"):
        super().__init__(self._count, name=name, revision="")
        self.asked = Counter()
        self._reply = reply

    def _count(self, request):
        self.asked[request.key] += 1
        return self._reply(request)


def plan(*models, questions=20, tests=("image-needed", "option-order"), **settings):
    benchmark = questions if isinstance(questions, Benchmark) else Benchmark("b", items(questions))
    return Plan(
        (benchmark,), models, tuple(stress_test(test).design if isinstance(test, str) else test for test in tests),
        PROMPTS["letter"], Settings(temperature=0), **settings,
    )  # fmt: skip


def ask(planned, folder, **settings):
    with Store.open(folder, write=True) as store:
        store.studies.add(study_record(planned, store, {}))
        return run(planned, store, **settings)


def test_shared_arms_are_asked_once(tmp_path):
    """Two tests share the original arm: 20 items, three arms, sixty requests, each once."""
    model = Counting()
    progress = ask(plan(model), tmp_path)
    assert (progress.done, progress.total, progress.failed) == (60, 60, 0)
    assert set(model.asked.values()) == {1}


def test_a_finished_run_asks_nothing_again(tmp_path):
    """The second run of a study sends no request; a larger one sends only what is new."""
    model = Counting()
    ask(plan(model), tmp_path)
    assert ask(plan(model), tmp_path).total == 0
    assert ask(plan(model, epochs=2), tmp_path).done == 60
    assert ask(plan(model, epochs=2, limit=5), tmp_path).total == 0
    assert sum(model.asked.values()) == 120


def test_limit_asks_the_first_items_and_draws_as_the_whole_does(tmp_path):
    """A limited run is a part of the whole run, to the byte."""
    small, large = Counting(), Counting()
    ask(plan(small, limit=7), tmp_path / "small")
    ask(plan(large), tmp_path / "large")
    assert len(small.asked) == 21
    assert set(small.asked) < set(large.asked)


def test_neither_order_nor_number_of_connections_changes_a_request(tmp_path):
    """One connection or many, items in another order: the same requests."""
    one, many = Counting(), Counting()
    ask(plan(one), tmp_path / "one", connections=1)
    ask(plan(many, questions=Benchmark("b", items(20)[::-1])), tmp_path / "many", connections=50)
    assert set(one.asked) == set(many.asked)


def test_equal_requests_of_different_arms_share_a_reply(tmp_path):
    """An item that two arms leave in the same words is asked once, and both arms have its reply."""
    same = Design("again", "Is it the same?", arms=(replace_prompt(),))
    model = Counting()
    progress = ask(plan(model, tests=(same,)), tmp_path)
    assert (progress.done, progress.shared, progress.total) == (20, 20, 20)
    with Store.open(tmp_path) as store:
        grades = (
            score(store, tests=[StressTest(same, Analysis(Expectation.INVARIANT))]).tables["fake/counting", "b"].arms
        )
    assert [len(arm) for arm in grades.values()] == [20, 20]


def replace_prompt():
    from snellen.conditions import ORIGINAL
    from snellen.prompts import Arm, Prompt

    return Arm(ORIGINAL, Prompt("twin", PROMPTS["letter"].user))


def test_equal_requests_are_asked_once_however_slow_the_model(tmp_path):
    """Sixty items in three wordings, one connection: the line is full all the time, and still three requests go out."""
    asked = Counter()

    class Slow(Counting):
        async def answer(self, request):
            asked[request.key] += 1
            await asyncio.sleep(0.02)
            return Response("Answer: B")

    same = items(3, images=False)
    questions = tuple(replace(same[i % 3], id=f"twin-{i}") for i in range(60))
    once = Design("again", "Is it the same?")
    progress = ask(plan(Slow(), questions=Benchmark("b", questions), tests=(once,)), tmp_path, connections=1)
    assert sorted(asked.values()) == [1, 1, 1]
    assert (progress.done, progress.shared) == (3, 57)
    with Store.open(tmp_path) as store:
        table = score(store, tests=[StressTest(once, Analysis(Expectation.INVARIANT))]).tables["fake/counting", "b"]
    assert len(table.arms["original"]) == 60


def test_a_failed_request_is_kept_apart_and_asked_again(tmp_path):
    """Failures are counted, graded as nothing, and retried by the next run."""
    broken = Counting(reply=lambda request: fail(RejectedError("bad")) if "picture 3 " in request.text else "Answer: B")
    progress = ask(plan(broken), tmp_path)
    assert (progress.done, progress.failed) == (57, 3)
    with Store.open(tmp_path) as store:
        arms = score(store).tables["fake/counting", "b"].arms
    assert {name: (len(arm), dict(arm.failed)) for name, arm in arms.items()} == {
        name: (19, {"RejectedError: bad": 1}) for name in ("original", "image-removed", "options-shuffled")
    }
    mended = Counting()
    assert ask(plan(mended), tmp_path).done == 3


def fail(error):
    raise error


def test_a_model_that_can_never_answer_is_given_up_at_once(tmp_path):
    """A wrong key stops that model, says why, and leaves the other one running."""
    locked = Counting("fake/locked", lambda request: fail(UnusableModelError("the key was not accepted")))
    fine = Counting("fake/fine")
    progress = ask(plan(locked, fine, questions=200), tmp_path, connections=20)
    assert progress.unusable == {"fake/locked": "the key was not accepted"}
    assert sum(locked.asked.values()) == 1
    assert sum(fine.asked.values()) == 600


def test_what_a_model_that_was_given_up_was_not_asked_is_not_counted(tmp_path):
    """The total is what was asked and what still will be; no time is left for a model that is gone."""
    locked = Counting("fake/locked", lambda request: fail(UnusableModelError("the key was not accepted")))
    seen = []

    def watch(progress):
        seen.append((progress.total, dict(progress.awaited), progress.left))

    progress = ask(plan(locked, questions=200), tmp_path, watch=watch)
    assert seen[0] == (600, {"fake/locked": 600}, None)
    assert seen[-1] == (1, {}, None)
    assert (progress.total, progress.failed) == (1, 1)
    both = ask(plan(locked, Counting("fake/fine"), questions=200), tmp_path)
    assert (both.total, both.done, both.failed) == (601, 600, 1)


@pytest.mark.parametrize("outcome", ["answered", "failed"])
def test_the_first_request_goes_alone(tmp_path, outcome):
    """The others wait until it is answered or has failed for a reason of its own; then all go at once."""
    in_flight, most, full = [], [], asyncio.Event()

    class Slow(Counting):
        async def answer(self, request):
            in_flight.append(request)
            most.append(len(in_flight))
            if len(in_flight) == 8:
                full.set()
            if len(most) > 1:
                await patiently(full)
            in_flight.remove(request)
            if len(most) == 1 and outcome == "failed":
                raise RejectedError("the image is too large")
            return await super().answer(request)

    progress = ask(plan(Slow()), tmp_path, connections=8)
    assert progress.done + progress.failed == 60
    assert most[:2] == [1, 1]
    assert max(most) == 8


def test_a_first_request_that_takes_its_time_holds_up_nobody(tmp_path, monkeypatch):
    """After a few seconds the others go, whatever becomes of the first."""
    monkeypatch.setattr(running, "ALONE", 0.01)
    others = asyncio.Event()

    class SlowAtFirst(Counting):
        async def answer(self, request):
            reply = await super().answer(request)
            if len(self.asked) == 1:
                await asyncio.wait_for(others.wait(), 20)
            others.set()
            return reply

    assert ask(plan(SlowAtFirst()), tmp_path).done == 60


def test_a_model_that_is_waited_for_is_named_with_its_trouble(tmp_path):
    """Those who watch hear why no reply comes."""
    told, heard = asyncio.Event(), []

    class Away(Counting):
        async def answer(self, request):
            if not heard:
                self.trouble = "nobody answers there"
                await told.wait()
                self.trouble = ""
            return await super().answer(request)

    def watch(progress):
        if progress.troubles:
            heard.append(dict(progress.troubles))
            told.set()

    progress = ask(plan(Away(), questions=3), tmp_path, watch=watch)
    assert heard[0] == {"fake/counting": "nobody answers there"}
    assert progress.troubles == {}


def test_a_server_that_is_gone_is_given_up_after_a_while(tmp_path):
    """So many failures in a row end the run for that model instead of going through the whole benchmark."""
    gone = Counting(reply=lambda request: fail(TransientError("cannot reach it")))
    progress = ask(plan(gone, questions=500), tmp_path, connections=2)
    assert "cannot reach it" in progress.unusable["fake/counting"]
    assert FAILURES_IN_A_ROW <= progress.failed <= FAILURES_IN_A_ROW + 2


def test_an_image_that_did_not_arrive_is_not_an_answer(tmp_path):
    """A backend whose receipt lacks the image gives no reply, however good its text is."""
    silent = FakeModel(lambda request: Response("Answer: B"), name="fake/silent")
    progress = ask(plan(silent, questions=5), tmp_path)
    assert (progress.done, progress.failed) == (5, 10)


def test_a_missing_image_stops_the_run(tmp_path):
    """No question goes out without its image: the run ends and names the item."""
    path = tmp_path / "a.png"
    path.write_bytes(picture().read())
    questions = items(5)
    benchmark = Benchmark("b", (*questions, replace(questions[0], id="lost", images=(Image(path),))))
    planned = plan(Counting(), questions=benchmark)
    benchmark.items[-1].images[0].fingerprint  # noqa: B018 - it is there when the study is planned
    path.unlink()
    with pytest.raises(ImageError, match=r"'lost'.*cannot be read"):
        ask(planned, tmp_path / "out")


def test_an_image_that_cannot_be_decoded_costs_its_item_alone(tmp_path, capsys):
    """The file passes the check at load; the study goes on, names item and file, and asks it only without its image."""
    path = tmp_path / "broken.png"
    whole = picture().read()
    rows = whole.index(b"IDAT")
    length = int.from_bytes(whole[rows - 4 : rows], "big")
    spoilt = b"IDAT" + bytes(length)
    path.write_bytes(whole[:rows] + spoilt + crc32(spoilt).to_bytes(4, "big") + whole[rows + 8 + length :])
    questions = items(3)
    lost = replace(questions[0], id="lost", question="What else?", images=(Image(path),))
    benchmark = Benchmark("b", (*questions, lost))
    asked = []
    model = FakeModel(lambda request: asked.append(request) or "Answer: B")
    progress = ask(plan(model, questions=benchmark), tmp_path / "out")
    assert (progress.total, progress.done, progress.failed) == (10, 10, 0)
    assert sum(bool(request.images) for request in asked) == 6
    say_failures(progress)
    assert re.search(r"item 'lost' was not asked.*broken\.png cannot be decoded", capsys.readouterr().err)
    with Store.open(tmp_path / "out") as store:
        arms = score(store).tables["fake/function", "b"].arms
    (reason,) = arms["original"].inapplicable
    assert reason.startswith("its image cannot be decoded")
    assert arms["image-removed"].inapplicable == {}
    assert ask(plan(model, questions=benchmark), tmp_path / "out").total == 0


def test_a_condition_whose_code_changed_is_not_mixed_with_its_past(tmp_path):
    """Half asked under the old code, the other half cannot be asked under the new one in the same folder."""

    def rotating(by):
        @dataclass(frozen=True)
        class Rotated(Condition):
            """The options turned round."""

            name: ClassVar[str] = "rotated"

            def apply(self, item, drawn):
                """Each option some places further."""
                order = [(i + by) % len(item.options) for i in range(len(item.options))]
                options = tuple(item.options[i] for i in order)
                return replace(item, options=options, answer=order.index(item.answer))

        return Design("turned", "Is it?", arms=(Rotated(),))

    half = Counting(reply=lambda request: fail(RejectedError("no")) if "finding a1" in request.text else "Answer: B")
    ask(plan(half, tests=(rotating(1),)), tmp_path)
    assert ask(plan(Counting(), tests=(rotating(1),)), tmp_path).done > 0
    ask(plan(half, tests=(rotating(1),), epochs=2), tmp_path)
    with pytest.raises(StoreError, match="code has changed"):
        ask(plan(Counting(), tests=(rotating(2),), epochs=2), tmp_path)


BUGS = {
    "nothing": lambda request: None,
    "no text": lambda request: Response(None),
    "text of bytes": lambda request: Response(b"B"),
    "no reason": lambda request: Response("B", finish=None),
    "tokens in words": lambda request: Response("B", usage=Usage("7")),
    "tokens beyond number": lambda request: Response("B", usage=Usage(2**70)),
    "latency": lambda request: Response("B", latency=float("nan")),
    "an exception": lambda request: 1 / 0,
    "cancelled": lambda request: fail(asyncio.CancelledError()),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_of_a_model_fails_that_model_alone(tmp_path, bug):
    """Whatever it returns or raises, it is named, the store is not blamed, and other models are asked to the end."""
    buggy = FakeModel(BUGS[bug], name="fake/buggy")
    progress = ask(plan(buggy, Counting("fake/fine"), questions=12), tmp_path)
    assert "fake/buggy has a bug" in progress.errors["fake/buggy"]
    assert set(progress.silent) == {"fake/buggy"}
    assert (progress.answered, progress.done) == ({"fake/fine"}, 36)
    with Store.open(tmp_path) as store:
        arms = score(store).tables["fake/buggy", "b"].arms
    assert all(len(arm) == 0 and "has a bug" in str(arm.failed) for arm in arms.values())


def test_halves_of_characters_can_be_stored(tmp_path):
    """A model's words, its own name for itself and its errors may hold what no file can: it is replaced."""
    half = "\ud800"

    def speak(request):
        return Response(f"Answer: B{half}", f"stop{half}", half, served_by=half, sent=ours(request))

    broken = Counting("fake/broken", lambda request: fail(RejectedError(half)))
    progress = ask(plan(FakeModel(speak), broken, questions=2), tmp_path)
    assert (progress.done, progress.failed) == (6, 6)


def ours(request):
    return tuple(receipt(image) for image in request.images)


def test_a_model_that_cannot_be_closed_takes_no_reply_with_it(tmp_path):
    """What it answered is stored, and the trouble is said."""

    class Stuck(Counting):
        async def close(self):
            raise OSError("stuck")

    progress = ask(plan(Stuck(), questions=3), tmp_path)
    assert progress.done == count(tmp_path) == 9
    assert "stuck" in progress.errors["fake/counting"]


LIES = (
    {"choices": [{"message": {"content": "Answer: B"}, "finish_reason": 3}]},
    {"choices": [{"message": {"content": {"text": "B"}}}]},
    {"choices": [{"message": {"content": "Answer: B"}}], "model": {"id": "m"}},
    {"choices": []},
    [1],
)


def test_a_server_that_lies_fails_its_requests_and_nobody_elses(tmp_path, monkeypatch):
    """Two models behind one server, one of which sends fields of any type: the other is asked to the end and scored."""
    lies = cycle(LIES)

    async def post(self, parts, **how):
        asked = json.loads(b"".join(parts))["model"]
        reply = next(lies) if asked == "liar" else {"choices": [{"message": {"content": "Answer: B"}}]}
        return ServerResponse(200, {}, json.dumps(reply).encode())

    monkeypatch.setattr(Transport, "post", post)
    liar, honest = (OpenAI(name, base_url="http://127.0.0.1:1/v1", key="k") for name in ("liar", "honest"))
    progress = ask(plan(liar, honest, questions=8), tmp_path)
    assert (progress.done, progress.failed, progress.answered) == (24, 24, {"openai/honest"})
    with Store.open(tmp_path) as store:
        tables = score(store).tables
    assert [sum(map(len, tables[f"openai/{name}", "b"].arms.values())) for name in ("liar", "honest")] == [0, 24]


def test_no_secret_of_an_address_reaches_the_store(tmp_path, monkeypatch):
    """A server that gives back all it was sent: neither the store nor what is said of the run holds any of it."""
    base = "http://user:p@s5word@127.0.0.1:1/v1/t0ken-abc?api-key=s3cret#fr4gment"

    async def post(self, parts, **how):
        return ServerResponse(400, {}, f"{base} p@s5word t0ken-abc s3cret fr4gment".encode())

    monkeypatch.setattr(Transport, "post", post)
    progress = ask(plan(OpenAI("m", base_url=base), questions=4), tmp_path)
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"answered 400" in files
    for secret in ("p@s5word", "t0ken-abc", "s3cret", "fr4gment"):
        assert secret.encode() not in files
        assert secret not in f"{progress}"


def test_inapplicable_items_are_counted_with_their_reason(tmp_path):
    """Items without an image have no image-removed arm; that is a reason, not a score."""
    benchmark = Benchmark("b", (*items(3), *(replace(item, id=item.id + "t", images=()) for item in items(2))))
    ask(plan(Counting(), questions=benchmark), tmp_path)
    with Store.open(tmp_path) as store:
        arm = score(store).tables["fake/counting", "b"].arms[IMAGE_REMOVED.name]
    assert (len(arm), dict(arm.inapplicable)) == (3, {"the item has no image to remove": 2})


def test_ctrl_c_ends_cleanly_and_the_next_run_goes_on(tmp_path):
    """Interrupted in the middle, what was answered is stored and only the rest is asked."""
    script = Path(__file__).parents[1] / "slow_study.py"
    process = subprocess.Popen([sys.executable, str(script), str(tmp_path), "40"], stderr=subprocess.PIPE)
    wait_for_replies(process, tmp_path, 10)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert b"Stopped" in errors
    assert b"Traceback" not in errors
    stored = count(tmp_path)
    assert 10 <= stored <= 40
    assert finish(tmp_path) == 300 - stored


def test_kill_9_loses_at_most_what_was_in_flight(tmp_path):
    """Killed at several moments, the store is whole, holds no reply twice, and the study ends with all of them."""
    script = Path(__file__).parents[1] / "slow_study.py"
    for wanted in (5, 60):
        process = subprocess.Popen([sys.executable, str(script), str(tmp_path), "90"], stderr=subprocess.DEVNULL)
        wait_for_replies(process, tmp_path, wanted)
        process.kill()
        process.wait()
        with sqlite3.connect(tmp_path / "responses.sqlite") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            linked, replies = connection.execute(
                "SELECT (SELECT count(DISTINCT response) FROM trials), (SELECT count(*) FROM responses)"
            ).fetchone()
        connection.close()
        assert linked == replies >= wanted
    finish(tmp_path)
    assert count(tmp_path) == 300


def finish(folder):
    """How many requests the rest of the study takes."""
    import slow_study

    model = Counting("fake/slow")
    ask(slow_study.plan(model), folder)
    return sum(model.asked.values())


def count(folder):
    connection = sqlite3.connect(folder / "responses.sqlite")
    try:
        return connection.execute("SELECT count(*) FROM responses").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def wait_for_replies(process, folder, wanted):
    while not (folder / "responses.sqlite").exists() or count(folder) < wanted:
        assert process.poll() is None, f"the study ended before it had {wanted} replies"
        time.sleep(0.01)


def test_a_run_starts_beside_a_running_loop(tmp_path):
    """In a notebook, where a loop is running already, the same call works."""

    async def notebook():
        return ask(plan(Counting(), questions=3), tmp_path)

    assert asyncio.run(notebook()).done == 9


class Drawn:
    """An image that counts how often it is drawn."""

    def __init__(self, number, drawn):
        self.number, self.drawn = number, drawn

    def __repr__(self):
        return f"Drawn({self.number})"

    def draw(self):
        import numpy as np

        self.drawn[self.number] += 1
        return np.full((8, 8), self.number, np.uint8)


def test_pictures_are_prepared_off_the_event_loop(tmp_path):
    """No picture is drawn or encoded in the thread that talks to the models, and none twice."""
    threads, drawn = set(), Counter()

    class DrawnInThread(Drawn):
        def draw(self):
            threads.add(threading.current_thread().name)
            return super().draw()

    shown = tuple(replace(item, images=(Image(DrawnInThread(i, drawn)),)) for i, item in enumerate(items(10)))
    ask(plan(Counting("fake/one"), Counting("fake/two"), questions=Benchmark("b", shown)), tmp_path)
    assert drawn == dict.fromkeys(range(10), 1)
    assert all(name.startswith("snellen-pictures") for name in threads)


class InTurn(Counting):
    """Answers nothing before another model has answered all; says when it has itself. Waiting in vain ends it."""

    def __init__(self, name, wanted=0, after=None):
        super().__init__(name)
        self.wanted, self.after, self.done = wanted, after, asyncio.Event()

    async def answer(self, request):
        if self.after:
            await patiently(self.after.done)
        response = await super().answer(request)
        if self.asked.total() == self.wanted:
            self.done.set()
        return response


async def patiently(event):
    try:
        await asyncio.wait_for(event.wait(), 60)
    except TimeoutError:
        raise UnusableModelError("waited in vain") from None


def test_a_slow_model_holds_up_no_other(tmp_path, monkeypatch):
    """The third model answers when the second is done, and that one when the first is: all are asked all, each once.

    What they share is prepared again for those that fall behind, at most once for each model.
    """
    monkeypatch.setattr(running, "ALONE", 0.01)
    drawn = Counter()
    questions = tuple(replace(item, images=(Image(Drawn(i, drawn)),)) for i, item in enumerate(items(60)))
    words = (replace(item, id=f"{item.id}-text", question=f"Is {item.id} a?", images=()) for item in items(20))
    fast = InTurn("fake/fast", 220)
    slower = InTurn("fake/slower", 220, after=fast)
    slowest = InTurn("fake/slowest", after=slower)
    planned = plan(slowest, slower, fast, questions=Benchmark("b", (*questions, *words)))
    progress = ask(planned, tmp_path, connections=4)
    assert [model.asked.total() for model in (fast, slower, slowest)] == [220, 220, 220]
    assert {count for model in (fast, slower, slowest) for count in model.asked.values()} == {1}
    assert (progress.done, progress.total, progress.failed) == (660, 660, 0)
    assert max(drawn.values()) <= 3
    with Store.open(tmp_path) as store:
        tables = score(store).tables
    assert all(
        len(arm) + sum(arm.inapplicable.values()) == 80 for table in tables.values() for arm in table.arms.values()
    )


def test_models_of_like_speed_share_their_preparation(tmp_path):
    """No image is drawn twice where nobody falls behind."""
    drawn = Counter()
    questions = tuple(replace(item, images=(Image(Drawn(i, drawn)),)) for i, item in enumerate(items(40)))
    ask(plan(Counting("fake/one"), Counting("fake/two"), questions=Benchmark("b", questions)), tmp_path)
    assert set(drawn.values()) == {1}


def test_a_model_is_asked_over_as_many_connections_as_it_is_given(tmp_path):
    """A model's own number of connections goes before the study's."""
    in_flight, most = Counter(), Counter()

    class Counted(Counting):
        def __init__(self, name, wanted):
            super().__init__(name)
            self.wanted, self.full = wanted, asyncio.Event()

        async def answer(self, request):
            in_flight[self.name] += 1
            most[self.name] = max(most[self.name], in_flight[self.name])
            if in_flight[self.name] == self.wanted:
                self.full.set()
            if self.asked:
                await patiently(self.full)
            response = await super().answer(request)
            in_flight[self.name] -= 1
            return response

    few = Counted("fake/few", 2)
    few.connections = 2
    ask(plan(few, Counted("fake/many", 8)), tmp_path, connections=8)
    assert most == {"fake/few": 2, "fake/many": 8}


def no_images(request):
    return fail(RejectedError("it answered 400: no images here", status=400)) if request.images else "Answer: B"


def test_a_server_that_takes_no_images_is_told_in_a_sentence(tmp_path, capsys):
    """All with an image failed with one status, all without succeeded: that is said, and what to do."""
    progress = ask(plan(Counting(reply=no_images), questions=15, tests=("image-needed",)), tmp_path)
    assert progress.remarks["fake/counting"].startswith(
        "all 15 requests with an image failed with status 400, all 15 without an image succeeded: this server accepts "
        "no images."
    )
    say_failures(progress)
    assert "fake/counting: all 15 requests with an image" in capsys.readouterr().err


def test_images_that_are_refused_do_not_end_the_questions_without(tmp_path):
    """Refusals come back sooner than answers: after many in a row only images are not sent any more."""
    refused = asyncio.Event()

    class Text(Counting):
        async def answer(self, request):
            if not request.images:
                await patiently(refused)
            elif self.asked.total() == FAILURES_IN_A_ROW - 1:
                refused.set()
            return await super().answer(request)

    model = Text(reply=no_images)
    progress = ask(plan(model, questions=100, tests=("image-needed",)), tmp_path)
    assert progress.done == 100
    assert FAILURES_IN_A_ROW <= progress.failed < 100
    assert (progress.unusable, progress.awaited) == ({}, {"fake/counting": 0})
    assert "accepts no images. The rest were not sent. Ask it without images: " in progress.remarks["fake/counting"]


@pytest.mark.parametrize("status", [400, None])
def test_what_fails_otherwise_is_not_blamed_on_images(tmp_path, status):
    """Where a request without an image failed too, or one with an image was answered, nothing is concluded."""

    def reply(request):
        return fail(RejectedError("no", status=status)) if "picture 3 " in request.text else "Answer: B"

    assert ask(plan(Counting(reply=reply)), tmp_path).remarks == {}
    all_fail, none = Tally(failed=Counter({400: 3})), Tally(answered=3)
    assert takes_no_images(all_fail, none)
    assert not takes_no_images(replace(all_fail, answered=1), none)
    assert not takes_no_images(all_fail, replace(none, failed=Counter({400: 1})))
    assert not any(
        takes_no_images(Tally(failed=Counter(each)), none) for each in ({400: 3, 500: 3}, {429: 3}, {400: 2})
    )


def test_a_server_that_rejects_everything_is_given_up(tmp_path):
    """Images are not the reason where what has none is rejected."""
    rejecting = Counting(reply=lambda request: fail(RejectedError("no such model", status=400)))
    asked = plan(rejecting, questions=Benchmark("b", items(60, images=False)), tests=("option-order",))
    progress = ask(asked, tmp_path, connections=2)
    assert "requests in a row failed; the last one: no such model" in progress.unusable["fake/counting"]
    assert progress.failed <= FAILURES_IN_A_ROW + 2


def test_refusals_for_asking_too_much_do_not_end_a_model(tmp_path):
    """Thirty requests that were refused in a row for that reason have failed, and the others are asked."""
    many = FAILURES_IN_A_ROW + 5
    model = Counting()
    model._reply = lambda request: fail(BusyError("busy")) if model.asked.total() <= many else "Answer: B"
    progress = ask(plan(model), tmp_path, connections=1)
    assert (progress.done, progress.failed, progress.unusable) == (60 - many, many, {})


@pytest.mark.parametrize("canary", [True, False])
def test_a_wrong_key_costs_one_request(tmp_path, canary):
    """Whether it is found by the letters that are shown first or by the first question."""
    locked = Counting(reply=lambda request: fail(UnusableModelError("the key was not accepted", status=401)))
    with Store.open(tmp_path, write=True) as store:
        progress = run(plan(locked), store, witness=ImageWitness(store, canary=canary))
    assert locked.asked.total() == 1
    assert progress.silent == {"fake/counting": "the key was not accepted"}


def test_the_letters_before_a_run_have_their_own_line(tmp_path):
    """While they are shown the progress says so, and not that a run is starting."""
    seen = asyncio.Event()
    states = []

    class Patient(Nobody):
        async def check_model(self, model, number):
            await seen.wait()
            return ""

    def watch(progress):
        states.append(state(progress))
        if progress.checked:
            seen.set()

    with Store.open(tmp_path, write=True) as store:
        run(plan(Counting()), store, witness=Patient(), watch=watch)
    assert "first, fake/counting is shown letters to check that images arrive" in states
    assert "letters" not in states[-1]


def test_no_error_of_several_is_hidden():
    """The first is raised; the others are its notes and its cause."""
    tasks = ExceptionGroup("", [StoreError("disk full"), ExceptionGroup("", [TypeError("a bug"), KeyError("k")])])
    with pytest.raises(StoreError, match="disk full") as raised:
        raise_first(tasks)
    assert raised.value.__notes__ == ["Besides, TypeError: a bug", "Besides, KeyError: 'k'"]
    assert isinstance(raised.value.__cause__, ExceptionGroup)
    with pytest.raises(StoreError) as alone:
        raise_first(ExceptionGroup("", [StoreError("disk full")]))
    assert (alone.value.__cause__, getattr(alone.value, "__notes__", [])) == (None, [])
