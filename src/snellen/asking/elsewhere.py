"""Preparation on a cluster: its workers make requests close to the data; only this machine writes the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from snellen.asking.plan import ResolvedArm
from snellen.cluster import Cluster, RunPlace, Shared, stand_in
from snellen.conditions import Drawn, Pool, Variant
from snellen.errors import ImageError, Inapplicable, LostError, UnusableImageError
from snellen.images import Encoder
from snellen.items import Item
from snellen.prompts import Request, ask


class Made(NamedTuple):
    """An item under an arm with its request, or the error of an unusable image."""

    variant: Variant
    request: Request | UnusableImageError


Outcome = Made | Inapplicable
"""Result of making a request: the item with its request, or the reason why the arm does not apply."""


@dataclass(frozen=True)
class Work:
    """Data on a benchmark for the workers, sent to each worker once."""

    items: tuple[Item, ...]
    arms: tuple[ResolvedArm, ...]
    seed: int
    image_side: int | None
    folder: str
    """Folder in which the study was started; relative paths begin there."""

    @cached_property
    def pool(self) -> Pool:
        """All items of the benchmark, from which conditions can draw."""
        return Pool(self.items)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder for all arms; it keeps encoded images."""
        return Encoder(side=self.image_side)

    def make_outcome(self, ordinal: int, arm: int, drawn: Drawn | None = None) -> Outcome:
        """Make the request for an item under an arm. A given `drawn` repeats an earlier draw.

        An UnusableImageError is returned as the result. Any other ImageError is raised, such as for a missing file.
        """
        resolved = self.arms[arm]
        try:
            variant = resolved.vary(self.items[ordinal], seed=self.seed, pool=self.pool, drawn=drawn)
        except Inapplicable as reason:
            return reason
        try:
            asked = ask(variant.item, prompt=resolved.prompt, settings=resolved.settings, encode=self.encoder)
        except UnusableImageError as error:
            return Made(variant, error)
        return Made(variant, asked)


Wish = tuple[int, int, Drawn | None]
"""Positions of an item and an arm, and the earlier draw for them, if any."""


def made_there(shared: Shared, wanted: Sequence[Wish]) -> list[Outcome] | str:
    """Make the requests for some items on a worker. Return the reason if a file cannot be read there."""
    work: Work = shared.value
    if not stand_in(work.folder):
        return f"a cluster machine has no folder {work.folder}"
    try:
        return [work.make_outcome(*wish) for wish in wanted]
    except ImageError as error:
        return str(error)


class Elsewhere:
    """Preparation of one benchmark on a cluster. After a failure, this machine prepares the rest."""

    def __init__(self, place: RunPlace, cluster: Cluster, work: Work) -> None:
        self._place = place
        self._cluster = cluster
        self._shared: Shared | None = None
        try:
            self._shared = cluster.share(work)
        except (TypeError, AttributeError, LostError) as error:  # pickle raises these if something cannot be sent
            self._prepare_here(f"their data cannot be sent to the cluster ({error})")

    async def make_outcomes(self, wanted: Sequence[Wish]) -> list[Outcome] | None:
        """Return the requests that a worker made; None if this machine must make them."""
        if self._shared is None:
            return None
        try:
            made = await self._cluster.call(made_there, self._shared, wanted)
        except LostError as error:
            made = str(error)
        if isinstance(made, str):
            self._prepare_here(made)
            return None
        return made

    def _prepare_here(self, why: str) -> None:
        self._shared = None
        said = f"Requests were prepared on this machine, not on the cluster: {why}."
        if said not in self._place.remarks:
            self._place.remarks.append(said)


def prepare_on_cluster(
    place: RunPlace | None, items: Sequence[Item], arms: Sequence[ResolvedArm], **how: int | None
) -> Elsewhere | None:
    """Return the preparation on the connected cluster; None if no cluster is connected."""
    if place is None or place.cluster is None:
        return None
    work = Work(tuple(items), tuple(arms), folder=str(Path.cwd()), **how)  # type: ignore[arg-type]
    return Elsewhere(place, place.cluster, work)
