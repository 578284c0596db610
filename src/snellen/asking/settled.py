"""Early stopping: ask random items in rounds, and stop asking what is decided.

A verdict is "settled" when more responses can no longer change it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snellen.asking.asked import ModelArm, Rounds
from snellen.asking.plan import Plan
from snellen.asking.requests import Batch, NumberedModel, PlanSource, RequestBlock
from snellen.cluster import RunPlace
from snellen.store import Store, Writer

Needed = Callable[[str, str], Collection[str]]
"""Returns the arms that an open verdict still needs, given model and benchmark."""


@dataclass
class Standing:
    """State of a benchmark: rounds wanted per model and arm, and models that are still asked."""

    rounds: Rounds
    wanted: NDArray[np.int64]
    going: set[int]

    def cells(self) -> NDArray[np.bool_]:
        """Return which items are wanted, by model and arm."""
        ends = np.array((0, *self.rounds.ends))
        return np.asarray(self.rounds.place < ends[self.wanted][:, :, None])[..., None]


class SettledSource:
    """Source of the missing requests of a plan, as long as a verdict needs them."""

    apart = True
    """Each model has its own feed. So a model that settles late does not delay the others."""

    def __init__(self, plan: Plan, store: Store, needed: Needed, place: RunPlace | None = None) -> None:
        self._plan = plan
        self._store = store
        self._needed = needed
        self._whole = PlanSource(plan, store, place)
        self._standing: dict[str, Standing] = {}

    def count(self, addresses: Sequence[NumberedModel]) -> list[int]:
        """Return how many responses of each model are missing if no verdict is settled early."""
        counts = self._whole.count(addresses)
        for block in self._whole.blocks:
            if self._plan.in_rounds(block.benchmark):
                rounds = Rounds.from_items(block.benchmark.items[: block.missing.shape[2]], self._plan.seed)
                over = np.array([self._count_rounds(block, rounds, each) for each in addresses], dtype=np.int64)
                self._standing[block.benchmark.name] = Standing(rounds, over, set(range(len(addresses))))
        return counts

    async def batches(self, addresses: Sequence[NumberedModel], writer: Writer) -> AsyncGenerator[Batch, None]:
        """Yield the requests by benchmark: in rounds if asking can stop early, otherwise all."""
        for block in self._whole.blocks:
            if (standing := self._standing.get(block.benchmark.name)) is not None:
                made = self._in_rounds(block, standing, addresses, writer)
            else:
                made = self._whole.of_block(block, addresses, writer)
            async with aclosing(made) as batches:
                async for batch in batches:
                    yield batch

    async def _in_rounds(
        self, block: RequestBlock, standing: Standing, addresses: Sequence[NumberedModel], writer: Writer
    ) -> AsyncGenerator[Batch, None]:
        """Yield what is missing, round by round; failures of earlier rounds come first."""
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
                    yield Batch([], {models[m].number: left})  # the rest is no longer awaited

    async def _next_round(self, block: RequestBlock, standing: Standing, m: int, address: NumberedModel) -> bool:
        """Return whether a model is asked another round. If so, add it for the arms that still need one."""
        wanted, names = standing.wanted[m], [arm.name for _, arm in block.arms]
        if (self._count_rounds(block, standing.rounds, address) < wanted).any():
            return False  # the model was given up
        needed: Collection[str] = names
        if wanted.any():
            needed = await asyncio.to_thread(self._needed, address.name, block.benchmark.name)
        live = np.array([name in needed for name in names]) & (wanted < len(standing.rounds.ends))
        if live.any():
            wanted[live] = np.maximum(wanted[live], 1 + wanted[live].min())
        return bool(live.any())

    def _count_rounds(self, block: RequestBlock, rounds: Rounds, address: NumberedModel) -> NDArray[np.int64]:
        repeats = self._plan.repeats_of(block.benchmark)
        asked = (
            ModelArm(address.number, arm, repeats.count_runs(resolved.name), address.text_only)
            for arm, resolved in block.arms
        )
        return np.array([each.rounds(self._store, rounds) for each in asked], dtype=np.int64)
