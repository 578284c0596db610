"""Fifty raters who vote at once: how long each waits for the next case, on SQLite and on PostgreSQL.

The server stands in a process of its own, as `snellen review` runs it; the raters are aiohttp clients here. Each reads
its case, votes, and gets the next, with a pause before the vote or with none. Afterwards the database is read: every
vote that was answered must be there, once. PostgreSQL is started from Debian's package where no --database is named,
and waits for the disk.

    python benchmarks/review.py [--raters 50] [--votes 40] [--pause 0 1] [--database URL]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import aiohttp
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from snellen.tools.review.ballots import Ballots
from snellen.tools.review.case import BlindCase, CasePassage, DrawnCase, Subject

WANTED = 2
AIM = 0.1
"""Seconds within which 95% of the votes are to be answered."""
RESPONSE = "There is a small left pleural effusion with adjacent atelectasis. The heart is of normal size. " * 8
NONCE, CASE = re.compile(r'name="nonce" value="([^"]+)"'), re.compile(r'name="case" value="([^"]+)"')
CSRF = re.compile(r'name="csrf" value="([^"]+)"')


class Load(NamedTuple):
    """How many raters cast how many votes each, and how long they think on average."""

    raters: int
    votes: int
    pause: float


def serve(place: str) -> None:
    """Serve the ballots at a place until the process is told to end."""
    from snellen.tools.review.server import Images, Review, listen, serve

    with Ballots.open(place) as ballots:
        at = listen("127.0.0.1", 0)
        print(at.url, flush=True)
        serve(Review(ballots, Images(None), tell=lambda said: print(said, file=sys.stderr)).app(), at)


def prepared(place: str, load: Load) -> list[str]:
    """Ballots with as many cases as the votes need; the raters' tokens."""
    count = load.raters * load.votes // WANTED + load.raters
    cases = [
        DrawnCase(
            BlindCase("", "verdict", f"What does image {number} show?", passages=(CasePassage("Response", RESPONSE),)),
            Subject("benchmark", str(number), number, "all", "model"),
            (),
            WANTED,
        )
        for number in range(count)
    ]
    with Ballots.open(place) as ballots:
        ballots.add_review("verdict", {}, cases)
        return [ballots.invite(f"rater {number}") for number in range(load.raters)]


async def vote(url: str, tokens: list[str], load: Load) -> list[tuple[str, float]]:
    """Every vote that was answered by its nonce, with the seconds until the next case was there."""
    answered: list[tuple[str, float]] = []

    async def rate(number: int, token: str) -> None:
        rng = random.Random(number)
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(url, cookie_jar=jar, connector=aiohttp.TCPConnector(limit=1)) as session:
            async with session.get(f"/enter/{token}") as reply:
                text = await reply.text()
                assert reply.status == 200, text
            csrf = CSRF.search(text)[1]
            for _ in range(load.votes):
                if load.pause:
                    await asyncio.sleep(rng.expovariate(1 / load.pause))
                nonce = NONCE.search(text)[1]
                value = {"verdict": "correct" if rng.random() < 0.9 else "incorrect"}
                sent = {"case": CASE.search(text)[1], "nonce": nonce, "seconds": 4.2, "value": value}
                began = time.perf_counter()
                async with session.post("/vote", json=sent, headers={"X-CSRF": csrf}) as reply:
                    text = await reply.text()
                    assert reply.status == 200, text
                answered.append((nonce, time.perf_counter() - began))
                if not CASE.search(text):
                    return

    await asyncio.gather(*(rate(number, token) for number, token in enumerate(tokens)))
    return answered


def processor_time(process: int) -> float:
    """Seconds that a process has worked."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kept(place: str) -> Counter[str]:
    """How often each nonce is in the database."""
    with Ballots.open(place) as ballots:
        return Counter(nonce for (nonce,) in ballots._run("SELECT nonce FROM votes").fetchall())


def measure(name: str, place: str, load: Load) -> None:
    """One load on one database."""
    tokens = prepared(place, load)
    process = subprocess.Popen([sys.executable, __file__, "--serve", place], stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        before, began = (processor_time(process.pid), processor_time(os.getpid())), time.perf_counter()
        answered = asyncio.run(vote(url, tokens, load))
        spent, after = time.perf_counter() - began, (processor_time(process.pid), processor_time(os.getpid()))
    finally:
        process.terminate()
        process.wait()
    times = np.sort([seconds for _, seconds in answered])
    found, sent = kept(place), Counter(nonce for nonce, _ in answered)
    p50, p95, p99 = (1000 * np.quantile(times, share) for share in (0.5, 0.95, 0.99))
    server, client = (1000 * (late - early) / len(times) for early, late in zip(before, after, strict=True))
    wrong = "none lost or doubled" if found == sent else f"WRONG: {sum((sent - found).values())} lost, {found - sent}"
    print(
        f"{name}, {load.raters} raters, pause {load.pause:g} s: {len(times):,} votes, {len(times) / spent:.0f}/s; "
        f"p50 {p50:.0f}, p95 {p95:.0f}, p99 {p99:.0f} ms ({'met' if p95 < 1000 * AIM else 'MISSED'}); processor time "
        f"of a vote: server {server:.2f} ms, raters {client:.2f} ms; {wrong}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--votes", type=int, default=40)
    parser.add_argument("--pause", type=float, nargs="*", default=[0.0, 1.0])
    parser.add_argument("--database")
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--serve")
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    from reviewing import POSTGRES, Postgres

    loads = [Load(given.raters, given.votes, pause) for pause in given.pause]
    if given.only != "postgresql":
        for load in loads:
            with tempfile.TemporaryDirectory() as folder:
                measure("SQLite", folder, load)
    if given.only != "sqlite" and (given.database or POSTGRES):
        with nullcontext() if given.database else Postgres(durable=True) as server:
            for number, load in enumerate(loads):
                measure("PostgreSQL", given.database or server.url(f"load{number}"), load)


if __name__ == "__main__":
    main()
