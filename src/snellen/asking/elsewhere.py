"""Preparing on a cluster: a worker makes requests of items, near the data; the writer of the store stays here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from snellen.asking.plan import ResolvedArm
from snellen.cluster import Cluster, Place, Shared, stand_in
from snellen.conditions import Drawn, Pool, Variant
from snellen.errors import ImageError, Inapplicable, LostError, UnusableImageError
from snellen.images import Encoder
from snellen.items import Item
from snellen.prompts import Request, ask


class Made(NamedTuple):
    """An item under an arm, and its request to no model yet; or why its image cannot be used."""

    variant: Variant
    request: Request | UnusableImageError


Outcome = Made | Inapplicable
"""What comes of an item under an arm."""


@dataclass(frozen=True)
class Work:
    """All that a worker must know of a benchmark, sent to it once."""

    items: tuple[Item, ...]
    arms: tuple[ResolvedArm, ...]
    seed: int
    image_side: int | None
    folder: str
    """Where the study was started, and relative paths begin."""

    @cached_property
    def pool(self) -> Pool:
        """The whole benchmark."""
        return Pool(self.items)

    @cached_property
    def encoder(self) -> Encoder:
        """Keeps images for the arms that follow."""
        return Encoder(side=self.image_side)

    def made(self, ordinal: int, arm: int, drawn: Drawn | None = None) -> Outcome:
        """An item under an arm, as drawn before if it was; ImageError where its image is not here."""
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
"""The place of an item, that of an arm, and what was drawn for them before."""


def made_there(shared: Shared, wanted: Sequence[Wish]) -> list[Outcome] | str:
    """What a worker makes of items; or what it has no access to."""
    work: Work = shared.value
    if not stand_in(work.folder):
        return f"there is no folder {work.folder} there"
    try:
        return [work.made(*wish) for wish in wanted]
    except ImageError as error:
        return str(error)


class Elsewhere:
    """One benchmark's preparation on a cluster. Where that fails, it is left to this machine from then on."""

    def __init__(self, place: Place, cluster: Cluster, work: Work) -> None:
        self._place = place
        self._cluster = cluster
        self._shared: Shared | None = None
        try:
            self._shared = cluster.share(work)
        except (TypeError, AttributeError, LostError) as error:  # pickle's words for what cannot be sent
            self._leave(f"they cannot be sent to the cluster ({error})")

    async def made(self, wanted: Sequence[Wish]) -> list[Outcome] | None:
        """What a worker made of items; None where this machine is to do it."""
        if self._shared is None:
            return None
        try:
            made = await self._cluster.call(made_there, self._shared, wanted)
        except LostError as error:
            made = str(error)
        if isinstance(made, str):
            self._leave(made)
            return None
        return made

    def _leave(self, why: str) -> None:
        self._shared = None
        said = f"Requests were prepared on this machine and not on the cluster: {why}."
        if said not in self._place.remarks:
            self._place.remarks.append(said)


def elsewhere(
    place: Place | None, items: Sequence[Item], arms: Sequence[ResolvedArm], **how: int | None
) -> Elsewhere | None:
    """Preparation on the cluster that is connected; None where none is."""
    if place is None or place.cluster is None:
        return None
    work = Work(tuple(items), tuple(arms), folder=str(Path.cwd()), **how)  # type: ignore[arg-type]
    return Elsewhere(place, place.cluster, work)
