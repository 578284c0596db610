"""Asking until settled: items in a random order, in rounds; after each round, what is settled is not asked any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snellen.asking.asked import Asked, Rounds
from snellen.asking.plan import Plan
from snellen.asking.requests import Address, Batch, Block, PlanSource
from snellen.cluster import Place
from snellen.store import Store, Writer

Needed = Callable[[str, str], Collection[str]]
"""By model and benchmark: the arms that some verdict still needs, by what is stored."""


@dataclass
class Standing:
    """Where a benchmark stands: for how many rounds each model and arm is wanted, and who is asked on."""

    rounds: Rounds
    wanted: NDArray[np.int64]
    going: set[int]

    def cells(self) -> NDArray[np.bool_]:
        """Which items are wanted, by model and arm."""
        ends = np.array((0, *self.rounds.ends))
        return np.asarray(self.rounds.place < ends[self.wanted][:, :, None])[..., None]


class SettledSource:
    """What a plan wants to know and the store does not, for as long as some verdict needs it."""

    apart = True
    """Each model is fed by itself: one that takes long to settle holds up no other."""

    def __init__(self, plan: Plan, store: Store, needed: Needed, place: Place | None = None) -> None:
        self._plan = plan
        self._store = store
        self._needed = needed
        self._whole = PlanSource(plan, store, place)
        self._standing: dict[str, Standing] = {}

    def count(self, addresses: Sequence[Address]) -> list[int]:
        """How many responses of each model are missing, if nothing is settled before the end."""
        counts = self._whole.count(addresses)
        for block in self._whole.blocks:
            if self._plan.in_rounds(block.benchmark):
                rounds = Rounds.of(block.benchmark.items[: block.missing.shape[2]], self._plan.seed)
                over = np.array([self._over(block, rounds, each) for each in addresses], dtype=np.int64)
                self._standing[block.benchmark.name] = Standing(rounds, over, set(range(len(addresses))))
        return counts

    async def batches(self, addresses: Sequence[Address], writer: Writer) -> AsyncGenerator[Batch, None]:
        """Benchmark by benchmark; in rounds where asking can stop, else all."""
        for block in self._whole.blocks:
            if (standing := self._standing.get(block.benchmark.name)) is not None:
                made = self._in_rounds(block, standing, addresses, writer)
            else:
                made = self._whole.of_block(block, addresses, writer)
            async with aclosing(made) as batches:
                async for batch in batches:
                    yield batch

    async def _in_rounds(
        self, block: Block, standing: Standing, addresses: Sequence[Address], writer: Writer
    ) -> AsyncGenerator[Batch, None]:
        """Round by round what is missing of it; what failed in earlier rounds is asked again first."""
        models = dict(zip(self._whole.rows(addresses), addresses, strict=True))
        while standing.going & models.keys():
            async with aclosing(self._whole.of_block(block, addresses, writer, only=standing.cells())) as batches:
                async for batch in batches:
                    yield batch
            yield Batch([], wait=True)
            for m in sorted(standing.going & models.keys()):
                if not await self._next_round(block, standing, m, models[m]):
                    standing.going.remove(m)
                    left = int(block.missing[m].sum())
                    block.missing[m] = False
                    yield Batch([], {models[m].number: left})  # what is not asked any more is not awaited any more

    async def _next_round(self, block: Block, standing: Standing, m: int, address: Address) -> bool:
        """Whether a model is asked on; then its open arms are wanted for another round."""
        wanted, names = standing.wanted[m], [arm.name for _, arm in block.arms]
        if (self._over(block, standing.rounds, address) < wanted).any():
            return False  # the model was given up
        needed: Collection[str] = names
        if wanted.any():
            needed = await asyncio.to_thread(self._needed, address.name, block.benchmark.name)
        live = np.array([name in needed for name in names]) & (wanted < len(standing.rounds.ends))
        if live.any():
            wanted[live] = np.maximum(wanted[live], 1 + wanted[live].min())
        return bool(live.any())

    def _over(self, block: Block, rounds: Rounds, address: Address) -> NDArray[np.int64]:
        """How many rounds were asked to their end, by arm."""
        repeats = self._plan.repeats_of(block.benchmark)
        asked = (
            Asked(address.number, arm, repeats.count_runs(resolved.name), address.text_only)
            for arm, resolved in block.arms
        )
        return np.array([each.rounds(self._store, rounds) for each in asked], dtype=np.int64)
