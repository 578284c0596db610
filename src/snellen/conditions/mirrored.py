"""Mirrored images: left and right are exchanged, also in the answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item
from snellen.perturb.left_and_right import in_signs, names_a_side
from snellen.perturb.mirror import mirror_image, mirroring

Questions = Literal["all", "sides"]


@dataclass(frozen=True)
class ImageMirrored(Condition):
    """The same words, every image mirrored; an answer that names a side is swapped.

    `questions="sides"` leaves out questions whose answer the mirror does not change.
    """

    name: ClassVar[str] = "mirrored"
    touches: ClassVar[frozenset[str]] = frozenset({"image", "options"})
    declared: ClassVar[Effects] = Effects("altered", truth="changed", makes_image=True)
    told: ClassVar[str] = "with the image mirrored"

    questions: Questions = "all"

    def __post_init__(self) -> None:
        if self.questions not in get_args(Questions):
            raise StudyError(f"Expected questions to be all or sides, got {self.questions!r}.")

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw another item that proves the new answer, if the question names a side."""
        if item.kind != "choice" or not names_a_side(item.question):
            return {}
        asked = in_signs(item.question, mirrored=True)
        proofs = [each for each in pool.of_the_same_images(item) if in_signs(each.question) == asked]
        places = {_place(item, each) for each in proofs}
        if len(places) != 1 or None in places:
            return {}
        return {"answer": places.pop(), "proved_by": proofs[0].id}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with mirrored images and the answer that is correct for them."""
        if not item.images:
            raise Inapplicable("the item has no image to mirror")
        now = mirroring(item, drawn.get("answer"))
        if self.questions == "sides" and not now.swaps:
            raise Inapplicable("its answer is the same in a mirror")
        if now.swaps and now.answers and item.metadata.get("answers"):
            item = replace(item, metadata={**item.metadata, "answers": list(now.answers)})
        answer = now.answer if now.swaps else item.answer
        return replace(item, answer=answer, images=tuple(map(mirror_image, item.images)))


def _place(item: Item, proof: Item) -> int | None:
    """Return the position of the option that is correct for the mirrored image. None if unclear."""
    if proof.kind != "choice" or not isinstance(proof.answer, int) or proof.context != item.context:
        return None
    wanted = in_signs(proof.options[proof.answer].text, mirrored=True)
    found = [place for place, option in enumerate(item.options) if in_signs(option.text) == wanted]
    return found[0] if len(found) == 1 else None
