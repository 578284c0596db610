"""Conditions on videos and stacks: another order, one image only, or another patient's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable, StudyError
from snellen.images.roles import series_in
from snellen.items import Item

Kept = Literal["middle", "first", "last", "drawn"]


@dataclass(frozen=True)
class FramesShuffled(Condition):
    """The same words, the frames or slices in another order.

    The roles of the images stay in their places, so that the new order is shown as if it were the true one. If an item
    has several videos, each is shuffled on its own; other images stay where they are.
    """

    name: ClassVar[str] = "frames-shuffled"
    declared: ClassVar[Effects] = Effects(
        "altered", truth="unknown", makes_image=True, shown="shown the frames in another order"
    )
    told: ClassVar[str] = "with the frames in another order"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw an order of the images that differs from the original."""
        order = list(range(len(item.images)))
        for series in _series(item):
            drawn = rng.permutation(len(series))
            if np.array_equal(drawn, np.arange(len(series))):
                drawn = np.roll(drawn, 1)
            order[series.start : series.stop] = [series.start + int(place) for place in drawn]
        return {"order": order}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with its images in this order; the roles keep their positions."""
        placed = zip(drawn["order"], item.images, strict=True)
        return replace(item, images=tuple(replace(item.images[at], role=before.role) for at, before in placed))


@dataclass(frozen=True)
class OneFrame(Condition):
    """The same words, one frame of a video or slice of a stack: the middle one.

    `frame` is middle, first, last, or drawn by the seed. Other images of the item stay.
    """

    name: ClassVar[str] = "one-frame"
    declared: ClassVar[Effects] = Effects("part", shown="shown one frame alone")

    frame: Kept = "middle"

    def __post_init__(self) -> None:
        if self.frame not in get_args(Kept):
            raise StudyError(f"Expected frame to be {', '.join(get_args(Kept))}, got frame={self.frame}.")

    @property
    def in_words(self) -> str:
        """Words with the frame, if it is not the default one."""
        return "with one frame alone" if self.frame == "middle" else f"with one frame alone ({self.frame})"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the positions of the images that stay."""
        stay = set(range(len(item.images)))
        for series in _series(item):
            places = {"first": 0, "middle": len(series) // 2, "last": -1}
            frame = int(rng.choice(series)) if self.frame == "drawn" else series[places[self.frame]]
            stay -= {*series} - {frame}
        return {"kept": sorted(stay)}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with these images only."""
        return replace(item, images=tuple(item.images[place] for place in drawn["kept"]))


@dataclass(frozen=True)
class OtherVideo(Condition):
    """The same words and answer key, with another patient's video or stack.

    The other video is of the same modality and body part, if the benchmark has columns for both, and is not known to
    show the right answer. Its own right answer is not known, so a model that looks at it can only guess.
    """

    name: ClassVar[str] = "other-video"
    declared: ClassVar[Effects] = Effects("other", truth="unknown")
    told: ClassVar[str] = "with another patient's video"

    def equip(self, item: Item, pool: Pool) -> Item:
        """Return the item with the videos that others could lend it."""
        return replace(item, substitutes=tuple(pool.other_series(item))) if series_in(item.images) else item

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the donor of the video."""
        if not series_in(item.images):
            raise Inapplicable(NO_SERIES)
        if not item.substitutes:
            raise Inapplicable("no other patient's video of the same kind is in the benchmark")
        number = int(rng.integers(len(item.substitutes)))
        return {"substitute": number, "lent_by": item.substitutes[number].lent_by}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the other video's images."""
        return replace(item, images=item.substitutes[drawn["substitute"]].images, substitutes=())


NO_SERIES = "its images are neither video frames nor slices"


def _series(item: Item) -> list[range]:
    """Return the videos and stacks of an item; raise Inapplicable if there are none."""
    found = series_in(item.images)
    if not found:
        raise Inapplicable(NO_SERIES)
    several = [series for series in found if len(series) > 1]
    if not several:
        raise Inapplicable("its video or stack has only one image")
    return several
