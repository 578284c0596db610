"""Processor time of one post and its reply: our own client beside aiohttp's, text and a 150 kB image, taking turns.

python benchmarks/client.py
"""

from __future__ import annotations

import asyncio
import sys
import time
from base64 import b64encode as slow_b64encode
from pathlib import Path

import aiohttp
import numpy as np
from pybase64 import b64encode

from snellen.models.endpoint import Endpoint

sys.path.insert(0, str(Path(__file__).parent))
from endpoint import endpoint
from throughput import picture

POSTS, AT_ONCE, ROUNDS = 3000, 64, 5
HEADERS = {"Content-Type": "application/json"}


async def ours(url: str, body: bytes) -> float:
    there = Endpoint(f"{url}/chat/completions", HEADERS, timeout=60)

    async def work(numbers) -> None:
        for _ in numbers:
            await there.post([body])

    took = await timed(work)
    await there.close()
    return took


async def theirs(url: str, body: bytes) -> float:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=HEADERS) as session:

        async def work(numbers) -> None:
            for _ in numbers:
                async with session.post(f"{url}/chat/completions", data=body) as reply:
                    await reply.read()

        return await timed(work)


async def timed(work) -> float:
    numbers = iter(range(POSTS))
    started = time.process_time()
    await asyncio.gather(*(work(numbers) for _ in range(AT_ONCE)))
    return (time.process_time() - started) / POSTS * 1e6


def main() -> None:
    image = picture(0)
    with endpoint() as url:
        for name, body in (("text", b'{"model":"m"}' * 30), ("150 kB PNG", b64encode(image))):
            rounds = [(asyncio.run(ours(url, body)), asyncio.run(theirs(url, body))) for _ in range(ROUNDS)]
            mine, other = np.median(rounds, axis=0)
            print(f"{name}: ours {mine:.0f} µs, aiohttp {other:.0f} µs, ratio {other / mine:.1f}")
    for name, encode in (("pybase64", b64encode), ("base64 of the standard library", slow_b64encode)):
        started = time.process_time()
        for _ in range(200):
            encode(image)
        print(f"{name}, {len(image) / 1000:.0f} kB: {(time.process_time() - started) / 200 * 1e6:.0f} µs")


if __name__ == "__main__":
    main()
