"""Preparation: items become requests, a few batches ahead; words on the event loop, images in threads, each once."""

from __future__ import annotations

import asyncio
import os
from collections import Counter, deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from snellen.asking.elsewhere import Elsewhere, Made, Outcome, elsewhere
from snellen.asking.examples import Solved
from snellen.asking.plan import Plan, ResolvedArm, stored_in, total
from snellen.asking.repeats import select_wanted
from snellen.cluster import Place
from snellen.conditions import Pool, Variant
from snellen.errors import ImageError, Inapplicable, StoreError, UnusableImageError
from snellen.images import EncodedImage, Encoder, Image, PicturesSent
from snellen.items import Benchmark
from snellen.prompts import Example, Request, ask
from snellen.store import Cell, Picture, Store, Writer, changed_fields, shades_of

BATCH = 64
"""About so many requests are prepared together."""
IMAGES = 128
"""At most so many images of items are prepared together, unless one item has more: a video has 50."""
AHEAD = 3
"""Batches whose images are under way while the first of them is asked."""
AHEAD_ELSEWHERE = 16
"""The same on a cluster, at most."""
THREADS = max(1, min(8, os.cpu_count() or 1))


class Address(NamedTuple):
    """A model to be asked, and its number in the store."""

    number: int
    name: str
    revision: str
    text_only: bool = False
    """Whether no image is sent to it: what comes with one is not asked of it."""


@dataclass(frozen=True)
class Block:
    """One benchmark's share of a run: `missing[model, arm, item, replicate]`, arms with their numbers in the store."""

    benchmark: Benchmark
    pool: Pool
    arms: tuple[tuple[int, ResolvedArm], ...]
    missing: NDArray[np.bool_]


class Ready(NamedTuple):
    """A request and the cell it is for."""

    cell: Cell
    request: Request


class Batch(NamedTuple):
    """Requests that can be sent, the cells of each model, by its number, that have no meaning, and unusable images."""

    ready: list[Ready]
    inapplicable: Mapping[int, int] = MappingProxyType({})
    unusable: Mapping[str, str] = MappingProxyType({})
    pictures: PicturesSent = PicturesSent()
    """The pictures that no batch before had."""
    wait: bool = False
    """Whether all that was asked before must be stored before the next batch is made."""


class Missing(NamedTuple):
    """An item under an arm that is to be asked, and of whom."""

    ordinal: int
    arm: int
    resolved: ResolvedArm
    wanted: list[tuple[Address, int]]


class Draft(NamedTuple):
    """An item under an arm, and the cells that want it asked."""

    variant: Variant
    resolved: ResolvedArm
    arm: int
    ordinal: int
    wanted: list[tuple[Address, int]]

    @classmethod
    def of(cls, cell: Missing, variant: Variant) -> Draft:
        """What is missing, as its arm has made it."""
        return cls(variant, cell.resolved, cell.arm, cell.ordinal, cell.wanted)


class PlanSource:
    """What a plan wants to know and the store does not."""

    def __init__(self, plan: Plan, store: Store, place: Place | None = None) -> None:
        self._plan = plan
        self._store = store
        self._place = place
        self.blocks: list[Block] = []
        self._rows: dict[int, int] = {}
        self._preparation: Preparation | None = None
        self._feeds = 0

    def count(self, addresses: Sequence[Address]) -> list[int]:
        """How many responses of each model are missing."""
        self._rows = {address.number: row for row, address in enumerate(addresses)}
        self.blocks = [self._block(benchmark, addresses) for benchmark in self._plan.benchmarks]
        return [int(sum(block.missing[m].sum() for block in self.blocks)) for m in range(len(addresses))]

    async def batches(self, addresses: Sequence[Address], writer: Writer) -> AsyncGenerator[Batch, None]:
        """Benchmark by benchmark, in the order of the items; what was given out before is left out."""
        for block in self.blocks:
            async with aclosing(self.of_block(block, addresses, writer)) as batches:
                async for batch in batches:
                    yield batch

    async def of_block(
        self, block: Block, addresses: Sequence[Address], writer: Writer, *, only: NDArray[np.bool_] | None = None
    ) -> AsyncGenerator[Batch, None]:
        """What one benchmark is missing, in the order of its items, or those cells of it that `only` marks."""
        preparation = self._preparation = self._preparation or Preparation(self._plan, self._store, writer, self._place)
        self._feeds += 1
        rows = self.rows(addresses)
        some = block if only is None else replace(block, missing=block.missing & only)
        try:
            async with aclosing(preparation.batches(some, addresses, rows)) as batches:
                async for ordinals, batch in batches:
                    given = np.ix_(rows, range(len(block.arms)), ordinals)
                    block.missing[given] &= ~some.missing[given]
                    yield batch
        finally:
            self._feeds -= 1
            if not self._feeds:
                preparation.rest()

    def rows(self, addresses: Sequence[Address]) -> list[int]:
        """Where in the blocks the models stand."""
        return [self._rows[address.number] for address in addresses]

    def _block(self, benchmark: Benchmark, addresses: Sequence[Address]) -> Block:
        plan = self._plan
        number, digest = self._store.studies.add_benchmark(benchmark)
        arms = tuple(
            (self._store.studies.add_arm(number, arm.name, arm.digest(digest, plan.seed), arm.record(plan.seed)), arm)
            for arm in plan.arms_of(benchmark)
        )
        items, repeats = plan.wanted(benchmark), plan.repeats_of(benchmark)
        missing = np.ones((len(addresses), len(arms), items, repeats.most), dtype=bool)
        for a, (arm, resolved) in enumerate(arms):
            runs = repeats.count_runs(resolved.name)
            missing[:, a] &= np.arange(repeats.most) < runs[:, None]
            without = [ordinal for ordinal in self._store.variants.inapplicable(arm) if ordinal < items]
            missing[:, a, without] = False
            shown = [ordinal for ordinal in self._store.variants.with_images(arm) if ordinal < items]
            for m, address in enumerate(addresses):
                if address.text_only:
                    missing[m, a, shown] = False
            for m, address in enumerate(addresses):
                done = select_wanted(self._store.responses.answered(address.number, arm), runs)
                missing[m, a, done[:, 0], done[:, 1]] = False
        return Block(benchmark, plan.pool_of(benchmark), arms, missing)


def answered(plan: Plan, store: Store) -> int:
    """How many of a plan's requests the store has a response to; reads only. Arms that ask the same are one."""
    total = 0
    for benchmark in plan.benchmarks:
        alike: dict[bytes, list[ResolvedArm]] = {}
        for arm in plan.arms_of(benchmark):
            alike.setdefault(orjson.dumps(arm.record(plan.seed)), []).append(arm)
        for arms, model in product(alike.values(), plan.models):
            digests = [arm.digest(benchmark.digest, plan.seed) for arm in arms]
            cells = np.concatenate(
                [store.responses.answered_under(each, model.name, model.revision) for each in digests]
            )
            total += len(np.unique(select_wanted(cells, plan.count_runs(benchmark, arms)), axis=0))
    return total


def count_answered(plan: Plan) -> int:
    """How many of a plan's requests are answered in its folder already; writes nothing there."""
    with stored_in(plan.out) as store:
        return answered(plan, store) if store else 0


def is_answered(plan: Plan) -> bool:
    """Whether nothing is left to ask, by counts of which none is an estimate."""
    with stored_in(plan.out) as store:
        if store is None:
            return False
        counts = list(plan.counts())
        return all(each.counted_on is None for each in counts) and answered(plan, store) >= total(counts)


class Preparation:
    """Makes the requests of a run. All arms of an item are prepared together, for all models."""

    def __init__(self, plan: Plan, store: Store, writer: Writer, place: Place | None = None) -> None:
        self._plan = plan
        self._place = place
        self._prepared_by: dict[str, Elsewhere | None] = {}
        self._store = store
        self._asked_before = store.variants.arms_asked()
        self._lent: dict[int, Mapping[int, Mapping[str, Any]]] = {}
        self._writer = writer
        self._encode = Encoder(side=plan.image_side)
        self._counted: set[str] = set()
        self._examples: dict[int, tuple[Example, ...]] = {}
        self._threads: ThreadPoolExecutor | None = None

    @property
    def _ahead(self) -> int:
        """How many batches are under way; on a cluster, enough for all of its CPUs."""
        cluster = self._place and self._place.cluster
        return max(AHEAD, min(AHEAD_ELSEWHERE, 2 * cluster.cpus)) if cluster else AHEAD

    def rest(self) -> None:
        """Let go of the threads until they are needed again."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None

    async def batches(
        self, block: Block, addresses: Sequence[Address], rows: Sequence[int]
    ) -> AsyncGenerator[tuple[list[int], Batch], None]:
        """Everything a block is missing of some models, in the order of its items, whose ordinals come with it."""
        missing = block.missing[rows]
        ordinals = np.flatnonzero(missing.any(axis=(0, 1, 3)))
        most = max((len(item.images) for item in block.benchmark), default=1)
        size = max(1, min(BATCH // max(1, missing[:, :, 0].size), IMAGES // max(1, most)))
        coming: deque[tuple[list[int], asyncio.Task[Batch]]] = deque()
        try:
            for start in range(0, len(ordinals), size):
                some = ordinals[start : start + size].tolist()
                cells = self._missing(block, addresses, some, missing[:, :, some])
                coming.append((some, asyncio.create_task(self._batch(block, cells))))
                if len(coming) >= self._ahead:
                    asked, batch = coming.popleft()
                    yield asked, await batch
            while coming:
                asked, batch = coming.popleft()
                yield asked, await batch
        finally:
            for _, task in coming:
                task.cancel()
            await asyncio.gather(*(task for _, task in coming), return_exceptions=True)

    async def _batch(self, block: Block, cells: Iterable[Missing]) -> Batch:
        inapplicable: Counter[int] = Counter()
        ready: list[Ready] = []
        unusable: dict[str, str] = {}
        sent = PicturesSent()
        for cell, made in await self._made(block, list(cells)):
            if isinstance(made, Inapplicable):
                self._writer.inapplicable(cell.arm, cell.ordinal, str(made))
                inapplicable.update(address.number for address, _ in cell.wanted)
                continue
            draft = Draft.of(cell, made.variant)
            if draft.variant.item.images:
                inapplicable.update(address.number for address, _ in draft.wanted if address.text_only)
            try:
                request = self._complete(draft, made.request)
                if request.images:
                    sent += self._new_pictures(draft, request)
                ready += self._addressed(draft, request)
            except UnusableImageError as error:
                self._writer.inapplicable(draft.arm, draft.ordinal, f"its image {error.why}")
                unusable[draft.variant.original.id] = str(error)
                inapplicable.update(address.number for address, _ in draft.wanted if not address.text_only)
        return Batch(ready, inapplicable, unusable, sent)

    async def _made(self, block: Block, cells: Sequence[Missing]) -> Sequence[tuple[Missing, Outcome]]:
        """What comes of each cell: made on the cluster where one is connected and can, else here."""
        there = self._elsewhere(block)
        if there is not None:
            places = {number: place for place, (number, _) in enumerate(block.arms)}
            made = await there.made([(cell.ordinal, places[cell.arm], self._lent_before(cell)) for cell in cells])
            if made is not None:
                return list(zip(cells, made, strict=True))
        return await self._made_here(block, cells)

    async def _made_here(self, block: Block, cells: Sequence[Missing]) -> list[tuple[Missing, Outcome]]:
        varied: list[tuple[Missing, Variant | Inapplicable]] = []
        for cell in cells:
            try:
                item = block.benchmark.items[cell.ordinal]
                drawn = self._lent_before(cell)
                varied.append((cell, cell.resolved.vary(item, seed=self._plan.seed, pool=block.pool, drawn=drawn)))
            except Inapplicable as reason:
                varied.append((cell, reason))
        pictures = await self._pictures([Draft.of(cell, each) for cell, each in varied if isinstance(each, Variant)])
        return [
            (cell, each if isinstance(each, Inapplicable) else Made(each, _asked(each, cell.resolved, pictures)))
            for cell, each in varied
        ]

    def _lent_before(self, cell: Missing) -> Mapping[str, Any] | None:
        """What was drawn for an item that another lent its image to before: every model sees the same image."""
        if cell.arm not in self._lent:
            self._lent[cell.arm] = self._store.variants.lent_images(cell.arm) if cell.arm in self._asked_before else {}
        return self._lent[cell.arm].get(cell.ordinal)

    def _elsewhere(self, block: Block) -> Elsewhere | None:
        name = block.benchmark.name
        if name not in self._prepared_by:
            arms = [resolved for _, resolved in block.arms]
            how = {"seed": self._plan.seed, "image_side": self._plan.image_side}
            self._prepared_by[name] = elsewhere(self._place, block.benchmark.items, arms, **how)
        return self._prepared_by[name]

    def _missing(
        self, block: Block, addresses: Sequence[Address], ordinals: list[int], missing: NDArray[np.bool_]
    ) -> Iterator[Missing]:
        """Item by item, arm by arm: which models are asked, and which replicate it is."""
        for ordinal, of_item in zip(ordinals, missing.transpose(2, 1, 0, 3).tolist(), strict=True):
            for (arm, resolved), of_arm in zip(block.arms, of_item, strict=True):
                wanted = [
                    (address, replicate)
                    for address, row in zip(addresses, of_arm, strict=True)
                    for replicate, is_missing in enumerate(row)
                    if is_missing
                ]
                if wanted:
                    yield Missing(ordinal, arm, resolved, wanted)

    async def _pictures(self, drafts: Sequence[Draft]) -> dict[str, EncodedImage | UnusableImageError]:
        """Every image of the drafts as it is sent, by its fingerprint; made in threads unless it is there."""
        loop = asyncio.get_running_loop()
        threads = self._threads = self._threads or ThreadPoolExecutor(THREADS, thread_name_prefix="snellen-pictures")
        made: dict[str, EncodedImage | UnusableImageError] = {}
        coming: dict[str, tuple[Draft, asyncio.Future[EncodedImage]]] = {}
        for draft in drafts:
            for image in draft.variant.item.images:
                try:
                    name = image.fingerprint
                except ImageError as error:
                    raise _stopped(draft, error) from error
                if name not in made and name not in coming:
                    if (kept := self._encode.kept(image)) is not None:
                        made[name] = kept
                    else:
                        coming[name] = (draft, loop.run_in_executor(threads, self._encode, image))
        for name, (draft, future) in coming.items():
            try:
                made[name] = await future
            except UnusableImageError as error:
                made[name] = error
            except ImageError as error:
                raise _stopped(draft, error) from error
        return made

    def _complete(self, draft: Draft, request: Request | UnusableImageError) -> Request:
        """The request of a draft with its examples, stored; raises UnusableImageError where an image is none."""
        if isinstance(request, UnusableImageError):
            raise request
        if draft.resolved.examples:
            request = replace(request, examples=self._shown(draft.arm, draft.resolved.examples))
        if draft.arm in self._asked_before:
            self._check(draft, request)
        self._writer.varied(draft.arm, draft.ordinal, draft.variant, request)
        return request

    def _shown(self, arm: int, examples: Sequence[Solved]) -> tuple[Example, ...]:
        """The examples of an arm as they are sent, made once and stored."""
        if arm not in self._examples:
            self._examples[arm] = tuple(each.sent(self._encode) for each in examples)
            for image in (image for each in self._examples[arm] for image in each.images):
                self._writer.shown(image)
        return self._examples[arm]

    def _new_pictures(self, draft: Draft, request: Request) -> PicturesSent:
        """The pictures of a request that were not counted before, and whether the item's own show nothing."""
        new = {image.sha256: image for image in request.images if image.sha256 not in self._counted}
        self._counted |= new.keys()
        rules = Counter(rule for image in new.values() for rule in image.rule.split("; ") if rule)
        shades = [shade for shade in shades_of(draft.variant, request) if shade]
        return PicturesSent(len(new), rules, dict.fromkeys(shades, (draft.variant.original.id,)))

    def _addressed(self, draft: Draft, request: Request) -> Iterator[Ready]:
        """One for each cell of the draft."""
        for address, replicate in draft.wanted:
            if address.text_only and request.images:
                continue
            cell = Cell(address.number, draft.arm, draft.ordinal, replicate)
            yield Ready(cell, request.to(address.name, address.revision, replicate))

    def _check(self, draft: Draft, request: Request) -> None:
        """A condition whose code has changed must not be graded by what it made of an item before."""
        changed = changed_fields(draft.variant.original, draft.variant.item)
        if not self._store.variants.same_words(draft.arm, draft.ordinal, request.text, changed):
            item, condition = draft.variant.original.id, draft.variant.condition
            raise StoreError(
                f"Item {item!r} under {condition} is no longer what was asked before in {self._store.folder}: "
                "the condition's code has changed. Choose another --out."
            )
        if (before := self._store.images.sent_before(draft.arm, draft.ordinal)) and _shown_otherwise(
            before, request.images
        ):
            item, condition = draft.variant.original.id, draft.variant.condition
            raise StoreError(
                f"The image of item {item!r} under {condition} would be sent otherwise than before in "
                f"{self._store.folder}: deep and large images are shown by other rules since. Choose another --out, or "
                "--image-side 0 for images in their own size."
            )


def _asked(
    variant: Variant, resolved: ResolvedArm, pictures: Mapping[str, EncodedImage | UnusableImageError]
) -> Request | UnusableImageError:
    """What a variant asks; the error of an image that is none."""

    def encoded(image: Image) -> EncodedImage:
        made = pictures[image.fingerprint]
        if isinstance(made, UnusableImageError):
            raise made
        return made

    try:
        return ask(variant.item, prompt=resolved.prompt, settings=resolved.settings, encode=encoded)
    except UnusableImageError as error:
        return error


def _shown_otherwise(before: Sequence[Picture], now: Sequence[EncodedImage]) -> bool:
    """Whether images have another size or another rule than before; another codec's bytes for the same are the same."""
    return len(before) != len(now) or any(
        old.sha256 != new.sha256 and ((old.width, old.height) != (new.width, new.height) or old.rule != new.rule)
        for old, new in zip(before, now, strict=True)
    )


def _stopped(draft: Draft, error: ImageError) -> ImageError:
    item = draft.variant.original.id
    return ImageError(f"Item {item!r}: {error} The run stops: no question goes out without its image.")
