"""Hidden evidence: the marked finding is covered, or as large a part of the image elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn, generator
from snellen.conditions.effects import Effects
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image, Pixels
from snellen.images.regions import Movement, Region
from snellen.items import Item, Substitute
from snellen.perturb.hidden import (
    Fill,
    Hidden,
    Move,
    Part,
    Where,
    draw_moves,
    find_body,
    mark_pixels,
    move_to_far_corner,
)

TAG = "tag"
"""Finding of a region that marks a label in a corner. It is never evidence."""
NORMAL = ("normal", "no finding", "none")
"""Values of the metadata `finding` of a patient without a finding."""
MARKED = "marked"
"""Metadata of a changed item: the boxes of the marked finding in each image, as shares of its sides, for the report."""
LARGEST = 0.97
"""A finding of this share of both sides of the image leaves nothing to compare."""


def find_evidence(item: Item, image: Image) -> tuple[Region, ...]:
    """Return the regions of an image that show what the item is about.

    These are the regions of the finding in the metadata, and those without a name; all, if the metadata name none. A
    tag is no evidence.
    """
    asked = str(item.metadata.get("finding") or "").casefold()
    named = (region for region in image.regions_after_steps() if region.finding != TAG)
    return tuple(region for region in named if asked in ("", region.finding.casefold()) or not region.finding)


def find_neighbours(item: Item, image: Image) -> tuple[Region, ...]:
    """Return the regions of other findings that do not overlap the item's own."""
    evidence, size = find_evidence(item, image), image.pixels().shape[:2]
    others = (region for region in image.regions_after_steps() if region.finding != TAG and region not in evidence)
    own = mark_pixels(evidence, size)
    return tuple(region for region in others if not (own & region.pixels((size[0], size[1]))).any())


@dataclass(frozen=True)
class Hiding(Condition):
    """A condition that covers part of every image with a marked finding.

    `fill` is black, grey (128), mean (of the image), border (mean around the hidden part), noise or blur. `size`
    multiplies the sides of the hidden part. `opacity` from 0 to 1 is a dose of its own.
    """

    declared: ClassVar[Effects] = Effects("altered", makes_image=True, shown="shown the image, partly covered")
    where: ClassVar[Where] = "marked"
    lacking: ClassVar[str] = "no finding is marked in its image"

    fill: Fill = "border"
    size: float = 1.0
    opacity: float = 1.0

    def __post_init__(self) -> None:
        if self.fill not in get_args(Fill):
            raise StudyError(f"Expected the fill to be one of {', '.join(get_args(Fill))}, got fill={self.fill}.")
        if not 0 < self.size <= 10 or not 0 <= self.opacity <= 1:
            raise StudyError(
                f"Expected a size above 0 and up to 10, and an opacity from 0 to 1; got size={self.size}, "
                f"opacity={self.opacity}."
            )

    @cached_property
    def stream(self) -> str:
        """Key of the random numbers; the same draws for every fill, size and opacity."""
        return replace(self, fill="border", size=1.0, opacity=1.0).identity

    def find_areas(self, item: Item) -> list[tuple[Region, ...]]:
        """Return the regions that decide what is covered, for each image."""
        return [find_evidence(item, image) for image in item.images]

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the seed of the fill, and the moves of the covered parts."""
        areas = self.find_areas(item)
        if not any(areas):
            raise Inapplicable(self.lacking)
        pairs = zip(item.images, areas, strict=True)
        drawn = [self._draw_image(image, area, rng) if area else {"moves": [], "marked": []} for image, area in pairs]
        return {"images": drawn, "seed": int(rng.integers(2**53))}

    def _draw_image(self, image: Image, area: tuple[Region, ...], rng: Generator) -> dict[str, Any]:
        """Draw how the parts of one image move, and note its marked boxes."""
        pixels = image.pixels()
        height, width = pixels.shape[:2]
        boxes = [np.divide(region.bounds, (width, height, width, height)).round(4).tolist() for region in area]
        parts = Hidden(area, size=self.size).find_parts(pixels.shape)
        if not parts:
            raise Inapplicable("its marked finding lies outside the image")
        if any(all(np.greater_equal(part.inside.shape, LARGEST * np.array(pixels.shape[:2]))) for part in parts):
            raise Inapplicable(f"the marked finding takes {100 * LARGEST:.0f}% or more of both sides of the image")
        return {"moves": self.draw_moves(image, pixels, parts, rng), "marked": boxes}

    def draw_moves(self, image: Image, pixels: Pixels, parts: Sequence[Part], rng: Generator) -> tuple[Move, ...]:
        """Draw the move of each part. None is moved by default."""
        return ()

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with partly covered images."""
        seeds = [drawn["seed"] + place if self.fill == "noise" else 0 for place in range(len(item.images))]
        steps = [
            Hidden(area, self.where, self.fill, self.size, self.opacity, seed, tuple(map(tuple, each["moves"])))
            for area, seed, each in zip(self.find_areas(item), seeds, drawn["images"], strict=True)
        ]
        images = (image.then(step) if step.regions else image for image, step in zip(item.images, steps, strict=True))
        marked = [each["marked"] for each in drawn["images"]]
        return replace(item, images=tuple(images), metadata={**item.metadata, MARKED: marked})


@dataclass(frozen=True)
class EvidenceHidden(Hiding):
    """The same words, with the marked finding covered; it can then not be seen."""

    name: ClassVar[str] = "evidence-hidden"
    told: ClassVar[str] = "with the finding hidden"
    declared: ClassVar[Effects] = Hiding.declared._replace(truth="unknown")


@dataclass(frozen=True)
class ElsewhereHidden(Hiding):
    """The same words, with a part covered that shows no finding.

    The part has the finding's size, shape and fill. It overlaps no marked region, and holds as much of the body. `nth`
    counts through several draws.
    """

    name: ClassVar[str] = "elsewhere-hidden"
    told: ClassVar[str] = "with another part hidden"

    nth: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.nth, bool) or not isinstance(self.nth, int) or self.nth < 1:
            raise StudyError(f"Draws are counted in whole numbers from 1, got nth={self.nth}.")

    def draw_moves(self, image: Image, pixels: Pixels, parts: Sequence[Part], rng: Generator) -> tuple[Move, ...]:
        """Draw a free place for each part."""
        return draw_elsewhere(image, pixels, parts, rng)


@dataclass(frozen=True)
class NeighboursHidden(Hiding):
    """The same words, with the other marked findings covered.

    Those that overlap the item's own finding stay visible.
    """

    name: ClassVar[str] = "neighbours-hidden"
    told: ClassVar[str] = "with the other findings hidden"
    declared: ClassVar[Effects] = Hiding.declared._replace(truth="unknown")
    lacking: ClassVar[str] = "no other finding is marked in its image, or all overlap its own"

    def find_areas(self, item: Item) -> list[tuple[Region, ...]]:
        """Return the regions of the other findings, for each image."""
        return [find_neighbours(item, image) for image in item.images]


@dataclass(frozen=True)
class NeighboursElsewhere(NeighboursHidden):
    """The same words, with parts covered that show no finding.

    They have the size, shape and fill of `neighbours-hidden`.
    """

    name: ClassVar[str] = "neighbours-elsewhere"
    told: ClassVar[str] = "with parts as large as the other findings hidden elsewhere"
    declared: ClassVar[Effects] = Hiding.declared

    def draw_moves(self, image: Image, pixels: Pixels, parts: Sequence[Part], rng: Generator) -> tuple[Move, ...]:
        """Draw a free place for each part."""
        return draw_elsewhere(image, pixels, parts, rng)


@dataclass(frozen=True)
class FarCornerHidden(Hiding):
    """The same words, with as large a part covered in the farthest corner.

    This is the control of 2606.17710. It often lies outside the body; `elsewhere-hidden` does not.
    """

    name: ClassVar[str] = "far-corner-hidden"
    told: ClassVar[str] = "with the farthest corner hidden"

    def draw_moves(self, image: Image, pixels: Pixels, parts: Sequence[Part], rng: Generator) -> tuple[Move, ...]:
        """Move each part to the corner that is farthest from its centre."""
        return tuple(move_to_far_corner(part, pixels.shape) for part in parts)


@dataclass(frozen=True)
class CornersHidden(Hiding):
    """The same words, with the four corners covered.

    They take a sixth of each side; a marked finding is spared. A model that reads a label in a corner then loses it.
    """

    name: ClassVar[str] = "corners-hidden"
    told: ClassVar[str] = "with the corners hidden"
    where: ClassVar[Where] = "corners"


@dataclass(frozen=True)
class OnlyEvidence(Hiding):
    """The same words, with everything covered except the marked finding."""

    name: ClassVar[str] = "only-evidence"
    told: ClassVar[str] = "with nothing but the finding visible"
    where: ClassVar[Where] = "unmarked"
    declared: ClassVar[Effects] = Hiding.declared._replace(truth="unknown")


@dataclass(frozen=True)
class FillAlone(Hiding):
    """The same words, with a part covered in patients without a finding.

    The part has the size and shape of another patient's finding. Answers that change show what the fill does by itself.
    """

    name: ClassVar[str] = "fill-alone"
    told: ClassVar[str] = "with a part hidden in patients without a finding"
    lacking: ClassVar[str] = "it is not known to show a patient without a finding, or no like image has a marked one"

    def equip(self, item: Item, pool: Pool) -> Item:
        """Return the item with an image of the same kind whose finding is marked."""
        if not is_without_finding(item) or any(super().find_areas(item)):
            return item
        marked = pool.once(self.name, lambda: _sort_marked(pool))
        alike = marked.get(pool.kind_of_image(item), [])
        if not alike:
            return item
        lender = alike[int(generator(0, self.name, item.id).integers(len(alike)))]
        shows = find_evidence(lender, lender.images[0])[0].finding
        return replace(item, substitutes=(Substitute(lender.images, shows, lender.id),))

    def find_areas(self, item: Item) -> list[tuple[Region, ...]]:
        """Return the other patient's regions for each image, in its pixels."""
        if not item.substitutes or not is_without_finding(item):
            return [()] * len(item.images)
        lent = item.substitutes[0].images[0]
        shape = tuple(region for region in lent.regions_after_steps() if region.finding == item.substitutes[0].shows)
        return [_scale_regions(shape, lent, image) for image in item.images]

    def draw_moves(self, image: Image, pixels: Pixels, parts: Sequence[Part], rng: Generator) -> tuple[Move, ...]:
        """Draw a free place for each part."""
        return draw_elsewhere(image, pixels, parts, rng)

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with partly covered images."""
        return replace(super().apply(item, drawn), substitutes=())


def draw_elsewhere(image: Image, pixels: Pixels, parts: Sequence[Part], rng: Generator) -> tuple[Move, ...]:
    """Draw a free place for each part; Inapplicable if one has no room."""
    marked = mark_pixels(image.regions_after_steps(), pixels.shape)
    if (moves := draw_moves(parts, marked, find_body(pixels), rng)) is None:
        raise Inapplicable("the image has no room elsewhere for a part as large as the marked finding")
    return moves


def is_without_finding(item: Item) -> bool:
    """Return True if the metadata say that the image shows no finding."""
    return str(item.metadata.get("finding", "")).casefold() in NORMAL


def _sort_marked(pool: Pool) -> dict[tuple[str, str] | None, list[Item]]:
    """Items whose first image has a marked finding, by kind of image."""
    found: dict[tuple[str, str] | None, list[Item]] = {}
    for item in pool.items:
        if item.images and find_evidence(item, item.images[0]):
            found.setdefault(pool.kind_of_image(item), []).append(item)
    return found


def _scale_regions(regions: tuple[Region, ...], lent: Image, image: Image) -> tuple[Region, ...]:
    """Return regions of one image in the pixels of another."""
    (height, width), (tall, wide) = (each.pixels().shape[:2] for each in (image, lent))
    if (height, width) == (tall, wide):
        return regions
    scale = Movement((width / wide, 0, 0), (0, height / tall, 0), height, width)
    return tuple(region.move(scale) for region in regions)
