"""Words and image that contradict each other: the image is of another part of the body, or of another kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item
from snellen.perturb.modalities import modalities_of
from snellen.perturb.regions import regions_of

DIAGNOSIS, CONTRADICTORY = "diagnosis", "mismatch"
"""The task of the items that are asked, and the task that they have then."""
Donor = Literal["anatomy", "modality", "none"]


@dataclass(frozen=True)
class ImageMismatched(Condition):
    """The same words, the image replaced by one that contradicts them; the right response is to say so.

    The donor is another patient's item. With `donor="anatomy"` it shows another part of the body, by the same modality
    where there is one; with `donor="modality"` the same part by another modality. No part that the words name, and
    none that an image of such a part may show, is ever shown. Where body part or modality are in doubt, nothing is
    lent. With `donor="none"` the item keeps its own image and is asked in the same words: a model that speaks of a
    contradiction there sees one where there is none. Only open questions for a diagnosis are asked, and others that
    name the body part or modality themselves. Of several images all are replaced. An item of the task `mismatch` has
    an image that contradicts its words already, and is asked as it is.
    """

    name: ClassVar[str] = "image-mismatched"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})

    donor: Donor = "anatomy"

    def __post_init__(self) -> None:
        if self.donor not in get_args(Donor):
            raise StudyError(f"Expected donor to be {', '.join(get_args(Donor))}, got donor={self.donor}.")

    @property
    def in_words(self) -> str:
        """By what the image differs in."""
        if self.donor == "none":
            return "with its own image, asked in the same words"
        other = "of another part of the body" if self.donor == "anatomy" else "of another modality"
        return f"with an image {other}"

    @property
    def effects(self) -> Effects:
        """An image that contradicts the words; the item's own in the control."""
        return Effects() if self.donor == "none" else Effects("other", truth="contradicted")

    def equip(self, item: Item, pool: Pool) -> Item:
        """The item with the images that contradict its words; its own other images do not."""
        if self.donor == "none" or is_contradictory(item):
            return item
        contradicting = pool.elsewhere if self.donor == "anatomy" else pool.otherwise
        return replace(item, substitutes=tuple(contradicting(item))) if _unfit(item, self.donor) is None else item

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Whose image is shown, and what it shows."""
        if (reason := _unfit(item, self.donor)) is not None:
            raise Inapplicable(reason)
        if is_contradictory(item):
            return {}
        if self.donor == "none":
            return _shown(item)
        if not item.substitutes:
            other = "of another part of the body" if self.donor == "anatomy" else "of the same part by another modality"
            raise Inapplicable(f"no other patient's image is known to be one {other}")
        number = int(rng.integers(len(item.substitutes)))
        lent_by = item.substitutes[number].lent_by
        return {"substitute": number, "lent_by": lent_by, **_shown(pool.by_id[lent_by])}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item with the other image; its only reference says whether image and text fit, which alone is graded."""
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
    """Whether an item comes with an image that contradicts its words: its task is `mismatch`."""
    return item.metadata.get("task") == CONTRADICTORY


def _shown(item: Item) -> dict[str, str]:
    """What an item's image shows, as its metadata tell."""
    return {f"shown_{name}": str(item.metadata.get(name, "") or "") for name in ("body_part", "modality")}


def _unfit(item: Item, donor: Donor) -> str | None:
    """Why no image could contradict an item's words; None where one could."""
    task = str(item.metadata.get("task", "") or "")
    part = str(item.metadata.get("body_part", "") or "")
    words = f"{item.context}\n{item.question}"
    if item.kind != "open":
        return "it offers options, and a contradiction is named in free words"
    if not item.images:
        return "the item has no image to replace"
    if is_contradictory(item):
        return "its own image contradicts its words" if donor == "none" else None
    if task not in ("", DIAGNOSIS):
        return "it is asked of diagnosis questions only"
    if not regions_of(part):
        return "its body part is not known, so no other image surely contradicts its words"
    if donor == "modality":
        own = modalities_of(str(item.metadata.get("modality", "") or ""))
        return None if own & modalities_of(words) else "its words do not name its modality, so none contradicts them"
    if not task and regions_of(words).isdisjoint(regions_of(part)):
        return "its words do not name its body part, so no image contradicts them"
    return None
