"""Processor time of one post and its reply: the client that models are asked with beside bare aiohttp, taking turns.

python benchmarks/client.py
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import aiohttp
import numpy as np
from pybase64 import b64encode

from snellen.models.client.transport import Transport

sys.path.insert(0, str(Path(__file__).parent))
from endpoint import endpoint
from ratios import QUICK, few, told
from throughput import picture

POSTS, AT_ONCE, ROUNDS = 500 if QUICK else 3000, 64, few(5)
HEADERS = {"Content-Type": "application/json"}


async def ours(url: str, body: bytes) -> float:
    there = Transport(f"{url}/chat/completions", HEADERS, timeout=60)

    async def work(numbers) -> None:
        for _ in numbers:
            await there.post([b"{", body, b"}"])

    took = await timed(work)
    await there.close()
    return took


async def bare(url: str, body: bytes) -> float:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=HEADERS) as session:

        async def work(numbers) -> None:
            for _ in numbers:
                async with session.post(f"{url}/chat/completions", data=b"".join((b"{", body, b"}"))) as reply:
                    await reply.read()

        return await timed(work)


async def timed(work) -> float:
    numbers = iter(range(POSTS))
    started = time.process_time()
    await asyncio.gather(*(work(numbers) for _ in range(AT_ONCE)))
    return (time.process_time() - started) / POSTS * 1e6


def main() -> None:
    with endpoint() as url:
        for name, body in (("text", b'{"model":"m"}' * 30), ("150 kB PNG", b64encode(picture(0)))):
            rounds = [(asyncio.run(ours(url, body)), asyncio.run(bare(url, body))) for _ in range(ROUNDS)]
            mine, other = np.median(rounds, axis=0)
            told(f"a post and its reply, {name}", "bare aiohttp", [b / a for a, b in rounds], package="aiohttp")
            print(f"{name}: ours {mine:.0f} µs, bare aiohttp {other:.0f} µs, ratio {mine / other:.2f}")


if __name__ == "__main__":
    main()
