"""A study that takes a while, to be interrupted or killed: 100 items, three arms, answers after 20 ms."""

import asyncio
import signal
import sys

from snellen.asking.plan import Plan
from snellen.asking.run import run
from snellen.items import Benchmark
from snellen.models.base import Model, Response, receipt
from snellen.prompts import PROMPTS, Settings
from snellen.scoring.results import study_record
from snellen.store import Store
from snellen.stress import stress_test
from strategies import items


class Slow(Model):
    """Answers B after a moment."""

    name = "fake/slow"

    async def answer(self, request):
        """B, a little later."""
        await asyncio.sleep(0.02)
        return Response("Answer: B", sent=tuple(receipt(image) for image in request.images))


def plan(model):
    """The study."""
    tests = (stress_test("image-needed"), stress_test("option-order"))
    return Plan((Benchmark("b", items(100)),), (model,), tests, PROMPTS["letter"], Settings(temperature=0))


if __name__ == "__main__":
    # A shell that starts the tests in the background has Ctrl-C ignored in all they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Store.open(sys.argv[1], write=True) as store:
            planned = plan(Slow())
            store.add_study(study_record(planned, store, {}))
            run(planned, store, connections=2)
    except KeyboardInterrupt:
        print("Stopped", file=sys.stderr)
        sys.exit(130)
