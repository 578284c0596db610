"""A benchmark whose answers a function knows, and models that know it, look at the image or guess at a set rate."""

import re
from collections import Counter
from zlib import crc32

from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FakeModel
from strategies import picture

OPTIONS = 4


def benchmark(questions, *, patients=None, name="b"):
    """Questions with four options and a small picture of their own; `patients` share them out in turn."""
    return Benchmark(
        name,
        tuple(
            Item(
                id=f"q{i}",
                question=f"Question {i}?",
                options=tuple(Option(f"sign {i}-{k}") for k in range(OPTIONS)),
                answer=crc32(f"key {i}".encode()) % OPTIONS,
                images=(picture(i % 256),),
                cluster=f"p{i % patients}" if patients else "",
            )
            for i in range(questions)
        ),
    )


class Knowing(FakeModel):
    """Right on so many of the questions, with the image and without; elsewhere it chooses the same wrong option."""

    def __init__(self, seen=0.9, unseen=0.25, *, name="fake/knowing", fails=lambda request: None):
        super().__init__(self._say, name=name)
        self.asked = Counter()
        self._rates = {True: seen, False: unseen}
        self._fails = fails

    def _say(self, request):
        self.asked[request.key] += 1
        self._fails(request)
        number = int(re.search(r"Question (\d+)\?", request.text)[1])
        luck = crc32(f"luck {number}".encode()) / 2**32
        right = crc32(f"key {number}".encode()) % OPTIONS
        chosen = right if luck < self._rates[bool(request.images)] else (right + 1) % OPTIONS
        letter = re.search(rf"([A-Z])[).:]? sign {number}-{chosen}\b", request.text)[1]
        return f"Answer: {letter}"
