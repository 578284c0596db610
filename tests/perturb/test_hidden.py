"""Hidden areas: only they change, another place is free, alike and inside the body, and every fill is what it says."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.images.regions import Box, Mask, Polygon, Region
from snellen.perturb.hidden import Hidden, Part, draw_moves, find_body, mark_pixels, split_parts

HEIGHT, WIDTH = 60, 80
FILLS = ("black", "grey", "mean", "border", "noise", "blur")


def film(seed=0, colour=False):
    """Pixels that all differ from their neighbours."""
    shape = (HEIGHT, WIDTH, 3) if colour else (HEIGHT, WIDTH)
    return np.random.default_rng(seed).integers(1, 255, shape, dtype=np.uint8)


BOX = Region("nodule", Box(10, 20, 30, 35))
TRIANGLE = Region("nodule", Polygon(((50, 10), (70, 12), (55, 30))))
BLOB = Region("nodule", Mask(np.hypot(*np.ogrid[-40:20, -60:20]) < 9))


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("regions", [(BOX,), (TRIANGLE, BLOB), (BOX, TRIANGLE, BLOB)])
def test_only_the_area_changes(fill, regions):
    """All other pixels are equal, the input too, in grey and in colour; the same step gives the same pixels."""
    for colour in (False, True):
        before = film(colour=colour)
        kept = before.copy()
        step = Hidden(regions, fill=fill, seed=3)
        after = step(before)
        changed = (after != before).reshape(HEIGHT, WIDTH, -1).any(axis=2)
        marked = mark_pixels(regions, before.shape)
        assert not (changed & ~marked).any()
        assert changed.sum() > 0.9 * marked.sum()
        assert np.array_equal(before, kept)
        assert np.array_equal(step(before), after)
        only = Hidden(regions, where="unmarked", fill=fill, seed=3)(before)
        assert np.array_equal(only[marked], before[marked])
        assert (only != before).reshape(HEIGHT, WIDTH, -1).any(axis=2).sum() > 0.9 * (~marked).sum()


def test_fills_are_what_their_names_say():
    """Black, grey 128, the image's mean, the mean of the ring around; opacity mixes fill and image."""
    pixels, inside = film(), mark_pixels((BOX,), (HEIGHT, WIDTH))
    covered = {fill: Hidden((BOX,), fill=fill)(pixels)[inside] for fill in FILLS}
    assert (covered["black"] == 0).all()
    assert (covered["grey"] == 128).all()
    assert (covered["mean"] == np.rint(pixels.mean())).all()
    ring = cv2.dilate(inside.astype(np.uint8), np.ones((5, 5))) > inside
    assert (covered["border"] == np.rint(pixels[ring].mean())).all()
    assert abs(np.median(covered["noise"]) - np.median(pixels[~inside])) < 20
    assert 0.7 < covered["noise"].std() / pixels[~inside].std() < 1.1  # cut at black and white
    assert covered["blur"].std() < 0.3 * pixels[inside].std()
    half = Hidden((BOX,), fill="black", opacity=0.5)(pixels)[inside]
    assert np.array_equal(half, np.rint(pixels[inside] / 2).astype(np.uint8))


def test_size_multiplies_the_sides_about_the_centre():
    """Half, one, one and a half and two times the sides; what leaves the image is cut off, not moved."""
    for size in (0.5, 1.0, 1.5, 2.0):
        [part] = Hidden((BOX,), size=size).find_parts((HEIGHT, WIDTH))
        assert part.inside.shape == (round(15 * size), round(20 * size))
        assert abs(part.left + part.inside.shape[1] / 2 - 20) <= 0.5
        assert abs(part.top + part.inside.shape[0] / 2 - 27.5) <= 0.5
    [cut] = Hidden((Region("nodule", Box(0, 0, 10, 10)),), size=2.0).find_parts((HEIGHT, WIDTH))
    assert (cut.left, cut.top, cut.inside.shape) == (0, 0, (15, 15))


def test_corners_spare_a_marked_finding():
    """A sixth of each side is covered in every corner, except a finding that lies there."""
    there = Region("nodule", Box(0, 0, 5, 5))
    after = Hidden((there,), where="corners", fill="black")(film())
    assert (after == 0).sum() == 4 * (HEIGHT // 6) * (WIDTH // 6) - 25
    assert (after[:5, :5] == film()[:5, :5]).all()


@given(
    st.lists(st.tuples(*[st.integers(0, 50)] * 2, *[st.integers(4, 25)] * 2), min_size=1, max_size=4),
    st.integers(0, 2**32 - 1),
)
def test_another_place_is_free_alike_and_in_the_body(boxes, seed):
    """Parts keep their shape, meet neither a marked pixel nor each other, and hold as much of the body."""
    regions = [Region("nodule", Box(x, y, x + w, y + h)) for x, y, w, h in boxes]
    marked = mark_pixels(regions, (HEIGHT, WIDTH))
    body = np.zeros((HEIGHT, WIDTH), dtype=bool)
    body[:, 15:] = True
    parts = split_parts(marked)
    moves = draw_moves(parts, marked, body, np.random.default_rng(seed))
    if moves is None:
        return
    step = Hidden(tuple(regions), fill="black", moves=moves)
    covered = step(film()) == 0
    assert covered.sum() == marked.sum()
    assert not (covered & marked).any()
    for part, (right, down) in zip(parts, moves, strict=True):
        height, width = part.inside.shape
        own, new = (body[y : y + height, x : x + width].sum()
                    for x, y in ((part.left, part.top), (part.left + right, part.top + down)))  # fmt: skip
        assert new >= 0.9 * own


def test_every_free_place_is_drawn_and_none_if_there_is_no_room():
    """All places of brute force come up, and only they; a part of the whole image has no other place."""
    marked = np.zeros((8, 9), dtype=bool)
    marked[2:4, 3:6] = True
    parts, body = split_parts(marked), np.ones_like(marked)
    free = {
        (left - 3, top - 2) for top in range(7) for left in range(7) if not marked[top : top + 2, left : left + 3].any()
    }
    rng = np.random.default_rng(0)
    assert {draw_moves(parts, marked, body, rng)[0] for _ in range(1000)} == free
    every = np.ones_like(marked)
    assert draw_moves([Part(0, 0, every)], every, body, rng) is None


def test_the_body_is_what_does_not_continue_the_edge():
    """A dark frame is background, a dark hole in the body is not; a film that fills the image is all body."""
    pixels = np.zeros((50, 50), dtype=np.uint8)
    pixels[10:40, 10:40] = 150
    pixels[22:30, 22:30] = 0
    for image in (pixels, 255 - pixels, np.dstack([pixels] * 3)):
        body = find_body(image)
        assert body[12:38, 12:38].all()
        assert not body[:7].any()
        assert not body[:, 43:].any()
    assert find_body(film()).all()
