"""What the guard adds to a query with an image: its latency beside the slower of the same two calls made directly.

    python benchmarks/guard.py [--queries 400] [--latency 0.1]

The upstream answers after a set latency, in a process of its own; the guard runs in another. Turn by turn a client asks
through the guard, and then asks both queries (with and without the image) itself at once and waits for the slower.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import numpy as np
from pybase64 import b64encode

from snellen.tools.guard.log import read_log

sys.path.insert(0, str(Path(__file__).parent))
from endpoint import endpoint
from throughput import picture

QUESTIONS = {
    "a choice": "Which finding does this chest X-ray show?\nA. Pneumothorax\nB. Effusion\nC. Nodule\nD. None",
    "free text": "Describe the findings of this chest X-ray.",
}
IN_FLIGHT = (1, 16)


def body(question: str, number: int, image: bytes | None) -> bytes:
    content = [{"type": "text", "text": f"{question}\n\nPatient {number}."}]
    if image is not None:
        content.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image.decode()}"}})
    return json.dumps({"model": "fast", "messages": [{"role": "user", "content": content}]}).encode()


@contextlib.contextmanager
def guard(base: str, folder: Path) -> Iterator[str]:
    """The guard's base URL while it runs, as its command starts it."""
    environment = {**os.environ, "OPENAI_BASE_URL": base, "OPENAI_API_KEY": "none", "XDG_CONFIG_HOME": str(folder)}
    command = [sys.executable, "-u", "-m", "snellen", "guard", "--upstream", "openai", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--log", str(folder / "guard.jsonl")], env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().partition(" at ")[2].split()[0]
    finally:
        process.terminate()
        process.wait()


async def post(session: aiohttp.ClientSession, base: str, sent: bytes) -> None:
    async with session.post(f"{base}/chat/completions", data=sent) as reply:
        assert reply.status == 200, await reply.text()
        await reply.read()


async def measured(guarded: str, base: str, question: str, queries: int, in_flight: int) -> np.ndarray:
    """Milliseconds through the guard and of the slower of both calls, a row for each query."""
    images = [b64encode(picture(number)) for number in range(4)]
    numbers = iter(range(queries))
    rows: list[tuple[float, float]] = []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def work() -> None:
            for number in numbers:
                image = images[number % len(images)]
                with_image, without = body(question, number, image), body(question, number, None)
                began = time.perf_counter()
                await post(session, guarded, with_image)
                between = time.perf_counter()
                await asyncio.gather(post(session, base, with_image), post(session, base, without))
                rows.append((between - began, time.perf_counter() - between))

        await asyncio.gather(*(work() for _ in range(in_flight)))
    return np.array(rows) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--latency", type=float, default=0.1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, endpoint(given.latency) as base:
        folder = Path(made)
        with guard(base, folder) as guarded:
            for name, question in QUESTIONS.items():
                for in_flight in IN_FLIGHT:
                    found = asyncio.run(measured(guarded, base, question, given.queries, in_flight))
                    own = [each.overhead_ms for each in read_log(folder / "guard.jsonl").decisions[-given.queries :]]
                    added = np.percentile(found[:, 0] - found[:, 1], [50, 95])
                    p95 = np.percentile(found, 95, axis=0)
                    print(
                        f"{name}, {in_flight} in flight, n = {len(found)}: added {added[0]:.1f} ms (median), "
                        f"{added[1]:.1f} ms (p95); p95 {p95[0]:.1f} ms guarded, {p95[1]:.1f} ms direct; "
                        f"the guard's own count: p95 {np.percentile(own, 95):.1f} ms"
                    )


if __name__ == "__main__":
    main()
