"""A study on Ray against one process: what a request costs more, what a second replica brings, whether memory grows.

python benchmarks/on_ray.py [--requests 2000] [--memory 2000 20000]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from ratios import QUICK, beside, few, told

ROUNDS = few(3)


def planned(requests: int, burn: float = 0.0):
    """About so many requests, every second with an image, to a model that computes for a while."""
    from snellen.asking.plan import Plan
    from snellen.benchmarks import load
    from snellen.models.fake import FunctionModel
    from snellen.prompts import PROMPTS, Settings
    from snellen.stress import stress_test

    def reply(request):
        ends = time.process_time() + burn
        while time.process_time() < ends:
            pass
        return f"Answer: {'ABCD'[request.key[0] % 4]}"

    tests = (stress_test("image-needed").design,)
    items = load(f"phantoms:items={max(4, requests // 3)}")
    return Plan((items,), (FunctionModel(reply),), tests, PROMPTS["letter"], Settings(temperature=0))


def asked(plan, place=None, replicas: int = 1, watch=lambda progress: None) -> float:
    """Seconds from the first response to the last, so that the start of a replica does not count."""
    from snellen.asking.requests import PlanSource
    from snellen.asking.run import ask_all
    from snellen.cluster import Need
    from snellen.models.replicated import Replicated, itself
    from snellen.store import Store

    (model,) = plan.models
    if place is not None:
        need = Need(model.name, replicas)
        model = Replicated(model, partial(itself, model), place, need, connections=64)
    moments: list[float] = []

    def seen(progress):
        if progress.done and (place is None or sum(place.alive.values()) == replicas or moments):
            moments.append(time.perf_counter())
        watch(progress)

    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "out", write=True) as store:
        progress = ask_all([model], PlanSource(plan, store, place), store, watch=seen)
    assert not progress.failed, progress.errors
    return moments[-1] - moments[0]


def speed(requests: int) -> None:
    """The two ratios, in turns."""
    from snellen.cluster import RunPlace

    place, plan, slow = RunPlace("ray"), planned(requests), planned(requests // 2, burn=0.01)
    here, there, one, two = [], [], [], []
    with place.connect():
        for _ in range(ROUNDS):
            here.append(asked(plan))
            there.append(asked(plan, place))
            one.append(asked(slow, place))
            two.append(asked(slow, place, 2))
    told("a study on one replica of Ray", "one process without Ray", beside(here, there))
    told("a study on two replicas, 10 ms a request", "one replica", beside(one, two))
    more = (min(there) - min(here)) / requests * 1000
    print(f"one process {min(here):.2f} s, one replica on Ray {min(there):.2f} s: ratio {min(there) / min(here):.2f}, "
          f"{more:+.2f} ms a request; model of 10 ms: 1 replica against 2: ratio {min(one) / min(two):.2f} "
          f"({requests} requests, least of {ROUNDS})")  # fmt: skip


def memory(requests: int) -> None:
    """The most that this process and the object store held, as JSON."""
    import ray

    from snellen.cluster import RunPlace

    place, most = RunPlace("ray"), [0.0]
    with place.connect():
        whole = ray.cluster_resources()["object_store_memory"]

        def watch(progress):
            held = whole - ray.available_resources().get("object_store_memory", 0)
            most[0] = max(most[0], held)

        asked(planned(requests), place, 2, watch)
    held = {"requests": requests, "driver_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    print(json.dumps({**held, "object_store_mb": most[0] / 2**20}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=400 if QUICK else 2000)
    parser.add_argument("--memory", type=int, nargs="*", default=[] if QUICK else [2000, 20000])
    parser.add_argument("--only-memory", type=int)
    given = parser.parse_args()
    if given.only_memory:
        memory(given.only_memory)
        return
    speed(given.requests)
    for requests in given.memory:
        subprocess.run([sys.executable, __file__, "--only-memory", str(requests)], check=True)


if __name__ == "__main__":
    main()
