"""A study that answers as many requests as it is told to on its standard input, to be watched meanwhile."""

import asyncio
import sys
import threading

from snellen.errors import RejectedError
from snellen.items import Benchmark
from snellen.models.base import Model, Response, Usage, receipt
from snellen.study import Study
from strategies import items

HOSTILE = "</script><img src=x onerror='document.body.dataset.hacked=1'><b>\u202eI see it.\nAnswer: B"
KEY = "sk-verysecret123456"


class Told(Model):
    """Answers B in hostile words, once it is told to; one item fails with a message that holds a key."""

    name = "fake/told"
    reads_letters = False

    def __init__(self):
        self._allowed = asyncio.Semaphore(0)
        self._listening = False

    async def answer(self, request):
        """B, when one more response is allowed."""
        if not self._listening:
            self._listening = True
            threading.Thread(target=self._listen, args=(asyncio.get_running_loop(),), daemon=True).start()
        await self._allowed.acquire()
        if "picture 1 show" in request.text:
            raise RejectedError(f"fake/told: not accepted with the key {KEY}.")
        sent = tuple(receipt(image) for image in request.images)
        return Response(HOSTILE, usage=Usage(10 + 20 * len(sent), 5), sent=sent)

    def _listen(self, loop):
        for line in sys.stdin:
            for _ in range(int(line)):
                loop.call_soon_threadsafe(self._allowed.release)


if __name__ == "__main__":
    out, number = sys.argv[1], int(sys.argv[2])
    tests = ["image-needed", "option-order"]
    Study(models=[Told()], benchmarks=[Benchmark("b", items(number))], tests=tests, repeat=False, out=out).ask(
        lambda progress: None
    )
