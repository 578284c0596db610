"""Requests per second of processor time of each vendor's backend, as a share of the openai backend's.

Every backend asks a server in a process of its own that says at once what that vendor's server would say; backends take
turns, and the median of the rounds counts. The servers' replies are those of the tests (tests/models/wires).

    python benchmarks/vendors.py [--posts 2000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

import numpy as np

from snellen.images import EncodedImage
from snellen.prompts import Request

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from endpoint import endpoint
from ratios import QUICK, few, told
from throughput import picture

WIRES = Path(__file__).parents[1] / "tests/models/wires"
AT_ONCE = 64


def wires() -> dict:
    """How each backend is opened and what its server says, by its name; openai is the first."""
    names = sorted(path.stem for path in WIRES.glob("[a-z]*.py"))
    found = (import_module(f"models.wires.{name}").WIRE for name in sorted(names, key=lambda name: name != "openai"))
    return {wire.name: wire for wire in found}


async def rate(wire, url: str, images: tuple[EncodedImage, ...], posts: int) -> float:
    """Requests per second of this process's processor time."""
    model = wire.open_client(url.removesuffix("/v1"), key="none")
    left = iter(range(posts))

    async def work() -> None:
        for number in left:
            await model.answer(Request(model.name, f"Question {number}: what does the image show?", images=images))

    await model.answer(Request(model.name, "Question: are you there?", images=images))
    started = time.process_time()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    took = time.process_time() - started
    await model.close()
    return posts / took


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--posts", type=int, default=300 if QUICK else 2000)
    parser.add_argument("--rounds", type=int, default=few(5))
    given = parser.parse_args()
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "none")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "none")
    image = EncodedImage(picture(0), "image/png", 420, 420)
    with ExitStack() as servers:
        opened = [
            (wire, servers.enter_context(endpoint(reply=json.dumps(wire.says()).encode()))) for wire in wires().values()
        ]
        for words, images in (("text", ()), ("150 kB PNG", (image,))):
            rounds = [
                [asyncio.run(rate(wire, url, images, given.posts)) for wire, url in opened] for _ in range(given.rounds)
            ]
            print(f"{words}: {given.posts} requests, {AT_ONCE} in flight, medians of {given.rounds}")
            by_round = [[each / row[0] for each in row] for row in rounds]
            shares = np.median(by_round, axis=0)
            for (wire, _), each in list(zip(opened, zip(*by_round, strict=True), strict=True))[1:]:
                told(f"requests to {wire.name}, {words}", "our openai backend", each)
            for (wire, _), per_second, share in zip(opened, np.median(rounds, axis=0), shares, strict=True):
                print(f"  {wire.name:18} {per_second:8,.0f}/s of processor time   {share:.2f} of openai", flush=True)


if __name__ == "__main__":
    main()
