"""Conditions on the image: as it is, taken away, blanked; and arms of which only the name is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import UNKNOWN, Effects
from snellen.conditions.pool import Pool
from snellen.conditions.which import ALL, check_which, chosen
from snellen.conditions.which import in_words as which_in_words
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image
from snellen.items import Item
from snellen.perturb.blank import TONES, Blanked, Fill, Placeholder

BlankSize = Literal["kept", "placeholder"]


@dataclass(frozen=True)
class Original(Condition):
    """The item as it is."""

    name: ClassVar[str] = "original"
    told: ClassVar[str] = "as asked"
    declared: ClassVar[Effects] = Effects()

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item itself."""
        return item


@dataclass(frozen=True)
class ImageRemoved(Condition):
    """The same words, no image.

    With `which`, of several images one alone is taken away: `first`, `last`, or that of a role such as `prior`. The
    others stay in their order.
    """

    name: ClassVar[str] = "image-removed"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})
    later: ClassVar[frozenset[str]] = frozenset({"which"})

    which: str = ALL

    def __post_init__(self) -> None:
        check_which(self.which)

    @property
    def in_words(self) -> str:
        """With which image, where that is one of several."""
        return f"without {which_in_words(self.which)}"

    @property
    def effects(self) -> Effects:
        """No image, or not all of them."""
        return Effects("none") if self.which == ALL else Effects("part", shown="shown the images without some")

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item without its images, or without some."""
        if not item.images:
            raise Inapplicable("the item has no image to remove")
        gone = chosen(item, self.which)
        return replace(item, images=tuple(image for place, image in enumerate(item.images) if place not in gone))


@dataclass(frozen=True)
class NoImage(Condition):
    """The question alone: no image belongs to it, and none is sent."""

    name: ClassVar[str] = "no-image"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})
    declared: ClassVar[Effects] = Effects("none")

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item as it is, if it has no image."""
        if item.images:
            raise Inapplicable("the item has an image; taking it away is another condition")
        return item


@dataclass(frozen=True)
class ImageBlank(Condition):
    """The same words, every image replaced by a blank one.

    With `which`, of several images one alone is blank: `first`, `last`, or that of a role such as `prior`.
    """

    name: ClassVar[str] = "image-blank"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})
    later: ClassVar[frozenset[str]] = frozenset({"which"})

    fill: Fill = "white"
    size: BlankSize = "kept"
    which: str = ALL

    def __post_init__(self) -> None:
        check_which(self.which)
        if self.fill not in (*TONES, "noise") or self.size not in ("kept", "placeholder"):
            raise StudyError(
                f"A blank image is white, black, grey or noise, its size kept or that of the placeholder; "
                f"got fill={self.fill}, size={self.size}."
            )

    @property
    def in_words(self) -> str:
        """With its fill, where that is not the usual one."""
        blank = "with blank images" if self.which == ALL else f"with {which_in_words(self.which)} blank"
        return blank if self.fill == "white" else f"{blank} ({self.fill})"

    @property
    def effects(self) -> Effects:
        """Blank images, or some of them."""
        return Effects("blank") if self.which == ALL else Effects("part", shown="shown the images, some of them blank")

    @cached_property
    def stream(self) -> str:
        """The same noise whichever of the images are blank."""
        return replace(self, which=ALL).identity

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """The seed of the noise, where there is noise."""
        return {"seed": int(rng.integers(2**53))} if self.fill == "noise" else {}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item with its images blanked."""
        if not item.images:
            raise Inapplicable("the item has no image to blank")
        seed, blank = drawn.get("seed", 0), chosen(item, self.which)
        images = (
            self._blank(image, seed + place) if place in blank else image for place, image in enumerate(item.images)
        )
        return replace(item, images=tuple(images))

    def _blank(self, image: Image, seed: int) -> Image:
        seed = seed if self.fill == "noise" else 0
        if self.size == "kept":
            return image.then(Blanked(self.fill, seed))
        return Image(Placeholder(self.fill, seed), role=image.role)


@dataclass(frozen=True)
class Given(Condition):
    """An arm that came with imported responses; what was done to the items is not known here."""

    name: ClassVar[str] = "given"
    declared: ClassVar[Effects] = UNKNOWN

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
