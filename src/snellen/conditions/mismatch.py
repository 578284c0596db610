"""Text and image that contradict each other: another body part or modality."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item
from snellen.perturb.topics import modalities_of, regions_of

DIAGNOSIS, CONTRADICTORY = "diagnosis", "mismatch"
"""Task of the items that the condition accepts, and their task afterwards."""
Donor = Literal["anatomy", "modality", "none"]


@dataclass(frozen=True)
class ImageMismatched(Condition):
    """The same words with a contradicting image; the right response says so.

    The donor is another patient's item. With `donor="anatomy"` it shows another part of the body, by the same modality
    if there is one; with `donor="modality"` the same part by another modality. The donor never shows a part that the
    text names, nor a part that an image of the named one may show. If body part or modality are in doubt, no image is
    lent. With `donor="none"` the item keeps its own image and words: a model that reports a contradiction is wrong. The
    condition applies to open questions that ask for a diagnosis or name the body part or modality. Several images are
    all replaced. An item of the task `mismatch` already has a contradicting image and stays unchanged.
    """

    name: ClassVar[str] = "image-mismatched"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})

    donor: Donor = "anatomy"

    def __post_init__(self) -> None:
        if self.donor not in get_args(Donor):
            raise StudyError(f"Expected donor to be {', '.join(get_args(Donor))}, got donor={self.donor}.")

    @property
    def in_words(self) -> str:
        """Words with the way in which the image differs."""
        if self.donor == "none":
            return "with its own image, asked in the same words"
        other = "of another part of the body" if self.donor == "anatomy" else "of another modality"
        return f"with an image {other}"

    @property
    def effects(self) -> Effects:
        """An image that contradicts the text; the item's own in the control."""
        return Effects() if self.donor == "none" else Effects("other", truth="contradicted")

    def equip(self, item: Item, pool: Pool) -> Item:
        """Return the item with images of other patients that contradict its text."""
        if self.donor == "none" or is_contradictory(item):
            return item
        contradicting = pool.elsewhere if self.donor == "anatomy" else pool.otherwise
        return replace(item, substitutes=tuple(contradicting(item))) if _unfit(item, self.donor) is None else item

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the donor of the image, with what it shows."""
        if (reason := _unfit(item, self.donor)) is not None:
            raise Inapplicable(reason)
        if is_contradictory(item):
            return {}
        if self.donor == "none":
            return _describe_shown(item)
        if not item.substitutes:
            other = "of another part of the body" if self.donor == "anatomy" else "of the same part by another modality"
            raise Inapplicable(f"no image of another patient is known to be {other}")
        number = int(rng.integers(len(item.substitutes)))
        lent_by = item.substitutes[number].lent_by
        return {"substitute": number, "lent_by": lent_by, **_describe_shown(pool.by_id[lent_by])}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the other image; its reference states if image and text fit."""
        if is_contradictory(item):
            return item
        shown = {name: drawn[name] for name in ("shown_body_part", "shown_modality")}
        ungraded: dict[str, list[str]] = {name: [] for name in ("answers", "steps") if name in item.metadata}
        made = replace(item, metadata={**item.metadata, **ungraded, **shown, "task": CONTRADICTORY})
        if self.donor == "none":
            return replace(made, answer="Image and text fit: no contradiction is to be named.")
        images = item.substitutes[drawn["substitute"]].images
        answer = f"The image does not fit the text: it shows {', '.join(filter(None, shown.values()))}."
        return replace(made, images=images, answer=answer, substitutes=())


def is_contradictory(item: Item) -> bool:
    """Return True if an item's own image contradicts its text: its task is `mismatch`."""
    return item.metadata.get("task") == CONTRADICTORY


def _describe_shown(item: Item) -> dict[str, str]:
    """Describe what an item's image shows, from its metadata."""
    return {f"shown_{name}": str(item.metadata.get(name, "") or "") for name in ("body_part", "modality")}


def _unfit(item: Item, donor: Donor) -> str | None:
    """Explain why no image can contradict an item's text; None if one can."""
    task = str(item.metadata.get("task", "") or "")
    part = str(item.metadata.get("body_part", "") or "")
    words = f"{item.context}\n{item.question}"
    if item.kind != "open":
        return "it has options, but the contradiction must be stated in free text"
    if not item.images:
        return "the item has no image to replace"
    if is_contradictory(item):
        return "its own image contradicts its text" if donor == "none" else None
    if task not in ("", DIAGNOSIS):
        return "the condition applies to diagnosis questions only"
    if not regions_of(part):
        return "its body part is not known, so no image is sure to contradict its text"
    if donor == "modality":
        own = modalities_of(str(item.metadata.get("modality", "") or ""))
        return (
            None if own & modalities_of(words) else "its text does not name a modality that an image could contradict"
        )
    if not task and regions_of(words).isdisjoint(regions_of(part)):
        return "its text does not name a body part that an image could contradict"
    return None
