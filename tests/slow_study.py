"""A study that never ends, to be interrupted or killed: 100 items, three arms, so many answers, then none."""

import asyncio
import signal
import sys

from snellen.asking.plan import Plan
from snellen.asking.run import run
from snellen.items import Benchmark
from snellen.models.base import Model, Response, receipt
from snellen.prompts import PROMPTS, Settings
from snellen.scoring.resolving import study_record
from snellen.store import Store
from snellen.stress import stress_test
from strategies import items


class Slow(Model):
    """Answers B so many times, each after a moment; later requests wait for ever."""

    name = "fake/slow"

    def __init__(self, answers):
        self.left = answers

    async def answer(self, request):
        """B, a little later."""
        self.left -= 1
        await (asyncio.sleep(0.01) if self.left >= 0 else asyncio.Event().wait())
        return Response("Answer: B", sent=tuple(receipt(image) for image in request.images))


def plan(model):
    """The study."""
    tests = (stress_test("image-needed").design, stress_test("option-order").design)
    return Plan((Benchmark("b", items(100)),), (model,), tests, PROMPTS["letter"], Settings(temperature=0))


if __name__ == "__main__":
    # A shell that starts the tests in the background has Ctrl-C ignored in all they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Store.open(sys.argv[1], write=True) as store:
            planned = plan(Slow(int(sys.argv[2])))
            store.studies.add(study_record(planned, store, {}))
            run(planned, store, connections=2)
    except KeyboardInterrupt:
        print("Stopped", file=sys.stderr)
        sys.exit(130)
