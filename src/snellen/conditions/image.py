"""Conditions on the image: original, removed or blank; and arms of imported responses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import UNKNOWN, Effects
from snellen.conditions.pool import Pool
from snellen.conditions.which import ALL, check_which, choose_images
from snellen.conditions.which import in_words as which_in_words
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image
from snellen.items import Item
from snellen.perturb.blank import TONES, Blanked, Fill, Placeholder

BlankSize = Literal["kept", "placeholder"]


@dataclass(frozen=True)
class Original(Condition):
    """The unchanged item."""

    name: ClassVar[str] = "original"
    told: ClassVar[str] = "as asked"
    declared: ClassVar[Effects] = Effects()

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item unchanged."""
        return item


@dataclass(frozen=True)
class ImageRemoved(Condition):
    """The same words, no image.

    With `which`, only one of several images is removed: `first`, `last`, or that of a role such as `prior`. The others
    stay in their order.
    """

    name: ClassVar[str] = "image-removed"
    later: ClassVar[frozenset[str]] = frozenset({"which"})

    which: str = ALL

    def __post_init__(self) -> None:
        check_which(self.which)

    @property
    def in_words(self) -> str:
        """Words with the image that is removed, if not all are."""
        return f"without {which_in_words(self.which)}"

    @property
    def effects(self) -> Effects:
        """No image, or only some of the images."""
        return Effects("none") if self.which == ALL else Effects("part", shown="shown the images without some")

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item without its images, or without some."""
        if not item.images:
            raise Inapplicable("the item has no image to remove")
        gone = choose_images(item, self.which)
        return replace(item, images=tuple(image for place, image in enumerate(item.images) if place not in gone))


@dataclass(frozen=True)
class NoImage(Condition):
    """The question alone: no image belongs to it, and none is sent."""

    name: ClassVar[str] = "no-image"
    told: ClassVar[str] = "without an image"
    declared: ClassVar[Effects] = Effects("none")

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item unchanged; raise Inapplicable if it has an image."""
        if item.images:
            raise Inapplicable("the item has an image: use the condition image-removed")
        return item


@dataclass(frozen=True)
class ImageBlank(Condition):
    """The same words, every image replaced by a blank one.

    With `which`, only one of several images is blank: `first`, `last`, or that of a role such as `prior`.
    """

    name: ClassVar[str] = "image-blank"
    later: ClassVar[frozenset[str]] = frozenset({"which"})

    fill: Fill = "white"
    size: BlankSize = "kept"
    which: str = ALL

    def __post_init__(self) -> None:
        check_which(self.which)
        if self.fill not in (*TONES, "noise") or self.size not in ("kept", "placeholder"):
            raise StudyError(
                f"Expected fill white, black, grey or noise, and size kept or placeholder; "
                f"got fill={self.fill}, size={self.size}."
            )

    @property
    def in_words(self) -> str:
        """Words with the fill, if it is not the default one."""
        blank = "with blank images" if self.which == ALL else f"with {which_in_words(self.which)} blank"
        return blank if self.fill == "white" else f"{blank} ({self.fill})"

    @property
    def effects(self) -> Effects:
        """Blank images, or only some of them blank."""
        return Effects("blank") if self.which == ALL else Effects("part", shown="shown the images, some of them blank")

    @cached_property
    def stream(self) -> str:
        """Key of the random numbers; the same noise whichever images are blank."""
        return replace(self, which=ALL).identity

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the seed of the noise; nothing for other fills."""
        return {"seed": int(rng.integers(2**53))} if self.fill == "noise" else {}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with blank images."""
        if not item.images:
            raise Inapplicable("the item has no image to blank")
        seed, blank = drawn.get("seed", 0), choose_images(item, self.which)
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
class ImportedCondition(Condition):
    """An arm of imported responses; how it changed the items is unknown."""

    name: ClassVar[str] = "given"
    declared: ClassVar[Effects] = UNKNOWN

    called: str = ""

    @cached_property
    def label(self) -> str:
        """The arm's own name."""
        return self.called

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Raise Inapplicable: an imported condition cannot be applied."""
        raise Inapplicable(f"the condition {self.called!r} was imported; it cannot be asked here")


ORIGINAL = Original()
IMAGE_REMOVED = ImageRemoved()
NO_IMAGE = NoImage()
IMAGE_BLANK = ImageBlank()
