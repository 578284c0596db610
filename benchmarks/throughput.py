"""Requests per second of a whole run (perturb, encode, send, grade, store) beside the tools people use now.

Every engine asks the same local endpoint, which answers at once (or after 200 ms) from a process of its own; engines
take turns, so that a slow minute of the machine hits them all. Absolute rates drift between machines: read the ratios.

    python benchmarks/throughput.py [--quick] [--without inspect]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from itertools import cycle, islice
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from endpoint import endpoint
from ratios import QUICK, told

ENGINES = ("bare", "snellen", "openai", "inspect")


def picture(seed: int) -> bytes:
    """A grey PNG of about 150 kB."""
    import cv2

    rng = np.random.default_rng(seed)
    noise = cv2.GaussianBlur(rng.normal(128, 60, (420, 420)).astype(np.float32), (0, 0), 0.6)
    return cv2.imencode(".png", noise.clip(0, 255).astype(np.uint8))[1].tobytes()


def items(count: int, images: int) -> list[tuple[str, bytes | None]]:
    """Questions; every image stands under several of them, as in VQA-RAD (7 questions an image)."""
    pictures = [picture(seed) for seed in range(images)] if images else []
    return [
        (f"Question {i}: what does the image show?", pictures[i * images // count] if images else None)
        for i in range(count)
    ]


def _uri(image: bytes) -> str:
    return "data:image/png;base64," + b64encode(image).decode()


OPTIONS = ("Cardiomegaly", "Effusion", "Nodule", "Normal", "Pneumothorax")


def bare(url: str, questions: list, arms: int, connections: int) -> None:
    """The limit: aiohttp posting bodies that were made beforehand."""
    import aiohttp

    bodies = {}
    for question, image in questions:
        content = [{"type": "text", "text": question + "\n".join(OPTIONS)}]
        if image:
            content.insert(0, {"type": "image_url", "image_url": {"url": _uri(image)}})
        bodies.setdefault(
            image or question, json.dumps({"model": "fast", "messages": [{"role": "user", "content": content}]})
        )
    ready = [body.encode() for body in bodies.values()]
    count = len(questions) * arms
    queue = islice(cycle(ready), count)

    async def work(session: aiohttp.ClientSession) -> None:
        for body in queue:
            async with session.post(f"{url}/chat/completions", data=body) as reply:
                await reply.read()

    async def everything() -> tuple[float, float]:
        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:
            started, used = time.perf_counter(), time.process_time()
            await asyncio.gather(*(work(session) for _ in range(connections)))
            return time.perf_counter() - started, time.process_time() - used

    took, used = asyncio.run(everything())
    report(count, took, processor=used / count)


def snellen(url: str, questions: list, arms: int, connections: int) -> None:
    """The whole path on a folder of questions: vary, encode, hash, send, store; then grade and measure."""
    from snellen.scoring.results import score
    from snellen.store import Store
    from snellen.study import Study

    os.environ["OPENAI_BASE_URL"] = url
    folder = Path(tempfile.mkdtemp())
    benchmark, at_least = write(folder / "benchmark", questions), len(questions) * arms
    questions.clear()  # they are on disk now, and their memory is not ours
    study = Study(
        models=["openai/fast"],
        benchmarks=[str(benchmark)],
        tests=["option-order"],
        out=folder / "out",
        max_connections=connections,
        canary=False,  # the server says the same to every image
    )
    study.plan()
    started, used = time.perf_counter(), time.process_time()
    progress = study.ask(lambda progress: None)
    asking = time.process_time() - used
    with Store.open(folder / "out") as store:
        results = score(store)
    took = time.perf_counter() - started
    assert progress.done >= at_least, progress  # some questions are asked once more
    assert not progress.failed, progress
    assert results.findings
    shutil.rmtree(folder)
    report(progress.done, took, processor=asking / progress.done)


def write(folder: Path, questions: list) -> Path:
    """The questions as a user keeps them: a file of rows, and images beside it."""
    folder.mkdir()
    names: dict[bytes, str] = {}
    rows = []
    for number, (question, image) in enumerate(questions):
        row = {"id": f"q{number}", "question": question, "options": OPTIONS, "answer": "ABCDE"[number % 5]}
        if image:
            if image not in names:
                names[image] = f"{len(names)}.png"
                (folder / names[image]).write_bytes(image)
            row["images"] = [names[image]]
        rows.append(json.dumps(row))
    (folder / "items.jsonl").write_text("\n".join(rows))
    return folder


def openai(url: str, questions: list, arms: int, connections: int) -> None:
    """The official SDK, one client, its default backend."""
    from openai import AsyncOpenAI

    jobs = iter([(question + str(arm), image) for question, image in questions for arm in range(arms)])
    total = len(questions) * arms

    async def work(client: AsyncOpenAI) -> None:
        for text, image in jobs:
            content = [{"type": "text", "text": text + "\n".join(OPTIONS)}]
            if image:
                content.insert(0, {"type": "image_url", "image_url": {"url": _uri(image)}})
            await client.chat.completions.create(model="fast", messages=[{"role": "user", "content": content}])

    async def everything() -> float:
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            started = time.perf_counter()
            await asyncio.gather(*(work(client) for _ in range(connections)))
            return time.perf_counter() - started

    report(total, asyncio.run(everything()))


def inspect(url: str, questions: list, arms: int, connections: int) -> None:
    """Inspect AI's eval() with a choice scorer, its logs without images."""
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    samples = []
    for question, image in questions:
        for arm in range(arms):
            content: list = [ContentText(text=question + str(arm) + "\n".join(OPTIONS))]
            if image:
                content.insert(0, ContentImage(image=_uri(image)))
            samples.append(Sample(input=[ChatMessageUser(content=content)], target="B"))
    folder = tempfile.mkdtemp()
    started = time.perf_counter()
    inspect_ai.eval(
        inspect_ai.Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match()),
        model="openai/fast", model_base_url=url, model_args={"api_key": "none", "responses_api": False},
        max_connections=connections, max_samples=connections, log_dir=folder, log_images=False, display="none",
        log_realtime=False,
    )  # fmt: skip
    took = time.perf_counter() - started
    shutil.rmtree(folder)
    report(len(samples), took)


def report(count: int, seconds: float, **more: float) -> None:
    """What one engine did, for the parent process to read."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    print("RESULT", json.dumps({"rate": count / seconds, "mb": used.ru_maxrss / 1024, **more}))


def measure(engine: str, url: str, count: int, images: int, connections: int) -> dict:
    """One engine in a process of its own."""
    command = [sys.executable, __file__, "--engine", engine, url, str(count), str(images), str(connections)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENAI_API_KEY": "none"})
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    if not lines:
        raise SystemExit(f"{engine} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return json.loads(lines[-1].removeprefix("RESULT "))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", default=QUICK, help="fewer requests and rounds")
    parser.add_argument("--without", action="append", default=[], choices=ENGINES)
    parser.add_argument("--engine", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.engine:
        name, url, count, images, connections = arguments.engine
        globals()[name](url, items(int(count), int(images)), 2, int(connections))
        return
    rounds = 2 if arguments.quick else 3
    cases = [
        ("text, answers at once, 64 in flight", 0.0, 6000, 0, 64),
        ("150 kB PNG, answers at once, 64 in flight", 0.0, 3000, 430, 64),
        ("150 kB PNG, 200 ms, 64 in flight", 0.2, 1500, 215, 64),
        ("150 kB PNG, 200 ms, 256 in flight", 0.2, 6000, 850, 256),
    ]
    cases = cases[1:2] if arguments.quick else cases
    slow = {"openai": 10, "inspect": 20}
    packages = {"bare": ("bare aiohttp", "aiohttp"), "openai": ("the openai SDK", "openai"),
                "inspect": ("Inspect's eval()", "inspect-ai")}  # fmt: skip
    for title, latency, count, images, connections in cases:
        print(f"\n{title}" + (f" (ceiling {connections / latency:,.0f}/s)" if latency else ""), flush=True)
        seen: dict[str, list[dict]] = {}
        with endpoint(latency) as url:
            for _ in range(rounds):
                for engine in ENGINES:
                    if engine in arguments.without:
                        continue
                    share = slow.get(engine, 1)
                    few = max(connections * 2, count // share // (4 if arguments.quick else 1))
                    result = measure(engine, url, few, max(1, images * few // count) if images else 0, connections)
                    seen.setdefault(engine, []).append(result)
        ours = np.median([result["rate"] for result in seen["snellen"]])
        for engine, results in seen.items():
            if engine in packages:
                whose, package = packages[engine]
                each = [own["rate"] / theirs["rate"] for own, theirs in zip(seen["snellen"], results, strict=True)]
                told(f"a whole run, {title}", whose, each, package=package)
            rate = np.median([result["rate"] for result in results])
            memory = max(result["mb"] for result in results)
            print(f"  {engine:8} {rate:8,.0f}/s  {memory:5.0f} MB   snellen/{engine} = {ours / rate:.2f}", flush=True)
        if "bare" in seen:
            pairs = zip(seen["bare"], seen["snellen"], strict=True)
            alone = [bare["processor"] / own["processor"] for bare, own in pairs]
            told(f"asking alone by processor time, {title}", "bare aiohttp", alone, package="aiohttp")
            print(f"  asking alone, processor time of bare/snellen = {np.median(alone):.2f}")
        if latency:
            print(f"  snellen reaches {ours / (connections / latency):.0%} of the ceiling")


if __name__ == "__main__":
    main()
