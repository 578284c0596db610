"""Preparation: turn items into requests, a few batches ahead, with images encoded in threads."""

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
from numpy.typing import NDArray

from snellen.asking.elsewhere import Elsewhere, Made, Outcome, prepare_on_cluster
from snellen.asking.examples import Solved
from snellen.asking.plan import Plan, ResolvedArm, stored_in, total
from snellen.asking.repeats import select_wanted
from snellen.cluster import RunPlace
from snellen.conditions import Pool, Variant
from snellen.errors import ImageError, Inapplicable, StoreError, UnusableImageError
from snellen.images import EncodedImage, Encoder, Image, PicturesSent
from snellen.items import Benchmark
from snellen.models.base import Model
from snellen.prompts import Example, Request, ask
from snellen.store import ResponseCell, SentImage, Store, Writer, changed_fields, shades_of

BATCH = 64
"""Approximate number of requests that are prepared together."""
IMAGES = 128
"""The most images that are prepared together. One item may have more, such as a video."""
AHEAD = 3
"""Batches that are being prepared while the first of them is asked."""
AHEAD_ELSEWHERE = 16
"""The most batches that are being prepared on a cluster."""
THREADS = max(1, min(8, os.cpu_count() or 1))


class NumberedModel(NamedTuple):
    """A model to be asked, and its number in the store."""

    number: int
    name: str
    revision: str
    text_only: bool = False
    """True if the model gets no images; questions with an image are then not asked."""

    @classmethod
    def from_model(cls, number: int, model: Model) -> NumberedModel:
        """Number a model."""
        return cls(number, model.name, model.revision, model.text_only)


@dataclass(frozen=True)
class RequestBlock:
    """Missing responses of one benchmark, `missing[model, arm, item, repeat]`. Arms have their numbers in the store."""

    benchmark: Benchmark
    pool: Pool
    arms: tuple[tuple[int, ResolvedArm], ...]
    missing: NDArray[np.bool_]


class Ready(NamedTuple):
    """A request and the cell (model, arm, item, repeat) that it is for."""

    cell: ResponseCell
    request: Request


class Batch(NamedTuple):
    """Requests to send, inapplicable cells by model, and errors of unusable images by item."""

    ready: list[Ready]
    inapplicable: Mapping[int, int] = MappingProxyType({})
    unusable: Mapping[str, str] = MappingProxyType({})
    pictures: PicturesSent = PicturesSent()
    """Images that no earlier batch had."""
    wait: bool = False
    """True if all earlier responses must be stored before the next batch is made."""


class MissingCell(NamedTuple):
    """An item under an arm, with the models and repeats that are missing."""

    ordinal: int
    arm: int
    resolved: ResolvedArm
    wanted: list[tuple[NumberedModel, int]]


class PlanSource:
    """Source of the requests of a plan whose responses are not stored."""

    def __init__(self, plan: Plan, store: Store, place: RunPlace | None = None) -> None:
        self._plan = plan
        self._store = store
        self._place = place
        self.blocks: list[RequestBlock] = []
        self._rows: dict[int, int] = {}
        self._preparation: Preparation | None = None
        self._feeds = 0

    def count(self, addresses: Sequence[NumberedModel]) -> list[int]:
        """Return how many responses of each model are missing."""
        self._rows = {address.number: row for row, address in enumerate(addresses)}
        self.blocks = [self._block(benchmark, addresses) for benchmark in self._plan.benchmarks]
        return [int(sum(block.missing[m].sum() for block in self.blocks)) for m in range(len(addresses))]

    async def batches(self, addresses: Sequence[NumberedModel], writer: Writer) -> AsyncGenerator[Batch, None]:
        """Yield the missing requests by benchmark and in the order of items. A second call yields only the rest."""
        for block in self.blocks:
            async with aclosing(self.of_block(block, addresses, writer)) as batches:
                async for batch in batches:
                    yield batch

    async def of_block(
        self,
        block: RequestBlock,
        addresses: Sequence[NumberedModel],
        writer: Writer,
        *,
        only: NDArray[np.bool_] | None = None,
    ) -> AsyncGenerator[Batch, None]:
        """Yield the missing requests of one benchmark; with `only`, just those of the marked cells."""
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

    def rows(self, addresses: Sequence[NumberedModel]) -> list[int]:
        """Return the positions of the models in the blocks."""
        return [self._rows[address.number] for address in addresses]

    def _block(self, benchmark: Benchmark, addresses: Sequence[NumberedModel]) -> RequestBlock:
        plan = self._plan
        number, digest = self._store.studies.add_benchmark(benchmark)
        arms = tuple(
            (self._store.studies.add_arm(number, arm.name, arm.digest(digest, plan.seed), arm.record(plan.seed)), arm)
            for arm in plan.arms_of(benchmark)
        )
        items, repeats = plan.count_wanted(benchmark), plan.repeats_of(benchmark)
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
                done = select_wanted(self._store.responses.load_answered(address.number, arm), runs)
                missing[m, a, done[:, 0], done[:, 1]] = False
        return RequestBlock(benchmark, plan.pool_of(benchmark), arms, missing)


def count_stored_responses(plan: Plan, store: Store) -> int:
    """Count a plan's requests with a stored response, without writing. Arms with identical requests count once."""
    total = 0
    for benchmark in plan.benchmarks:
        for arms, model in product(plan.group_arms(benchmark), plan.models):
            digests = [arm.digest(benchmark.digest, plan.seed) for arm in arms]
            cells = np.concatenate(
                [store.responses.answered_under(each, model.name, model.revision) for each in digests]
            )
            total += len(np.unique(select_wanted(cells, plan.count_runs(benchmark, arms)), axis=0))
    return total


def count_answered(plan: Plan) -> int:
    """Count the plan's requests that its folder already has a response to, without writing."""
    with stored_in(plan.out) as store:
        return count_stored_responses(plan, store) if store else 0


def is_answered(plan: Plan) -> bool:
    """Return whether nothing is left to ask; False if a count is only an estimate."""
    with stored_in(plan.out) as store:
        if store is None:
            return False
        counts = list(plan.counts())
        return all(each.counted_on is None for each in counts) and count_stored_responses(plan, store) >= total(counts)


class Preparation:
    """Makes the requests of a run. All arms of an item are prepared together, for all models."""

    def __init__(self, plan: Plan, store: Store, writer: Writer, place: RunPlace | None = None) -> None:
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
        """The number of batches being prepared; on a cluster, enough for all of its CPUs."""
        cluster = self._place and self._place.cluster
        return max(AHEAD, min(AHEAD_ELSEWHERE, 2 * cluster.cpus)) if cluster else AHEAD

    def rest(self) -> None:
        """Stop the threads until they are needed again."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None

    async def batches(
        self, block: RequestBlock, addresses: Sequence[NumberedModel], rows: Sequence[int]
    ) -> AsyncGenerator[tuple[list[int], Batch], None]:
        """Yield the requests that a block still needs, in item order."""
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

    async def _batch(self, block: RequestBlock, cells: Iterable[MissingCell]) -> Batch:
        inapplicable: Counter[int] = Counter()
        ready: list[Ready] = []
        unusable: dict[str, str] = {}
        sent = PicturesSent()
        for cell, made in await self._make_outcomes(block, list(cells)):
            if isinstance(made, Inapplicable):
                self._writer.inapplicable(cell.arm, cell.ordinal, str(made))
                inapplicable.update(address.number for address, _ in cell.wanted)
                continue
            if made.variant.item.images:
                inapplicable.update(address.number for address, _ in cell.wanted if address.text_only)
            if isinstance(made.request, UnusableImageError):
                self._writer.inapplicable(cell.arm, cell.ordinal, f"its image {made.request.why}")
                unusable[made.variant.original.id] = str(made.request)
                inapplicable.update(address.number for address, _ in cell.wanted if not address.text_only)
                continue
            request = self._complete(cell, made.variant, made.request)
            if request.images:
                sent += self._new_pictures(made.variant, request)
            for address, replicate in cell.wanted:
                if not (address.text_only and request.images):
                    place = ResponseCell(address.number, cell.arm, cell.ordinal, replicate)
                    ready.append(Ready(place, request.address_to(address.name, address.revision, replicate)))
        return Batch(ready, inapplicable, unusable, sent)

    async def _make_outcomes(
        self, block: RequestBlock, cells: Sequence[MissingCell]
    ) -> Sequence[tuple[MissingCell, Outcome]]:
        """Return the outcome of each cell, made on the cluster if possible, else here."""
        there = self._cluster_for(block)
        if there is not None:
            places = {number: place for place, (number, _) in enumerate(block.arms)}
            made = await there.make_outcomes(
                [(cell.ordinal, places[cell.arm], self._lent_before(cell)) for cell in cells]
            )
            if made is not None:
                return list(zip(cells, made, strict=True))
        return await self._made_here(block, cells)

    async def _made_here(self, block: RequestBlock, cells: Sequence[MissingCell]) -> list[tuple[MissingCell, Outcome]]:
        varied: list[tuple[MissingCell, Variant | Inapplicable]] = []
        for cell in cells:
            try:
                item = block.benchmark.items[cell.ordinal]
                drawn = self._lent_before(cell)
                varied.append((cell, cell.resolved.vary(item, seed=self._plan.seed, pool=block.pool, drawn=drawn)))
            except Inapplicable as reason:
                varied.append((cell, reason))
        pictures = await self._pictures([each for _, each in varied if isinstance(each, Variant)])
        return [
            (cell, each if isinstance(each, Inapplicable) else Made(each, _make_request(each, cell.resolved, pictures)))
            for cell, each in varied
        ]

    def _lent_before(self, cell: MissingCell) -> Mapping[str, Any] | None:
        """Return the stored draw of a borrowed image, or None. All models then see the same image."""
        if cell.arm not in self._lent:
            self._lent[cell.arm] = self._store.variants.lent_images(cell.arm) if cell.arm in self._asked_before else {}
        return self._lent[cell.arm].get(cell.ordinal)

    def _cluster_for(self, block: RequestBlock) -> Elsewhere | None:
        name = block.benchmark.name
        if name not in self._prepared_by:
            arms = [resolved for _, resolved in block.arms]
            how = {"seed": self._plan.seed, "image_side": self._plan.image_side}
            self._prepared_by[name] = prepare_on_cluster(self._place, block.benchmark.items, arms, **how)
        return self._prepared_by[name]

    def _missing(
        self, block: RequestBlock, addresses: Sequence[NumberedModel], ordinals: list[int], missing: NDArray[np.bool_]
    ) -> Iterator[MissingCell]:
        """Yield the missing cells, item by item and arm by arm."""
        for ordinal, of_item in zip(ordinals, missing.transpose(2, 1, 0, 3).tolist(), strict=True):
            for (arm, resolved), of_arm in zip(block.arms, of_item, strict=True):
                wanted = [
                    (address, replicate)
                    for address, row in zip(addresses, of_arm, strict=True)
                    for replicate, is_missing in enumerate(row)
                    if is_missing
                ]
                if wanted:
                    yield MissingCell(ordinal, arm, resolved, wanted)

    async def _pictures(self, variants: Sequence[Variant]) -> dict[str, EncodedImage | UnusableImageError]:
        """Encode the images of the variants in threads, unless they are kept. Return them by fingerprint."""
        loop = asyncio.get_running_loop()
        threads = self._threads = self._threads or ThreadPoolExecutor(THREADS, thread_name_prefix="snellen-pictures")
        made: dict[str, EncodedImage | UnusableImageError] = {}
        coming: dict[str, tuple[Variant, asyncio.Future[EncodedImage]]] = {}
        for variant in variants:
            for image in variant.item.images:
                try:
                    name = image.fingerprint
                except ImageError as error:
                    raise _stopping_error(variant, error) from error
                if name not in made and name not in coming:
                    if (kept := self._encode.find_kept(image)) is not None:
                        made[name] = kept
                    else:
                        coming[name] = (variant, loop.run_in_executor(threads, self._encode, image))
        for name, (variant, future) in coming.items():
            try:
                made[name] = await future
            except UnusableImageError as error:
                made[name] = error
            except ImageError as error:
                raise _stopping_error(variant, error) from error
        return made

    def _complete(self, cell: MissingCell, variant: Variant, request: Request) -> Request:
        """Add the examples to a request and store the variant."""
        if cell.resolved.examples:
            request = replace(request, examples=self._encode_examples(cell.arm, cell.resolved.examples))
        if cell.arm in self._asked_before:
            self._check(cell, variant, request)
        self._writer.store_variant(cell.arm, cell.ordinal, variant, request)
        return request

    def _encode_examples(self, arm: int, examples: Sequence[Solved]) -> tuple[Example, ...]:
        """Return the examples of an arm as sent; they are made and stored once."""
        if arm not in self._examples:
            self._examples[arm] = tuple(each.encode_example(self._encode) for each in examples)
            for image in (image for each in self._examples[arm] for image in each.images):
                self._writer.store_image(image)
        return self._examples[arm]

    def _new_pictures(self, variant: Variant, request: Request) -> PicturesSent:
        """Return the new images of a request, and the nearly black or white ones."""
        new = {image.sha256: image for image in request.images if image.sha256 not in self._counted}
        self._counted |= new.keys()
        rules = Counter(rule for image in new.values() for rule in image.rule.split("; ") if rule)
        shades = [shade for shade in shades_of(variant, request) if shade]
        return PicturesSent(len(new), rules, dict.fromkeys(shades, (variant.original.id,)))

    def _check(self, cell: MissingCell, variant: Variant, request: Request) -> None:
        """Raise StoreError if an item differs from its stored variant, because the condition's code changed."""
        item, condition = variant.original.id, variant.condition
        changed = changed_fields(variant.original, variant.item)
        if not self._store.variants.same_words(cell.arm, cell.ordinal, request.text, changed):
            raise StoreError(
                f"Item {item!r} under {condition} has another text than the responses stored in {self._store.folder}: "
                "the condition's code has changed. Choose another --out."
            )
        before = self._store.images.sent_before(cell.arm, cell.ordinal)
        if before and _shown_otherwise(before, request.images):
            raise StoreError(
                f"The image of item {item!r} under {condition} would differ from the one sent for the responses in "
                f"{self._store.folder}: the rules for deep or large images have changed. Choose another --out, or "
                "--image-side 0 for images in their own size."
            )


def _make_request(
    variant: Variant, resolved: ResolvedArm, pictures: Mapping[str, EncodedImage | UnusableImageError]
) -> Request | UnusableImageError:

    def find_encoded(image: Image) -> EncodedImage:
        made = pictures[image.fingerprint]
        if isinstance(made, UnusableImageError):
            raise made
        return made

    try:
        return ask(variant.item, prompt=resolved.prompt, settings=resolved.settings, encode=find_encoded)
    except UnusableImageError as error:
        return error


def _shown_otherwise(before: Sequence[SentImage], now: Sequence[EncodedImage]) -> bool:
    """Return whether images differ in size or rule. Another encoding of the same pixels does not count."""
    return len(before) != len(now) or any(
        old.sha256 != new.sha256 and ((old.width, old.height) != (new.width, new.height) or old.rule != new.rule)
        for old, new in zip(before, now, strict=True)
    )


def _stopping_error(variant: Variant, error: ImageError) -> ImageError:
    item = variant.original.id
    return ImageError(f"Item {item!r}: {error} The run stops, because no question is sent without its image.")
