"""Visual substitution: an image that shows a wrong option, which becomes the correct one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from numpy.random import Generator

from snellen.conditions.base import Drawn, generator
from snellen.conditions.effects import Effects
from snellen.conditions.lending import Lending
from snellen.conditions.pool import ADD_COLUMNS, Pool, can_borrow, list_missing_columns
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item


@dataclass(frozen=True)
class ImageSubstituted(Lending):
    """The same words with an image that shows a wrong option, which is then right.

    The image is one of the item's own labelled ones, or that of another patient's item of the same modality and body
    part whose answer is that option. An option that means nothing without its question, such as "left", is lent only by
    an item that asks the same. Without the columns `modality` and `body_part`, items are related by their text and
    image. `nth` counts through the options that have an image. Several images are all replaced, since those of one item
    belong to one patient.
    """

    name: ClassVar[str] = "image-substituted"
    touches: ClassVar[frozenset[str]] = frozenset({"image", "options"})
    declared: ClassVar[Effects] = Effects("other", truth="changed")

    nth: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.nth, bool) or not isinstance(self.nth, int) or self.nth < 1:
            raise StudyError(f"Substitutes are counted in whole numbers from 1, got nth={self.nth}.")

    @property
    def in_words(self) -> str:
        """Words with the number of the substitute, if it is not the first."""
        return "with another image" if self.nth == 1 else f"with another image (no. {self.nth})"

    @property
    def stream(self) -> str:
        """Key of the random numbers. All substitutes of an item share it, so that they differ."""
        return self.name

    def equip(self, item: Item, pool: Pool) -> Item:
        """Return the item with images that others could lend it. It is unchanged if it has its own."""
        if item.kind != "choice" or item.substitutes:
            return item
        return replace(item, substitutes=tuple(pool.lent_to(item)))

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw a wrong option and its image, without matching over the benchmark."""
        return self.describe_draw(item, self._order_options(item, rng)[self.nth - 1][0])

    def rank_lenders(self, item: Item, *, seed: int, pool: Pool) -> list[int]:
        """Return the numbers of the images that show wrong options, without those of earlier substitutes."""
        options = self._order_options(item, generator(seed, self.stream, item.id))
        earlier = (replace(self, nth=number) for number in range(1, self.nth))
        taken = {each.choose(item, seed=seed, pool=pool)["substitute"] for each in earlier}
        return [number for numbers in options if taken.isdisjoint(numbers) for number in numbers]

    def _order_options(self, item: Item, rng: Generator) -> list[list[int]]:
        """Numbers of the images of each wrong option, in random order."""
        if item.kind != "choice":
            raise Inapplicable("the question offers no options")
        if not item.images:
            raise Inapplicable("the item has no image to replace")
        shown: dict[int, list[int]] = {}
        for number, place in _find_places(item).items():
            shown.setdefault(place, []).append(number)
        if not shown:
            raise Inapplicable(_why_none(item))
        if len(shown) < self.nth:
            raise Inapplicable(f"fewer than {self.nth} of its wrong options have an image that shows them")
        ordered = (sorted(shown)[place] for place in rng.permutation(len(shown)))
        return [rng.permutation(shown[place]).tolist() for place in ordered]

    def describe_draw(self, item: Item, number: int) -> dict[str, Any]:
        """Describe a substitute for the store: the option that it shows, and the lending item."""
        return {"shows": _find_places(item)[number], **super().describe_draw(item, number)}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the other image and the other answer."""
        images = item.substitutes[drawn["substitute"]].images
        return replace(item, images=images, answer=drawn["shows"], substitutes=())


def _find_places(item: Item) -> dict[int, int]:
    """Return the position of the wrong option that each substitute shows, by its number."""
    wrong = ((at, each) for at, each in enumerate(item.options) if at != item.answer and not each.abstains)
    places = {_plain(option.text): place for place, option in wrong}
    named = ((number, places.get(_plain(each.shows))) for number, each in enumerate(item.substitutes))
    return {number: place for number, place in named if place is not None}


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" .").split())


def _why_none(item: Item) -> str:
    if item.substitutes:
        return "none of its own other images shows one of its wrong options"
    if not can_borrow(item):
        return "it asks for the option that does not fit, or an option refers to others: no image can show that"
    if missing := list_missing_columns(item):
        return f"by text and image, no other patient's image shows a wrong option{ADD_COLUMNS}{' and '.join(missing)}"
    return "no other patient's image of the same kind is known to show one of its wrong options"
