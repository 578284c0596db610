"""A small study whose responses repeat, as in large ones: letters, refusals, some that end early, some that fail."""

import random

from snellen.errors import RejectedError
from snellen.items import Benchmark
from snellen.models.base import Response
from snellen.models.fake import FakeModel
from snellen.study import Study
from strategies import items

SAID = (
    *(form.format(letter) for letter in "ABCDE" for form in ("{}", "{}.", "Answer: {}", "The answer is {}.")),
    "I'm sorry, but I can't help with interpreting medical images.",
    "I cannot see an image.",
    "Several of these would fit.",
    "The image shows a mass in the left lung. Answer: B",
)


def answering(seed):
    """One who answers at random: one in ten is cut off or filtered, some calls fail, some reason first."""

    def answer(request):
        draw = random.Random(f"{seed} {request.key.hex()}")
        kind, text = draw.random(), draw.choice(SAID)
        if kind < 0.05:
            raise RejectedError("too hard")
        if kind < 0.1:
            return Response("The image shows", "length")
        if kind < 0.13:
            return Response("", "content_filter")
        return Response(text, "stop", "It is a mass." if kind > 0.9 else "")

    return answer


def asked(folder, *, seed=0, models=2, count=10):
    """Items with and without an image under four conditions, each asked twice; model names that no folder can have."""
    named = [FakeModel(answering(f"{seed} {at}"), name=f"fake/a b:{at}%?", revision="") for at in range(models)]
    benchmark = Benchmark("b", tuple(items(count)))
    tests = ["image-needed", "option-order", "unknown-option"]
    Study(models=named, benchmarks=[benchmark], tests=tests, epochs=2, out=folder).ask(lambda progress: None)
    return folder
