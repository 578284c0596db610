"""Counterfactual images: the same patient with the finding removed, moved, enlarged or replaced."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.errors import Inapplicable
from snellen.items import Item


class FindingChanged(Condition):
    """The same words, and an image in which only the patient's finding differs.

    The image is a substitute of the item that names this change, as those of counterfactual phantoms do. The option
    that it shows is then right.
    """

    declared: ClassVar[Effects] = Effects("altered", truth="changed", shown="shown the image with the finding changed")
    change: ClassVar[str]

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the changed image and the answer that is right for it."""
        lent = next((each for each in item.substitutes if each.change == self.change), None)
        if lent is None:
            raise Inapplicable(f"it has no image of the same patient with the finding {self.change}")
        texts = [option.text for option in item.options]
        if lent.shows not in texts:
            raise Inapplicable(f"no option says what the image with the finding {self.change} shows")
        return replace(item, images=lent.images, answer=texts.index(lent.shows), substitutes=())


@dataclass(frozen=True)
class FindingRemoved(FindingChanged):
    """The same words and patient, with the finding removed from the image."""

    name: ClassVar[str] = "finding-removed"
    told: ClassVar[str] = "with the finding removed"
    change: ClassVar[str] = "removed"


@dataclass(frozen=True)
class FindingMoved(FindingChanged):
    """The same words and patient, with the finding elsewhere in the image."""

    name: ClassVar[str] = "finding-moved"
    told: ClassVar[str] = "with the finding moved"
    change: ClassVar[str] = "moved"


@dataclass(frozen=True)
class FindingEnlarged(FindingChanged):
    """The same words and patient, with a larger finding in the image."""

    name: ClassVar[str] = "finding-enlarged"
    told: ClassVar[str] = "with the finding enlarged"
    change: ClassVar[str] = "enlarged"


@dataclass(frozen=True)
class FindingReplaced(FindingChanged):
    """The same words and patient, with another finding in the image instead."""

    name: ClassVar[str] = "finding-replaced"
    told: ClassVar[str] = "with another finding instead"
    change: ClassVar[str] = "replaced"
