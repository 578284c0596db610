"""Image exchange: another patient's image of the same kind, with unknown or with the same answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from numpy.random import Generator

from snellen.conditions.base import Drawn, generator
from snellen.conditions.effects import Effects
from snellen.conditions.lending import Lending
from snellen.conditions.pool import ADD_COLUMNS, Pool, list_missing_columns
from snellen.errors import Inapplicable
from snellen.items import Item


@dataclass(frozen=True)
class ImageExchanged(Lending):
    """The same words and answer key, with the image of any other patient.

    The other image is of the same modality, and of the same body part if both are known. Its right answer is not known,
    so a response that fits the old key shows only that the answer did not change. Several images are all replaced,
    since those of one item belong to one patient.
    """

    name: ClassVar[str] = "image-exchanged"
    declared: ClassVar[Effects] = Effects("other", truth="unknown")
    told: ClassVar[str] = "with any other patient's image"
    lacking: ClassVar[str] = "no other patient's image is of the same kind"

    def equip(self, item: Item, pool: Pool) -> Item:
        """Return the item with the images that others could lend it."""
        return replace(item, substitutes=tuple(pool.others_alike(item)) if item.images else ())

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the donor of the image, without matching over the benchmark."""
        return self.describe_draw(item, self._order_lenders(item, rng)[0])

    def rank_lenders(self, item: Item, *, seed: int, pool: Pool) -> list[int]:
        """Return the numbers of the substitutes in a random order."""
        return self._order_lenders(item, generator(seed, self.stream, item.id))

    def _order_lenders(self, item: Item, rng: Generator) -> list[int]:
        if not item.images:
            raise Inapplicable("the item has no image to replace")
        if not item.substitutes:
            missing = " and ".join(list_missing_columns(item))
            raise Inapplicable(f"{self.lacking}{ADD_COLUMNS + missing if missing else ''}")
        return rng.permutation(len(item.substitutes)).tolist()  # type: ignore[no-any-return]

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the other image and its old answer."""
        return replace(item, images=item.substitutes[drawn["substitute"]].images, substitutes=())


@dataclass(frozen=True)
class SameLabel(ImageExchanged):
    """The same words with another patient's image that has the same correct answer.

    The other item is of the same modality and body part, and asks the same or a related question. A good model keeps
    its answer. So does a model that does not look, so ask also what an image with another answer changes.
    """

    name: ClassVar[str] = "same-label"
    declared: ClassVar[Effects] = Effects("other")
    told: ClassVar[str] = "with another patient's image that has the same answer"
    lacking: ClassVar[str] = "no other patient's image of the same kind is known to have the same answer"

    def equip(self, item: Item, pool: Pool) -> Item:
        """Return the item with the images that others with the same answer could lend it."""
        return replace(item, substitutes=tuple(pool.with_same_answer(item)) if item.images else ())
