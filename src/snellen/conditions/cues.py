"""Cues: something that suggests an answer or a place, without being evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn, generator
from snellen.conditions.effects import Effects
from snellen.conditions.hidden import EvidenceHidden, draw_elsewhere, find_evidence
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image
from snellen.images.regions import Region
from snellen.items import LETTERS, Item
from snellen.perturb.cues import Pointed, Pointer, Written
from snellen.perturb.hidden import Hidden, Move

Source = Literal["tag", "text", "hint"]
Says = Literal["option", "nothing"]
Place = Literal["finding", "elsewhere", "corner"]

HINTS = {
    "en": "A colleague who saw this image thinks that the answer is: {}",
    "it": "Un collega che ha visto questa immagine pensa che la risposta sia: {}",
    "zh": "一位看过这张图像的同事认为答案是：{}",
}
"""Hints by language; the placeholder is an option."""
NO_HINT = {
    "en": "A colleague has seen this image, too.",
    "it": "Anche un collega ha visto questa immagine.",
    "zh": "一位同事也看过这张图像。",
}
NO_LETTER, NO_TEXT = "L", "SER 7"
"""What tag and text say if they name no option: a side marker, and the number of a series."""


def choose_cue(item: Item) -> int:
    """Return the option that a cue names: any real answer, the same for all cues of an item.

    It depends on the item's id alone, so it is right as often as a guess.
    """
    places = item.real_places
    return places[int(generator(0, "cue", item.id).integers(len(places)))]


@dataclass(frozen=True)
class AnswerCue(Condition):
    """The same question with a cue that names one of the options, right or not.

    `source` is a letter in a corner (tag), the option's words burned into the image (text), or a colleague's opinion
    after the question (hint). With `says=nothing` the cue names no option.
    """

    name: ClassVar[str] = "answer-cue"

    source: Source = "tag"
    says: Says = "option"

    def __post_init__(self) -> None:
        if self.source not in get_args(Source) or self.says not in get_args(Says):
            raise StudyError(
                f"Expected source tag, text or hint, and says option or nothing; got source={self.source}, "
                f"says={self.says}."
            )

    @property
    def effects(self) -> Effects:
        """A changed text for a hint, otherwise an altered image."""
        if self.source == "hint":
            return Effects(text="changed")
        return Effects("altered", makes_image=True, shown="shown the image, with letters on it")

    @property
    def in_words(self) -> str:
        """Words with the cue."""
        cue = {"tag": "a letter in a corner", "text": "words on the image", "hint": "a hint in the text"}[self.source]
        return f"with {cue}{' that names an option' if self.says == 'option' else ''}"

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the cue."""
        if item.kind != "choice" or len(item.real_places) < 2:
            raise Inapplicable("the question offers no options that a cue could name")
        named = choose_cue(item) if self.says == "option" else None
        if self.source == "hint":
            words = item.in_its_language(NO_HINT if named is None else HINTS)
            hint = words.format("" if named is None else item.options[named].text)
            return replace(item, question=f"{item.question}\n{hint}")
        if not item.images:
            raise Inapplicable("the item has no image to write on")
        tag, text = (NO_LETTER, NO_TEXT) if named is None else (LETTERS[named], item.options[named].text)
        step = Written(tag, corner=True) if self.source == "tag" else Written(text)
        return replace(item, images=tuple(image.then(step) for image in item.images))


@dataclass(frozen=True)
class PlaceCue(Condition):
    """The same question with an arrow, frame or heat map.

    It points at the finding, elsewhere or at a corner. Elsewhere is as for `elsewhere-hidden`. The corner is a place
    that no model should expect anything of.
    """

    name: ClassVar[str] = "place-cue"
    declared: ClassVar[Effects] = Effects("altered", makes_image=True, shown="shown the image, with a mark on it")

    pointer: Pointer = "frame"
    at: Place = "finding"

    def __post_init__(self) -> None:
        if self.pointer not in get_args(Pointer) or self.at not in get_args(Place):
            raise StudyError(
                f"Expected pointer arrow, frame or heat-map, and at finding, elsewhere or corner; got "
                f"pointer={self.pointer}, at={self.at}."
            )

    @property
    def in_words(self) -> str:
        """Words with the mark and its place."""
        place = {"finding": "the finding", "elsewhere": "another part", "corner": "a corner"}[self.at]
        article = "an" if self.pointer == "arrow" else "a"
        return f"with {article} {self.pointer.replace('-', ' ')} at {place}"

    @property
    def stream(self) -> str:
        """Key of the random numbers; all marks of an item point at the same places."""
        return self.name

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw a box for each part of the finding in each image."""
        areas = [find_evidence(item, image) for image in item.images]
        if not any(areas):
            raise Inapplicable(EvidenceHidden.lacking)
        pairs = zip(item.images, areas, strict=True)
        return {"boxes": [self._draw_boxes(image, area, rng) if area else [] for image, area in pairs]}

    def _draw_boxes(self, image: Image, area: tuple[Region, ...], rng: Generator) -> list[list[int]]:
        pixels = image.pixels()
        parts = Hidden(area).find_parts(pixels.shape)
        moves: Sequence[Move] = [(0, 0)] * len(parts)
        if self.at == "corner":
            moves = [(-part.left, -part.top) for part in parts]
        elif self.at == "elsewhere":
            moves = draw_elsewhere(image, pixels, parts, rng)
        starts = [(part.left + right, part.top + down) for part, (right, down) in zip(parts, moves, strict=True)]
        sizes = [part.inside.shape[::-1] for part in parts]
        return [[x, y, x + width, y + height] for (x, y), (width, height) in zip(starts, sizes, strict=True)]

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the marks on its images."""
        images = []
        for image, boxes in zip(item.images, drawn["boxes"], strict=True):
            for left, top, right, bottom in boxes:
                image = image.then(Pointed(self.pointer, (left, top, right, bottom)))
            images.append(image)
        return replace(item, images=tuple(images))
