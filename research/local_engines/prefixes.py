"""How many tokens hf/… reads of a suite's requests, where the beginnings that arms share are read once.

    python research/local_engines/prefixes.py [VQA-RAD]

Asks a model that only listens, so that the requests are those of a real run in their real order, and forms batches of
them as hf/… does. Words are counted by byte pairs learned from the requests themselves (8,000 of them).
"""

from __future__ import annotations

import sys
import tempfile

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from snellen.models.base import Model, Response, receipt
from snellen.models.hf import BATCH_ON_GPU, IN_FLIGHT, _make_item_key
from snellen.models.hf.prefixes import TokenRow, families, neighbours
from snellen.study import Study

IMAGE = 2
"""The token that stands for an image until it becomes many."""


class Listening(Model):
    """A model that answers A to everything and keeps what it was asked."""

    name = "study/listening"
    reads_letters = False

    def __init__(self) -> None:
        self.requests = []

    async def answer(self, request):
        """A, always."""
        self.requests.append(request)
        return Response("A", sent=tuple(receipt(image) for image in request.every_image))


def batches(requests):
    """The batches that hf/… makes while so many requests wait."""
    waiting, coming = [], list(reversed(requests))
    while waiting or coming:
        while coming and len(waiting) < (IN_FLIGHT - 1) * BATCH_ON_GPU:
            waiting.append(coming.pop())
        kind = (waiting[0].settings, len(waiting[0].every_image))
        alike = [at for at, each in enumerate(waiting) if (each.settings, len(each.every_image)) == kind]
        sizes = [(len(waiting[at].text), _make_item_key(waiting[at])) for at in alike]
        chosen = {alike[at] for at in neighbours(sizes, BATCH_ON_GPU)}
        yield [waiting[at] for at in sorted(chosen)]
        waiting = [each for at, each in enumerate(waiting) if at not in chosen]


def main() -> None:
    """Count for each suite and benchmark, with several numbers of tokens an image."""
    benchmarks = ["phantoms:items=200", *(f"vqa-rad:{folder}" for folder in sys.argv[1:])]
    print("| benchmark | suite | requests | tokens an image | tokens asked | tokens read | ratio |")
    print("|---|---|---|---|---|---|---|")
    for benchmark in benchmarks:
        for suite in ("readiness", "standard"):
            with tempfile.TemporaryDirectory() as out:
                listening = Listening()
                Study(models=[listening], benchmarks=[benchmark], tests=[suite], out=out, limit=200).run()
            requests = listening.requests
            texts = [f"{each.system}\n{each.text}" for each in requests]
            tokenizer = Tokenizer(models.BPE())
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
            tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=8000, show_progress=False))
            for image in (256, 576):
                asked = read = 0
                for batch in batches(requests):
                    rows = []
                    for each in batch:
                        images = tuple(shown.sha256 for shown in each.every_image)
                        words = [number + 3 for number in tokenizer.encode(f"{each.system}\n{each.text}").ids]
                        rows.append(TokenRow([IMAGE] * len(images) + words, images))
                        asked += len(words) + image * len(images)
                    for family in families(rows):
                        shown = len(rows[family.members[0]].images)
                        read += family.shared + (image - 1) * shown
                        read += sum(len(rows[member].tokens) - family.shared for member in family.members)
                ratio = asked / read
                name = benchmark.partition(":")[0]
                print(f"| {name} | {suite} | {len(requests):,} | {image} | {asked:,} | {read:,} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
