"""JudgeSource: what a judge is still to be asked about the stored replies of a study."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

import orjson

from snellen.conditions import ORIGINAL
from snellen.errors import ImageError
from snellen.images import EncodedImage
from snellen.items import Item
from snellen.judging.rubric import SYSTEM, VERSION, Exhibit, judged, render
from snellen.preparing import BATCH, Address, Batch, Ready
from snellen.prompts import Request, Settings
from snellen.store import Cell, Reply, Store, Writer

JUDGED_AT = Settings(temperature=0.0)


class Case(NamedTuple):
    """The replies of one run of one model to one item, by arm, in the order of the study."""

    ordinal: int
    replicate: int
    exhibits: tuple[Exhibit, ...]


def judging_digest(study: Mapping[str, Any], benchmark: str, model: str) -> str:
    """What tells the judging of one model's replies to one benchmark from any other."""
    parts = ("judging", VERSION, study["benchmarks"][benchmark], study["arms"][benchmark], model)
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def cases(store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]) -> Iterator[Case]:
    """Every run of every item that the study asks for, with all replies it got, side by side."""
    number, limit, epochs = store.model(*model), study["limit"], study["epochs"]
    found: dict[tuple[int, int], list[Exhibit]] = {}
    for arm, digest in study["arms"][benchmark].items():
        for reply in store.replies(number, store.arm(digest)[0]) if judged(arm) else ():
            found.setdefault((reply.ordinal, reply.replicate), []).append(Exhibit(arm, rationale_of(reply)))
    for (ordinal, replicate), exhibits in sorted(found.items()):
        if (limit is None or ordinal < limit) and (epochs is None or replicate < epochs):
            yield Case(ordinal, replicate, tuple(exhibits))


def images_asked_with(store: Store, study: Mapping[str, Any], benchmark: str, ordinal: int) -> list[str]:
    """The images an item was asked with as it is, by their sha256; none where it had none or none are stored."""
    digest = study["arms"][benchmark].get(ORIGINAL.name)
    return [] if digest is None else store.images_of(store.arm(digest)[0], ordinal)


def rationale_of(reply: Reply) -> str:
    """The reply, after the thinking that came with it."""
    return f"{reply.reasoning}\n\n{reply.text}" if reply.reasoning else reply.text


class JudgeSource:
    """The requests to a judge: one for each run of each item, of the first `limit` items the first `epochs`."""

    def __init__(self, store: Store, study: Mapping[str, Any], *, limit: int | None = None, epochs: int = 1) -> None:
        self._store = store
        self._study = study
        self._limit = limit
        self._epochs = epochs
        self._wanted: list[tuple[str, int, Case]] = []

    def count(self, addresses: Sequence[Address]) -> int:
        """How many opinions are missing."""
        self._wanted = [
            (benchmark, arm, case)
            for benchmark in self._study["benchmarks"]
            for model in self._study["models"]
            for arm, case in self._missing(benchmark, tuple(model), addresses)
        ]
        return len(self._wanted) * len(addresses)

    def _missing(
        self, benchmark: str, model: tuple[str, str], addresses: Sequence[Address]
    ) -> Iterator[tuple[int, Case]]:
        digest = judging_digest(self._study, benchmark, model[0])
        record = {"rubric": VERSION, "judges": model[0]}
        arm = self._store.add_arm(
            self._store.benchmark_number(self._study["benchmarks"][benchmark]), f"judging {model[0]}", digest, record
        )
        done = set.intersection(
            *({(o, r) for o, r in self._store.answered(each.number, arm).tolist()} for each in addresses)
        )
        for case in self._wished_for(benchmark, model):
            if (case.ordinal, case.replicate) not in done:
                yield arm, case

    def _wished_for(self, benchmark: str, model: tuple[str, str]) -> Iterator[Case]:
        """Runs are counted, not looked up by number: imported ones are numbered as their source liked."""
        found = cases(self._store, self._study, benchmark, model)
        for ordinal, runs in groupby(found, key=lambda case: case.ordinal):
            if self._limit is None or ordinal < self._limit:
                yield from islice(runs, self._epochs)

    async def batches(self, addresses: Sequence[Address], writer: Writer) -> AsyncGenerator[Batch, None]:
        """The requests, in the order of the items."""
        items = {name: self._store.benchmark(digest).items for name, digest in self._study["benchmarks"].items()}
        for start in range(0, len(self._wanted), BATCH):
            some = self._wanted[start : start + BATCH]
            yield Batch(
                [
                    Ready(
                        Cell(address.number, arm, case.ordinal, case.replicate),
                        request.to(address.name, address.revision, 0),
                    )
                    for benchmark, arm, case in some
                    for request in [self._request(benchmark, items[benchmark][case.ordinal], case)]
                    for address in addresses
                ],
                0,
            )

    def _request(self, benchmark: str, item: Item, case: Case) -> Request:
        images = self._images(benchmark, case.ordinal)
        text = render(item, case.exhibits, attached=bool(images))
        return Request("", text, SYSTEM, images, JUDGED_AT)

    def _images(self, benchmark: str, ordinal: int) -> tuple[EncodedImage, ...]:
        """The images of the item as asked, if they are stored and can still be read."""
        asked_with = images_asked_with(self._store, self._study, benchmark, ordinal)
        try:
            return tuple(self._store.sent(each) for each in asked_with)
        except ImageError:
            return ()
