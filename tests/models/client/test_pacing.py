"""Pacing: as fast as a server takes it, whatever it limits, and never faster than a study says."""

import asyncio
import time
from collections import Counter
from math import inf
from random import Random

import pytest

from models.skipping import Skipping
from snellen.errors import BusyError, OutageError, RejectedError
from snellen.models.base import Model, Response, Usage
from snellen.models.client.client import Client, open_client
from snellen.models.client.pacing import Pacing, TokenMeter
from snellen.models.entry import ModelEntry
from snellen.models.fake import FakeModel
from snellen.prompts import Request

REQUEST = Request("fake/limited", "Which side is the effusion on? A: left. B: right.")


@pytest.fixture(autouse=True)
def jitter(monkeypatch):
    """The waits of requests that were refused are drawn alike in every run."""
    monkeypatch.setattr("snellen.models.client.client.random.uniform", Random(2).uniform)


class Limited(Model):
    """A server that refuses what is beyond its rate, or beyond so many at once; answers take 0.2 s, more or less.

    It refuses a `share` of the requests whatever the rate.
    """

    name = "fake/limited"
    address = "somewhere"

    def __init__(self, loop, *, rate=inf, burst=20, at_once=inf, latency=0.2, lag=0.0, wish=None, tokens=None, share=0):
        self.loop, self.rate, self.burst, self.at_once = loop, rate, burst, at_once
        self.latency, self.wish, self.usage = latency, wish, Usage(tokens, 0) if tokens else Usage()
        self.draw, self.lag, self.luck, self.share = Random(0), lag, Random(1), share
        self.level, self.seen_at, self.in_flight = burst, 0.0, 0
        self.refused, self.most, self.answered, self.times = 0, 0, 0, []

    async def answer(self, request):
        now = self.loop.time()
        if self.rate < inf:
            self.level = min(self.burst, self.level + (now - self.seen_at) * self.rate)
        self.seen_at = now
        self.times.append(now)
        beyond = self.level < 1 or self.in_flight >= self.at_once
        if beyond or self.luck.random() < self.share:
            self.refused += beyond
            await asyncio.sleep(0.002)
            raise BusyError("too much", retry_after=self.wish if beyond else None, status=429)
        self.level -= self.rate < inf
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        await asyncio.sleep(self.latency * self.draw.lognormvariate(0, 0.3))
        self.in_flight -= 1
        await asyncio.sleep(self.lag * self.draw.expovariate(1))
        self.answered += 1
        return Response("B", usage=self.usage)


def ask_all(count, *, workers=64, per_minute=None, tokens_per_minute=None, **limits):
    """The server after so many requests were answered, and the seconds that it took."""
    loop = Skipping()
    server = Limited(loop, **limits)
    model = Client(server, pacing=Pacing(server.name, per_minute, tokens_per_minute), clock=loop.time)
    left = iter(range(count))

    async def work():
        for _ in left:
            await model.answer(REQUEST)

    async def everybody():
        await asyncio.wait_for(asyncio.gather(*(work() for _ in range(workers))), 1e6)

    try:
        loop.run_until_complete(everybody())
    finally:
        loop.close()
    return server, loop.now


@pytest.mark.parametrize(
    ("limits", "best"),
    [
        ({"rate": 20}, 1000 / 20),
        ({"rate": 20, "burst": 5, "latency": 1.0}, 1000 / 20),
        ({"rate": 100, "burst": 100}, 1000 / 100),
        ({"rate": 5, "burst": 5}, 1000 / 5),
        ({"rate": 20, "wish": 1.0}, 1000 / 20),
        ({"at_once": 4}, 1000 * 0.21 / 4),
        ({"at_once": 10}, 1000 * 0.21 / 10),
        ({"at_once": 40}, 1000 * 0.21 / 40),
        ({"at_once": 10, "lag": 0.02}, 1000 * 0.23 / 10),
    ],
)
def test_a_hidden_limit_is_found_and_used(limits, best):
    """Whether a server limits its rate or what is under way, a run takes at most 15% longer; under 5% are refused."""
    server, took = ask_all(1000, **limits)
    assert took <= 1.15 * best
    assert server.refused < 0.05 * 1000


LIMITS = {
    "a rate": ({"rate": 40, "burst": 20}, 40),
    "so many at once": ({"at_once": 12}, 12 / 0.21),
    "tokens": ({"rate": 2_000_000 / 60 / 940, "burst": 35, "wish": 1.0}, 2_000_000 / 60 / 940),
    "nothing": ({"latency": 0.05}, 64 / 0.0525),
}
"""Those of benchmarks/rates.py, with the requests per second that each takes."""


@pytest.mark.parametrize("limit", LIMITS)
def test_refusals_at_any_rate_do_not_stop_a_study(limit):
    """A server that refuses a share of the requests whatever the rate is asked nearly as fast as its limit allows."""
    limits, rate = LIMITS[limit]
    for share in (0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4):
        server, took = ask_all(1000, share=share, **limits)
        assert server.answered == 1000
        assert took <= 1.25 * 1000 / rate + 600 * share / (1 - share), share
        assert server.refused < (0.05 + share) * 1000, share


def test_a_limit_is_found_again_once_refusals_at_any_rate_end():
    """A fifth is refused for a minute, then only what is beyond the limit: hardly anything of that is sent."""
    loop = Skipping()
    server = Limited(loop, rate=20, share=0.2)
    model = Client(server, pacing=Pacing(), clock=loop.time)
    answered, refused = Counter(), {}

    async def work():
        while loop.now < 240:
            server.share = 0.2 if loop.now < 60 else 0
            await model.answer(REQUEST)
            answered[int(loop.now // 60)] += 1
            refused[int(loop.now // 60)] = server.refused

    async def everybody():
        await asyncio.gather(*(work() for _ in range(32)))

    loop.run_until_complete(everybody())
    loop.close()
    assert answered[0] > 0.5 * 20 * 60
    assert answered[3] > 0.9 * 20 * 60
    assert refused[3] - refused[2] < 0.06 * answered[3]


def test_a_server_without_limits_is_asked_by_everybody_at_once():
    """Nothing but the number of workers holds back requests that are answered."""
    server, _ = ask_all(600)
    assert server.most == 64
    assert ask_all(20, workers=20)[0].answered == 20  # nobody comes after the last in line


def test_a_rate_that_changes_is_followed():
    """A server that takes a tenth for a minute, then all again: both are found out, the latter within a minute."""
    loop = Skipping()
    server = Limited(loop, rate=20, burst=10)
    model = Client(server, pacing=Pacing(), clock=loop.time)
    answered = Counter()

    async def work():
        while loop.now < 240:
            server.rate = 2 if 60 <= loop.now < 120 else 20
            await model.answer(REQUEST)
            answered[int(loop.now // 60)] += 1

    async def everybody():
        await asyncio.gather(*(work() for _ in range(32)))

    loop.run_until_complete(everybody())
    loop.close()
    assert answered[0] > 0.85 * 20 * 60
    assert answered[1] > 0.85 * 2 * 60
    assert answered[3] > 0.85 * 20 * 60
    assert server.refused < 0.05 * answered.total()


def test_a_wait_that_the_server_asks_for_holds_back_everybody():
    """After a refusal with Retry-After nothing is sent until then."""
    server, _ = ask_all(100, at_once=3, wish=30.0)
    refusals = [(before, after) for before, after in zip(server.times, server.times[1:], strict=False)]
    pauses = [after - before for before, after in refusals if after - before > 10]
    assert pauses
    assert all(29.9 <= pause <= 30.3 for pause in pauses)


def test_requests_per_minute_are_kept():
    """No minute has more than the study allows, and no time is lost."""
    server, took = ask_all(240, per_minute=60)
    assert all(sum(start <= at < start + 59.99 for at in server.times) <= 60 for start in server.times)
    assert 239 <= took <= 241


def test_tokens_per_minute_are_kept_as_the_server_counts_them():
    """Estimates are put right by what responses report: 30,000 tokens a minute are 30 requests of 1,000."""
    server, took = ask_all(300, tokens_per_minute=30_000, tokens=1000)
    after_a_minute = [at for at in server.times if 60 <= at < 540]
    assert len(after_a_minute) == pytest.approx(8 * 30, rel=0.02)
    assert took == pytest.approx(600, rel=0.05)


def test_a_server_that_counts_no_tokens_loses_no_response():
    """The estimate stays where a response says nothing of its tokens, wholly or of its input alone."""
    server, _ = ask_all(40, tokens_per_minute=30_000, workers=4)
    assert len(server.times) == 40
    meter, expected = TokenMeter(60_000, "fake/limited"), 500.0
    meter.spend(expected, now=0.0)
    wait = meter.wait(now=0.0)
    for usage in (Usage(), Usage(None, 12)):
        meter.settle(REQUEST, expected, usage)
        assert meter.wait(now=0.0) == wait
    meter.settle(REQUEST, expected, Usage(700, None))
    assert meter.wait(now=0.0) == pytest.approx(wait + 0.2)


def test_failures_of_another_kind_change_nothing():
    """A request that the server rejects, or a server that is down, is no reason to ask less."""
    pacing = Pacing()

    async def main():
        for error in (RejectedError("no"), OutageError("down", reached=True), ValueError("bug")):
            pacing.on_failed(pacing.enter(REQUEST), error)

    asyncio.run(main())
    assert (pacing.pace.limit, pacing.pace.rate, pacing.pace.in_flight, pacing.pace.refusals) == (8, inf, 0, 0)


def test_a_server_that_is_loading_and_says_when_to_come_back_counts_as_busy():
    """503 with Retry-After is a refusal like 429."""
    pacing = Pacing(tokens_per_minute=60)

    async def main():
        pacing.on_failed(pacing.enter(REQUEST), OutageError("loading", reached=True, retry_after=3.0))

    asyncio.run(main())
    assert pacing.pace.refusals == 1
    assert pacing.tokens.wait(time.monotonic()) == 0  # they were not spent


def test_whoever_stops_waiting_leaves_the_line():
    """A request that is cancelled at the door or under way takes no place with it, nor in the next event loop."""
    started = []

    class Stuck(Model):
        name = "fake/stuck"

        async def answer(self, request):
            started.append(request)
            await asyncio.Event().wait()

    model = Client(Stuck(), pacing=Pacing())

    async def main():
        tasks = [asyncio.create_task(model.answer(REQUEST)) for _ in range(20)]
        for _ in range(5):
            await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.sleep(0)  # its place goes to the ninth, who leaves in the same moment
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())
    assert len(started) == 8
    assert model.pacing.pace.in_flight == 0
    asyncio.run(main())
    assert len(started) == 16


def test_only_models_behind_a_server_are_paced_unless_a_limit_is_set():
    """What runs in this process is asked as before; a [[models]] table may set limits on anything."""
    here = FakeModel(lambda request: "B")
    assert open_client(here).pacing is None
    assert open_client(here, requests_per_minute=30).pacing is not None
    table = {"name": "openai/m", "base_url": "http://127.0.0.1:1/v1", "max_connections": 3, "requests_per_minute": 30}
    opened = ModelEntry.from_table(table).open_client()
    assert opened.pacing is not None
    assert opened.connections == 3
