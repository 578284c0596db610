"""Regions: which pixels belong to them, and where they go if a condition moves the image."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.conditions import MEMBERS, ImageDegraded, ImageMirrored, Pool, condition_named, vary
from snellen.errors import ImageError, Inapplicable
from snellen.images import Box, Image, Mask, Polygon, Region
from snellen.items import Item, Option
from snellen.perturb.artefacts import ARTEFACTS, Degradation
from snellen.perturb.artefacts.crop import Crop

HEIGHT, WIDTH = 60, 80
SHAPES = {
    "box": Box(20, 15, 44, 33),
    "polygon": Polygon(((22, 12), (50, 20), (30, 44))),
    "mask": Mask(Box(20, 15, 44, 33).pixels((HEIGHT, WIDTH))),
}
SET = {"window": "window:lung", "distractors-replaced": "distractors-replaced:2"}
DEGRADED = (("crop", "strong"), ("rotation", "strong"), ("rotation", 0.3), ("crop/rotation", 0.4))
MOVING = {"mirrored": ImageMirrored()} | {
    f"{name} {strength}": ImageDegraded(name, strength) for name, strength in DEGRADED
}


def _item(*images: Image) -> Item:
    options = (Option("Yes"), Option("No"))
    return Item("q", "Is there a nodule?", options, 0, images, metadata={"mirror": "same", "turn": "same"})


def _painted(region: Region, *, value: int = 200) -> Image:
    pixels = np.full((HEIGHT, WIDTH), 60, np.uint8)
    pixels[region.pixels((HEIGHT, WIDTH))] = value
    return Image(pixels, regions=(region,))


def _grown(inside: Any, by: int = 1) -> Any:
    return cv2.dilate(inside.astype(np.uint8), np.ones((2 * by + 1, 2 * by + 1), np.uint8)) > 0


@given(st.lists(st.tuples(st.integers(-20, 100), st.integers(-20, 100)), min_size=3, max_size=7))
@settings(max_examples=60)
def test_a_polygon_holds_the_pixels_whose_centres_it_surrounds(corners: list[tuple[int, int]]) -> None:
    """Checked against a ray from every centre to the right, counted one by one."""
    points = tuple((x / 3, y / 3) for x, y in corners)
    expected = np.zeros((20, 25), bool)
    for row, column in np.ndindex(expected.shape):
        for (x1, y1), (x2, y2) in zip(points, (*points[1:], points[0]), strict=True):
            if (y1 <= row + 0.5) != (y2 <= row + 0.5):
                at = x1 + (row + 0.5 - y1) * (x2 - x1) / (y2 - y1)
                expected[row, column] ^= at > column + 0.5
    assert np.array_equal(expected, Polygon(points).pixels((20, 25)))


def test_a_box_holds_its_first_pixels_and_not_its_last() -> None:
    """Boxes are half-open, and a pixel counts if its centre is inside."""
    expected = np.zeros((6, 8), bool)
    expected[2:4, 1:5] = True
    assert np.array_equal(expected, Box(1, 2, 5, 4).pixels((6, 8)))
    assert np.array_equal(expected, Box(0.6, 1.6, 5.4, 4.4).pixels((6, 8)))


def test_a_mask_is_every_pixel_that_is_not_black() -> None:
    """Masks with values 0 and 1 count, too; a mask of another size is refused."""
    marked = np.zeros((4, 5), np.uint8)
    marked[1, 2:4] = 1
    mask = Mask(marked)
    assert mask.bounds == (2, 1, 4, 2)
    assert np.array_equal(marked > 0, mask.pixels((4, 5)))
    with pytest.raises(ImageError, match="mask of 4 × 5 pixels, as its image has, got 5 × 4"):
        mask.pixels((5, 4))


def test_regions_change_no_identity_of_an_image(tmp_path: Any) -> None:
    """Equality, hash and fingerprint are those of the image without regions."""
    plain, marked = Image(b"x"), Image(b"x", regions=(Region("nodule", SHAPES["mask"]),))
    assert (marked, hash(marked), marked.fingerprint, repr(marked)) == (
        plain,
        hash(plain),
        plain.fingerprint,
        repr(plain),
    )
    assert Image.of_file(str(tmp_path)).regions == ()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", MOVING)
def test_a_region_goes_where_its_pixels_go(name: str, shape: str) -> None:
    """Under every condition that moves pixels, the region after it is what was painted, to a pixel."""
    for seed in range(8):
        image = _painted(Region("nodule", SHAPES[shape]))
        changed = vary(_item(image), MOVING[name], seed=seed, pool=Pool(())).item.images[0]
        painted = changed.pixels() > 130
        regions = changed.regions_after_steps()
        if not regions:
            assert not painted.any()
            continue
        inside = regions[0].pixels(painted.shape[:2])
        assert not (painted & ~_grown(inside)).any()
        assert not (inside & ~_grown(painted)).any()


@pytest.mark.parametrize("artefact", ARTEFACTS)
def test_no_artefact_moves_pixels_unsaid(artefact: str) -> None:
    """What differs between a painted image and a plain one fits the region best where the region is."""
    region = Region("nodule", SHAPES["polygon"])
    for seed in range(3):
        condition = ImageDegraded(artefact)
        plain, painted = (
            vary(_item(_painted(region, value=value)), condition, seed=seed, pool=Pool(())).item.images[0]
            for value in (60, 180)
        )
        changed = np.abs(painted.pixels().astype(float) - plain.pixels())
        inside = painted.regions_after_steps()[0].pixels(changed.shape[:2]).astype(float)
        shifts = [(down, right) for down in range(-5, 6) for right in range(-5, 6)]
        best = max(shifts, key=lambda by: float((np.roll(inside - inside.mean(), by, (0, 1)) * changed).sum()))
        assert max(map(abs, best)) <= 1, (artefact, seed, best)


@pytest.mark.parametrize("name", [name for name in MEMBERS if name not in ("mirrored", "degraded")])
def test_every_other_condition_keeps_regions_with_their_image(name: str) -> None:
    """An image that a condition leaves in place keeps its regions, and a lent one brings its own."""
    condition = condition_named(SET.get(name, name))
    assert condition is not None
    images = tuple(
        replace(_painted(Region(f"nodule {place}", SHAPES["box"]), value=180 + place), role=f"frame {place} of 3")
        for place in (1, 2, 3)
    )
    own = {image.source: image.regions for image in images}
    try:
        item = vary(_item(*images), condition, seed=1, pool=Pool(())).item
    except Inapplicable:
        return
    assert all(image.regions == own.get(image.source, ()) for image in item.images)


def test_a_region_that_a_crop_cuts_off_is_left_out() -> None:
    """A region in a corner is gone if the window of the crop lies elsewhere."""
    step = Degradation((Crop(0.5, down=1, right=1),))
    image = _painted(Region("nodule", Box(0, 0, 5, 5))).then(step)
    assert image.regions_after_steps() == ()


BROKEN = {
    "only with x and y exchanged": Box(3, 62, 8, 75),
    "is outside its image of 80 × 60 pixels; if it was drawn on another size": Box(10, 10, 900, 30),
    "runs backwards": Box(30, 10, 20, 30),
    "is empty": Box(10, 10, 10, 30),
    "is a mask of 5 × 4 pixels on its image of 80 × 60": Mask(np.ones((4, 5), np.uint8)),
    "holds no pixel": Mask(np.zeros((HEIGHT, WIDTH), np.uint8)),
    "has no readable mask": Mask(b"nothing"),
    "(x nan": Polygon(((float("nan"), 1), (2, 2), (3, 1))),
}


@pytest.mark.parametrize("words", BROKEN)
def test_a_region_that_does_not_fit_says_why(words: str) -> None:
    """Each usual mistake has its own words."""
    assert words in (Region("nodule", BROKEN[words]).problem((HEIGHT, WIDTH)) or "")


def test_a_region_that_fits_has_no_problem() -> None:
    """The whole image is a region, too."""
    for shape in (*SHAPES.values(), Box(0, 0, WIDTH, HEIGHT)):
        assert Region("nodule", shape).problem((HEIGHT, WIDTH)) is None
