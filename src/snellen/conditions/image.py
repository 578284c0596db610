"""Conditions on the image: as it is, taken away, blanked; and arms of which only the name is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image
from snellen.items import Item
from snellen.perturb.blank import TONES, Blanked, Fill, Placeholder


@dataclass(frozen=True)
class Original(Condition):
    """The item as it is."""

    name: ClassVar[str] = "original"
    told: ClassVar[str] = "as asked"

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item itself."""
        return item


@dataclass(frozen=True)
class ImageRemoved(Condition):
    """The same words, no image."""

    name: ClassVar[str] = "image-removed"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})
    told: ClassVar[str] = "without the image"

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item without its images."""
        if not item.images:
            raise Inapplicable("the item has no image to remove")
        return replace(item, images=())


@dataclass(frozen=True)
class NoImage(Condition):
    """The question alone: no image belongs to it, and none is sent."""

    name: ClassVar[str] = "no-image"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item as it is, if it has no image."""
        if item.images:
            raise Inapplicable("the item has an image; taking it away is another condition")
        return item


@dataclass(frozen=True)
class ImageBlank(Condition):
    """The same words, every image replaced by a blank one."""

    name: ClassVar[str] = "image-blank"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})

    fill: Fill = "white"
    size: Literal["kept", "placeholder"] = "kept"

    def __post_init__(self) -> None:
        if self.fill not in (*TONES, "noise") or self.size not in ("kept", "placeholder"):
            raise StudyError(
                f"A blank image is white, black, grey or noise, its size kept or that of the placeholder; "
                f"got fill={self.fill}, size={self.size}."
            )

    @property
    def in_words(self) -> str:
        """With its fill, where that is not the usual one."""
        return "with blank images" if self.fill == "white" else f"with blank images ({self.fill})"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """The seed of the noise, where there is noise."""
        return {"seed": int(rng.integers(2**53))} if self.fill == "noise" else {}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item with its images blanked."""
        if not item.images:
            raise Inapplicable("the item has no image to blank")
        seed = drawn.get("seed", 0)
        return replace(item, images=tuple(self._blank(image, seed + i) for i, image in enumerate(item.images)))

    def _blank(self, image: Image, seed: int) -> Image:
        seed = seed if self.fill == "noise" else 0
        return image.then(Blanked(self.fill, seed)) if self.size == "kept" else Image(Placeholder(self.fill, seed))


@dataclass(frozen=True)
class Given(Condition):
    """An arm that came with imported responses; what was done to the items is not known here."""

    name: ClassVar[str] = "given"

    called: str = ""

    @cached_property
    def label(self) -> str:
        """The arm's own name."""
        return self.called

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """It cannot be done again."""
        raise Inapplicable(f"the condition {self.called!r} was imported; it cannot be asked here")


ORIGINAL = Original()
IMAGE_REMOVED = ImageRemoved()
NO_IMAGE = NoImage()
IMAGE_BLANK = ImageBlank()
