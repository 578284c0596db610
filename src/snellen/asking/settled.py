"""Asking until settled: items in a random order, in rounds; after each round, what is settled is not asked any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.plan import Plan
from snellen.asking.requests import Address, Batch, Block, PlanSource, Preparation
from snellen.items import Item
from snellen.store import Store, Writer
from snellen.stress.folds import in_drawn_order, patient_of

FIRST = 32
"""So many items are asked before the first look."""
GROWTH = 1.15
"""Each look has so many times the items of the look before. More looks would stop a little earlier, and cost time."""

Needed = Callable[[str, str], Collection[str]]
"""By model and benchmark: the arms that some verdict still needs, by what is stored."""


@dataclass(frozen=True)
class Rounds:
    """The items of a benchmark in the order in which they are asked, and after how many of them one looks."""

    order: NDArray[np.int64]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, items: Sequence[Item], seed: int) -> Rounds:
        """Drawn by the seed and the patients' names; a patient's items come together, and no look parts them."""
        order = in_drawn_order(items, range(len(items)), seed)
        patients = [patient_of(items[place]) for place in order]
        ends: list[int] = []
        wanted = FIRST
        for end in range(1, len(order) + 1):
            last = end == len(order)
            if last or (end >= wanted and patients[end] != patients[end - 1]):
                ends.append(end)
                wanted = ceil(end * GROWTH)
        return cls(np.array(order, dtype=np.int64), tuple(ends))

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """Where in the order each item stands."""
        places = np.empty_like(self.order)
        places[self.order] = np.arange(len(self.order))
        return places

    def items(self, rounds: int) -> int:
        """How many items so many rounds have."""
        return self.ends[rounds - 1] if rounds else 0

    def within(self, rounds: int) -> NDArray[np.bool_]:
        """Which of the items belong to the first rounds."""
        return self.place < self.items(rounds)


class Asked(NamedTuple):
    """One model under one arm of a benchmark, by their numbers in the store."""

    model: int
    arm: int
    epochs: int
    text_only: bool = False

    def rounds(self, store: Store, rounds: Rounds) -> int:
        """How many rounds were asked to their end: every response has come, or failed, or is none to be asked for."""
        items = len(rounds.order)
        over = np.zeros((items, self.epochs), dtype=bool)
        shown = store.with_images(self.arm) if self.text_only else []
        over[[place for place in (*store.inapplicable(self.arm), *shown) if place < items]] = True
        failed = [cell[:2] for cell in store.failed_cells(self.model, self.arm)]
        for cells in (store.answered(self.model, self.arm), np.array(failed, dtype=np.int64).reshape(-1, 2)):
            wanted = cells[(cells[:, 0] < items) & (cells[:, 1] < self.epochs)]
            over[wanted[:, 0], wanted[:, 1]] = True
        gaps = np.flatnonzero(~over[rounds.order].all(axis=1))
        first = int(gaps[0]) if len(gaps) else items
        return sum(end <= first for end in rounds.ends)


def asked_in_rounds(study: Mapping[str, Any], benchmark: str) -> bool:
    """Whether a stored study stops asking a benchmark when its verdicts are settled."""
    return benchmark in study.get("until_settled", ())


class SettledSource:
    """What a plan wants to know and the store does not, for as long as some verdict needs it."""

    def __init__(self, plan: Plan, store: Store, needed: Needed) -> None:
        self._plan = plan
        self._store = store
        self._needed = needed
        self._whole = PlanSource(plan, store)

    def count(self, addresses: Sequence[Address]) -> list[int]:
        """How many responses of each model are missing, if nothing is settled before the end."""
        return self._whole.count(addresses)

    async def batches(self, addresses: Sequence[Address], writer: Writer) -> AsyncGenerator[Batch, None]:
        """Benchmark by benchmark; in rounds where asking can stop, else all."""
        preparation = Preparation(self._plan, self._store, writer, addresses)
        try:
            for block in self._whole.blocks:
                in_rounds = self._plan.in_rounds(block.benchmark)
                made = self._rounds(block, preparation, addresses) if in_rounds else preparation.batches(block)
                async with aclosing(made) as batches:
                    async for batch in batches:
                        yield batch
        finally:
            preparation.close()

    async def _rounds(
        self, block: Block, preparation: Preparation, addresses: Sequence[Address]
    ) -> AsyncGenerator[Batch, None]:
        """Round by round what is missing of it; what failed in earlier rounds is asked again first."""
        name, items = block.benchmark.name, block.missing.shape[2]
        rounds = Rounds.of(block.benchmark.items[:items], self._plan.seed)
        missing = block.missing.copy()
        wanted = self._over(block, rounds, addresses)
        going = list(range(len(addresses)))
        while going:
            asked = missing & _cells(rounds, wanted)[..., None]
            if asked.any():
                async with aclosing(preparation.batches(replace(block, missing=asked))) as batches:
                    async for batch in batches:
                        yield batch
                missing &= ~asked
                yield Batch([], wait=True)
            over = self._over(block, rounds, addresses)
            for m in tuple(going):
                needed: Collection[str] = [arm.name for _, arm in block.arms]
                if (over[m] < wanted[m]).any():  # the model was given up
                    going.remove(m)
                    continue
                if wanted[m].any():
                    needed = await asyncio.to_thread(self._needed, addresses[m].name, name)
                live = np.array([arm.name in needed for _, arm in block.arms]) & (wanted[m] < len(rounds.ends))
                if live.any():
                    wanted[m, live] = np.maximum(wanted[m, live], 1 + wanted[m, live].min())
                else:
                    going.remove(m)
        # what is not asked any more is not awaited any more
        yield Batch([], {address.number: int(missing[m].sum()) for m, address in enumerate(addresses)})

    def _over(self, block: Block, rounds: Rounds, addresses: Sequence[Address]) -> NDArray[np.int64]:
        """How many rounds were asked to their end, by model and arm."""
        epochs = block.missing.shape[3]
        return np.array(
            [
                [Asked(each.number, arm, epochs, each.text_only).rounds(self._store, rounds) for arm, _ in block.arms]
                for each in addresses
            ],
            dtype=np.int64,
        )


def _cells(rounds: Rounds, wanted: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which items are wanted, by model and arm, for so many rounds each."""
    ends = np.array((0, *rounds.ends))
    return np.asarray(rounds.place[None, None, :] < ends[wanted][:, :, None])
