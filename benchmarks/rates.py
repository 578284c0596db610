"""Time to finish at a server with a hidden limit: ours beside fixed concurrencies and Inspect's adaptive connections.

The server stands in a process of its own and refuses with 429 what is beyond its rate, beyond so many at once, or
beyond its tokens per minute. It notes when the first request came, when the last answer went, and how many it refused:
that is what is compared, so that no engine's own start counts. The best fixed concurrency is found by trying.

    python benchmarks/rates.py [--requests 600] [--without inspect]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import NamedTuple

from endpoint import REPLY

LATENCY, SPREAD = 0.2, 0.3
TOKENS = 940
"""What a request costs by the count in the server's replies."""


class Scenario(NamedTuple):
    """What a server hides, and the fixed concurrencies that are tried."""

    words: str
    flags: tuple[str, ...]
    tried: tuple[int, ...]


SCENARIOS = (
    Scenario("40 requests per second, 20 in a burst", ("--rate", "40", "--burst", "20"), (6, 8, 10, 12, 16, 32, 64)),
    Scenario("12 requests at once", ("--at-once", "12"), (6, 8, 10, 12, 14, 16, 32)),
    Scenario(
        "2 million tokens per minute, Retry-After: 1",
        ("--rate", str(2_000_000 / 60 / TOKENS), "--burst", "35", "--wish", "1"),
        (6, 8, 10, 12, 16, 32, 64),
    ),
    Scenario("no limit", (), (16, 32, 64)),
)


async def serve(port: int, rate: float, burst: float, at_once: int, wish: str) -> None:
    """Answer what is within the limits; /stats tells what happened since it was last asked."""
    from aiohttp import web

    draw = random.Random(0)
    state = {"level": burst, "seen": time.monotonic(), "in_flight": 0}
    stats: dict[str, float] = {}

    def taken() -> bool:
        now = time.monotonic()
        if rate:
            state["level"] = min(burst, state["level"] + (now - state["seen"]) * rate)
            state["seen"] = now
        if (rate and state["level"] < 1) or (at_once and state["in_flight"] >= at_once):
            return False
        state["level"] -= bool(rate)
        return True

    async def answer(http: web.Request) -> web.Response:
        stats.setdefault("first", time.monotonic())
        if not taken():
            stats["refused"] = stats.get("refused", 0) + 1
            error = {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}
            return web.json_response(error, status=429, headers={"Retry-After": wish} if wish else None)
        state["in_flight"] += 1
        try:
            await http.read()
            await asyncio.sleep(LATENCY * draw.lognormvariate(0, SPREAD))
        finally:
            state["in_flight"] -= 1
        stats["last"], stats["answered"] = time.monotonic(), stats.get("answered", 0) + 1
        return web.Response(body=REPLY, content_type="application/json")

    async def tell(http: web.Request) -> web.Response:
        told = dict(stats)
        stats.clear()
        state["level"] = burst
        return web.json_response(told)

    app = web.Application(client_max_size=10_000_000)
    app.router.add_get("/stats", tell)
    app.router.add_post("/{tail:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    await asyncio.Event().wait()


@contextlib.contextmanager
def server(flags: tuple[str, ...]) -> Iterator[str]:
    """The address of a server with these limits, while it runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, __file__, "--serve", str(port), *flags])
    try:
        for _ in range(500):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def snellen(url: str, count: int, fixed: int | None = None) -> None:
    """Our models: paced, with 64 connections at most; or a fixed number of connections and no pace."""
    from snellen.models.client.client import Client, open_client
    from snellen.models.openai import OpenAI
    from snellen.prompts import Request

    async def everything() -> None:
        server = OpenAI("fast", base_url=f"{url}/v1", key="none")
        model = Client(server) if fixed else open_client(server)
        left = iter(range(count))

        async def work() -> None:
            for number in left:
                await model.answer(Request(model.name, f"Question {number}: what does the image show?"))

        await asyncio.gather(*(work() for _ in range(fixed or 64)))
        await model.close()

    asyncio.run(everything())


def inspect(url: str, count: int) -> None:
    """Inspect AI's eval() as it comes: adaptive connections are its default."""
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    samples = [Sample(input=f"Question {number}: what does the image show?", target="B") for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        inspect_ai.eval(
            inspect_ai.Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match()),
            model="openai/fast", model_base_url=f"{url}/v1", model_args={"api_key": "none", "responses_api": False},
            adaptive_connections=True, log_dir=folder, display="none", log_realtime=False,
        )  # fmt: skip


class Measured(NamedTuple):
    """Seconds from the first request to the last answer, and the share of all requests that was refused."""

    seconds: float
    refused: float


def measure(url: str, count: int, *engine: str) -> Measured:
    """One engine in a process of its own."""
    from urllib.request import urlopen

    urlopen(f"{url}/stats").read()
    command = [sys.executable, __file__, "--engine", *engine, "--url", url, "--requests", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENAI_API_KEY": "none"})
    stats = json.loads(urlopen(f"{url}/stats").read())
    if stats.get("answered") != count:
        raise SystemExit(f"{engine} failed: {stats}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    refused = stats.get("refused", 0)
    return Measured(stats["last"] - stats["first"], refused / (count + refused))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=600)
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--engine", nargs="+")
    parser.add_argument("--url")
    parser.add_argument("--serve", type=int)
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--burst", type=float, default=1.0)
    parser.add_argument("--at-once", type=int, default=0)
    parser.add_argument("--wish", default="")
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(given.serve, given.rate, given.burst, given.at_once, given.wish))
    elif given.engine:
        name, *fixed = given.engine
        {"snellen": snellen, "inspect": inspect}[name](given.url, given.requests, *map(int, fixed))
    else:
        compare(given.requests, given.without)


def compare(count: int, without: list[str]) -> None:
    """Every engine on every server, one after the other."""
    for scenario in SCENARIOS:
        print(f"\n{scenario.words}, {count} requests", flush=True)
        with server(scenario.flags) as url:
            fixed: dict[int, float] = {}
            for each in scenario.tried:
                fixed[each], refused = measure(url, count, "snellen", str(each))
                print(f"  fixed {each:3}  {fixed[each]:6.1f} s  {refused:6.1%} refused", flush=True)
            best = min(fixed.values())
            for engine in ("snellen", "inspect"):
                if engine not in without:
                    seconds, refused = measure(url, count, engine)
                    ratio = seconds / best
                    print(
                        f"  {engine:9}  {seconds:6.1f} s  {refused:6.1%} refused  {ratio:.2f} of the best", flush=True
                    )


if __name__ == "__main__":
    main()
